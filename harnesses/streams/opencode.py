"""OpenCode's `run --format json`, tried on version 1.18.33, with the lines of the lane's plugin between its own.

The program's own lines are of its main session alone, and come when a tool has ended; they tell nothing of retries. The plugin's
lines (`harnesses/opencode_plugin.js`) tell each request to the provider once, whoever made it, with the usage that came back.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from harnesses.base import Ended, Failure, Metering
from harnesses.streams.base import ToolEnd, Verdict, count, difference, text
from sandboxes.chat_usage import chat_usage
from sandboxes.usage import UNKNOWN_USAGE, Usage

SUBAGENT_TOOL = "task"
PLUGIN = "lane"
_BY_STATUS = {401: Failure.AUTH, 402: Failure.AUTH, 403: Failure.AUTH, 429: Failure.RATE_LIMIT}
_UNPAID = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_NOBODY = re.compile(r"ConnectionRefused|ECONNREFUSED|ENOTFOUND", re.IGNORECASE)
_TOO_LONG = "ContextOverflowError"
_NO_KEY = "ProviderAuthError"
_DETAILS = ("command", "filePath", "path", "pattern", "description", "url")
_CLASSES = ("input", "cache write", "cache read", "output")


@dataclass(frozen=True)
class _Request:
    """One request to the provider: `asked`, `answered`, `broken` (off), `refused`, `unanswered`; and the usage that came back."""

    state: str
    usage: Any = None


class OpenCodeStream:
    """See `Stream`."""

    def __init__(self) -> None:
        self.closed = False
        self.waiting = False
        self.mid_response = False
        self.trouble: Verdict | None = None
        self.hopeless = False
        self.session: str | None = None
        self.subagents = 0
        self.summary = ""
        self._loaded = False
        self._requests: dict[str, _Request] = {}
        self._status: int | None = None
        self._begun: dict[str, ToolEnd] = {}
        self._ended: set[str] = set()
        self._steps: dict[str, Usage] = {}
        self._failed: Verdict | None = None
        self._nobody = 0

    @property
    def calls(self) -> int:
        return len(self._begun)

    def see(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        """See `Stream.see`. An event of an unknown kind is passed over."""
        if event.get("type") == PLUGIN:
            ended = self._told(event)
            self.mid_response = any(one.state == "asked" for one in self._requests.values())
            at_work = len(self._begun) > len(self._ended)
            self.waiting = not self.closed and (self.mid_response or (self._loaded and not at_work))
            return ended
        if isinstance(session := event.get("sessionID"), str):
            self.session = session
        part = event.get("part")
        if event.get("type") == "text" and isinstance(part, dict) and isinstance(words := part.get("text"), str):
            self.summary = words
        return ()

    def _told(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        kind, side = event.get("event"), bool(event.get("side"))
        if kind == "loaded":
            self._loaded = True
        elif kind == "session" and isinstance(session := event.get("session"), str):
            self.session = session
        elif kind == "request":
            self._request(event)
        elif kind == "tool":
            return self._tool(event)
        elif kind == "step":
            self._steps[str(event.get("id"))] = _step_usage(event.get("tokens"))
        elif kind == "retry":
            self.trouble = self._refusal("", event.get("reason"), None)
        elif kind == "error" and not side:
            self._failed = self._refusal(str(event.get("name")), event.get("reason"), count(event.get("status")))
        elif kind == "idle":
            self.closed = True
        return ()

    def _request(self, event: Mapping[str, Any]) -> None:
        state = str(event.get("state"))
        self._requests[str(event.get("id"))] = _Request(state, event.get("usage"))
        if state == "asked":
            self.closed = False
        elif state == "answered":
            self.trouble = self._failed = self._status = None
        elif state == "refused":
            self._status = count(event.get("status"))
        elif state == "unanswered":
            self._status = None
            self._nobody += _NOBODY.search(str(event.get("reason"))) is not None
        elif state == "broken":
            self._status = None

    def _tool(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        call, tool = str(event.get("call")), str(event.get("tool"))
        ended = ToolEnd(tool, _detail(event.get("input")))
        self._begun[call] = ended
        if event.get("status") not in ("completed", "error") or call in self._ended:
            return ()
        self._ended.add(call)
        self.subagents += tool == SUBAGENT_TOOL and event.get("status") == "completed"
        return (ended,)

    def _refusal(self, name: str, reason: object, status: int | None) -> Verdict:
        said = text(reason or name)
        if name == _TOO_LONG:
            return Verdict(Ended.LIMIT, f"the program stopped itself: {said}")
        status = self._status if status is None else status
        if name == _NO_KEY or _UNPAID.search(said):
            failure = Failure.AUTH
        elif status is not None and status >= 500:
            failure = Failure.OVERLOADED
        else:
            failure = _BY_STATUS.get(status or 0, Failure.PROVIDER)
        return Verdict(Ended.INFRASTRUCTURE, said, failure)

    def verdict(self) -> Verdict | None:
        """What the program said last; its exit status is no better known."""
        if self._failed is not None:
            return self._failed
        if not self.closed:
            return None
        if not self._loaded:
            return Verdict(Ended.INFRASTRUCTURE, "the program did not load the lane's plugin", Failure.CRASH)
        return Verdict(Ended.COMPLETED)

    def usage(self) -> tuple[Usage, Metering]:
        """The sum over the provider's answers. The program's own sum, over the steps that it took to an end, stands beside it."""
        answers = [chat_usage(one.usage) for one in self._requests.values() if one.state == "answered"]
        abandoned = [chat_usage(one.usage) for one in self._requests.values() if one.state == "broken" and one.usage]
        lost = sum(one.state in ("broken", "unanswered") and not one.usage for one in self._requests.values()) - self._nobody
        finished, left = sum(answers, Usage()), sum(abandoned, Usage())
        responses = finished + left if self._loaded else UNKNOWN_USAGE
        closing = sum(self._steps.values(), Usage()) if self.closed else None
        notes = []
        if finished.output is None:
            notes.append("the provider left out a response's usage")
        elif closing is not None and (told := _more(closing, finished)):
            notes.append(f"the program's closing total differs from the sum of its responses: {told}")
        if lost:
            notes.append(f"{lost} answers broke off, whose usage nobody has told")
        lower_bound = self.mid_response or lost > 0 or not self._loaded
        return responses, Metering(responses, closing, left, lower_bound=lower_bound, notes=tuple(notes))

    def labels(self) -> tuple[str, ...]:
        alive = len(self._begun) - len(self._ended)
        return (f"{alive} background tasks were alive at the end",) if alive and self.closed else ()


def _step_usage(tokens: object) -> Usage:
    """A step's tokens by the program's count: input without what the cache holds, output without what was thought."""
    if not isinstance(tokens, dict):
        return UNKNOWN_USAGE
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    output, thought = count(tokens.get("output")), count(tokens.get("reasoning", 0))
    spent = None if output is None or thought is None else output + thought
    return Usage(count(tokens.get("input")), count(cache.get("write")), count(cache.get("read")), spent)


def _more(one: Usage, other: Usage) -> str:
    """Where two counts differ. The program takes what was written to the cache for input: chat completions do not tell it."""
    one, other = (replace(each, input=_sum(each.input, each.cache_write), cache_write=0) for each in (one, other))
    return ", ".join(f"{name} {more:+}" for name, more in zip(_CLASSES, difference(one, other), strict=True) if more)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _detail(given: object) -> str:
    """What a call was about: its command, file or description."""
    values = given if isinstance(given, dict) else {}
    return next((text(values[name]) for name in _DETAILS if isinstance(values.get(name), str)), "")
