"""The real agent programs with less patience than usual: `--harness impatient.ClaudeCode`, for runs whose provider fails."""

from harnesses import claude_code, codex
from harnesses.follower import Patience

PATIENCE = Patience(first_event=12.0, model=8.0, after_closing=0.5)


class ClaudeCode(claude_code.ClaudeCode):
    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, patience=PATIENCE, retries=0)


class Codex(codex.Codex):
    def __init__(self, model: str | None = None) -> None:
        super().__init__(model, patience=PATIENCE, retries=0)
