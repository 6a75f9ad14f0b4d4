"""Jobs, and the file that lists them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nightshift import durations
from nightshift.errors import JobFileError, UnknownJob
from nightshift.windows import Window

KEYS = {
    "name",
    "action",
    "options",
    "every",
    "after",
    "retries",
    "retry_wait",
    "window",
    "enabled",
}


@dataclass(frozen=True)
class Job:
    """One thing to do again and again. Lengths of time are in seconds."""

    name: str
    action: str
    every: float
    options: dict[str, Any] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    retries: int = 0
    retry_wait: float = 0.0
    window: Window | None = None
    enabled: bool = True

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Job:
        """A job from its entry in the job file.

        Raises:
            JobFileError: a key is missing or unknown, or a value makes no sense.
        """
        if unknown := sorted(set(data) - KEYS):
            raise JobFileError(f"unknown key {unknown[0]!r} in a job")
        for key in ("name", "action", "every"):
            if not isinstance(data.get(key), str) or not data[key]:
                raise JobFileError(f"a job needs {key!r}")
        retries = data.get("retries", 0)
        if not isinstance(retries, int) or retries < 0:
            raise JobFileError(f"retries of {data['name']} must be a number from 0 up")
        every = durations.parse(data["every"])
        if every <= 0:
            raise JobFileError(f"{data['name']} cannot run every {data['every']}")
        return cls(
            name=data["name"],
            action=data["action"],
            every=every,
            options=dict(data.get("options", {})),
            after=tuple(data.get("after", ())),
            retries=retries,
            retry_wait=durations.parse(data.get("retry_wait", "0s")),
            window=Window.parse(data["window"]) if "window" in data else None,
            enabled=bool(data.get("enabled", True)),
        )


class JobBook:
    """All jobs, in an order in which each comes after those that it waits for."""

    def __init__(self, jobs: list[Job]) -> None:
        self._jobs: dict[str, Job] = {}
        for job in jobs:
            if job.name in self._jobs:
                raise JobFileError(f"there are two jobs {job.name}")
            self._jobs[job.name] = job
        self._order = self._sorted()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> JobBook:
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise JobFileError(f"cannot read {path}: {error}") from None
        if not isinstance(data, dict) or not isinstance(data.get("jobs"), list):
            raise JobFileError(f"{path} has no list of jobs")
        return cls([Job.from_json(item) for item in data["jobs"]])

    def __iter__(self) -> Iterator[Job]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, name: object) -> bool:
        return name in self._jobs

    def get(self, name: str) -> Job:
        try:
            return self._jobs[name]
        except KeyError:
            raise UnknownJob(f"no job {name}") from None

    def _sorted(self) -> list[Job]:
        order: list[Job] = []
        open_names: list[str] = []

        def visit(job: Job) -> None:
            if job in order:
                return
            if job.name in open_names:
                raise JobFileError(f"{job.name} waits for itself")
            open_names.append(job.name)
            for name in job.after:
                if name not in self._jobs:
                    raise JobFileError(f"{job.name} waits for {name}, which does not exist")
                visit(self._jobs[name])
            open_names.pop()
            order.append(job)

        for job in self._jobs.values():
            visit(job)
        return order
