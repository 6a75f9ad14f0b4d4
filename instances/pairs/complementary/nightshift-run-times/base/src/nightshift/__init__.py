"""Nightshift: runs jobs when they are due, and remembers how it went."""

from nightshift.clock import ManualClock, SystemClock
from nightshift.errors import ActionFailed, JobFileError, NightshiftError, UnknownJob
from nightshift.history import History, RunRecord, Status
from nightshift.jobs import Job, JobBook
from nightshift.runner import Runner

__all__ = [
    "ActionFailed",
    "History",
    "Job",
    "JobBook",
    "JobFileError",
    "ManualClock",
    "NightshiftError",
    "Runner",
    "RunRecord",
    "Status",
    "SystemClock",
    "UnknownJob",
]
