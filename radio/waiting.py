"""Calls that wait for something to happen: woken, timed out, or ended because nothing can happen any more."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from radio.call import Answer, Call
from radio.events import EventType
from radio.switchboard import Switchboard


class Outcome(StrEnum):
    """How a wait ended."""

    MENTION = "mention"
    SYNCED = "synced"
    TIMEOUT = "timeout"
    DEADLOCK = "deadlock"
    PEER_FINISHED = "peer-finished"
    FINISHED = "finished"


@dataclass(eq=False)
class Parked:
    """One call that waits.

    Attributes:
        attempt: gives the answer if there is one now.
        give_up: gives the answer for a wait that ended otherwise, with the reason in words.
        targets: the lanes that could end the wait; None for a hook or a watcher, which keeps no agent from going on.
        needs_all: whether all of them must act (a named point) or any of them may.
    """

    call: Call
    attempt: Callable[[], Answer | None]
    give_up: Callable[[Outcome, str], Answer]
    targets: Callable[[], Iterable[str]] | None = None
    needs_all: bool = False
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    @property
    def lane(self) -> str:
        return self.call.caller


class WaitingRoom:
    """All parked calls of one hub."""

    def __init__(self, board: Switchboard, settle: Callable[[Call, Answer], None]) -> None:
        self._board = board
        self._settle = settle
        self._parked: dict[str, list[Parked]] = {}
        self._suspects: frozenset[str] = frozenset()
        self._loop = asyncio.get_running_loop()

    def park(self, parked: Parked, timeout: float) -> None:
        self._parked.setdefault(parked.lane, []).append(parked)
        parked.timer = self._loop.call_later(timeout, self._end, parked, Outcome.TIMEOUT, "the time given has passed")
        parked.call.on_closed = lambda: self._leave(parked)
        self._watch_lease(parked.lane)
        if parked.targets is not None:
            self._end_if_all_finished(parked)
            self._suspect_deadlock()

    def _watch_lease(self, lane: str) -> None:
        """Where another delivery is under way, look again when its lease would have run out."""
        lease = self._board.lanes[lane].lease
        if lease is not None:
            left = max(0.0, lease.until - self._board.clock.steady()) + 0.002
            self._loop.call_later(left, self.wake, (lane,))

    def _forget(self, parked: Parked) -> bool:
        waiting = self._parked.get(parked.lane, [])
        if parked not in waiting:
            return False
        waiting.remove(parked)
        if not waiting:
            del self._parked[parked.lane]
        if parked.timer is not None:
            parked.timer.cancel()
        parked.call.on_closed = None
        return True

    def _leave(self, parked: Parked) -> None:
        """Its caller has gone away."""
        if self._forget(parked):
            self._board.lanes[parked.lane].leave_unanswered(parked.call.fields.text("key", "", limit=80))

    def _end(self, parked: Parked, outcome: Outcome, reason: str) -> None:
        if self._forget(parked):
            self._settle(parked.call, parked.give_up(outcome, reason))

    def wake(self, lanes: Iterable[str]) -> None:
        """Something happened for these lanes: see whether a call of theirs can be answered."""
        for lane in lanes:
            for parked in list(self._parked.get(lane, ())):
                answer = parked.attempt()
                if answer is None:
                    if self._board.lanes[lane].lease is not None:
                        self._watch_lease(lane)
                    break  # those behind it wait for the same
                if self._forget(parked):
                    self._settle(parked.call, answer)

    def end_lane(self, lane: str, reason: str) -> None:
        for parked in list(self._parked.get(lane, ())):
            self._end(parked, Outcome.FINISHED, reason)

    def waiting_lanes(self) -> frozenset[str]:
        """Lanes whose agent itself is held up by a wait."""
        return frozenset(lane for lane, calls in self._parked.items() if any(parked.targets is not None for parked in calls))

    def look_for_deadlock(self) -> None:
        """End waits for lanes that have finished at once; those for lanes that wait too, after a grace."""
        for parked in self._blocking():
            self._end_if_all_finished(parked)
        self._suspect_deadlock()

    def _end_if_all_finished(self, parked: Parked) -> None:
        targets = list(parked.targets()) if parked.targets is not None else []
        if self._has_mail(parked):
            return
        if not parked.needs_all and all(self._board.lanes[name].finished is not None for name in targets):
            who = "no other lane is left" if not targets else f"{', '.join(targets)} finished"
            self._end(parked, Outcome.PEER_FINISHED, f"{who}; nobody will send anything more")

    def _suspect_deadlock(self) -> None:
        if self._suspects or self._somebody_is_free():
            return
        stuck = self._stuck()
        if stuck:
            self._suspects = stuck
            grace = self._board.policy.deadlock_grace_seconds
            self._loop.call_later(grace, self._end_deadlock)

    def _somebody_is_free(self) -> bool:
        """A quick look: while one lane works and none waits for one in particular, there is no deadlock."""
        blocking = self._blocking()
        waiting = {parked.lane for parked in blocking}
        free = any(lane.finished is None and lane.name not in waiting for lane in self._board.lanes.values())
        return free and not any(parked.needs_all for parked in blocking)

    def _blocking(self) -> list[Parked]:
        return [parked for calls in self._parked.values() for parked in calls if parked.targets is not None]

    def _stuck(self) -> frozenset[str]:
        """The largest set of waiting lanes none of which can be freed by a lane outside of it."""
        calls = [parked for parked in self._blocking() if not self._has_mail(parked)]
        stuck = {parked.lane for parked in calls}
        changed = True
        while changed:
            changed = False
            for parked in calls:
                if parked.lane in stuck and not self._hopeless(parked, stuck):
                    stuck.discard(parked.lane)
                    changed = True
        return frozenset(stuck)

    def _has_mail(self, parked: Parked) -> bool:
        """Whether something waits for the lane, though another delivery holds it now: the wait will end with it."""
        return not parked.needs_all and self._board.lanes[parked.lane].something_waits

    def _hopeless(self, parked: Parked, stuck: set[str]) -> bool:
        assert parked.targets is not None
        idle = [name in stuck or self._board.lanes[name].finished is not None for name in parked.targets()]
        if not idle:
            return False
        return any(idle) if parked.needs_all else all(idle)

    def _end_deadlock(self) -> None:
        stuck = self._stuck() & self._suspects
        self._suspects = frozenset()
        if not stuck:
            self.look_for_deadlock()
            return
        names = ", ".join(sorted(stuck))
        reason = f"deadlock: {names} wait for each other, and nobody else can end it; go on with your own work"
        self._board.record(EventType.DEADLOCK, lanes=sorted(stuck), reason=reason)
        for parked in self._blocking():
            if parked.lane in stuck:
                self._end(parked, Outcome.DEADLOCK, reason)
