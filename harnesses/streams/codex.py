"""Codex's `exec --json`, tried on version 0.171.0.

The closing event's usage is the whole session's, of the main thread alone, and there is none where the program was ended. So the
usage of a turn is read from the program's own session files (see `codex_log`), and the closing event is held against it.
A subagent's tool calls are not in the stream; a command that outlasts the program's patience ends at the model's back.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harnesses.base import Ended, Failure, Metering
from harnesses.streams.base import ToolEnd, Verdict, difference, text
from harnesses.streams.codex_log import SessionLog, ThreadTurn, mapping, usage_of
from sandboxes.usage import UNKNOWN_USAGE, Usage, longest_prompt

SPAWN = "spawn_agent"
_TOOLS = {
    "command_execution": "command",
    "file_change": "changes",
    "mcp_tool_call": "tool",
    "web_search": "query",
    "collab_tool_call": "tool",
}
# The tools that the stream shows as items of those kinds, by their names in the model's answers. The others that a model is
# offered look into what runs already, or note a plan.
_STEPS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "apply_patch", SPAWN})
_STEPS |= {"send_input", "wait", "wait_agent", "close_agent", "resume_agent"}
_CALLS = frozenset({"function_call", "custom_tool_call"})
_MODELS_WORDS = frozenset({"agent_message", "reasoning"})
_STATUS = re.compile(r"\bstatus:? (\d{3})\b")
_BY_STATUS = {429: Failure.RATE_LIMIT, 401: Failure.AUTH, 403: Failure.AUTH, 402: Failure.AUTH}
_BY_WORDS = (
    (re.compile(r"usage limit|rate limit", re.IGNORECASE), Failure.RATE_LIMIT),
    (re.compile(r"high demand|overloaded|at capacity", re.IGNORECASE), Failure.OVERLOADED),
    (re.compile(r"quota|billing|not signed in|log ?in|missing environment variable", re.IGNORECASE), Failure.AUTH),
)
_FULL = re.compile(r"context window|context length", re.IGNORECASE)


class CodexStream:
    """See `Stream`. `log` is to be set to the session files' before `usage` is asked, and `earlier` to those before the turn."""

    def __init__(self, most_calls: int, *, resumed: bool = False, overstepped: Callable[[], None] = lambda: None) -> None:
        """A turn's stream.

        Args:
            most_calls: how many tool calls the turn may begin.
            resumed: the session had turns before, and its totals hold theirs.
            overstepped: is called when the turn has begun more, and returns when the usage of that answer is noted.
        """
        self.closed = False
        self.waiting = False
        self.mid_response = False
        self.trouble: Verdict | None = None
        self.hopeless = False
        self.session: str | None = None
        self.subagents = 0
        self.summary = ""
        self.log: SessionLog | None = None
        self.earlier = SessionLog()
        self._most_calls, self._resumed, self._overstepped = most_calls, resumed, overstepped
        self._begun: set[str] = set()
        self._alive: set[str] = set()
        self._failed: Verdict | None = None
        self._closing: Mapping[str, Any] | None = None
        self._broken = 0

    @property
    def calls(self) -> int:
        return len(self._begun)

    def see(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        """See `Stream.see`. An event of an unknown kind is passed over."""
        kind = event.get("type")
        if kind == "thread.started" and isinstance(session := event.get("thread_id"), str):
            self.session = session
        elif kind == "turn.started":
            self.waiting = True
        elif kind in ("item.started", "item.completed"):
            return self._item(mapping(event.get("item")), completed=kind == "item.completed")
        elif kind == "error":
            self._error(event.get("message"))
        elif kind == "turn.completed":
            self._closing, self.closed, self.waiting = mapping(event.get("usage")), True, False
        elif kind == "turn.failed":
            self._failed = _refusal(mapping(event.get("error")).get("message"))
            self.closed, self.waiting = True, False
        return ()

    def _item(self, item: Mapping[str, Any], *, completed: bool) -> Iterable[ToolEnd]:
        kind, identity = str(item.get("type")), str(item.get("id"))
        if kind in _MODELS_WORDS:
            self.trouble = None
        if kind == "agent_message" and completed:
            self.summary = str(item.get("text", ""))
        if kind not in _TOOLS:
            return ()
        self.trouble = None
        if identity not in self._begun:
            self._begun.add(identity)
            self._alive.add(identity)
            if len(self._begun) == self._most_calls + 1:
                self._overstepped()
        if completed:
            self._alive.discard(identity)
        self.waiting = not self._alive
        if not completed:
            return ()
        tool = str(item.get("tool", kind))
        self.subagents += kind == "collab_tool_call" and tool == SPAWN and item.get("status") == "completed"
        return (ToolEnd(tool, _detail(kind, item)),)

    def _error(self, message: object) -> None:
        """The program is trying again, or about to give up."""
        self.trouble = _refusal(message)
        self.hopeless = self.trouble.failure is Failure.AUTH
        # An answer that broke off has cost something; how much, nobody has told.
        self._broken += "disconnected" in str(message) or "idle timeout" in str(message)

    def verdict(self) -> Verdict | None:
        """What the closing event says; the program's exit status is no better known."""
        if self._failed is not None:
            return self._failed
        return Verdict(Ended.COMPLETED) if self._closing is not None else None

    def usage(self) -> tuple[Usage, Metering]:
        """The sum over the responses in the session files; the closing total where the files tell nothing."""
        new = self.log.without(self.earlier) if self.log is not None else {}
        main = new.get(self.session or "", [])
        own = _sum(main)
        responses = _sum(turn for turns in new.values() for turn in turns)
        closing = self._closing_usage(main)
        usage, notes = responses if new else UNKNOWN_USAGE, []
        lower_bound = not new and closing is None
        if closing is not None and not any(turn.answers for turn in main):
            usage, lower_bound = closing, self.subagents > 0
        elif closing is not None and any(turn.untold for turn in main):
            notes.append("the provider left out a response's usage")
        elif closing is not None and any(difference(closing, own)):
            notes.append(f"the program's closing total differs from the sum of its responses: {_told(closing, own)}")
        if self._closing is not None and closing == UNKNOWN_USAGE:
            notes.append("the program's closing total does not fit together")
        if self._broken:
            notes.append(f"{self._broken} answers broke off, whose usage nobody has told")
        under_way = self.waiting or any(turn.under_way for turns in new.values() for turn in turns)
        others = [turn for thread, turns in new.items() if thread != self.session for turn in turns]
        lower_bound = lower_bound or under_way or self._broken > 0 or any(turn.running for turn in others)
        longest = longest_prompt(one for turns in new.values() for turn in turns for one in turn.answers.values())
        return usage, Metering(responses, closing, lower_bound=lower_bound, notes=tuple(notes), longest_prompt=longest)

    def _closing_usage(self, main: list[ThreadTurn]) -> Usage | None:
        """The closing total without what the session had used up before."""
        if self._closing is None or (self._resumed and not main):
            return None
        total = usage_of(self._closing)
        return Usage(*difference(total, main[0].before)) if main else total

    @property
    def subagents_calls(self) -> int:
        """Their tool calls, which the stream does not show."""
        new = self.log.without(self.earlier) if self.log is not None else {}
        return sum(turn.calls for thread, turns in new.items() if thread != self.session for turn in turns)

    def labels(self) -> tuple[str, ...]:
        alive = len(self._alive)
        return (f"{alive} background tasks were alive at the end",) if alive and self._closing is not None else ()


def begins_step(event: Mapping[str, Any]) -> bool:
    """Whether an event of the model's answer begins what the stream shows as a tool call."""
    item = mapping(event.get("item"))
    if event.get("type") != "response.output_item.added":
        return False
    return item.get("type") == "local_shell_call" or (item.get("type") in _CALLS and item.get("name") in _STEPS)


def _refusal(message: object) -> Verdict:
    said = text(message)
    if _FULL.search(said):
        return Verdict(Ended.LIMIT, f"the program stopped itself: {said}")
    if found := _STATUS.search(said):
        status = int(found[1])
        failure = Failure.OVERLOADED if status >= 500 else _BY_STATUS.get(status, Failure.PROVIDER)
    else:
        failure = next((failure for pattern, failure in _BY_WORDS if pattern.search(said)), Failure.PROVIDER)
    return Verdict(Ended.INFRASTRUCTURE, said, failure)


def _sum(turns: Iterable[ThreadTurn]) -> Usage:
    return sum((turn.usage() for turn in turns), Usage())


def _told(one: Usage, other: Usage) -> str:
    names = ("input", "cache write", "cache read", "output")
    return ", ".join(f"{name} {more:+}" for name, more in zip(names, difference(one, other), strict=True) if more)


def _detail(kind: str, item: Mapping[str, Any]) -> str:
    value = item.get("prompt") if kind == "collab_tool_call" else item.get(_TOOLS[kind])
    if isinstance(value, list):
        value = ", ".join(str(change.get("path")) for change in value if isinstance(change, dict))
    return text(value or "")
