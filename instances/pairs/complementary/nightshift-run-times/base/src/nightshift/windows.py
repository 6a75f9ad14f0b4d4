"""The part of the day in which a job may start."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time

from nightshift.errors import JobFileError


@dataclass(frozen=True)
class Window:
    """From ``start`` up to, not including, ``end``; over midnight if ``end`` is the earlier one."""

    start: time
    end: time

    @classmethod
    def parse(cls, text: str) -> Window:
        """Read ``22:00-06:00``."""
        try:
            start, end = (time.fromisoformat(part.strip()) for part in text.split("-"))
        except ValueError:
            raise JobFileError(f"{text!r} is not a window such as 22:00-06:00") from None
        if start == end:
            raise JobFileError(f"the window {text!r} is empty")
        return cls(start, end)

    def __contains__(self, moment: datetime) -> bool:
        at = moment.time()
        if self.start < self.end:
            return self.start <= at < self.end
        return at >= self.start or at < self.end

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"
