"""A table of a report, for people or for a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Cell = str | int


@dataclass(frozen=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> "Table":
        made = tuple(tuple(row) for row in rows)
        for row in made:
            if len(row) != len(columns):
                raise ValueError(f"{len(row)} cells for {len(columns)} columns: {row}")
        return cls(tuple(columns), made)

    def to_csv(self) -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return buffer.getvalue()

    def to_lines(self) -> list[str]:
        """Columns padded to their widest cell; numbers to the right."""
        cells = [self.columns, *((str(cell) for cell in row) for row in self.rows)]
        grid = [list(row) for row in cells]
        widths = [max(len(row[index]) for row in grid) for index in range(len(self.columns))]
        lines = []
        for number, row in enumerate(grid):
            padded = []
            for index, text in enumerate(row):
                numeric = number > 0 and isinstance(self.rows[number - 1][index], int)
                padded.append(text.rjust(widths[index]) if numeric else text.ljust(widths[index]))
            lines.append("  ".join(padded).rstrip())
        return lines
