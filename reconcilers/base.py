"""The seam of a reconciler: what combines two lanes' edits into one tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from sandboxes.gitstore import GitStore
from sandboxes.usage import Usage


class CombineStatus(StrEnum):
    CLEAN = "clean"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Hunk:
    """One place that did not combine: the file, its first line in the conflicted text, and the text there.

    Lines count from 1; `None` where the files themselves collide, and `text` is what git says of it.
    """

    path: str
    line: int | None
    text: str


@dataclass(frozen=True)
class Combined:
    """What a reconciler made of two edits.

    Attributes:
        reconciler: its name.
        status: clean, or conflict (a failure of this reconciler, never an error).
        tree: the combined tree's hash when clean, else `None`.
        reason: one line on why not, empty when clean.
        conflicts: the places, hunk by hunk.
        detail: which applier ran and what it said.
        usage: the tokens of a reconciler that asks a model, of every attempt.
        transcript: what was said to the model and what it answered, message by message.
    """

    reconciler: str
    status: CombineStatus
    tree: str | None
    reason: str = ""
    conflicts: tuple[Hunk, ...] = ()
    detail: str = ""
    usage: Usage = field(default_factory=Usage)
    transcript: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Edit:
    """One lane's edit.

    Attributes:
        lane: whose it is.
        tree: the tree it ended with.
        patch: from the base to that tree, as bytes from git.
        requirement: what its principal asked, for a reconciler that is to see it; `None` where it was not given.
        summary: what the lane says of its work, likewise.
    """

    lane: str
    tree: str
    patch: bytes
    requirement: str | None = None
    summary: str | None = None


class Reconciler(Protocol):
    name: str

    def combine(self, store: GitStore, base: str, first: Edit, second: Edit) -> Combined:
        """Combine two edits of the tree `base`. The order of the two does not change the verdict.

        Raises:
            SandboxError: git itself broke.
            HarnessError: the model that it asks could not be reached.
        """
        ...
