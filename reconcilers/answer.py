"""The form in which a model answers: marked blocks of whole files, hunks and choices, read strictly."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reconcilers.versions import EDITS, Side, Version

_FENCE = "@@@"
_CODE_FENCE = "```"
FORM = """\
{f} FILE path
(the whole new content of the file)
{f} END

{f} HUNK path
(consecutive whole lines of the file as it is in the base, found there exactly once)
{f} WITH
(the lines to put in their place; none to delete them)
{f} END

{f} TAKE A path
(one line, no END: the file as edit A leaves it; likewise TAKE B. Hunks of the same file then apply to that version.)

{f} DELETE path
(one line, no END)

{f} DROPPED A path
(the lines of edit A of this file, with their + or - as in the diff, that your result leaves out or words otherwise;
likewise DROPPED B, and DROPPED BASE for lines of the base that neither edit removes. No line at all, where a whole
file is added, deleted or no text, and your result does not do so)
{f} END

{f} DONE
(the last line of every answer)"""


@dataclass
class Decision:
    """What a model says of one file."""

    whole: tuple[str, ...] | None = None
    taken: Side | None = None
    hunks: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    deleted: bool = False

    @property
    def is_single(self) -> bool:
        ways = (self.whole is not None, self.deleted, bool(self.hunks) or self.taken is not None)
        return sum(ways) == 1


@dataclass
class Answer:
    """A model's answer, as far as it could be read.

    Attributes:
        decisions: by path.
        dropped: the lines that it names as left out, stripped, with and without their sign; by side and path.
        faults: what could not be read.
        is_complete: it came to its last line.
    """

    decisions: dict[str, Decision] = field(default_factory=dict)
    dropped: dict[tuple[Side, str], set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    is_complete: bool = False


def fence_for(texts: Iterable[str]) -> str:
    """What begins a marker: nothing that is anywhere in these texts."""
    fence = _FENCE
    for text in texts:
        while fence in text:
            fence += _FENCE[0]
    return fence


def written_path(path: str) -> str:
    """A path as it stands behind a marker: itself, or a JSON string where a line could not hold it."""
    plain = path.isprintable() and path == path.strip() and not path.startswith(('"', "`"))
    return path if plain else json.dumps(path)


def read_answer(text: str, fence: str) -> Answer:
    """Read a model's answer; what stands outside of blocks is its own affair."""
    return _Reader(text, fence).read()


def apply_hunks(version: Version, hunks: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> tuple[list[str], list[str]]:
    """A version's lines after hunks whose lines stand there exactly once, and what was wrong with the others."""
    lines = list(version.lines or ())
    faults: list[str] = []
    places: list[tuple[int, int, tuple[str, ...]]] = []
    for old, new in hunks:
        found = [at for at in range(len(lines) - len(old) + 1) if tuple(lines[at : at + len(old)]) == old] if old else []
        if len(found) == 1:
            places.append((found[0], found[0] + len(old), new))
        else:
            how = f"stand there {len(found)} times" if found else "do not stand there"
            faults.append(f"the lines that a hunk replaces {how}: " + " | ".join(old[:3] or ["(none)"]))
    places.sort(reverse=True)
    for (start, _, _), (_, end, _) in zip(places, places[1:], strict=False):
        if end > start:
            faults.append("two hunks overlap")
    for start, end, new in places:
        lines[start:end] = new
    return lines, faults


class _Reader:
    """Goes through an answer line by line."""

    def __init__(self, text: str, fence: str) -> None:
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._marker = re.compile(rf"{re.escape(fence)}(?!@)\s*([A-Za-z]+)\s*(.*)")
        self._at = 0
        self._answer = Answer()

    def read(self) -> Answer:
        while self._at < len(self._lines) and not self._answer.is_complete:
            word, rest = self._marked(self._lines[self._at])
            self._at += 1
            if word:
                self._block(word, rest)
        return self._answer

    def _marked(self, line: str) -> tuple[str, str]:
        found = self._marker.fullmatch(line.rstrip())
        return (found[1].upper(), found[2]) if found else ("", "")

    def _block(self, word: str, rest: str) -> None:
        if word == "DONE":
            self._answer.is_complete = True
        elif word == "FILE":
            self._file(_read_path(rest))
        elif word == "HUNK":
            self._hunk(_read_path(rest))
        elif word == "DELETE":
            self._decision(_read_path(rest)).deleted = True
        elif word == "TAKE":
            self._take(rest)
        elif word == "DROPPED":
            self._dropped(rest)
        else:
            self._answer.faults.append(f"{word} where a block should begin")

    def _file(self, path: str) -> None:
        lines = self._until("END", f"FILE {path}")
        decision = self._decision(path)
        if decision.whole is not None:
            self._answer.faults.append(f"{path} is given twice")
        decision.whole = tuple(lines)

    def _hunk(self, path: str) -> None:
        old = self._until("WITH", f"HUNK {path}")
        new = self._until("END", f"HUNK {path}")
        self._decision(path).hunks.append((tuple(old), tuple(new)))

    def _take(self, rest: str) -> None:
        side, path = self._side(rest, EDITS)
        if side:
            decision = self._decision(path)
            if decision.taken not in (None, side):
                self._answer.faults.append(f"{path} is taken from both edits")
            decision.taken = side

    def _dropped(self, rest: str) -> None:
        lines = self._until("END", f"DROPPED {rest}")
        side, path = self._side(rest, tuple(Side))
        if side:
            named = self._answer.dropped.setdefault((side, path), set())
            for line in filter(str.strip, lines):
                named |= {line.strip(), line[1:].strip() if line[0] in "+-" else line.strip()}

    def _side(self, rest: str, allowed: Sequence[Side]) -> tuple[Side | None, str]:
        name, _, path = rest.partition(" ")
        side = next((one for one in allowed if one == name.upper()), None)
        if side is None:
            self._answer.faults.append(f"{name or 'nothing'!r} where one of {', '.join(allowed)} should be named")
        return side, _read_path(path)

    def _decision(self, path: str) -> Decision:
        return self._answer.decisions.setdefault(path, Decision())

    def _until(self, word: str, block: str) -> list[str]:
        """The lines up to a marker, which is passed; another one ends the block too, and is left."""
        begun = self._at
        while self._at < len(self._lines):
            found, _ = self._marked(self._lines[self._at])
            if found:
                break
            self._at += 1
        lines = self._lines[begun : self._at]
        if self._at < len(self._lines) and found == word:
            self._at += 1
        else:
            self._answer.faults.append(f"the block {block} has no {word}")
        return lines


def without_code_fence(lines: tuple[str, ...]) -> tuple[str, ...]:
    """A file's lines without the fence that many models put around code."""
    fenced = len(lines) > 1 and lines[0].startswith(_CODE_FENCE) and lines[-1].strip() == _CODE_FENCE
    return lines[1:-1] if fenced else lines


def _read_path(text: str) -> str:
    text = text.strip()
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text.removeprefix("`").removesuffix("`") if text.startswith("`") else text
