"""Watches a workspace from outside: snapshots and the final patch, from what is on disk and nothing else."""

import os
import time
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sandboxes.capture_budget import Budget, CaptureLimits, OverLimitError
from sandboxes.errors import SandboxError
from sandboxes.git_objects import (
    FILE_MODE,
    LINK_MODE,
    PROGRAM_MODE,
    Entries,
    Entry,
    changed_entries,
    object_name,
    path_text,
)
from sandboxes.gitstore import GitStore
from sandboxes.ignored import ignored_paths
from sandboxes.overlay import upper_over
from sandboxes.tree_walk import Found, Kind, read_file, read_link, walk

__all__ = ["Capture", "CaptureLimits", "IgnoredFile", "Recorder", "SkippedPath", "Snapshot", "is_settled"]


@dataclass(frozen=True)
class SkippedPath:
    """Something on disk that no tree can hold, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Snapshot:
    """What was on disk.

    Attributes:
        tree: its hash; `None` when it is over a limit.
        skipped: what is not in the tree, sorted.
        over_limit: which limit was met; `None` when none was.
    """

    tree: str | None
    skipped: tuple[SkippedPath, ...]
    over_limit: str | None


@dataclass(frozen=True)
class IgnoredFile:
    """A new file that the base's own ignore files name; it is in the patch all the same."""

    path: str
    size: int


@dataclass(frozen=True)
class Capture:
    """An edit: the difference between the base and what was on disk.

    Attributes:
        tree: hash of what was on disk; `None` when it is over a limit.
        patch: from the base to the tree, as bytes; without meaning when `tree` is `None`.
        changed: paths added, changed or deleted, sorted.
        ignored_new: those of them that are new and that the base ignores.
        skipped: what is on disk and in no tree.
        over_limit: which limit was met; `None` when none was.
    """

    tree: str | None
    patch: bytes
    changed: tuple[str, ...]
    ignored_new: tuple[IgnoredFile, ...]
    skipped: tuple[SkippedPath, ...]
    over_limit: str | None


class Recorder:
    """Takes snapshots and the final patch of one workspace; one thread at a time.

    It reads nothing of the workspace's `.git`, configuration, attributes, filters or hooks, follows no link,
    and looks at no more than the limits allow.

    Args:
        store: where trees and blobs go.
        workspace: the folder as the host sees it.
        base: the tree that edits are measured against.
        limits: beyond them there is a named status instead of a tree.
    """

    def __init__(self, store: GitStore, workspace: Path, base: str, limits: CaptureLimits | None = None) -> None:
        self._store = store
        self._workspace = workspace
        self._base_tree = base
        self._base = store.entries(base)
        self._base_blobs = frozenset(entry.blob for entry in self._base.values())
        self._base_folders = _folders_of(self._base)
        self._base_paths = sorted(self._base)
        self._upper = upper_over(workspace, base)
        self._limits = limits or CaptureLimits()
        self._seen: dict[bytes, _Seen] = {}

    def snapshot(self) -> Snapshot:
        """What is on disk now. Files that have not been touched since the last time are not read again.

        Raises:
            SandboxError: something can't be read or stored.
        """
        scan = self._scan(self._seen)
        tree = None if scan.over_limit else self._store.write_tree(scan.entries)
        return Snapshot(tree, scan.skipped, scan.over_limit)

    def capture(self) -> Capture:
        """The edit as it is on disk now. Every file is read again: a patch rests on bytes, not on time stamps.

        Where the workspace is an overlay over the base, that is every file of its upper layer: the lower one cannot be written.

        Raises:
            SandboxError: something can't be read or stored, or git failed.
        """
        scan = self._scan({})
        if scan.over_limit:
            return Capture(None, b"", (), (), scan.skipped, scan.over_limit)
        tree = self._store.write_tree(scan.entries)
        changed = sorted(changed_entries(self._base, scan.entries))
        new = [path for path in changed if path in scan.entries and path not in self._base]
        return Capture(
            tree=tree,
            patch=self._store.patch(self._base_tree, tree),
            changed=tuple(path_text(path) for path in changed),
            ignored_new=tuple(
                IgnoredFile(path_text(path), scan.sizes[path]) for path in ignored_paths(self._store, self._base, new)
            ),
            skipped=scan.skipped,
            over_limit=None,
        )

    def _scan(self, seen: Mapping[bytes, "_Seen"]) -> "_Scan":
        scan = _Scan(Budget(self._base, self._limits, self._store.blob_size))
        self._seen = {}
        try:
            with closing(walk(self._workspace, self._upper)) as everything:
                for found in everything:
                    self._take(found, scan, seen.get(found.path))
            scan.budget.count_deleted(scan.entries)
        except OverLimitError as error:
            scan.over_limit = str(error)
        return scan

    def _take(self, found: Found, scan: "_Scan", seen: "_Seen | None") -> None:
        if found.kind is Kind.SKIPPED:
            scan.budget.count_other()
            scan.left_out.append(SkippedPath(path_text(found.path), found.reason))
        elif found.kind is Kind.BELOW:
            self._take_from_base(found.path, scan)
        elif found.kind is Kind.FOLDER:
            if found.path not in self._base_folders:
                scan.budget.count_other()
        elif found.kind is Kind.LINK:
            target = read_link(found)
            if target is not None:
                scan.budget.expect(found.path, len(target))
                self._add(found.path, LINK_MODE, target, scan)
        elif seen is not None and seen.stamp == _stamp(found.status):
            entry = Entry(_file_mode(found), seen.blob)
            scan.budget.count(found.path, entry, found.status.st_size)
            scan.entries[found.path] = entry
            scan.sizes[found.path] = found.status.st_size
            self._seen[found.path] = seen
        else:
            self._take_file(found, scan)

    def _take_from_base(self, path: bytes, scan: "_Scan") -> None:
        """A file as the base has it, or a folder with all that the base has in it."""
        if path in self._base:
            scan.entries[path] = self._base[path]
            return
        folder = path + b"/"
        first, end = (bisect_left(self._base_paths, each) for each in (folder, path + b"0"))  # 0 comes after the slash
        if first == end:
            raise SandboxError(f"cannot read {path_text(path)!r} in the workspace: it is in a layer of which it is no part")
        scan.entries.update((each, self._base[each]) for each in self._base_paths[first:end])

    def _take_file(self, found: Found, scan: "_Scan") -> None:
        scan.budget.expect(found.path, found.status.st_size)
        started = time.time_ns()
        content = read_file(found)
        if content is None:
            return
        blob = self._add(found.path, _file_mode(found), content.data, scan)
        if is_settled(content.status.st_ctime_ns, started):
            self._seen[found.path] = _Seen(_stamp(content.status), blob)

    def _add(self, path: bytes, mode: str, data: bytes, scan: "_Scan") -> str:
        blob = object_name("blob", data)
        entry = Entry(mode, blob)
        scan.budget.count(path, entry, len(data))
        if blob not in self._base_blobs:
            self._store.writer.blob(data)
        scan.entries[path] = entry
        scan.sizes[path] = len(data)
        return blob


@dataclass(frozen=True)
class _Seen:
    """A file that was read: its blob, and the stamp it then had."""

    stamp: tuple[int, ...]
    blob: str


@dataclass
class _Scan:
    """What a walk has gathered so far."""

    budget: Budget
    entries: dict[bytes, Entry] = field(default_factory=dict)
    sizes: dict[bytes, int] = field(default_factory=dict)
    left_out: list[SkippedPath] = field(default_factory=list)
    over_limit: str | None = None

    @property
    def skipped(self) -> tuple[SkippedPath, ...]:
        return tuple(sorted(self.left_out, key=lambda each: each.path))


def _file_mode(found: Found) -> str:
    return PROGRAM_MODE if found.is_program else FILE_MODE


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_dev, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def is_settled(changed_at: int, read_at: int) -> bool:
    """Whether a write after a file was read would show in its time of change (both in nanoseconds).

    Kernels stamp with a clock that stands still between ticks, some file systems with one that counts seconds:
    a file written again within the same tick looks untouched. So a stamp is trusted only when it was older than
    that by the time the file was read.
    """
    second = 1_000_000_000
    granule = 50_000_000 if changed_at % second else 2 * second
    return changed_at + granule < read_at


def _folders_of(entries: Entries) -> frozenset[bytes]:
    folders: set[bytes] = set()
    for path in entries:
        parent = path.rpartition(b"/")[0]
        while parent and parent not in folders:
            folders.add(parent)
            parent = parent.rpartition(b"/")[0]
    return frozenset(folders)
