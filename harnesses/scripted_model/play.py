"""Decides the answer to a request from the lane's script and from what the request really contains.

Nothing is remembered between requests: how far the script has come is read from the calls in the conversation that bear the
lane's own mark. So a repeated request gets the same answer, and a resumed session goes on where it should.
"""

import base64
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from harnesses.mini_swe_agent_parts import HAND_IN
from harnesses.script import HEARD, Action, Delegate, ScriptStep, Tool, newest_message, next_action
from harnesses.scripted_model.asides import await_subagent, keep_watch, start_subagent
from harnesses.scripted_model.conversation import Answer, Part, Request, Role, ToolCall, conversation_usage
from sandboxes.usage import Usage

CLOSING = "Done."
_SHELLS = {"Bash": "command", "exec_command": "cmd", "bash": "command", "shell": "command"}
_MINI_SWE_AGENTS = {"bash"}
LONG_TEXT = "long " * 400_000


@dataclass(frozen=True)
class LaneScript:
    """What is played to one key.

    Attributes:
        name: the lane's.
        mark: what its calls' ids begin with; another turn of the same session has another one.
        actions: of the turn.
        watches: the agent keeps a watcher in the background.
    """

    name: str
    mark: str
    actions: tuple[Action, ...]
    watches: bool = False


def answer(lane: LaneScript, request: Request, identity: str, *, uncached: int = 0, long: bool = False) -> Answer:
    """The next tool call of the script, or a closing text where it is at its end or the request offers no shell.

    Raises:
        HarnessError: the script delegates, and the program offers no subagents; or it is to watch, and there is no way to.
    """
    shell = next((name for name in _SHELLS if name in request.tools), None)
    call = _call(lane, request, shell) if shell else None
    if call is None and request.tools == _MINI_SWE_AGENTS and not _handed_in(lane, request.parts):
        # It ends by a command, which is none of the script's: its id does not bear the mark of one.
        call = ToolCall(f"{lane.mark}end{len(request.parts)}", "bash", {"command": HAND_IN})
    if call is not None and call.name == "Bash":
        call.arguments["description"] = "A step of the script"
    text = "" if call else CLOSING
    if long:
        text = LONG_TEXT + text
    output = text + (json.dumps(call.arguments) if call else "")
    if shell is None:
        written = conversation_usage(request.parts, output, 0)
        heard = (written.cache_write or 0) + (written.cache_read or 0)
        usage = Usage(input=heard, output=written.output)
    else:
        usage = conversation_usage(request.parts, output, uncached)
    return Answer(identity, request.model, text, call, usage)


def _handed_in(lane: LaneScript, parts: Sequence[Part]) -> bool:
    """Whether a program with the same one tool ran the ending command, and goes on with its output alone: a text ends it."""
    return len(parts) > 1 and parts[-2].call.startswith(f"{lane.mark}end")


def _call(lane: LaneScript, request: Request, shell: str) -> ToolCall | None:
    mark, actions = _whose(lane, request.parts)
    visible = _visible(request.parts, mark)
    number = len(visible) - 1
    if number and isinstance(next_action(actions, visible[:-1]), Delegate):
        waiting = await_subagent(request, mark, number - 1)
        if waiting is not None:
            return waiting
    if lane.watches and mark == lane.mark and (aside := keep_watch(request, mark)) is not None:
        return aside
    action = next_action(actions, visible)
    if action is None:
        return None
    if isinstance(action, Delegate):
        task = next(task for task, delegate in _delegates(mark, actions) if delegate is action)
        return start_subagent(request, f"{mark}_{number}", task, action)
    command = shell_command(action).replace(HEARD, shlex.quote(newest_message(visible[-1])))
    call = ToolCall(f"{mark}_{number}", shell, {_SHELLS[shell]: command})
    if shell == "exec_command" and action.waits:
        # Codex hands a command's control back after 10 s else, and the script would go on while it still waits.
        call.arguments["yield_time_ms"] = 30_000
    return call


def shell_command(step: ScriptStep) -> str:
    """A step as one shell command; what it is fed goes in the command itself, in a form that no shell can misread."""
    if step.tool not in (Tool.WRITE, Tool.APPLY):
        return step.target
    content = base64.encodebytes(step.content).decode("ascii")
    if step.tool is Tool.WRITE:
        path = shlex.quote(step.target)
        return f"mkdir -p -- \"$(dirname -- {path})\" && base64 -d > {path} <<'END_OF_FILE'\n{content}END_OF_FILE"
    return f"base64 -d <<'END_OF_PATCH' | git apply --whitespace=nowarn -\n{content}END_OF_PATCH"


def _whose(lane: LaneScript, parts: Sequence[Part]) -> tuple[str, tuple[Action, ...]]:
    """The lane's own script, or the part of it that a subagent was given: its task bears the mark of the call."""
    found = lane.mark, lane.actions
    for part in parts:
        if part.role is Role.SAID:
            break
        for task, delegate in _delegates(lane.mark, lane.actions):
            if f"({task})" in part.text:
                found = task, delegate.actions
    return found


def _delegates(mark: str, actions: Sequence[Action]) -> list[tuple[str, Delegate]]:
    delegates: list[Delegate] = []
    waiting = list(actions)
    while waiting:
        action = waiting.pop(0)
        if isinstance(action, Delegate):
            delegates.append(action)
        elif not isinstance(action, ScriptStep):
            waiting = [*action.then, *action.otherwise, *waiting]
    return [(f"{mark}t{number}", delegate) for number, delegate in enumerate(delegates, 1)]


def _visible(parts: Sequence[Part], mark: str) -> list[str]:
    """What had been heard before each of the mark's calls, and before the one that comes next."""
    heard: list[str] = []
    visible: list[str] = []
    for part in parts:
        if part.role is Role.HEARD:
            heard.append(part.text)
        elif part.call.startswith(f"{mark}_"):
            visible.append("\n".join(heard))
    return [*visible, "\n".join(heard)]
