"""Calls that a script does not name, and that the program's way of doing things asks for beside it.

They bear ids of their own kind, so they do not count as the script's steps: waiting for a subagent that works beside its parent,
and keeping a watcher in the background, reading what it gives notice of.
"""

import json
import re
from collections.abc import Sequence

from harnesses.script import Delegate
from harnesses.scripted_model.conversation import Part, Request, Role, ToolCall
from sandboxes.errors import HarnessError

WATCH = "radio-watch"
READ = "radio-inbox"
# By the tool that starts a subagent, the one that waits for it, where the starting one does not wait itself.
SUBAGENT_TOOLS = {"Agent": "", "Task": "", "task": "", "multi_agent_v1.spawn_agent": "multi_agent_v1.wait_agent"}
_SUBAGENT_MILLISECONDS = 600_000
_BACKGROUND_TOOL = "Bash"
# Claude Code's word that a background command has ended: it names the call that began it, and the file with its output.
_ENDED = r"<task-notification>(?:(?!</task-notification>).)*<tool-use-id>({mark}-watch-[0-9]+)</tool-use-id>"


def start_subagent(request: Request, identity: str, task: str, action: Delegate) -> ToolCall:
    """The call of the program's own subagent tool; `task` tells the subagent's requests from its parent's.

    Raises:
        HarnessError: the program offers none.
    """
    tool = _subagent_tool(request)
    prompt = f"{action.task}\n\n({task})"
    if SUBAGENT_TOOLS[tool]:
        return ToolCall(identity, tool, {"message": prompt})
    kind = "general" if tool == "task" else "general-purpose"
    return ToolCall(identity, tool, {"description": "A part of the script", "prompt": prompt, "subagent_type": kind})


def await_subagent(request: Request, mark: str, number: int) -> ToolCall | None:
    """The wait for the subagent that the script's call of a number has started; `None` where it need not be waited for.

    Raises:
        HarnessError: it was not started.
    """
    waits = SUBAGENT_TOOLS[_subagent_tool(request)]
    begun = next(index for index, part in enumerate(request.parts) if part.call == f"{mark}_{number}")
    since = request.parts[begun + 1 :]
    asked = [index for index, part in enumerate(since) if part.call.startswith(f"{mark}-join-{number}-")]
    if not waits or (asked and not _timed_out(since[asked[-1] + 1 :])):
        return None
    told = since[0].text if since else ""
    try:
        agent = str(json.loads(told)["agent_id"])
    except (ValueError, KeyError, TypeError) as error:
        raise HarnessError(f"the program did not start the subagent: {told[:200]}") from error
    arguments = {"targets": [agent], "timeout_ms": _SUBAGENT_MILLISECONDS}
    return ToolCall(f"{mark}-join-{number}-{len(asked)}", waits, arguments)


def keep_watch(request: Request, mark: str) -> ToolCall | None:
    """A watcher is started, what it gave notice of is read, and it is started again; `None` while it waits.

    Raises:
        HarnessError: the program has no background commands.
    """
    if _BACKGROUND_TOOL not in request.tools:
        raise HarnessError("the scenario has a watcher, and the program offers no background commands")
    watches, reads = (_made(request.parts, f"{mark}-{kind}-") for kind in ("watch", "read"))
    if watches == reads:
        return ToolCall(f"{mark}-watch-{watches}", _BACKGROUND_TOOL, {"command": WATCH, "run_in_background": True})
    noticed = re.compile(_ENDED.format(mark=mark), re.DOTALL)
    notices = {call for part in request.parts if part.role is Role.HEARD for call in noticed.findall(part.text)}
    if len(notices) <= reads:
        return None
    return ToolCall(f"{mark}-read-{reads}", _BACKGROUND_TOOL, {"command": READ})


def _subagent_tool(request: Request) -> str:
    tool = next((name for name in SUBAGENT_TOOLS if name in request.tools), None)
    if tool is None:
        raise HarnessError("the script delegates, and the program offers no subagents")
    return tool


def _timed_out(answer: Sequence[Part]) -> bool:
    """A wait has ended before the subagent had."""
    try:
        return json.loads(answer[0].text)["timed_out"] is True
    except (IndexError, ValueError, KeyError, TypeError):
        return False


def _made(parts: Sequence[Part], prefix: str) -> int:
    return sum(part.call.startswith(prefix) for part in parts)
