"""Claude Code's `stream-json`, tried on version 2.1.197.

One response comes as a line for each of its content blocks, under one message id, with provisional usage; the final usage of
a response of the main thread comes with its `message_delta` (asked for by `--include-partial-messages`). Responses of subagents
come provisional or not at all, and side models' never do; the closing event's `modelUsage` counts those, but not a response that
broke off and was asked for again. `modelUsage` is of this process alone, also in a resumed session.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harnesses.base import Ended, Failure, Metering
from harnesses.streams.base import ToolEnd, Verdict, count, difference, text
from sandboxes.usage import UNKNOWN_USAGE, Usage, longest_prompt

SUBAGENT_TOOLS = ("Agent", "Task")
_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_MODEL_FIELDS = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
_SYNTHETIC = "<synthetic>"
_LIMIT_ENDS = {"max_turns", "error_max_turns", "max_budget", "error_max_budget_usd", "prompt_too_long", "blocking_limit"}
_BY_STATUS = {429: Failure.RATE_LIMIT, 401: Failure.AUTH, 403: Failure.AUTH, 402: Failure.AUTH}
_BY_NAME = {
    "rate_limit": Failure.RATE_LIMIT,
    "overloaded": Failure.OVERLOADED,
    "server_error": Failure.OVERLOADED,
    "authentication_failed": Failure.AUTH,
    "oauth_org_not_allowed": Failure.AUTH,
    "billing_error": Failure.AUTH,
}


@dataclass
class _Response:
    """What was told of one response: of each count the largest copy, and whether it came to its end."""

    counts: dict[str, int] = field(default_factory=dict)
    provisional: bool = False  # its usage is still to come with a closing delta
    ended: bool = False
    told_at_end: bool = True
    subagent: bool = False

    def note(self, usage: Mapping[str, Any]) -> None:
        for name in _FIELDS:
            number = count(usage.get(name))
            if number is not None:
                self.counts[name] = max(number, self.counts.get(name, 0))

    @property
    def abandoned(self) -> bool:
        return self.provisional and not self.ended

    def usage(self) -> Usage:
        told = any(self.counts.values())
        if not told or (self.ended and not self.told_at_end):
            return UNKNOWN_USAGE
        return Usage(*(self.counts.get(name, 0) for name in _FIELDS))


class ClaudeCodeStream:
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
        self._responses: dict[str, _Response] = {}
        self._calls: dict[str, ToolEnd] = {}
        self._current: str | None = None
        self._closing: Mapping[str, Any] | None = None
        self._refused: Verdict | None = None
        self._tasks: set[str] = set()
        self._tasks_at_closing: set[str] = set()
        self._delegated = False

    @property
    def calls(self) -> int:
        return len(self._calls)

    def see(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        """See `Stream.see`. An event of an unknown kind is passed over."""
        if isinstance(session := event.get("session_id"), str):
            self.session = session
        kind = event.get("type")
        if kind == "stream_event":
            self._partial(_mapping(event.get("event")))
        elif kind == "assistant":
            self._assistant(event)
        elif kind == "user":
            return self._tool_results(_mapping(event.get("message")))
        elif kind == "system":
            self._system(event)
        elif kind == "result":
            self._closing, self.closed, self.waiting = event, True, False
            self._tasks_at_closing = set(self._tasks)
        return ()

    def _partial(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        if kind == "message_start":
            message = _mapping(event.get("message"))
            self._heard_from_the_model()
            self.waiting = True
            self._current = str(message.get("id"))
            response = self._response(self._current)
            response.provisional = True
            response.note(_mapping(message.get("usage")))
            self.mid_response = True
        elif kind == "message_delta" and self._current is not None:
            response = self._response(self._current)
            usage = _mapping(event.get("usage"))
            response.note(usage)
            # A stream that broke off is closed by the program itself, with no reason to stop.
            if _mapping(event.get("delta")).get("stop_reason") is not None:
                response.ended = True
                response.told_at_end = count(usage.get("output_tokens")) is not None
        elif kind == "message_stop":
            self._current = None
            self.mid_response = self.waiting = False

    def _assistant(self, event: Mapping[str, Any]) -> None:
        message = _mapping(event.get("message"))
        if message.get("model") == _SYNTHETIC:
            # The program's own words: what the provider refused.
            if (name := event.get("error")) is not None:
                words = text(_words(message)) or str(name)
                self._refused = Verdict(Ended.INFRASTRUCTURE, words, _BY_NAME.get(str(name), Failure.PROVIDER))
            return
        if not isinstance(identity := message.get("id"), str):
            return
        self._heard_from_the_model()
        response = self._response(identity)
        response.subagent = event.get("parent_tool_use_id") is not None
        response.note(_mapping(message.get("usage")))
        if message.get("stop_reason") is not None:
            response.ended = True
        if not response.subagent:
            self.summary = _words(message) or self.summary
        for block in _blocks(message):
            if block.get("type") == "tool_use":
                name = str(block.get("name"))
                self._calls[str(block.get("id"))] = ToolEnd(name, _detail(_mapping(block.get("input"))))
                self._delegated |= name in SUBAGENT_TOOLS

    def _tool_results(self, message: Mapping[str, Any]) -> list[ToolEnd]:
        results = [block for block in _blocks(message) if block.get("type") == "tool_result"]
        ended = [self._calls.get(str(block.get("tool_use_id")), ToolEnd("unknown", "")) for block in results]
        worked = zip(ended, results, strict=True)
        self.subagents += sum(tool.tool in SUBAGENT_TOOLS and not block.get("is_error") for tool, block in worked)
        if ended:
            self.waiting = True
        return ended

    def _system(self, event: Mapping[str, Any]) -> None:
        kind, task = event.get("subtype"), str(event.get("task_id"))
        if kind == "init" or event.get("status") == "requesting":
            self.waiting = True
        elif kind == "api_retry":
            status = count(event.get("error_status"))
            failure = _failure(status, str(event.get("error")))
            self.trouble = Verdict(Ended.INFRASTRUCTURE, f"the provider answers {status}: {event.get('error')}", failure)
            self.hopeless = failure is Failure.AUTH
        elif kind == "task_started":
            self._tasks.add(task)
        elif kind == "task_notification" or "end_time" in _mapping(event.get("patch")):
            self._tasks.discard(task)

    def _heard_from_the_model(self) -> None:
        """The model answers: what was in the way is over, and a closing event before was not the last word."""
        self.waiting, self.closed = False, False
        self.trouble, self._refused = None, None

    def _response(self, identity: str) -> _Response:
        return self._responses.setdefault(identity, _Response())

    def verdict(self) -> Verdict | None:
        """By error flag, provider's status and terminal reason; `subtype` says success of failures too."""
        closing = self._closing
        if closing is None:
            return None
        said = text(closing.get("result") or closing.get("errors") or closing.get("subtype"))
        reasons = {str(closing.get("terminal_reason")), str(closing.get("subtype"))}
        if reasons & _LIMIT_ENDS:
            return Verdict(Ended.LIMIT, f"the program stopped itself: {', '.join(sorted(reasons & _LIMIT_ENDS))}")
        status = count(closing.get("api_error_status"))
        if self._refused is not None and (status is None or _failure(status, "") is Failure.PROVIDER):
            return self._refused
        if status is not None and status >= 400:
            return Verdict(Ended.INFRASTRUCTURE, said, _failure(status, ""))
        if closing.get("is_error"):
            return Verdict(Ended.INFRASTRUCTURE, said, Failure.CRASH)
        return Verdict(Ended.COMPLETED)

    def usage(self) -> tuple[Usage, Metering]:
        """The closing total with the responses that it leaves out; without one, the responses."""
        responses = list(self._responses.values())
        main = _sum(one for one in responses if not one.abandoned and not one.subagent)
        finished = main + _sum(one for one in responses if not one.abandoned and one.subagent)
        abandoned = _sum(one for one in responses if one.abandoned)
        closing, by_model = _closing_usage(self._closing)
        notes: tuple[str, ...] = ()
        if closing is None:
            usage = finished + abandoned if responses else UNKNOWN_USAGE
            lower_bound = self._delegated or not responses
        else:
            usage = closing + abandoned
            notes = self._disagreement(difference(closing, finished), len(by_model))
            lower_bound = self._delegated and (finished.output is None or not any(difference(closing, main)))
        if broken := sum(one.abandoned for one in responses):
            # Only what was told at its beginning is known, and that is counted.
            lower_bound, notes = True, (*notes, f"{broken} answers broke off, whose usage was not told to the end")
        if main.output is None:
            notes = (*notes, "the provider left out a response's usage")
            usage = UNKNOWN_USAGE
        # Of subagents and side models only the sum is told.
        alone = closing is None or closing == finished
        longest = longest_prompt(one.usage() for one in responses) if alone and not self._delegated else None
        cost = self._closing.get("total_cost_usd") if self._closing else None
        priced = float(cost) if isinstance(cost, int | float) else None
        counted = finished + abandoned
        return usage, Metering(counted, closing, abandoned, by_model, priced, lower_bound, notes, longest_prompt=longest)

    def _disagreement(self, more: tuple[int | None, ...], models: int) -> tuple[str, ...]:
        """What the closing total has beyond the responses that were seen can only be subagents' and side models'."""
        names = ("input", "cache write", "cache read", "output")
        told = ", ".join(f"{name} {number:+}" for name, number in zip(names, more, strict=True) if number)
        below = any(number is not None and number < 0 for number in more)
        if told and (below or (not self._delegated and models < 2)):
            return (f"the program's closing total differs from the sum of its responses: {told}",)
        return ()

    def labels(self) -> tuple[str, ...]:
        alive = len(self._tasks_at_closing or (self._tasks if self._closing is None else ()))
        return (f"{alive} background tasks were alive at the end",) if alive else ()


def _closing_usage(closing: Mapping[str, Any] | None) -> tuple[Usage | None, dict[str, Usage]]:
    """The closing total: the table of all models where there is one, else the headline."""
    if closing is None:
        return None, {}
    table = {
        str(model): Usage(*(count(_mapping(counts).get(name)) for name in _MODEL_FIELDS))
        for model, counts in _mapping(closing.get("modelUsage")).items()
    }
    if table:
        return sum(table.values(), Usage()), table
    usage = _mapping(closing.get("usage"))
    if not usage:
        return None, {}
    return Usage(*(count(usage.get(name)) if name in usage else 0 for name in _FIELDS)), {}


def _failure(status: int | None, name: str) -> Failure:
    if status is not None and status >= 500:
        return Failure.OVERLOADED
    return _BY_STATUS.get(status or 0) or _BY_NAME.get(name, Failure.PROVIDER)


def _sum(responses: Iterable[_Response]) -> Usage:
    return sum((one.usage() for one in responses), Usage())


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _words(message: Mapping[str, Any]) -> str:
    return " ".join(str(block["text"]) for block in _blocks(message) if block.get("type") == "text" and "text" in block)


def _detail(arguments: Mapping[str, Any]) -> str:
    """What a call was about: its command, file or description."""
    for name in ("command", "file_path", "path", "pattern", "description"):
        if isinstance(value := arguments.get(name), str):
            return text(value)
    return ""
