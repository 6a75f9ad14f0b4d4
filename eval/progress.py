"""Progress of a run: live lines on a terminal, plain ones elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

from eval.records import CellEntry, CellRecord


class PlainProgress:
    """One line a finished cell. Its counts are guarded by one lock."""

    def __init__(self, stream: TextIO) -> None:
        self.total, self.done, self.before, self.stream = 0, 0, 0, stream
        self.lock = Lock()
        self.clock = time.monotonic()

    def stand(self, cells: int) -> None:
        """So many cells are finished already."""
        with self.lock:
            self.total += cells
            self.done += cells
            self.before = cells
            if cells:
                print(f"{cells} finished cell(s) stand", file=self.stream, flush=True)

    def say(self, text: str) -> None:
        """Something that concerns the run as a whole."""
        print(text, file=self.stream, flush=True)

    def stopping(self) -> None:
        """The run is being ended."""
        print("stopping: ending what runs", file=self.stream, flush=True)

    def expect(self, cells: int) -> None:
        """So many more cells are to be run."""
        with self.lock:
            self.total += cells

    def started(self, cell: CellEntry) -> None:
        return

    def ended(self, cell: CellEntry, record: CellRecord) -> None:
        with self.lock:
            self.done += 1
            print(f"[{self.done}/{self.total}] {describe(record)}{self.time_left()}", file=self.stream, flush=True)

    def time_left(self) -> str:
        fresh = self.done - self.before
        if fresh == 0 or self.done >= self.total:
            return ""
        seconds = (time.monotonic() - self.clock) / fresh * (self.total - self.done)
        return f"  ({_span(seconds)} left)"


class TerminalProgress(PlainProgress):
    """A line a running cell, and the totals below, redrawn in place."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console
        from rich.live import Live

        self.running: dict[str, float] = {}
        self.counts: dict[str, int] = {}
        self.live = Live(console=Console(file=stream), get_renderable=self.render, refresh_per_second=4, transient=True)

    def started(self, cell: CellEntry) -> None:
        with self.lock:
            self.running[cell.cell] = time.monotonic()

    def ended(self, cell: CellEntry, record: CellRecord) -> None:
        with self.lock:
            self.done += 1
            self.running.pop(cell.cell, None)
            self.counts[record.status] = self.counts.get(record.status, 0) + 1

    def say(self, text: str) -> None:
        self.live.console.print(text, markup=False, highlight=False)

    def render(self) -> str:
        with self.lock:
            now = time.monotonic()
            lines = [f"  {name}  {now - begun:.0f} s" for name, begun in sorted(self.running.items())]
            counts = ", ".join(f"{count} {status}" for status, count in sorted(self.counts.items()))
            lines.append(f"{self.done}/{self.total} cells{': ' + counts if counts else ''}{self.time_left()}")
        return "\n".join(lines)


@contextmanager
def progress() -> Iterator[PlainProgress]:
    """The progress of a run, on standard error."""
    if not sys.stderr.isatty():
        yield PlainProgress(sys.stderr)
        return
    terminal = TerminalProgress(sys.stderr)
    with terminal.live:
        yield terminal


def describe(record: CellRecord) -> str:
    note = f" ({record.reason})" if record.reason else ""
    return f"{record.instance}  {record.scenario}  {record.status}{note}  {record.timing.seconds:.1f} s"


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
