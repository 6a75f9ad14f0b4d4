"""The real agent programs that tests drive with the scripted model server, one a line, and turns of theirs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harnesses.base import Harness, Lane, Limits, Turn
from harnesses.claude_code import ClaudeCode
from harnesses.codex import Codex
from harnesses.endpoint import Endpoint
from harnesses.follower import Patience
from harnesses.opencode import OpenCode
from harnesses.script import Action, ScriptStep, Tool
from harnesses.scripted_model.faults import Fault
from harnesses.scripted_model.server import ScriptedModelServer
from sandboxes.usage import Usage


@dataclass(frozen=True)
class Driven:
    """A program.

    Attributes:
        name: the harness's.
        program: the file that a machine may lack.
        made: the adapter; `impatient` the dotted path of one that neither waits long nor asks a provider twice.
        key_variable, address_variable: by which an operator names key and provider, where the program has one of its own.
    """

    name: str
    program: str
    made: Callable[..., Harness]
    impatient: str
    key_variable: str
    address_variable: str


def opencode(model: str | None = None, *, retries: int | None = None, **options: Any) -> Harness:
    """It always asks a provider six times."""
    return OpenCode(model, **options)


CLAUDE_CODE = Driven("claude-code", "claude", ClaudeCode, "impatient.ClaudeCode", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
CODEX = Driven("codex", "codex", Codex, "impatient.Codex", "OPENAI_API_KEY", "OPENAI_BASE_URL")
OPENCODE = Driven("opencode", "opencode", opencode, "", "CROSSTALK_MODEL_KEY", "")
PROGRAMS = (CLAUDE_CODE, CODEX, OPENCODE)
WITH_A_PROVIDER = (CLAUDE_CODE, CODEX)


# A hook that says hello after each step, and once when the program is about to stop.
TALKING_HOOK = """#!/bin/sh
cat >/dev/null
case $1 in
Stop) [ -e /tmp/stopped ] || printf '{"decision":"block","reason":"the peer says hello at the end"}'; : >/tmp/stopped ;;
*) printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"the peer says hello after %s"}}' "$1" "$1" ;;
esac
"""


def run(command: str) -> ScriptStep:
    return ScriptStep(Tool.RUN, command)


class Scripted:
    """Turns of a real program in the one lane of a `bed`, each with its own key on one server."""

    def __init__(self, server: ScriptedModelServer, bed: Any, driven: Driven) -> None:
        self.server, self.bed, self.driven = server, bed, driven
        self.keys: list[str] = []

    def __call__(
        self,
        *actions: Action,
        faults: tuple[Fault, ...] = (),
        limits: Limits | None = None,
        session: str | None = None,
        patience: Patience | None = None,
        hook: Path | None = None,
    ) -> Turn:
        self.keys.append(self.server.add_lane("a", actions, faults))
        harness = self.driven.made("scripted", endpoint=self._endpoint, patience=patience, retries=1)
        lane = self.bed.lane(harness.fitting, hook=hook)
        return harness.run(lane, "Please do it.", limits or Limits(max_minutes=2), session)

    def _endpoint(self, lane: Lane) -> Endpoint:
        return Endpoint(self.key, self.driven.key_variable, self.server.url)

    @property
    def key(self) -> str:
        """The newest turn's."""
        return self.keys[-1]

    @property
    def ledger(self) -> Usage:
        """What the server reported in the newest turn."""
        return self.server.ledger.total(self.key)

    def said_to_the_model(self) -> str:
        return json.dumps(self.server.requests(self.key))
