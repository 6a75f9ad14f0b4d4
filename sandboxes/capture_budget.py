"""How large an edit may be, counted while it is met."""

from collections.abc import Callable
from dataclasses import dataclass

from sandboxes.git_objects import Entries, Entry


@dataclass(frozen=True)
class CaptureLimits:
    """How much an edit may be: files added, changed or deleted, and bytes of what was added or changed."""

    max_files: int = 20_000
    max_bytes: int = 100_000_000


class OverLimitError(Exception):
    """Ends a scan; its text says which limit was met."""


class Budget:
    """Counts what a scan meets against the limits."""

    def __init__(self, base: Entries, limits: CaptureLimits, size_of: Callable[[str], int]) -> None:
        self._base = base
        self._limits = limits
        self._size_of = size_of
        self._files = 0
        self._bytes = 0
        self._others = 0

    def expect(self, path: bytes, size: int) -> None:
        """Called before a file is read, since one that is over a limit need not be."""
        before = self._base.get(path)
        if before is None and self._files >= self._limits.max_files:
            self._refuse_files()
        room = self._limits.max_bytes - (self._bytes if before is None else 0)
        # A file that large may be the base's own; only one of equal size can be.
        if size > room and (before is None or self._size_of(before.blob) != size):
            self._refuse_bytes()

    def count(self, path: bytes, entry: Entry, size: int) -> None:
        """Called when a file is known."""
        before = self._base.get(path)
        if before == entry:
            return
        self._files += 1
        self._bytes += size if before is None or before.blob != entry.blob else 0
        if self._files > self._limits.max_files:
            self._refuse_files()
        if self._bytes > self._limits.max_bytes:
            self._refuse_bytes()

    def count_other(self) -> None:
        """Called for a new folder, and for what no tree can hold."""
        self._others += 1
        if self._others > self._limits.max_files:
            raise OverLimitError(f"more than {self._limits.max_files} new folders and special files")

    def count_deleted(self, entries: Entries) -> None:
        self._files += sum(path not in entries for path in self._base)
        if self._files > self._limits.max_files:
            self._refuse_files()

    def _refuse_files(self) -> None:
        raise OverLimitError(f"more than {self._limits.max_files} files changed")

    def _refuse_bytes(self) -> None:
        raise OverLimitError(f"more than {self._limits.max_bytes} bytes changed")
