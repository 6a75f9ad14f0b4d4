"""A harness that is to delegate, and does all by itself."""

from dataclasses import replace

from harnesses.base import Demands, Lane, Limits, Turn
from harnesses.replay import ReplayHarness


class Lone(ReplayHarness):
    name = "lone"

    def __init__(self, model: str | None = None) -> None:
        self.model = model

    def refuses(self, scenario: Demands) -> str | None:
        return None

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        return super().run(replace(lane, replay=replace(lane.replay, delegates=False)), prompt, limits, session)
