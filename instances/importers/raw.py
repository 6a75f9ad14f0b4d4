"""What the readers of other data sets hand on: a base, some sides with their references and tests, nothing measured yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from instances.importers.rejects import Rejection

TestFiles = Mapping[str, bytes]


@dataclass(frozen=True)
class RawSide:
    """One requirement as another data set has it.

    Attributes:
        name: what the data set calls it, such as `feature 3`.
        requirement: the text that the agent is given.
        reference: a patch.
        tests: a patch, or whole files by their path.
        command: the runner and its arguments; empty where it follows from the tests' files.
    """

    name: str
    requirement: str
    reference: bytes
    tests: bytes | TestFiles
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawBase:
    """Where the repository comes from, as an instance's `base` says it, and what its tests need.

    Attributes:
        entry: the instance's `base`.
        interpreter: `python`, `node` or `go`.
        language: as an instance says it.
        packages: what is to be installed for the tests, as pip takes it.
        extras: of the repository's own package, whose dependencies are needed too.
        requirement_files: paths in the tree.
        environment: the instance's `environment` where it is in an image; `None` where a lock is made.
    """

    entry: Mapping[str, object]
    interpreter: str
    language: str
    packages: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    requirement_files: tuple[str, ...] = ()
    environment: Mapping[str, object] | None = None


@dataclass(frozen=True)
class RawPair:
    """Two of a task's sides that make an instance.

    Attributes:
        label: how the source names it, in what is told.
        slug: the instance's id.
        a, b: keys of the sides.
        family: as it is declared; empty where it is not.
        joint: a declared joint reference, as a patch; `None` where there is none.
        joint_tests: declared joint tests; `None` where the two sides' suites stand for them.
        base_tests: files or folders of the base's own tests; empty where they follow from the sides' commands.
    """

    label: str
    slug: str
    a: str
    b: str
    title: str
    principals: Mapping[str, str]
    family: str = ""
    joint: bytes | None = None
    joint_tests: bytes | TestFiles | None = None
    base_tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawTask:
    """A base with two sides or more, and the pairs to make of them.

    Attributes:
        format: `cooperbench`, `swebench-pro` or `pairs`.
        source: what was read, for people.
        sides: by key; a key that was rejected is not among them.
        rejected: the sides, by key, that cannot be read.
        joint: a solution of all sides at once; `None` where there is none.
        files: SHA-256 of what was read, by name.
        notes: what a reader should know of all its pairs.
    """

    format: str
    source: str
    base: RawBase
    sides: Mapping[str, RawSide]
    pairs: tuple[RawPair, ...]
    rejected: Mapping[str, Rejection] = field(default_factory=dict)
    joint: bytes | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
