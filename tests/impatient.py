"""The real agent programs with less patience than usual, `--harness impatient.ClaudeCode`, for runs whose provider fails.

They ask a provider once. How long they wait is in the environment, in seconds, so that only a run that is to meet a hang is
impatient: on a busy machine others take their time.
"""

import os

from harnesses import claude_code, codex
from harnesses.follower import Patience


def patience() -> Patience:
    told = {name: os.environ.get(f"IMPATIENT_{name.upper()}") for name in ("first_event", "model", "after_closing")}
    return Patience(**{name: float(seconds) for name, seconds in told.items() if seconds})


class ClaudeCode(claude_code.ClaudeCode):
    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, patience=patience(), retries=0)


class Codex(codex.Codex):
    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, patience=patience(), retries=0)
