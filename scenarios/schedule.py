"""The step schedule of scripted lanes: one lane moves at a time, in an order drawn from a seed."""

import random
from collections.abc import Sequence
from threading import Condition

MAX_LEAD = 4


class StepSchedule:
    """A turnstile for lanes in threads of their own, so that a replayed cell is the same each time.

    No lane gets more than `MAX_LEAD` steps ahead of another that could move: lanes that start together stay roughly together,
    as real ones do, whatever the seed. Its state is guarded by its one condition.
    """

    def __init__(self, lanes: Sequence[str], seed: str) -> None:
        self._random = random.Random(seed)
        self._waiting = list(lanes)
        self._paused: set[str] = set()
        self._steps = dict.fromkeys(lanes, 0)
        self._condition = Condition()
        self._current = self._draw()

    def _draw(self) -> str:
        moving = [lane for lane in self._waiting if lane not in self._paused]
        if not moving:
            return ""
        least = min(self._steps[lane] for lane in moving)
        return self._random.choice([lane for lane in moving if self._steps[lane] - least < MAX_LEAD])

    def enter(self, lane: str) -> None:
        """Wait until it is the lane's move."""
        with self._condition:
            self._condition.wait_for(lambda: self._current == lane)

    def next(self, lane: str) -> None:
        """The lane's step has ended: draw who moves next, and wait until it is this lane again."""
        with self._condition:
            self._paused.clear()
            self._steps[lane] += 1
            self._current = self._draw()
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._current == lane)

    def pause(self, lane: str) -> bool:
        """The lane waits for another's doing: let the others move until one has. False when none of them ever will."""
        with self._condition:
            self._paused.add(lane)
            if self._paused.issuperset(self._waiting):
                return False
            self._current = self._draw()
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._current == lane)
            return True

    def leave(self, lane: str) -> None:
        """The lane has finished, or failed; the others go on."""
        with self._condition:
            self._waiting.remove(lane)
            self._paused.clear()
            if self._current == lane:
                self._current = self._draw()
            self._condition.notify_all()
