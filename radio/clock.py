"""The hub's clock: a wall time for eyes only, and a clock for durations that no change of the wall time moves."""

import time
from collections.abc import Callable
from datetime import UTC, datetime


class Clock:
    """Both readings never run backwards, also not over a restart of the hub or of the machine."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._offset = 0.0
        self._latest = ""
        self._thousandths = -1

    def resume(self, at: str, clock: float) -> None:
        """Go on from the readings of the last stored event."""
        self._latest = max(self._latest, at)
        self._offset = max(self._offset, clock - self._steady())

    def now(self) -> tuple[str, float]:
        """The wall time as ISO 8601 text in UTC, and the steady clock in seconds."""
        wall = self._wall()
        thousandths = int(wall * 1000)
        if thousandths != self._thousandths:
            self._thousandths = thousandths
            at = datetime.fromtimestamp(wall, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self._latest = max(self._latest, at)
        return self._latest, self.steady()

    def steady(self) -> float:
        return round(self._steady() + self._offset, 6)
