"""The replay harness: plays a script's tool calls in the lane's own sandbox. No model is called.

Its usage stands in for a model's and is labelled as scripted wherever it appears. It is what a model with a prompt cache would
have been charged for the same conversation, with a token for every four bytes: each model call reads what earlier calls have
cached, writes what is new to the cache, and puts out the tool call.
"""

from dataclasses import dataclass, field
from typing import Any

from harnesses.base import Demands, Ended, Lane, Limits, Step, Turn
from harnesses.script import ScriptStep, Tool, load_script
from sandboxes.base import ExecResult
from sandboxes.usage import Usage

BYTES_PER_TOKEN = 4
STEP_TIMEOUT_SECONDS = 120.0
CLOSING = "Done."


@dataclass
class _Conversation:
    """What was said so far, and what it would have cost."""

    usage: Usage = field(default_factory=Usage)
    cached: int = 0
    pending: int = 0
    lines: list[dict[str, Any]] = field(default_factory=list)

    def heard(self, role: str, text: bytes, **details: Any) -> None:
        self.pending += _tokens(text)
        self.lines.append({"role": role, **details, "text": text.decode("utf-8", "replace")})

    def said(self, text: bytes, **details: Any) -> None:
        self.usage += Usage(0, self.pending, self.cached, _tokens(text))
        self.cached += self.pending
        self.pending = _tokens(text)
        self.lines.append({"role": "assistant", **details, "text": text.decode("utf-8", "replace")})


class ReplayHarness:
    """Plays an instance's `replay/` script, or the lane's reference where there is none."""

    name = "replay"
    scripted = True

    def refuses(self, scenario: Demands) -> str | None:
        if scenario.delegate:
            return "a scripted agent has no subagents to delegate to"
        if scenario.channel != "none":
            return "the scripted agents have nothing to say on a channel yet"
        return None

    def versions(self) -> dict[str, str]:
        return {}

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        number = int(session or 0) + 1
        steps = load_script(lane.replay).turn(number)
        conversation = _Conversation()
        conversation.heard("user", prompt.encode())
        ended, reason, taken = Ended.COMPLETED, "", 0
        for step in steps:
            if taken >= limits.max_steps:
                ended, reason = Ended.LIMIT, f"{limits.max_steps} steps"
                break
            taken += 1
            self._play(lane, conversation, step, taken)
        else:
            conversation.said(CLOSING.encode())
        return Turn(ended, reason, conversation.usage, taken, str(number), tuple(conversation.lines))

    def _play(self, lane: Lane, conversation: _Conversation, step: ScriptStep, number: int) -> None:
        conversation.said(step.target.encode() + b"\n" + step.content, tool=step.tool)
        result = _call(lane, step)
        output = result.stdout + result.stderr
        conversation.heard("tool", output, returncode=result.returncode)
        surfaced = lane.boundary(Step(number, step.tool, step.target))
        if surfaced:
            conversation.heard("radio", surfaced.encode())


def _call(lane: Lane, step: ScriptStep) -> ExecResult:
    """Every edit is made by a process in the lane's sandbox, so that a script can do what an agent can and no more."""
    if step.tool is Tool.RUN:
        argv, stdin = ["sh", "-c", step.target], b""
    elif step.tool is Tool.WRITE:
        argv = ["sh", "-c", 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"', "sh", step.target]
        stdin = step.content
    else:
        argv, stdin = ["git", "apply", "--whitespace=nowarn", "-"], step.content
    return lane.sandbox.run(argv, stdin=stdin, timeout=STEP_TIMEOUT_SECONDS)


def _tokens(text: bytes) -> int:
    return -(-len(text) // BYTES_PER_TOKEN)
