"""Globs over paths of a tree: `*` and `?` stay within a folder, `**` does not, `folder/` means all in it."""

import re
from collections.abc import Iterable


def compile_globs(globs: Iterable[str]) -> re.Pattern[str]:
    """One pattern that fully matches the paths that any of the globs matches; none, when there are none."""
    return re.compile("|".join(f"(?:{_translated(glob)})" for glob in globs) or r"(?!)", re.DOTALL)


def _translated(glob: str) -> str:
    if glob.endswith("/"):
        glob += "**"
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\])", glob)
    return "".join(_PIECES.get(piece) or _literal_or_class(piece) for piece in pieces)


_PIECES = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _literal_or_class(piece: str) -> str:
    if not (piece.startswith("[") and piece.endswith("]") and len(piece) > 2):
        return re.escape(piece)
    negated = piece[1] == "!"
    members = piece[2:-1] if negated else piece[1:-1]
    members = members.replace("\\", "\\\\").replace("^", "\\^").replace("[", "\\[").replace("]", "\\]")
    return f"(?!/)[{'^' if negated else ''}{members}]"
