"""The replay harness: plays a script's tool calls in the lane's own sandbox. No model is called.

Its usage stands in for a model's and is labelled as scripted wherever it appears. It is what a model with a prompt cache would
have been charged for the same conversation, with a token for every four bytes: each model call reads what earlier calls have
cached, writes what is new to the cache, and puts out the tool call.
"""

import re
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harnesses.base import Demands, Ended, Fitting, Lane, Limits, Step, Turn
from harnesses.script import Delegate, ScriptStep, Tool, WhenHeard, load_script, newest_message, silent_lanes
from sandboxes.base import ExecResult
from sandboxes.errors import SetupError
from sandboxes.usage import Usage

BYTES_PER_TOKEN = 4
STEP_TIMEOUT_SECONDS = 120.0
CLOSING = "Done."
NOTHING_CAME = re.compile(rb"^\[radio\] [^\n]* \(timeout\)\. Peers:")
READ_INBOX = ScriptStep(Tool.LISTEN, "radio-inbox")


@dataclass
class _Conversation:
    """What was said so far, and what it would have cost."""

    usage: Usage = field(default_factory=Usage)
    cached: int = 0
    pending: int = 0
    lines: list[dict[str, Any]] = field(default_factory=list)
    visible: str = ""

    def heard(self, role: str, text: bytes, **details: Any) -> None:
        self.pending += _tokens(text)
        shown = text.decode("utf-8", "replace")
        self.visible += shown + "\n"
        self.lines.append({"role": role, **details, "text": shown})

    def said(self, text: bytes, **details: Any) -> None:
        self.usage += Usage(0, self.pending, self.cached, _tokens(text))
        self.cached += self.pending
        self.pending = _tokens(text)
        self.lines.append({"role": "assistant", **details, "text": text.decode("utf-8", "replace")})


class ReplayHarness:
    """Plays an instance's `replay/` script, or the lane's reference where there is none."""

    name = "replay"
    scripted = True
    stepwise = True

    def refuses(self, scenario: Demands) -> str | None:
        if scenario.delegate:
            return "a scripted agent has no subagents to delegate to"
        return None

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        return silent_lanes(scenario, replay)

    def versions(self) -> dict[str, str]:
        return {}

    def fitting(self, private: Path) -> Fitting:
        return Fitting()

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        number = int(session or 0) + 1
        script = load_script(lane.replay)
        waiting = deque(script.actions(number))
        conversation = _Conversation()
        conversation.heard("user", prompt.encode())
        taken, deadline = 0, time.monotonic() + 60 * limits.max_minutes
        while waiting:
            action = waiting.popleft()
            if isinstance(action, WhenHeard):
                heard = action.pattern.search(conversation.visible)
                waiting.extendleft(reversed(action.then if heard else action.otherwise))
                continue
            if isinstance(action, Delegate):
                raise SetupError(f"{script.origin}: the replay harness has no subagents; leave `delegate` out")
            if taken >= limits.max_steps:
                return _turn(conversation, Ended.LIMIT, f"{limits.max_steps} steps", taken, number)
            if time.monotonic() >= deadline:
                return _turn(conversation, Ended.LIMIT, f"{limits.max_minutes:g} minutes", taken, number)
            taken += 1
            noticed = _play(lane, conversation, action, taken, deadline)
            if noticed:
                waiting.appendleft(READ_INBOX)
        if last_words := lane.stopping(taken):
            conversation.said(CLOSING.encode())
            conversation.heard("radio", last_words.encode())
        conversation.said(CLOSING.encode())
        return _turn(conversation, Ended.COMPLETED, "", taken, number)


def _turn(conversation: _Conversation, ended: Ended, reason: str, steps: int, number: int) -> Turn:
    summary = CLOSING if ended is Ended.COMPLETED else ""
    return Turn(ended, reason, conversation.usage, steps, str(number), tuple(conversation.lines), summary=summary)


def _play(lane: Lane, conversation: _Conversation, step: ScriptStep, number: int, deadline: float) -> bool:
    """Play one step; true where a watcher has given notice of messages, which to read is a further step."""
    conversation.said(step.target.encode() + b"\n" + step.content, tool=step.tool)
    result = _call(lane, step, newest_message(conversation.visible), deadline)
    conversation.heard("tool", result.stdout + result.stderr, returncode=result.returncode)
    surfaced = lane.boundary(Step(number, step.tool, step.target))
    if surfaced:
        conversation.heard("radio", surfaced.encode())
    return bool(surfaced) and lane.listening == "watcher"


def _call(lane: Lane, step: ScriptStep, heard: str, deadline: float) -> ExecResult:
    """Every edit is made by a process in the lane's sandbox, so that a script can do what an agent can and no more."""
    if step.tool is Tool.WRITE:
        argv = ["sh", "-c", 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"', "sh", step.target]
    elif step.tool is Tool.APPLY:
        argv = ["git", "apply", "--whitespace=nowarn", "-"]
    else:
        argv = ["sh", "-c", step.target]
    timeout = max(0.01, min(STEP_TIMEOUT_SECONDS, deadline - time.monotonic()))
    while True:
        # A scripted lane does not hold up the others while it waits: it looks, lets them move, and looks again.
        variables = {"CROSSTALK_PATIENCE": "0", "CROSSTALK_HEARD": heard} if step.tool in (Tool.SAY, Tool.LISTEN) else None
        result = lane.sandbox.run(argv, stdin=step.content, timeout=timeout, environment=variables)
        if not step.waits or not NOTHING_CAME.match(result.stdout) or not lane.pause():
            return result


def _tokens(text: bytes) -> int:
    return -(-len(text) // BYTES_PER_TOKEN)
