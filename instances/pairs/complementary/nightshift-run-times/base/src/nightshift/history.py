"""What ran, when, and how it ended: one JSON object a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Any

from nightshift.errors import HistoryError

LOCAL = "local"


class Status(str, Enum):
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class RunRecord:
    """One run of a job, all its attempts together."""

    job: str
    started: datetime
    status: Status
    attempts: int = 1
    message: str = ""
    host: str = LOCAL
    took: float | None = None  # how long the run took; the runner does not fill it in yet

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "job": self.job,
            "started": self.started.astimezone(timezone.utc).isoformat(),
            "status": self.status.value,
            "attempts": self.attempts,
        }
        if self.message:
            data["message"] = self.message
        if self.host != LOCAL:
            data["host"] = self.host
        if self.took is not None:
            data["took"] = self.took
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunRecord:
        """Read a record; keys that are not known are left out.

        Raises:
            HistoryError: it is no run record.
        """
        try:
            return cls(
                job=data["job"],
                started=datetime.fromisoformat(data["started"]),
                status=Status(data["status"]),
                attempts=int(data.get("attempts", 1)),
                message=data.get("message", ""),
                host=data.get("host", LOCAL),
                took=data.get("took"),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise HistoryError(f"not a run record: {error}") from None

    def on(self, host: str) -> RunRecord:
        """The same record as one of another host."""
        return replace(self, host=host)


def read_lines(text: str) -> Iterator[RunRecord]:
    """The records in a text of one JSON object a line; empty lines are passed over."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError:
            raise HistoryError(f"line {number} is not JSON") from None
        yield RunRecord.from_json(data)


class History:
    """Records in the order in which they came in; kept in ``path``, or in memory only without one."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self._records: list[RunRecord] = []
        if self.path is not None and self.path.exists():
            self._records = list(read_lines(self.path.read_text(encoding="utf-8")))

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def append(self, record: RunRecord) -> None:
        self._records.append(record)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")

    def replace(self, records: Iterable[RunRecord]) -> None:
        """Keep these records instead of those so far."""
        self._records = list(records)
        if self.path is not None:
            text = "".join(json.dumps(record.to_json(), ensure_ascii=False) + "\n" for record in self._records)
            beside = self.path.with_name(self.path.name + ".new")
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.path)

    def of(self, job: str) -> list[RunRecord]:
        """The runs of one job."""
        return [record for record in self._records if record.job == job]

    def last(self, job: str) -> RunRecord | None:
        """The run of this job that started last."""
        return max(self.of(job), key=lambda record: record.started, default=None)


def format_record(record: RunRecord) -> str:
    """The record as ``nightshift history`` prints it."""
    attempts = "1 attempt" if record.attempts == 1 else f"{record.attempts} attempts"
    host = "" if record.host == LOCAL else f"@{record.host}"
    line = f"{record.started:%Y-%m-%d %H:%M:%S}  {record.job}{host}  {record.status}  {attempts}"
    return f"{line}  # {record.message}" if record.message else line
