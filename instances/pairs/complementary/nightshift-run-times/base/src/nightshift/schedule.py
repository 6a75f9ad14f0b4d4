"""Which jobs are due."""

from __future__ import annotations

from datetime import datetime, timedelta

from nightshift.history import History, Status
from nightshift.jobs import Job, JobBook


def next_start(job: Job, history: History, now: datetime) -> datetime:
    """When the job may start next, its window aside; ``now`` if it never ran."""
    last = history.last(job.name)
    return now if last is None else max(now, last.started + timedelta(seconds=job.every))


def is_due(job: Job, history: History, now: datetime) -> bool:
    if not job.enabled or (job.window is not None and now not in job.window):
        return False
    return next_start(job, history, now) <= now


def due(book: JobBook, history: History, now: datetime) -> list[Job]:
    """The jobs that are due, each after those that it waits for."""
    return [job for job in book if is_due(job, history, now)]


def blocker(job: Job, history: History) -> str | None:
    """The first job that this one waits for and that did not end well, if any."""
    for name in job.after:
        last = history.last(name)
        if last is None or last.status is not Status.OK:
            return name
    return None
