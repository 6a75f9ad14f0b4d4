"""Columns of text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it leans to the right."""

    heading: str
    right: bool = False


def render_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Lines of a table; the first column gets what room is left, and is wrapped into it."""
    widths = [max([len(column.heading), *(len(row[n]) for row in rows)]) for n, column in enumerate(columns)]
    others = sum(widths[1:]) + 2 * (len(columns) - 1)
    widths[0] = max(min(widths[0], width - others), 8)
    lines = [_line(columns, [column.heading for column in columns], widths)]
    lines.append("-" * (sum(widths) + 2 * (len(columns) - 1)))
    for row in rows:
        first, *rest = wrap(row[0], widths[0])
        lines.append(_line(columns, [first, *row[1:]], widths))
        lines.extend(rest)
    return lines


def wrap(text: str, width: int) -> list[str]:
    """Break a text between words; a word that is too long stays whole."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _line(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.rjust(width) if column.right else cell.ljust(width)
        for column, cell, width in zip(columns, cells, widths, strict=True)
    ]
    return "  ".join(padded).rstrip()
