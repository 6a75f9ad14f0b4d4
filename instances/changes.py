"""What a git patch changes: which files, in how many places, and which lines of the base."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from instances.errors import InstanceError
from instances.patch_names import unquoted

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True)
class FileChange:
    """What happens to one file.

    Attributes:
        path: after the change, or before it where the file goes away.
        hunks: how many hunks the patch has for it, one where it has none (a mode, binary content).
        replaced: the base's lines that are changed or taken away, from 1.
        places: where lines come in: after which of the base's lines, 0 for the start.
        lines: how many lines of it are added, and taken away, together.
    """

    path: str
    hunks: int
    replaced: frozenset[int]
    places: frozenset[int]
    lines: int


def changes_of(patch: bytes) -> Mapping[str, FileChange]:
    """What a git patch does to each file, by path.

    Raises:
        InstanceError: it is no git patch.
    """
    found = [_file_change(part) for part in re.split(rb"^(?=diff --git )", patch, flags=re.MULTILINE) if part.strip()]
    return {one.path: one for one in found}


def overlap_of(one: Mapping[str, FileChange], other: Mapping[str, FileChange]) -> int:
    """In how many of the base's lines two patches meet: lines that both replace, and places where one brings lines in and
    the other brings some in too, or replaces what is on both sides of it."""
    met = 0
    for path in one.keys() & other.keys():
        first, second = one[path], other[path]
        met += len(first.replaced & second.replaced)
        met += len(
            (first.places & second.places)
            | {place for place in first.places if {place, place + 1} <= second.replaced}
            | {place for place in second.places if {place, place + 1} <= first.replaced}
        )
    return met


def _file_change(part: bytes) -> FileChange:
    lines = part.split(b"\n")
    names = {b"---": b"", b"+++": b""}
    body = len(lines)
    for number, line in enumerate(lines):
        if line.startswith(b"@@ "):
            body = number
            break
        if line[:4] in (b"--- ", b"+++ "):
            names[line[:3]] = unquoted(line[4:])
    name = names[b"---"] if names[b"+++"] == b"/dev/null" else names[b"+++"]
    path = (name.partition(b"/")[2] or _header_name(lines[0])).decode(errors="surrogateescape")
    hunks, replaced, places, changed = _body(lines[body:])
    return FileChange(path, max(hunks, 1), frozenset(replaced), frozenset(places), changed)


def _header_name(header: bytes) -> bytes:
    """The path in `diff --git a/PATH b/PATH`, of a patch without text."""
    rest = header.removeprefix(b"diff --git ")
    start = rest.find(b'"b/') if rest.endswith(b'"') else len(rest) // 2 + 1
    name = unquoted(rest[start:]).partition(b"/")[2] if header != rest and start >= 0 else b""
    if not name:
        raise InstanceError(f"a patch names no file in {header[:80].decode(errors='backslashreplace')!r}")
    return name


def _body(lines: list[bytes]) -> tuple[int, set[int], set[int], int]:
    """Hunks, replaced lines, places of insertion, and changed lines."""
    hunks = changed = number = 0
    replaced: set[int] = set()
    places: set[int] = set()
    old_left = new_left = 0
    after_removal = False
    for line in lines:
        if old_left <= 0 and new_left <= 0:
            match = _HUNK.match(line)
            if match:
                hunks += 1
                old_left, new_left = (int(match[group]) if match[group] else 1 for group in (2, 4))
                number = int(match[1]) + (1 if old_left == 0 else 0)
                after_removal = False
            continue
        kind = line[:1]
        if kind == b"-":
            replaced.add(number)
            number, old_left, changed, after_removal = number + 1, old_left - 1, changed + 1, True
        elif kind == b"+":
            new_left, changed = new_left - 1, changed + 1
            if not after_removal:
                places.add(number - 1)
        elif kind != b"\\":
            number, old_left, new_left, after_removal = number + 1, old_left - 1, new_left - 1, False
    return hunks, replaced, places, changed
