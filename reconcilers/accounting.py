"""Every line of the base and of both edits accounted for: in the result, removed by an edit, or missing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from reconcilers.versions import EDITS, File, Side, Version

_BRACKETS_ONLY = re.compile(r"[\s()\[\]{};,]*")


@dataclass(frozen=True)
class Lost:
    """Part of an edit, or of the base, that is not in the result.

    Attributes:
        path: the file.
        side: whose part it is.
        lines: as a diff has them: `+` for one that is not there, `-` for one that is there again; for the base,
            `-` for one that neither edit removes. Empty where it is about the file as a whole.
        said: in words.
    """

    path: str
    side: Side
    lines: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class Account:
    """What became of every line.

    Attributes:
        lost: what is not in the result.
        added: by path, the lines that are in the result and in neither edit.
    """

    lost: tuple[Lost, ...]
    added: Mapping[str, tuple[str, ...]]


def account(files: Iterable[File], results: Mapping[str, Version]) -> Account:
    """Hold the result against the base and both edits, file by file; a line that moved to another file is not lost."""
    sheets = [_Sheet(file, results[file.path]) for file in files]
    added = {sheet.file.path: sheet.added() for sheet in sheets}
    moved = Counter(line.strip() for lines in added.values() for line in lines)
    lost: list[Lost] = []
    for sheet in sheets:
        for side in (*EDITS, Side.BASE):
            whole = sheet.whole(side)
            if whole:
                lost.append(Lost(sheet.file.path, side, (), whole))
                continue
            missing = [line for line in sheet.missing(side) if not _take(moved, line.strip())]
            lines = (*(_SIGN[side] + line for line in missing), *("-" + line for line in sheet.restored(side)))
            if lines:
                lost.append(Lost(sheet.file.path, side, lines, _SAID[side]))
    return Account(tuple(lost), {path: lines for path, lines in added.items() if lines})


_SIGN = {Side.A: "+", Side.B: "+", Side.BASE: "-"}
_SAID = {
    Side.A: "part of edit A is not in the result",
    Side.B: "part of edit B is not in the result",
    Side.BASE: "lines of the base are gone that neither edit removes",
}


class _Sheet:
    """One file's lines, counted."""

    def __init__(self, file: File, result: Version) -> None:
        self.file = file
        self._result = result
        self._compared = all(one.is_comparable for one in (*file.versions.values(), result))
        self._exact = _Count(file, result, str.rstrip)
        self._loose = _Count(file, result, str.strip)

    def whole(self, side: Side) -> str:
        """What is lost of a file as a whole, in words."""
        base, own = self.file.versions[Side.BASE], self.file.versions[side]
        if side is Side.BASE:
            kept = all(one.exists for one in self.file.versions.values())
            return "the file is gone that neither edit deletes" if kept and not self._result.exists else ""
        if own.exists != base.exists and self._result.exists != own.exists:
            return f"edit {side} {'adds' if own.exists else 'deletes'} the file, and the result does not"
        is_lost = not self._compared and self.file.changed_by(side) and self._result.entry != own.entry
        return f"edit {side} of a file that is not compared line by line is not in the result" if is_lost else ""

    def missing(self, side: Side) -> list[str]:
        """The lines that the side has more of than the base (of the base: that nobody removes), and the result lacks.

        One that is there with another indentation is missing only where the indentation is the whole edit.
        """
        if not self._compared:
            return []
        lines = []
        for line, count in self._exact.short(side).items():
            loose = line.strip()
            is_only_moved = side is not Side.BASE and self._loose.net(side, loose) <= 0
            if is_only_moved or loose in self._loose.short(side):
                lines += [line] * count
        return lines

    def restored(self, side: Side) -> list[str]:
        """The lines that the side removes, and the result has."""
        if side is Side.BASE or not self._compared:
            return []
        return list(self._exact.over(side).elements())

    def added(self) -> tuple[str, ...]:
        return tuple(self._exact.added().elements()) if self._compared else ()


class _Count:
    """The lines of all versions, counted by what `key` makes of each; empty ones and mere brackets are not counted."""

    def __init__(self, file: File, result: Version, key: Callable[[str], str]) -> None:
        self._of = {side: _counted(version, key) for side, version in file.versions.items()}
        self._result = _counted(result, key)

    def net(self, side: Side, line: str) -> int:
        return self._of[side][line] - self._of[Side.BASE][line]

    def short(self, side: Side) -> Counter[str]:
        """What the result has too few of; what the other edit removes it need not have."""
        short: Counter[str] = Counter()
        for line, own in self._of[side].items():
            nets = {each: self.net(each, line) for each in EDITS}
            removed = sum(min(net, 0) for each, net in nets.items() if each is not side)
            concerned = max(nets.values()) <= 0 if side is Side.BASE else nets[side] > 0
            if concerned and self._result[line] < own + removed:
                short[line] = own + removed - self._result[line]
        return short

    def over(self, side: Side) -> Counter[str]:
        """What the result has too many of, after the side removed it; what the other edit adds it may have."""
        over: Counter[str] = Counter()
        other = EDITS[1 - EDITS.index(side)]
        for line in self._of[Side.BASE]:
            allowed = self._of[side][line] + max(self.net(other, line), 0)
            if self.net(side, line) < 0 and self._result[line] > allowed:
                over[line] = self._result[line] - allowed
        return over

    def added(self) -> Counter[str]:
        """What the result has more of than the base, each edit, and both edits together have."""
        added: Counter[str] = Counter()
        for line, count in self._result.items():
            together = self._of[Side.BASE][line] + sum(self.net(side, line) for side in EDITS)
            most = max(together, *(counts[line] for counts in self._of.values()))
            if count > most:
                added[line] = count - most
        return added


def _counted(version: Version, key: Callable[[str], str]) -> Counter[str]:
    return Counter(key(line) for line in version.lines or () if not _BRACKETS_ONLY.fullmatch(line))


def _take(counts: Counter[str], line: str) -> bool:
    """Whether there is one of these left, which is then used up."""
    if counts[line] <= 0:
        return False
    counts[line] -= 1
    return True
