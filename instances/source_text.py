"""Source text as tokens, as good as one pattern a kind of language can: for lint and likeness, not for running."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_REST = r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<sign>[^\w\s])"
_PYTHON = re.compile(
    r"(?P<comment>\#[^\n]*)|(?P<string>[rRbBfFuU]{0,2}(?:\"\"\".*?\"\"\"|'''.*?'''|" + _STRINGS + "))" + _REST, re.DOTALL
)
_CURLY = re.compile(r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>" + _STRINGS + r"|`(?:\\.|[^`\\])*`)" + _REST, re.DOTALL)
_BY_SUFFIX = {
    **dict.fromkeys((".py", ".pyi"), _PYTHON),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go"), _CURLY),
}
_KEYWORDS = """
False None True and as assert async await break case catch class const continue def default defer del delete do elif else enum
except export extends false finally for from func function global go if implements import in instanceof interface is lambda let
map match new nil nonlocal not null of or package pass private raise range readonly return select self static struct super
switch this throw true try type typeof undefined var void while with yield
"""
KEYWORDS = frozenset(_KEYWORDS.split())


@dataclass(frozen=True)
class Token:
    """A piece of source text.

    Attributes:
        kind: `name`, `string`, `number`, `sign` or `comment`.
        line: where it starts, from 1.
    """

    kind: str
    text: str
    line: int


def is_source(path: str) -> bool:
    """Whether a file is of a language that pairs are written in."""
    return PurePosixPath(path).suffix in _BY_SUFFIX


def tokens(path: str, text: str) -> Iterator[Token]:
    """The tokens of a file, comments too; none of a file that is no source."""
    pattern = _BY_SUFFIX.get(PurePosixPath(path).suffix)
    line, at = 1, 0
    for found in pattern.finditer(text) if pattern else ():
        line += text.count("\n", at, found.start())
        at = found.start()
        yield Token(found.lastgroup or "sign", found[0], line)
