"""What an instance is, once it was read from disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from instances import edscript
from instances.bases import BaseSpec, base_directory
from instances.errors import InstanceError
from instances.files import digest_of, own_files
from instances.imported import Generated, Imported, provenance

SIDES = ("a", "b")
DEFAULT_TIMEOUT_SECONDS = 60.0


class Family(StrEnum):
    CONTRADICTORY = "contradictory"
    COMPLEMENTARY = "complementary"
    NON_INTERACTING = "non-interacting"


@dataclass(frozen=True)
class SuiteSpec:
    """One suite of tests.

    Attributes:
        name: `a`, `b`, `joint` (held out) or `base` (the base's own).
        overlay: the folder whose files are laid over the tree; `None` where the tests are the base's own files.
        command: the runner, then its arguments.
        fail_to_pass, pass_to_pass: test ids; a pass is every one of them exactly once as passed.
        timeout_seconds: when the suite is ended and has failed.
    """

    name: str
    overlay: Path | None
    command: tuple[str, ...]
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS

    @property
    def expected(self) -> tuple[str, ...]:
        return self.fail_to_pass + self.pass_to_pass

    def overlay_files(self) -> tuple[tuple[str, Path], ...]:
        """The held-out files, sorted: where each goes in the tree, and where it is kept."""
        return tuple(own_files(self.overlay)) if self.overlay else ()


@dataclass(frozen=True)
class ImageSpec:
    """The container image that lanes and gradings start from: a pinned one, or one built from the instance's own folder.

    Attributes:
        name, id: a pinned one, and the digest that the engine calls its id.
        build: the folder with the Dockerfile, which is all that the build sees.
    """

    name: str = ""
    id: str = ""
    build: Path | None = None


@dataclass(frozen=True)
class EnvironmentSpec:
    """What the tests need: an interpreter, hash-pinned dependencies, and where the tree's own modules are.

    Attributes:
        lock: a pip requirements file with hashes; `None` where the image holds the interpreter with its packages.
        npm_lock: a package-lock.json, of what node needs besides; `None` for nothing.
        image: the container image that they are run in; `None` for the sandbox's own.
        executable: the interpreter's path in the image; empty where there is a lock.
    """

    interpreter: str
    lock: Path | None
    source_roots: tuple[str, ...] = (".",)
    import_check: tuple[str, ...] = ()
    npm_lock: Path | None = None
    image: ImageSpec | None = None
    executable: str = ""

    def read_locks(self) -> tuple[bytes, bytes | None]:
        """The two locks' contents; the first is empty where there is none.

        Raises:
            InstanceError: one of them cannot be read.
        """
        try:
            return self.lock.read_bytes() if self.lock else b"", self.npm_lock.read_bytes() if self.npm_lock else None
        except OSError as error:
            raise InstanceError(f"{error.filename}: {error.strerror}") from error


@dataclass(frozen=True)
class Instance:
    """A pair: a base, requirements A and B, reference patches, controls, held-out tests."""

    folder: Path
    id: str
    family: Family
    title: str
    canary: str
    language: str
    conflict_kind: str
    principals: Mapping[str, str]
    base: BaseSpec
    environment: EnvironmentSpec
    tests: Mapping[str, SuiteSpec]
    protected: tuple[str, ...]
    divergent_side: str | None
    imported: Imported | None = None
    generated: Generated | None = None

    def requirement(self, side: str) -> str:
        """What principal `side` asked.

        Raises:
            InstanceError: the file is missing or is not UTF-8.
        """
        path = self.folder / f"requirement_{side}.md"
        try:
            return path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InstanceError(f"{path}: {error}") from error

    def base_directory(self) -> Path:
        """The folder that holds the base's files and nothing else; fetched, or cleaned of compiled files, on first use.

        Raises:
            InstanceError: see `instances.bases.base_directory`.
        """
        return base_directory(self.base, self.folder)

    def has_patch(self, name: str) -> bool:
        """Whether there is a patch of this name, such as `controls/alternative`."""
        return any((self.folder / f"{name}{suffix}").is_file() for suffix in (".patch", ".ed"))

    def patch(self, name: str) -> bytes:
        """The git patch of a name such as `references/joint`; an edit script is turned into one.

        Raises:
            InstanceError: there is none, or its edit script does not fit the base.
        """
        plain, script = self.folder / f"{name}.patch", self.folder / f"{name}.ed"
        if plain.is_file():
            return plain.read_bytes()
        if not script.is_file():
            raise InstanceError(f"{self.folder}: no {name}.patch or {name}.ed")
        root = self.base_directory()

        def read_base(path: str) -> bytes | None:
            file = root / path
            return file.read_bytes() if file.is_file() else None

        try:
            return edscript.to_patch(script.read_bytes(), read_base)
        except InstanceError as error:
            raise InstanceError(f"{script}: {error}") from error

    @property
    def provenance(self) -> str:
        """What must be said wherever its results are, in words; empty for a pair that was made by hand."""
        return provenance(self.imported, self.generated)

    @property
    def replay(self) -> Path:
        """The folder of the replay scripts, which need not exist."""
        return self.folder / "replay"

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the paths and bytes of the instance's folder, see `instances.files`."""
        return digest_of(self.folder)

    @cached_property
    def base_key(self) -> str:
        """What two pairs on the same base have in common: the unit that intervals are resampled over."""
        if self.base.kind == "directory":
            return f"directory {digest_of(self.folder / 'base')[:16]}"
        return self.base.key
