"""The depot's day. It moves when it is told to, so that a script gives the same result each time."""

from datetime import date, timedelta


class Clock:
    def __init__(self, today: date = date(2026, 3, 2)) -> None:
        self._today = today

    def today(self) -> date:
        return self._today

    def set(self, day: date) -> None:
        if day < self._today:
            raise ValueError(f"the clock cannot go back from {self._today} to {day}")
        self._today = day

    def advance(self, days: int = 1) -> date:
        self.set(self._today + timedelta(days=days))
        return self._today
