"""A harness with a fault of its own, for one lane."""

from harnesses.base import Lane, Limits, Turn
from harnesses.replay import ReplayHarness


class Surprising(ReplayHarness):
    """Breaks in the one agent's lane, in a way that no one has thought of."""

    name = "surprising"

    def __init__(self, model: str | None = None) -> None:
        self.model = model

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        if lane.name == "both":
            raise ZeroDivisionError("nobody has thought of this")
        return super().run(lane, prompt, limits, session)
