"""The environment of mini-swe-agent in a lane: each command in the lane's sandbox, and the step boundary behind it."""

import json
import platform
import time
from collections.abc import Mapping
from typing import Any

from harnesses.base import Ended, Lane, Step
from harnesses.mini_swe_agent_model import Asking, TurnOver
from harnesses.mini_swe_agent_parts import HAND_IN, SENTINEL
from harnesses.streams.base import Verdict, text
from sandboxes.base import ExecResult

COMMAND_SECONDS = 120.0
_HOOK_SECONDS = 60.0
# The command comes on stdin, for an argument has a limit of its own, and reads nothing itself.
_SHELL = 'file=$(mktemp) && cat >"$file" && bash "$file" </dev/null 2>&1; status=$?; rm -f "$file"; exit "$status"'
_NOT_RUN = {"output": "", "returncode": -1, "exception_info": "not run: the work was handed in before"}


class LaneEnvironment:
    """An environment as `DefaultAgent` takes it.

    Attributes:
        steps: commands that were run; the bare command that hands the work in is none.
        submitted: the work was handed in.
        outputs: of the newest answer's commands.
        surfaced: what step boundaries brought since the model was asked last.
    """

    config = None

    def __init__(self, lane: Lane, asking: Asking, variables: Mapping[str, str]) -> None:
        self.steps = 0
        self.submitted = False
        self.outputs: list[dict[str, Any]] = []
        self.surfaced: list[str] = []
        self._lane, self._asking, self._variables = lane, asking, dict(variables)

    def execute(self, action: Mapping[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command, and look what surfaces behind it.

        Raises:
            TurnOver: it would be a step too many, or the time is over.
            SandboxError, StoppedError: see `Sandbox.run`.
        """
        command = str(action.get("command", ""))
        if self.submitted:
            return self._told(dict(_NOT_RUN))
        hands_in = command.strip() == HAND_IN
        if not hands_in and self.steps >= self._asking.limits.max_steps:
            raise TurnOver(Verdict(Ended.LIMIT, f"{self._asking.limits.max_steps} steps"))
        output = self._run(command)
        self.submitted = output["returncode"] == 0 and output["output"].lstrip().partition("\n")[0].strip() == SENTINEL
        if not hands_in:
            self.steps += 1
            self._lane.boundary(Step(self.steps, "bash", text(command)))
            if words := self.hook("PostToolUse"):
                self.surfaced.append(words)
        return self._told(output)

    def _told(self, output: dict[str, Any]) -> dict[str, Any]:
        self.outputs.append(output)
        return output

    def _run(self, command: str) -> dict[str, Any]:
        seconds = min(COMMAND_SECONDS, self._asking.left())
        if seconds <= 0:
            raise TurnOver(self._asking.out_of_time())
        result = self._lane.sandbox.run(
            ["sh", "-c", _SHELL],
            stdin=command.encode("utf-8", "replace") + b"\n",
            timeout=seconds,
            environment=self._variables,
        )
        said = (result.stdout + result.stderr).decode("utf-8", "replace")
        if result.timed_out:
            when = f"because {result.over}" if result.over else f"after {seconds:.0f} s"
            why = f"the command was ended {when}, with everything that it had started"
            return {"output": said, "returncode": -1, "exception_info": why}
        return {"output": said, "returncode": result.returncode, "exception_info": ""}

    def hook(self, event: str) -> str:
        """What the lane's hook puts before the model at an event; empty where nothing waits, or there is no hook."""
        if self._lane.hook is None:
            return ""
        given = json.dumps({"hook_event_name": event, "tool_name": "bash"}).encode()
        result = self._lane.sandbox.run(["sh", "-c", f"{self._lane.hook} {event}"], stdin=given, timeout=_HOOK_SECONDS)
        return _words(result)

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        """The machine, for the package's prompt; nothing of the operator's environment."""
        return {**platform.uname()._asdict(), **more}


def _words(result: ExecResult) -> str:
    """What a hook wants the model to see. What one that failed has printed does not count."""
    if not result.ok or not result.stdout.strip():
        return ""
    try:
        told = json.loads(result.stdout)
    except ValueError:
        return ""
    if not isinstance(told, dict):
        return ""
    if told.get("decision") == "block":
        return str(told.get("reason", ""))
    inner = told.get("hookSpecificOutput")
    return str(inner.get("additionalContext", "")) if isinstance(inner, dict) else ""


def seconds_from_now(minutes: float) -> float:
    """The deadline of a turn, by `time.monotonic`."""
    return time.monotonic() + 60 * minutes
