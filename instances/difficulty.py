"""How hard a pair is by what can be counted in it; how agents fare with it is for records to say."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from instances.changes import FileChange, changes_of, overlap_of

_PROSE = frozenset([".md", ".rst", ".txt"])
MANY_FILES, MANY_HUNKS, MANY_LINES = 5, 15, 10


@dataclass(frozen=True)
class Difficulty:
    """What was counted. Files, hunks and lines are of code: prose and protected files are left out.

    Attributes:
        files, hunks, lines: what the joint reference changes: files, hunks with git's usual context, lines added and taken away.
        overlap: lines and places of the base that both single references change.
        merges: whether git merges the two single references textually.
        half_a, half_b: how many of the two sides' own suites each half solution passes, 0 to 2; `None` where it was not graded.
    """

    files: int
    hunks: int
    lines: int
    overlap: int
    merges: bool
    half_a: int | None
    half_b: int | None

    @property
    def points(self) -> int:
        """One each for: many files, many hunks, references that meet in many lines, a half that both sides' suites pass."""
        looks_done = 2 in (self.half_a, self.half_b)
        return sum((self.files >= MANY_FILES, self.hunks >= MANY_HUNKS, self.overlap >= MANY_LINES, looks_done))

    @property
    def label(self) -> str:
        """`plain` up to one point, `middling` with two, `hard` with three or four."""
        return ("plain", "plain", "middling", "hard", "hard")[self.points]

    def describe(self) -> str:
        """In one line."""
        halves = ", ".join(f"half_{side} {'?' if n is None else n}" for side, n in (("a", self.half_a), ("b", self.half_b)))
        merged = "merges" if self.merges else "does not merge"
        return (
            f"{self.label}: joint {self.files} files, {self.hunks} hunks, {self.lines} lines; "
            f"references meet in {self.overlap} lines; "
            f"git {merged} them; sides passed: {halves}"
        )

    def as_data(self) -> dict[str, Any]:
        """For the ledger."""
        return asdict(self)

    @staticmethod
    def of_data(data: Any) -> "Difficulty | None":
        """What a ledger's entry says; `None` where it says nothing, or something else than today's counts."""
        try:
            return Difficulty(**data)
        except TypeError:
            return None


def code_changes(patch: bytes, protected: Callable[[str], object]) -> Mapping[str, FileChange]:
    """What a patch changes of the code: no prose, and nothing that grading puts back."""
    changes = changes_of(patch)
    return {path: one for path, one in changes.items() if not protected(path) and PurePosixPath(path).suffix not in _PROSE}


def measure(
    patches: Mapping[str, bytes], protected: Callable[[str], object], merges: bool, halves: Mapping[str, int | None]
) -> Difficulty:
    """Count.

    Args:
        patches: git patches of the references `a`, `b` and `joint`, with three lines of context.
        protected: whether grading puts a path back.
        merges: whether git merges a's and b's.
        halves: by side, how many of the two sides' suites that half passes.
    """
    changes = {name: code_changes(patch, protected) for name, patch in patches.items()}
    joint = changes["joint"].values()
    return Difficulty(
        files=len(joint),
        hunks=sum(one.hunks for one in joint),
        lines=sum(one.lines for one in joint),
        overlap=overlap_of(changes["a"], changes["b"]),
        merges=merges,
        half_a=halves["a"],
        half_b=halves["b"],
    )
