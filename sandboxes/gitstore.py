"""The harness's own git: an object store outside every lane, with our configuration and attributes only.

(interface; bodies to be written by the owner)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Applied:
    """tree is None when the patch did not apply; message is git's reason, one or more lines."""

    tree: str | None
    message: str


@dataclass(frozen=True)
class Merged:
    """tree is None on conflict; conflicts maps each path to the conflicted text with markers (bytes)."""

    tree: str | None
    conflicts: dict[str, bytes]
    message: str


class GitStore:
    """A bare repository of ours at `path`, made on first use; safe for several threads and processes."""

    def __init__(self, path: Path) -> None: ...

    def import_directory(self, directory: Path) -> str:
        """Tree hash of a plain folder's files (exactly the bytes on disk; no ignore list, attribute or filter is obeyed)."""
        raise NotImplementedError

    def checkout(self, tree: str, destination: Path) -> None:
        """Write the tree's files into an empty or new folder, byte for byte."""
        raise NotImplementedError

    def patch(self, base: str, tree: str) -> bytes:
        """The patch from one tree to another, as bytes, the same whatever any configuration says."""
        raise NotImplementedError

    def apply(self, tree: str, patch: bytes) -> Applied:
        """Apply a patch strictly (no fuzz, no reverse guess, no 3-way), without a work tree."""
        raise NotImplementedError

    def merge(self, base: str, ours: str, theirs: str) -> Merged:
        """Three-way merge of trees with git's ort, without a work tree."""
        raise NotImplementedError

    def changed_paths(self, base: str, tree: str) -> tuple[str, ...]:
        """Paths added, changed or deleted between two trees (undecodable bytes surrogate-escaped), sorted."""
        raise NotImplementedError

    def paths(self, tree: str) -> tuple[str, ...]:
        """All file paths in a tree, sorted."""
        raise NotImplementedError

    def read_file(self, tree: str, path: str) -> bytes | None:
        """A file's content in a tree; None when absent."""
        raise NotImplementedError

    def overlay(self, tree: str, files: Sequence[tuple[str, bytes, bool]], removed: Sequence[str] = ()) -> str:
        """A new tree: `files` (path, content, executable) laid over `tree`, whatever stood in their way replaced; `removed` paths dropped."""
        raise NotImplementedError

    def copy_paths(self, tree: str, source_tree: str, globs: Sequence[str]) -> str:
        """A new tree in which every path that matches a glob is as in `source_tree` (absent there: removed)."""
        raise NotImplementedError

    def prepare_workspace(self, workspace: Path, history: Sequence[str]) -> None:
        """Write the last tree of `history` into a new folder with a fresh .git of the lane's own: the trees of
        `history` as a chain of commits from a parentless first one (fixed author and date, message "step N" / "base"),
        no reflog, remote, other object or hook. Shares nothing with the store."""
        raise NotImplementedError
