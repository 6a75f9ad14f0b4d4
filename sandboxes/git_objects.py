"""Blobs, trees and commits written straight into an object folder, without a process for each."""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gitdb import IStream, LooseObjectDB  # type: ignore[import-untyped]  # it ships no types

from sandboxes.errors import SandboxError

FILE_MODE = "100644"
PROGRAM_MODE = "100755"
LINK_MODE = "120000"
_FOLDER_MODE = b"40000"
_IDENTITY = "Crosstalk <crosstalk@crosstalk.invalid> 946684800 +0000"


class Entry(NamedTuple):
    """What a tree says of one file: its mode, in git's six digits, and its blob."""

    mode: str
    blob: str


Entries = Mapping[bytes, Entry]


@dataclass(frozen=True)
class _Folder:
    """A folder of a tree under construction."""

    files: dict[bytes, Entry]
    folders: dict[bytes, "_Folder"]


def path_text(path: bytes) -> str:
    """A path as text: UTF-8, with bytes that are none escaped so that `path_bytes` gives them back."""
    return path.decode("utf-8", "surrogateescape")


def path_bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def refused_name(name: bytes, *, is_link: bool) -> str:
    """Why git would not have an entry of this name in a tree; empty when it would."""
    lowered = name.lower()
    if lowered == b".git":
        return "a repository's own data"
    if lowered == b".gitmodules" and is_link:
        return "git refuses a link of this name"
    if name in (b"", b".", b".."):
        return "not a file name"
    return ""


class ObjectWriter:
    """Writes objects into one repository; safe for several threads and processes, which may write the same.

    Every method raises SandboxError when the object can't be written.
    """

    def __init__(self, objects: Path) -> None:
        self._objects = os.fspath(objects)
        self._database = LooseObjectDB(self._objects)

    def blob(self, content: bytes) -> str:
        return self._store("blob", content)

    def tree(self, entries: Entries) -> str:
        """Write the tree that holds exactly these files, and its folders' trees.

        Raises:
            ValueError: a path is not one git accepts, or is both a file and a folder.
        """
        return self._tree_of(_as_folders(entries))

    def commit(self, tree: str, parents: Iterable[str], message: str) -> str:
        """Write a commit of a fixed author and date, so that equal content has an equal hash."""
        lines = [f"tree {tree}"]
        lines += [f"parent {parent}" for parent in parents]
        lines += [f"author {_IDENTITY}", f"committer {_IDENTITY}", "", message, ""]
        return self._store("commit", "\n".join(lines).encode())

    def _tree_of(self, root: _Folder) -> str:
        # Children come after their parents in this list, so its reverse has each folder after all that is in it.
        folders = [root]
        for folder in folders:
            folders.extend(folder.folders.values())
        hashes: dict[int, str] = {}
        for folder in reversed(folders):
            rows = [(name, entry.mode.encode(), entry.blob) for name, entry in folder.files.items()]
            rows += [(name, _FOLDER_MODE, hashes[id(child)]) for name, child in folder.folders.items()]
            rows.sort(key=lambda row: row[0] + b"/" if row[1] == _FOLDER_MODE else row[0])
            content = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(blob)) for name, mode, blob in rows)
            hashes[id(folder)] = self._store("tree", content)
        return hashes[id(root)]

    def _store(self, kind: str, content: bytes) -> str:
        name = object_name(kind, content)
        if not os.path.exists(f"{self._objects}/{name[:2]}/{name[2:]}"):  # noqa: PTH110 - once a file, must be quick
            try:
                self._database.store(IStream(kind, len(content), io.BytesIO(content)))
            except OSError as error:
                raise SandboxError(f"cannot write to the git store {self._objects}: {error.strerror}") from error
        return name


def object_name(kind: str, content: bytes) -> str:
    """The hash git gives an object."""
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)) + content, usedforsecurity=False).hexdigest()


def parse_entries(listing: bytes) -> dict[bytes, Entry]:
    """Read the output of `git ls-tree -r -z --full-tree`."""
    entries = {}
    for line in listing.split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, blob = facts.decode("ascii").split(" ")
        entries[path] = Entry(mode, blob)
    return entries


def changed_entries(before: Entries, after: Entries) -> Iterator[bytes]:
    """Paths that differ between two trees, in no order."""
    for path, entry in after.items():
        if before.get(path) != entry:
            yield path
    for path in before:
        if path not in after:
            yield path


def remove_at(entries: dict[bytes, Entry], path: bytes) -> None:
    """Drop a file, or a folder with all that is in it."""
    entries.pop(path, None)
    for below in [other for other in entries if other.startswith(path + b"/")]:
        del entries[below]


def make_room(entries: dict[bytes, Entry], path: bytes) -> None:
    """Drop what is in the way of a file: one where a folder of its has to be, a folder where it has to be."""
    remove_at(entries, path)
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        entries.pop(path, None)


def _as_folders(entries: Entries) -> _Folder:
    root = _Folder({}, {})
    by_path: dict[bytes, _Folder] = {b"": root}
    for path, entry in entries.items():
        parent, _, name = path.rpartition(b"/")
        reason = refused_name(name, is_link=entry.mode == LINK_MODE)
        if reason or path.startswith(b"/"):
            raise ValueError(f"{path_text(path)!r}: {reason or 'not a path within a tree'}")
        _folder_at(parent, by_path).files[name] = entry
    for path in by_path:
        parent, _, name = path.rpartition(b"/")
        if path and name in by_path[parent].files:
            raise ValueError(f"{path_text(path)!r} is both a file and a folder")
    return root


def _folder_at(path: bytes, by_path: dict[bytes, _Folder]) -> _Folder:
    """The folder of this path, made with those above it where they are missing."""
    missing = []
    while path not in by_path:
        missing.append(path)
        path = path.rpartition(b"/")[0]
    folder = by_path[path]
    for each in reversed(missing):
        name = each.rpartition(b"/")[2]
        if reason := refused_name(name, is_link=False):
            raise ValueError(f"{path_text(each)!r}: {reason}")
        child = _Folder({}, {})
        folder.folders[name] = child
        by_path[each] = child
        folder = child
    return folder
