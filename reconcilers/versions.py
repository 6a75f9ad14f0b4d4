"""The files that either edit touches, in the base and as each edit leaves them, as lines that a model can be shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from sandboxes.git_objects import FILE_MODE, PROGRAM_MODE, Entry, path_bytes
from sandboxes.gitstore import GitStore

_Value = TypeVar("_Value")
_BYTE_ORDER_MARK = "\ufeff"


class Side(StrEnum):
    """Whose version: the base's, or that of one of the two edits."""

    BASE = "BASE"
    A = "A"
    B = "B"


EDITS = (Side.A, Side.B)


@dataclass(frozen=True)
class Shape:
    """What a text file is besides its lines."""

    mode: str = FILE_MODE
    crlf: bool = False
    final_newline: bool = True
    byte_order_mark: bool = False


@dataclass(frozen=True)
class Version:
    """A file in one tree.

    Attributes:
        entry: `None` where it does not exist.
        lines: its text; `None` where it does not exist, or is no UTF-8 text in a plain file.
        shape: of a text.
    """

    entry: Entry | None
    lines: tuple[str, ...] | None = None
    shape: Shape = Shape()

    @property
    def exists(self) -> bool:
        return self.entry is not None

    @property
    def is_comparable(self) -> bool:
        """Whether it is text or nothing: whether its lines are all that there is to it."""
        return self.entry is None or self.lines is not None


@dataclass(frozen=True)
class File:
    """One path in the base and after each of the edits."""

    path: str
    versions: Mapping[Side, Version]

    def changed_by(self, side: Side) -> bool:
        return self.versions[side].entry != self.versions[Side.BASE].entry

    @property
    def settled(self) -> Version | None:
        """What it becomes where only one edit changes it, or both do the same; `None` where that is to be decided."""
        one, other = (self.versions[side] for side in EDITS)
        if one.entry == other.entry or not self.changed_by(Side.B):
            return one
        return None if self.changed_by(Side.A) else other


def touched_files(store: GitStore, base: str, trees: Sequence[str]) -> dict[str, File]:
    """The files that differ between the base and any of the two trees, by path.

    Raises:
        SandboxError: git itself broke.
    """
    by_side = dict(zip(Side, (base, *trees), strict=True))
    paths = sorted({path for tree in trees for path in store.changed_paths(base, tree)})
    return {path: File(path, {side: _version(store, tree, path) for side, tree in by_side.items()}) for path in paths}


def written(store: GitStore, file: File, lines: Sequence[str]) -> Version:
    """A version with these lines, its line ends, mode and so on merged from the edits."""
    shape = Shape(
        mode=_merged(file, lambda shape: shape.mode, FILE_MODE),
        crlf=_merged(file, lambda shape: shape.crlf, False),
        final_newline=_merged(file, lambda shape: shape.final_newline, True),
        byte_order_mark=_merged(file, lambda shape: shape.byte_order_mark, False),
    )
    end = "\r\n" if shape.crlf else "\n"
    text = end.join(lines) + (end if lines and shape.final_newline else "")
    mark = _BYTE_ORDER_MARK if shape.byte_order_mark else ""
    content = (mark + text).encode("utf-8", "surrogatepass")
    return Version(Entry(shape.mode, store.writer.blob(content)), tuple(lines), shape)


def _merged(file: File, attribute: Callable[[Shape], _Value], otherwise: _Value) -> _Value:
    known = {side: attribute(version.shape) for side, version in file.versions.items() if version.lines is not None}
    base = known.get(Side.BASE, otherwise)
    return next((known[side] for side in EDITS if side in known and known[side] != base), base)


def _version(store: GitStore, tree: str, path: str) -> Version:
    entry = store.entries(tree).get(path_bytes(path))
    if entry is None or entry.mode not in (FILE_MODE, PROGRAM_MODE):
        return Version(entry)
    content = store.read_blob(entry.blob)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return Version(entry)
    if "\0" in text:
        return Version(entry)
    mark = text.startswith(_BYTE_ORDER_MARK)
    text = text.removeprefix(_BYTE_ORDER_MARK)
    crlf = "\n" in text and text.count("\r\n") == text.count("\n")
    lines = (text.replace("\r\n", "\n") if crlf else text).split("\n")
    final_newline = lines[-1] == ""
    if final_newline:
        lines.pop()
    return Version(entry, tuple(lines), Shape(entry.mode, crlf, final_newline, mark))


def texts(files: Iterable[File]) -> Iterable[str]:
    """Every line that is in any version."""
    return (line for file in files for version in file.versions.values() for line in version.lines or ())
