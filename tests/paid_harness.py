"""A harness that says it calls a model, and fails as the file that `FAULTS` names says: a word a turn, then no more."""

import os
from pathlib import Path

from harnesses.base import Ended, Failure, Lane, Limits, Turn
from harnesses.replay import ReplayHarness
from sandboxes.usage import UNKNOWN_USAGE, Usage

FAULTS = "CROSSTALK_TEST_FAULTS"
LOST = Usage(1000, 0, 0, 100)  # what a turn that fails has used


class Paid(ReplayHarness):
    """Plays what the replay harness plays, as a model's own work."""

    name = "paid"
    scripted = False

    def __init__(self, model: str | None = None) -> None:
        self.model = model

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        fault = _next_fault()
        if fault in ("", "ok"):
            return super().run(lane, prompt, limits, session)
        if fault == "untold":
            return Turn(Ended.COMPLETED, "", UNKNOWN_USAGE, 1, None)
        return Turn(Ended.INFRASTRUCTURE, f"the provider says {fault}", LOST, 1, None, failure=Failure(fault))


def _next_fault() -> str:
    """The first line of the file, which is taken away; `*` stays and fails for ever."""
    if not (name := os.environ.get(FAULTS)):
        return ""
    first, *rest = [*Path(name).read_text(encoding="utf-8").split(), ""]
    if first.endswith("*"):
        return first.removesuffix("*")
    Path(name).write_text("\n".join(rest), encoding="utf-8")
    return first
