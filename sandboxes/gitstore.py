"""The harness's own git: an object store outside every lane, with our configuration and attributes only."""

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.git_command import GitCommand, message_of
from sandboxes.git_objects import (
    FILE_MODE,
    LINK_MODE,
    PROGRAM_MODE,
    Entries,
    Entry,
    ObjectWriter,
    changed_entries,
    make_room,
    parse_entries,
    path_bytes,
    path_text,
    remove_at,
)
from sandboxes.git_repository import make_store
from sandboxes.git_workspace import PreparedCheckouts, write_files
from sandboxes.globs import compile_globs
from sandboxes.merge_report import parse_merge_report
from sandboxes.tree_walk import Kind, read_file, read_link, walk

_CACHED_TREES = 64
_HASH = re.compile(r"[0-9a-f]{40}")
_PATCH_OPTIONS = (
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    "--ignore-submodules=none",
)
_SUBMODULE_HEADER = re.compile(
    rb"^(?:(?:new|old|new file|deleted file) mode 160000|index [0-9a-f]+\.\.[0-9a-f]+ 160000)\s*$", re.MULTILINE
)
_PLAIN_HEADER = re.compile(rb"^diff --git a/(.*) b/\1$", re.MULTILINE)


@dataclass(frozen=True)
class Applied:
    """tree is None when the patch did not apply; message is git's reason, one or more lines."""

    tree: str | None
    message: str


@dataclass(frozen=True)
class Merged:
    """What a merge made.

    Attributes:
        tree: `None` on conflict.
        conflicts: maps each path in conflict to the conflicted text with markers (what stands there, where git
            could put none; empty where nothing does).
        message: git's lines on the conflicts.
        reasons: git's lines path by path.
        labels: the words that git put behind the opening and the closing markers.
    """

    tree: str | None
    conflicts: dict[str, bytes]
    message: str
    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)
    labels: tuple[str, str] = ("", "")


class GitStore:
    """A bare repository of ours at `path`, made on first use; safe for several threads and processes.

    Paths are text with undecodable bytes surrogate-escaped; patches and contents are bytes.
    Every method raises SandboxError when git or the machine breaks; what a patch or an edit does is a value.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        make_store(self.path)
        self.writer = ObjectWriter(self.path / "objects")
        self._git = GitCommand(self.path)
        self._prepared = PreparedCheckouts(self.path, self.writer)
        self._cache: OrderedDict[str, Entries] = OrderedDict()  # guarded by _cache_lock; a tree never changes
        self._cache_lock = threading.Lock()

    def import_directory(self, directory: Path) -> str:
        """Tree hash of a plain folder's files: the bytes on disk; no ignore list, attribute or filter is obeyed.

        Raises:
            SandboxError: something in it can't be in a tree, such as a socket or a nested repository.
        """
        entries: dict[bytes, Entry] = {}
        with closing(walk(directory)) as everything:
            for found in everything:
                if found.kind is Kind.SKIPPED:
                    raise SandboxError(f"cannot import {directory}: {path_text(found.path)!r} is {found.reason}")
                if found.kind is Kind.LINK and (target := read_link(found)) is not None:
                    entries[found.path] = Entry(LINK_MODE, self.writer.blob(target))
                if found.kind is Kind.FILE and (content := read_file(found)) is not None:
                    mode = PROGRAM_MODE if found.is_program else FILE_MODE
                    entries[found.path] = Entry(mode, self.writer.blob(content.data))
        return self.write_tree(entries)

    def checkout(self, tree: str, destination: Path) -> None:
        """Write the tree's files into an empty or new folder, byte for byte."""
        try:
            destination.mkdir(parents=True, exist_ok=True)
            if any(destination.iterdir()):
                raise SandboxError(f"cannot check out into {destination}: it is not empty")
        except OSError as error:
            raise SandboxError(f"cannot check out into {destination}: {error.strerror}") from error
        with self._index() as index:
            write_files(self._git, _hash(tree), destination.absolute(), index)

    def patch(self, base: str, tree: str) -> bytes:
        """The patch from one tree to another, as bytes, the same whatever any configuration says."""
        if base == tree:
            return b""
        patch = self._git.output(["diff-tree", "-r", "-p", *_PATCH_OPTIONS, _hash(base), _hash(tree)])
        return _PLAIN_HEADER.sub(_quoted_header, patch)

    def apply(self, tree: str, patch: bytes) -> Applied:
        """Apply a patch strictly (no fuzz, no reverse guess, no 3-way), without a work tree."""
        if not patch:
            return Applied(_hash(tree), "")
        if _SUBMODULE_HEADER.search(patch):
            return Applied(None, "the patch holds a submodule, which no tree here may have")
        with self._index() as index:
            variables = {"GIT_INDEX_FILE": os.fspath(index)}
            self._git.output(["read-tree", _hash(tree)], variables=variables)
            apply = ["apply", "--cached", "--whitespace=nowarn", "-p1"]
            result = self._git.attempt([*apply, "-"], stdin=patch, variables=variables)
            if result.ok:
                return Applied(self._git.output(["write-tree"], variables=variables).decode().strip(), "")
            # Git's status does not tell a bad patch from a full disk; a dry run writes nothing, so it does.
            if self._git.attempt([*apply, "--check", "-"], stdin=patch, variables=variables).ok:
                raise SandboxError(f"git apply failed ({result.returncode}): {message_of(result)}")
            return Applied(None, message_of(result))

    def merge(self, base: str, ours: str, theirs: str, *, with_base: bool = False) -> Merged:
        """Three-way merge of trees with git's ort, without a work tree.

        Args:
            with_base: the texts of conflicts hold the base's lines too (git's style `diff3`).
        """
        root = self.writer.commit(_hash(base), [], "base")
        labels = (
            self.writer.commit(_hash(ours), [root], "ours"),
            self.writer.commit(_hash(theirs), [root], "theirs"),
        )
        style = ["-c", "merge.conflictStyle=diff3"] if with_base else []
        command = [*style, "merge-tree", "--write-tree", "-z", "--messages", *labels]
        result = self._git.attempt(command)
        # Up to git 2.44 a tree that can't be read counts as an empty one, with status 0 and an error on the side.
        if result.returncode not in (0, 1) or b"error:" in result.stderr:
            raise SandboxError(f"git merge-tree failed ({result.returncode}): {message_of(result)}")
        report = parse_merge_report(result.stdout)
        if result.ok:
            return Merged(report.tree, {}, "")
        texts = {path: self.read_file(report.tree, path) or b"" for path in report.paths}
        return Merged(None, texts, report.message, report.reasons, labels)

    def changed_paths(self, base: str, tree: str) -> tuple[str, ...]:
        """Paths added, changed or deleted between two trees (undecodable bytes surrogate-escaped), sorted."""
        changed = changed_entries(self.entries(base), self.entries(tree))
        return tuple(path_text(path) for path in sorted(changed))

    def paths(self, tree: str) -> tuple[str, ...]:
        """All file paths in a tree, sorted by their bytes."""
        return tuple(path_text(path) for path in sorted(self.entries(tree)))

    def read_file(self, tree: str, path: str) -> bytes | None:
        """A file's content in a tree (a link's target); None when absent."""
        entry = self.entries(tree).get(path_bytes(path))
        return None if entry is None else self.read_blob(entry.blob)

    def read_blob(self, blob: str) -> bytes:
        return self._git.output(["cat-file", "blob", _hash(blob)])

    def blob_size(self, blob: str) -> int:
        return int(self._git.output(["cat-file", "-s", _hash(blob)]))

    def overlay(self, tree: str, files: Sequence[tuple[str, bytes, bool]], removed: Sequence[str] = ()) -> str:
        """A new tree: `files` (path, content, executable) laid over `tree`, whatever stood in their way replaced.

        `removed` paths, files or whole folders, are dropped first.

        Raises:
            SandboxError: a path leaves the tree, enters `.git`, or two of them can't stand together.
        """
        entries = dict(self.entries(tree))
        for path in removed:
            remove_at(entries, path_bytes(path))
        for path, content, executable in files:
            make_room(entries, path_bytes(path))
            mode = PROGRAM_MODE if executable else FILE_MODE
            entries[path_bytes(path)] = Entry(mode, self.writer.blob(content))
        return self.write_tree(entries)

    def copy_paths(self, tree: str, source_tree: str, globs: Sequence[str]) -> str:
        """A new tree in which every path that matches a glob is as in `source_tree` (absent there: removed)."""
        matches = compile_globs(globs).fullmatch
        entries = {path: entry for path, entry in self.entries(tree).items() if not matches(path_text(path))}
        for path, entry in self.entries(source_tree).items():
            if matches(path_text(path)):
                make_room(entries, path)
                entries[path] = entry
        return self.write_tree(entries)

    def prepare_workspace(self, workspace: Path, history: Sequence[str]) -> None:
        """Write the last tree of `history` into a new folder with a fresh .git of the lane's own: the trees of
        `history` as a chain of commits from a parentless first one (fixed author and date, message "step N" / "base"),
        no reflog, remote, other object or hook. Nothing that is written in it reaches the store or another workspace.
        Where the machine allows it, it is an overlay, to be removed by `remove_tree`."""
        self._prepared.lay_out([_hash(tree) for tree in history], workspace.absolute())

    def prepared_checkout(self, history: Sequence[str]) -> Path:
        """The folder that `prepare_workspace` copies: for an overlay's lower layer, never to be written."""
        return self._prepared.path([_hash(tree) for tree in history])

    def entries(self, tree: str) -> Entries:
        """Every file of a tree: its path to its mode and blob."""
        with self._cache_lock:
            if tree in self._cache:
                self._cache.move_to_end(tree)
                return self._cache[tree]
        listing = self._git.output(["ls-tree", "-r", "-z", "--full-tree", _hash(tree)])
        return self._remember(tree, parse_entries(listing))

    def write_tree(self, entries: Entries) -> str:
        """The tree of exactly these files, whose blobs are in the store."""
        try:
            tree = self.writer.tree(entries)
        except ValueError as error:
            raise SandboxError(f"cannot make a tree: {error}") from error
        self._remember(tree, entries)
        return tree

    def _remember(self, tree: str, entries: Entries) -> Entries:
        kept = MappingProxyType(dict(entries))
        with self._cache_lock:
            self._cache[tree] = kept
            while len(self._cache) > _CACHED_TREES:
                self._cache.popitem(last=False)
        return kept

    @contextmanager
    def _index(self) -> Iterator[Path]:
        """Where one operation may keep an index of its own."""
        folder = scratch_folder("git")
        try:
            yield folder / "index"
        finally:
            remove_tree(folder)


def _quoted_header(header: re.Match[bytes]) -> bytes:
    """A header that `git apply` can read: of a folder whose name ends with a space it can't, unless in quotes."""
    name: bytes = header[1]
    return b'diff --git "a/%s" "b/%s"' % (name, name) if b" /" in name else header[0]


def _hash(name: str) -> str:
    """A tree's name, if it is a whole hash: so that no name can be an option or a revision."""
    if not _HASH.fullmatch(name):
        raise SandboxError(f"not a git tree hash: {name!r}")
    return name
