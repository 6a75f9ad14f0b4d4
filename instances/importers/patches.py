"""Patches of other people's making: cut into a section a file, and refused where one could reach beyond the tree."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from instances.importers.rejects import Code, RejectedError
from instances.patch_names import unquoted

_GIT_HEADER = re.compile(rb"^diff --git ", re.MULTILINE)
_PLAIN_HEADER = re.compile(rb"^--- (?=[^\n]*\n\+\+\+ )", re.MULTILINE)
_BINARY = re.compile(rb"^(GIT binary patch|Binary files .* differ)\r?$", re.MULTILINE)
_SUBMODULE = re.compile(rb"^(new file mode|deleted file mode|old mode|new mode|index \S+) 160000\r?$", re.MULTILINE)
_LINK = re.compile(rb"^(new file mode|new mode|index \S+) 120000\r?$", re.MULTILINE)
_NAMES = re.compile(rb"^(?:--- |\+\+\+ |rename from |rename to |copy from |copy to )([^\n]+)$", re.MULTILINE)
_SAME_NAME = re.compile(rb"^diff --git a/(.+) b/\1$", re.MULTILINE)
_ADDED = re.compile(rb"^\+(?!\+\+ )(.*)$", re.MULTILINE)
_TEST_FOLDERS = frozenset(["tests", "test", "testing", "__tests__", "heldout"])
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|tests\.py|conftest\.py|.*_test\.go|.*[._-](test|spec)\.[cm]?[jt]sx?")


@dataclass(frozen=True)
class Section:
    """What a patch does to one file: the paths that it names, and its bytes."""

    paths: tuple[str, ...]
    content: bytes


def sections(patch: bytes, what: str) -> tuple[Section, ...]:
    """A patch's sections; what stands before the first one, as a mail's header does, is left out.

    Args:
        what: whose it is, for the reason.

    Raises:
        RejectedError: it is no patch, is empty, holds binary content, or names what is not in a tree.
    """
    if not patch.strip():
        raise RejectedError(Code.PATCH_EMPTY, f"{what} is empty")
    pattern = _GIT_HEADER if _GIT_HEADER.search(patch) else _PLAIN_HEADER
    starts = [found.start() for found in pattern.finditer(patch)]
    if not starts:
        raise RejectedError(Code.PATCH_MALFORMED, f"{what} names no file that it changes")
    pieces = [patch[start:end] for start, end in zip(starts, [*starts[1:], len(patch)], strict=True)]
    return tuple(_section(piece, what) for piece in pieces)


def joined(parts: Iterable[Section]) -> bytes:
    """The patch of some sections, with a line feed at its end."""
    return b"".join(part.content if part.content.endswith(b"\n") else part.content + b"\n" for part in parts)


def is_test_file(path: str) -> bool:
    """Whether a path is one of tests by its name or a folder's."""
    pure = PurePosixPath(path)
    return bool(_TEST_FOLDERS.intersection(pure.parts[:-1])) or _TEST_FILE.fullmatch(pure.name) is not None


def _section(piece: bytes, what: str) -> Section:
    if _BINARY.search(piece):
        raise RejectedError(Code.PATCH_BINARY, f"{what} holds binary content")
    if _SUBMODULE.search(piece):
        raise RejectedError(Code.PATCH_OUTSIDE_TREE, f"{what} changes a submodule")
    head = piece.partition(b"\n@@")[0]
    paths = tuple(dict.fromkeys(_paths(head)))
    if not paths:
        raise RejectedError(Code.PATCH_MALFORMED, f"{what} has a section without a readable name")
    for path in paths:
        if path.startswith("/") or {"..", ".git"}.intersection(part.lower() for part in PurePosixPath(path).parts):
            raise RejectedError(Code.PATCH_OUTSIDE_TREE, f"{what} reaches {path!r}")
    if _LINK.search(head):
        for target in _ADDED.findall(piece):
            end = posixpath.normpath(posixpath.join(posixpath.dirname(paths[-1]), target.decode(errors="replace")))
            if end.startswith(("/", "..")):
                raise RejectedError(Code.PATCH_OUTSIDE_TREE, f"{what} makes the link {paths[-1]!r}, which leads out")
    return Section(paths, piece)


def _paths(head: bytes) -> Iterator[str]:
    if same := _SAME_NAME.search(head):
        yield same[1].decode(errors="surrogateescape")
    for line in _NAMES.finditer(head):
        name = unquoted(line[1].rstrip(b"\r"))
        if name == b"/dev/null":
            continue
        prefixed = line[0].startswith((b"--- ", b"+++ "))
        plain = name.partition(b"/")[2] if prefixed and name[:2] in (b"a/", b"b/") else name
        yield plain.decode(errors="surrogateescape")
