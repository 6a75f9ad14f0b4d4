"""Edit scripts: a patch against a fetched base kept as our own lines only, in the manner of `diff --ed`.

The format is in docs/instance-format.md. A script names lines of the base by number, so it holds none of the base's text; the
base is pinned by a digest, so the numbers stay true.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import diff_bytes, unified_diff
from enum import StrEnum

from instances.errors import InstanceError
from instances.patch_names import quoted, unquoted

_COMMAND = re.compile(rb"(\d{1,9})(?:,(\d{1,9}))?([acd])")
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@")
_NO_NEWLINE = b"\\ No newline at end of file\n"


class SectionKind(StrEnum):
    EDIT = "---"
    NEW = "+++"
    DELETE = "xxx"


@dataclass(frozen=True)
class Command:
    """Replace base lines first..last (1-based, inclusive) by `lines`; `last < first` inserts after line `last`."""

    first: int
    last: int
    lines: tuple[bytes, ...]


@dataclass
class Section:
    """What happens to one file."""

    kind: SectionKind
    path: str
    commands: list[Command] = field(default_factory=list)


def to_patch(script: bytes, read_base: Callable[[str], bytes | None]) -> bytes:
    """Turn an edit script into a git patch.

    Args:
        script: the script.
        read_base: gives a base file's content by path, or `None` where the base has no such file.

    Raises:
        InstanceError: the script is malformed, or names a file or line that the base does not have.
    """
    return b"".join(_file_patch(section, read_base(section.path)) for section in parse(script))


def parse(script: bytes) -> list[Section]:
    """Read an edit script into its sections.

    Raises:
        InstanceError: the script is malformed; the text names the line.
    """
    lines = _split(script)
    sections: list[Section] = []
    position = 0
    while position < len(lines):
        line = lines[position].rstrip(b"\n")
        position += 1
        if b"\r" in line:
            raise InstanceError(
                f"edit script, line {position}: a carriage return; sections and commands end with a line feed only"
            )
        marker, _, name = line.partition(b" ")
        if marker in {b"---", b"+++", b"xxx"} and name:
            path = _path(name, position)
            if any(one.path == path for one in sections):
                raise InstanceError(f"edit script, line {position}: a second section for {path}; put its commands into the first")
            sections.append(Section(SectionKind(marker.decode()), path))
            if marker == b"+++":
                content, position = _content(lines, position)
                sections[-1].commands.append(Command(1, 0, content))
            continue
        match = _COMMAND.fullmatch(line)
        if not match or not sections or sections[-1].kind is not SectionKind.EDIT:
            raise InstanceError(f"edit script, line {position}: expected a section or a command, found {line[:60]!r}")
        first, last = _lines_named(match, position)
        content = ()
        if match[3] != b"d":
            content, position = _content(lines, position)
        sections[-1].commands.append(Command(first, last, content))
    return sections


def _lines_named(command: re.Match[bytes], position: int) -> tuple[int, int]:
    """The first and the last base line that a command replaces, the last before the first where it inserts."""
    where = f"edit script, line {position}: {command[0].decode()}"
    first, last = int(command[1]), int(command[2] or command[1])
    if first > last:
        raise InstanceError(f"{where} goes backwards; write the lower line first")
    if command[3] != b"a":
        return first, last
    if command[2]:
        raise InstanceError(f"{where}: a text is inserted after one line, not several")
    return first + 1, first


def _path(name: bytes, position: int) -> str:
    """A section's path, which must be one within the tree."""
    try:
        path = name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstanceError(f"edit script, line {position}: the path {name!r} is not UTF-8") from error
    parts = path.split("/")
    if "\0" in path or not set(parts).isdisjoint({"", ".", "..", ".git"}):
        raise InstanceError(f"edit script, line {position}: {path!r} is no path of a file in the tree")
    return path


def _content(lines: list[bytes], position: int) -> tuple[tuple[bytes, ...], int]:
    """The lines up to a lone dot, unstuffed, and the position after it."""
    content: list[bytes] = []
    for index in range(position, len(lines)):
        line = lines[index]
        if line.rstrip(b"\n") == b".":
            return tuple(content), index + 1
        if line.startswith(b".") and not line.startswith(b".."):
            what = "a lone dot ends with a line feed only, no carriage return" if line.strip() == b"." else "write one more dot"
            raise InstanceError(f"edit script, line {index + 1}: a text's line cannot start with a single dot: {what}")
        content.append(line[1:] if line.startswith(b".") else line)
    raise InstanceError(f"edit script, line {position}: the text is not ended by a line with a lone dot")


def _file_patch(section: Section, old: bytes | None) -> bytes:
    path = section.path
    if (old is None) != (section.kind is SectionKind.NEW):
        state = "does not have" if old is None else "already has"
        raise InstanceError(f"edit script: the base {state} {path}")
    before = _split(old or b"")
    after = [] if section.kind is SectionKind.DELETE else _edited(section, before)
    if before == after and section.kind is SectionKind.EDIT:
        raise InstanceError(f"edit script: nothing changes in {path}")
    source, target = quoted(b"a/" + path.encode()), quoted(b"b/" + path.encode())
    header = b"diff --git " + source + b" " + target + b"\n"
    if section.kind is SectionKind.NEW:
        header += b"new file mode 100644\n"
        source = b"/dev/null"
    elif section.kind is SectionKind.DELETE:
        header += b"deleted file mode 100644\n"
        target = b"/dev/null"
    body = diff_bytes(unified_diff, before, after, source, target, lineterm=b"\n")
    return header + b"".join(line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE for line in body)


def _split(content: bytes) -> list[bytes]:
    """Lines as git counts them: ended by a line feed only."""
    parts = content.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _edited(section: Section, before: list[bytes]) -> list[bytes]:
    after = list(before)
    if before and any(command.first > len(before) and command.lines for command in section.commands):
        # What follows the last line makes it a whole line.
        after[-1] = after[-1].removesuffix(b"\n") + b"\n"
    limit = len(before) + 1
    for command in section.commands:
        if command.last >= limit or command.first < 1 or command.last > len(before):
            raise InstanceError(
                f"edit script: {section.path} lines {command.first},{command.last}: out of range, "
                "or not in order from the last line to the first"
            )
        after[command.first - 1 : max(command.last, command.first - 1)] = command.lines
        limit = command.first
    return after


def from_patch(patch: bytes) -> bytes:
    """Turn a textual git patch into an edit script.

    Raises:
        InstanceError: the patch holds what a script cannot say (binary data, renames, modes, a line of ours without its end).
    """
    return b"".join(_section_script(part) for part in _file_parts(patch))


def _file_parts(patch: bytes) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    for line in _split(patch):
        if line.startswith(b"diff --git ") and part:
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _section_script(part: list[bytes]) -> bytes:
    old_path = new_path = b""
    body = 0
    for body, line in enumerate(part, 1):  # noqa: B007 - where the loop stops is where the hunks begin
        if line.startswith(b"--- "):
            old_path = unquoted(line[4:])
        elif line.startswith(b"+++ "):
            new_path = unquoted(line[4:])
            break
        elif line.startswith((b"GIT binary", b"Binary ", b"rename ", b"old mode", b"new file mode 100755", b"new file mode 12")):
            raise InstanceError(f"an edit script cannot say: {line.decode(errors='replace').strip()}")
    if not new_path:
        raise InstanceError("an edit script needs text hunks in every file of the patch")
    if new_path == b"/dev/null":
        return b"xxx " + old_path.removeprefix(b"a/") + b"\n"
    commands = _commands(part[body:])
    if old_path == b"/dev/null":
        lines = [line for command in commands for line in command.lines]
        return b"+++ " + new_path.removeprefix(b"b/") + b"\n" + _stuffed(lines) + b".\n"
    script = b"--- " + old_path.removeprefix(b"a/") + b"\n"
    return script + b"".join(_command_text(command) for command in reversed(commands))


def _commands(lines: list[bytes]) -> list[Command]:
    commands: list[Command] = []
    number = removed = 0
    added: list[bytes] = []

    def flush() -> None:
        nonlocal removed, added
        if removed or added:
            commands.append(Command(number - removed, number - 1, tuple(added)))
        removed, added = 0, []

    for line in lines:
        if match := _HUNK.match(line):
            flush()
            # A hunk that removes and keeps nothing names the line before it.
            number = int(match[1]) + (1 if match[2] == b"0" else 0)
        elif line.startswith(b"-"):
            if added:
                flush()
            removed += 1
            number += 1
        elif line.startswith(b"+"):
            added.append(line[1:])
        elif line.startswith(b"\\") and added:
            raise InstanceError("an edit script cannot say that a file lacks its last newline")
        elif not line.startswith(b"\\"):
            flush()
            number += 1
    flush()
    return commands


def _command_text(command: Command) -> bytes:
    if not command.lines:
        return _span(command) + b"d\n"
    if command.last < command.first:
        return b"%da\n" % command.last + _stuffed(list(command.lines)) + b".\n"
    return _span(command) + b"c\n" + _stuffed(list(command.lines)) + b".\n"


def _span(command: Command) -> bytes:
    return b"%d" % command.first if command.first == command.last else b"%d,%d" % (command.first, command.last)


def _stuffed(lines: list[bytes]) -> bytes:
    return b"".join(b"." + line if line.startswith(b".") else line for line in lines)
