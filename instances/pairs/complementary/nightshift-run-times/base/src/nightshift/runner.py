"""Runs jobs and writes down how it went."""

from __future__ import annotations

from nightshift.actions import Actions, Context
from nightshift.clock import Clock, SystemClock
from nightshift.history import History, RunRecord, Status
from nightshift.jobs import Job, JobBook
from nightshift.schedule import blocker, due


class Runner:
    """Runs the jobs of a book, one after the other."""

    def __init__(
        self, book: JobBook, history: History, actions: Actions | None = None, clock: Clock | None = None
    ) -> None:
        self.book = book
        self.history = history
        self.actions = actions if actions is not None else Actions()
        self.clock = clock if clock is not None else SystemClock()

    def run_due(self) -> list[RunRecord]:
        """Run what is due now, and return what was written down."""
        return [self.run(job) for job in due(self.book, self.history, self.clock.now())]

    def run(self, job: Job) -> RunRecord:
        """Run a job whether it is due or not, unless one that it waits for did not end well."""
        waits_for = blocker(job, self.history)
        if waits_for is not None:
            record = RunRecord(job.name, self.clock.now(), Status.SKIPPED, 0, f"{waits_for} did not end well")
        else:
            record = self._attempt(job)
        self.history.append(record)
        return record

    def _attempt(self, job: Job) -> RunRecord:
        action = self.actions.get(job.action)
        started = self.clock.now()
        attempt = 0
        while True:
            attempt += 1
            try:
                message = action(Context(job.name, attempt, job.options, self.clock)) or ""
                status = Status.OK
            except Exception as error:  # whatever an action raises ends this attempt only
                message = str(error) or type(error).__name__
                status = Status.FAILED
            if status is Status.OK or attempt > job.retries:
                return RunRecord(job.name, started, status, attempt, message)
            self.clock.sleep(job.retry_wait)
