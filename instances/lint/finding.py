"""One fault of a pair: where it is, what it is, what to do."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """What was found in one place.

    Attributes:
        rule: the rule's name, such as `leak`.
        file: the path within the instance's folder.
        line: counted from 1; `None` where it is about the whole file.
        what: what is wrong.
        fix: what to do about it.
    """

    level: Level
    rule: str
    file: str
    line: int | None
    what: str
    fix: str

    @property
    def place(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


def line_of(text: str, word: str) -> int | None:
    """The first line that holds a word or phrase, whatever its case and wherever its lines are broken."""
    pattern = r"\W+".join(map(re.escape, re.findall(r"\w+", word))) or re.escape(word)
    found = re.search(re.escape(word), text) or re.search(pattern, text, re.IGNORECASE)
    return text.count("\n", 0, found.start()) + 1 if found else None


def text_of(path: Path) -> str:
    """A file's text, as good as it can be read; empty where there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
