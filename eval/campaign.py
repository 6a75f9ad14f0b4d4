"""The cells of a run on a pool of threads: retried with back-off, paused where a fault is everybody's, ended by a budget."""

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from eval.backoff import PROVIDERS, Fault, Patience, Streak
from eval.bench import Bench
from eval.cell import run_cell
from eval.costs import Spending
from eval.records import CellEntry, CellRecord, Status
from harnesses.base import Failure
from sandboxes.stopping import no_programs


class Watcher(Protocol):
    """What is told of a run's progress."""

    def started(self, cell: CellEntry) -> None: ...
    def ended(self, cell: CellEntry, record: CellRecord) -> None: ...
    def stand(self, cells: int) -> None: ...
    def expect(self, cells: int) -> None: ...
    def say(self, text: str) -> None: ...
    def stopping(self) -> None: ...


class Why(StrEnum):
    """Why no cell is started any more, though some are left."""

    BUDGET = "budget"
    PROVIDER = "provider"
    AUTH = "auth"


@dataclass(frozen=True)
class Halt:
    """The end of a run before the end of its plan.

    Attributes:
        why: what kind of end.
        reason: in words.
        left: cells without a verdict, which a resumed run goes on with.
    """

    why: Why
    reason: str
    left: int


@dataclass
class _Pending:
    """A cell that is to be run, how often it failed, and when it may be started."""

    place: int
    entry: CellEntry
    failed: int = 0
    ready: float = 0.0


@dataclass
class _Pause:
    """A fault is everybody's: which, until when nothing is asked, and how many probes have met it."""

    failure: str
    reason: str
    until: float = 0.0
    probes: int = 0
    probe: _Pending | None = None


class Campaign:
    """Runs cells. All state is the calling thread's; the pool's threads run a cell each and give back its record."""

    def __init__(self, bench: Bench, jobs: int, watcher: Watcher, spending: Spending, patience: Patience) -> None:
        self._bench, self._jobs, self._watcher = bench, jobs, watcher
        self._spending, self._patience = spending, patience
        self._waiting: list[_Pending] = []
        self._running: dict[Future[CellRecord], _Pending] = {}
        self._streak = Streak(patience.in_a_row)
        self._pause: _Pause | None = None
        self._stop: tuple[Why, str] | None = None
        self._given_up = 0

    def run(self, cells: Sequence[CellEntry]) -> Halt | None:
        """Run cells in their order; `None` when each was run until it has a verdict or no attempt left.

        Raises:
            KeyboardInterrupt: after every program of the run was ended.
            InstanceError, SetupError: an instance or the results folder is not usable; likewise.
        """
        self._waiting = [_Pending(place, cell) for place, cell in enumerate(cells)]
        pool = ThreadPoolExecutor(self._jobs, thread_name_prefix="cell")
        try:
            while self._running or (self._waiting and not self._stop):
                self._start_what_may(pool)
                self._await_something()
        except BaseException:
            # An interrupt or a broken results folder: nothing new starts, and what runs is ended, before the error goes on.
            self._watcher.stopping()
            with no_programs():
                pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()
        left = len(self._waiting) + self._given_up
        return Halt(*self._stop, left) if self._stop and left else None

    def _start_what_may(self, pool: ThreadPoolExecutor) -> None:
        while not self._stop and (pending := self._next()):
            if reason := self._spending.reached():
                self._stop = (Why.BUDGET, reason)
                return
            self._waiting.remove(pending)
            if self._pause:
                self._pause.probe = pending
                self._watcher.say(f"asking again with {pending.entry.cell}")
            results = self._bench.results
            if (results.cells / pending.entry.cell).exists():
                results.discard(pending.entry.cell)
            results.begin(pending.entry.cell)
            self._watcher.started(pending.entry)
            self._running[pool.submit(run_cell, pending.entry, self._bench)] = pending

    def _next(self) -> _Pending | None:
        """The first cell that may be started now: any that is ready, or one alone while the campaign is paused."""
        now = time.monotonic()
        if self._pause:
            return self._waiting[0] if self._waiting and not self._running and now >= self._pause.until else None
        if len(self._running) >= self._jobs:
            return None
        return next((one for one in self._waiting if one.ready <= now), None)

    def _await_something(self) -> None:
        """Until a cell has ended, or one may be started; in the main thread an interrupt ends it at once."""
        if self._running:
            done, _ = wait(self._running, self._seconds_to_next(), FIRST_COMPLETED)
            for future in done:
                self._ended(self._running.pop(future), future.result())
        elif not self._stop and self._waiting:
            time.sleep(self._seconds_to_next() or 0)

    def _seconds_to_next(self) -> float | None:
        """Until the next cell may be started; `None` where only the end of another can bring that."""
        if self._stop or not self._waiting or (self._running and (self._pause or len(self._running) >= self._jobs)):
            return None
        at = self._pause.until if self._pause else min(one.ready for one in self._waiting)
        return max(at - time.monotonic(), 0)

    def _ended(self, pending: _Pending, record: CellRecord) -> None:
        self._watcher.ended(pending.entry, record)
        self._spending.add([record])
        if record.failure == Failure.AUTH:
            # The next cells would fare no better: nothing new starts until the operator has mended it.
            self._stop = (Why.AUTH, record.reason)
        if self._pause:
            self._ended_in_pause(self._pause, pending, record)
        elif record.status is not Status.INFRASTRUCTURE:
            self._streak.clear()
        else:
            self._failed(pending, record)

    def _failed(self, pending: _Pending, record: CellRecord) -> None:
        pending.failed += 1
        wait_for = self._wait(record.failure, pending.failed, record.retry_after, record.cell)
        if record.failure in PROVIDERS:
            fault = Fault(str(record.failure), record.cell, record.instance)
            if self._streak.met(fault):
                pending.failed -= 1  # it is everybody's fault, and not this cell's
                self._again(pending, 0)
                self._pause = _Pause(fault.failure, record.reason)
                self._wait_for_provider(self._pause, record)
                return
        else:
            self._streak.clear()
        if pending.failed < self._patience.attempts(record.failure):
            self._again(pending, wait_for)
        else:
            self._given_up += 1

    def _ended_in_pause(self, pause: _Pause, pending: _Pending, record: CellRecord) -> None:
        """A probe, or a cell that ran already when the pause began."""
        if record.status is not Status.INFRASTRUCTURE:
            self._pause = None
            self._streak.clear()
            self._watcher.say("the provider answers again")
            return
        if record.failure not in PROVIDERS:
            pending.failed += 1
        if record.failure in PROVIDERS or pending.failed < self._patience.attempts(record.failure):
            self._again(pending, 0)
        else:
            self._given_up += 1
        if pause.probe is pending:
            pause.probe, pause.probes, pause.reason = None, pause.probes + 1, record.reason
            if pause.probes >= self._patience.probes:
                self._stop = self._stop or (Why.PROVIDER, f"{pause.reason} ({pause.probes} times in a row)")
            else:
                self._wait_for_provider(pause, record)

    def _wait_for_provider(self, pause: _Pause, record: CellRecord) -> None:
        seconds = self._wait(pause.failure, pause.probes + 1, record.retry_after, "pause")
        pause.until = time.monotonic() + seconds
        if not self._stop:
            self._watcher.say(f"paused for {seconds:.0f} s: the provider fails every cell ({pause.failure}: {pause.reason})")

    def _again(self, pending: _Pending, seconds: float) -> None:
        """The cell waits, at its place in the plan, behind those that failed less often."""
        pending.ready = time.monotonic() + seconds
        self._waiting = sorted([*self._waiting, pending], key=lambda one: (one.failed, one.place))
        self._watcher.expect(1)

    def _wait(self, failure: str | None, number: int, asked: float | None, what: str) -> float:
        return self._patience.wait(failure, number, asked, f"{self._bench.manifest.seed}/{what}")
