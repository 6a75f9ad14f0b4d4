"""How the jobs are doing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from nightshift.history import RunRecord, Status


@dataclass
class Tally:
    """How many runs of a job ended in which way."""

    ok: int = 0
    failed: int = 0
    skipped: int = 0
    retried: int = 0

    @property
    def runs(self) -> int:
        return self.ok + self.failed + self.skipped

    @property
    def success_rate(self) -> float | None:
        """Good runs among those that were not skipped."""
        tried = self.ok + self.failed
        return self.ok / tried if tried else None

    def count(self, record: RunRecord) -> None:
        setattr(self, record.status.value, getattr(self, record.status.value) + 1)
        if record.attempts > 1:
            self.retried += 1


def recent(records: Iterable[RunRecord], since: datetime | None) -> list[RunRecord]:
    """The records that started at ``since`` or later; all of them without it."""
    return [record for record in records if since is None or record.started >= since]


def tallies(records: Iterable[RunRecord], since: datetime | None = None) -> dict[str, Tally]:
    """A tally for each job that ran, by name in the order of the alphabet."""
    found: dict[str, Tally] = {}
    for record in recent(records, since):
        found.setdefault(record.job, Tally()).count(record)
    return dict(sorted(found.items()))


def format_tallies(found: dict[str, Tally]) -> list[str]:
    lines = []
    for name, tally in found.items():
        rate = "" if tally.success_rate is None else f", {tally.success_rate:.0%} good"
        retried = f", {tally.retried} retried" if tally.retried else ""
        skipped = f", {tally.skipped} skipped" if tally.skipped else ""
        lines.append(f"{name}: {tally.runs} run{'s' if tally.runs != 1 else ''}{rate}{retried}{skipped}")
    return lines


def failing(records: Iterable[RunRecord]) -> list[str]:
    """The jobs whose last run failed."""
    last: dict[str, RunRecord] = {}
    for record in sorted(records, key=lambda record: record.started):
        if record.status is not Status.SKIPPED:
            last[record.job] = record
    return sorted(name for name, record in last.items() if record.status is Status.FAILED)
