"""Codex's session files, tried on version 0.171.0: the one place where it notes the usage of each response when it comes.

Every thread, a subagent's too, has a file. A `token_usage_record` names the response, its thread and the turn of the main thread
that all this was done for, so a response counts once and for the turn that caused it, also in a resumed session.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harnesses.streams.base import count
from harnesses.streams.lines import Lines
from sandboxes.usage import UNKNOWN_USAGE, Usage

_BEGUN = frozenset({"task_started", "turn_started"})
_ENDED = frozenset({"task_complete", "turn_complete", "turn_aborted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


def mapping(value: object) -> Mapping[str, Any]:
    """What is a mapping; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def usage_of(counts: Mapping[str, Any]) -> Usage:
    """Disjoint counts. Input holds what was read from the cache and what was written to it; output holds the reasoning."""
    given, output = count(counts.get("input_tokens")), count(counts.get("output_tokens"))
    read, written = (count(counts.get(name, 0)) for name in ("cached_input_tokens", "cache_write_input_tokens"))
    if given is None or read is None or written is None or given < read + written:
        return UNKNOWN_USAGE
    return Usage(input=given - read - written, cache_write=written, cache_read=read, output=output)


@dataclass
class ThreadTurn:
    """What one thread did in one turn.

    Attributes:
        before: what the thread had used up when the turn began.
        answers: the usage of each response.
        calls: the tool calls that the model made.
        asked: a call's output is noted, so the next request is under way or about to be, and no answer to it has begun.
        open: an answer has begun, and its usage is not told yet.
        untold: answers that came to their end without their usage.
        running: the turn has not ended.
    """

    before: Usage
    answers: dict[str, Usage] = field(default_factory=dict)
    calls: int = 0
    asked: bool = False
    open: bool = False
    untold: int = 0
    running: bool = True

    @property
    def under_way(self) -> bool:
        """A request was sent whose usage may still come."""
        return self.asked or self.open

    def usage(self) -> Usage:
        return sum(self.answers.values(), Usage()) if not self.untold else UNKNOWN_USAGE

    def close_answer(self) -> None:
        """The answer is over: its usage does not come any more."""
        self.untold += self.open
        self.asked = self.open = False


class SessionLog:
    """Reads the files one after another; it is an `OutputWatch` of the command that prints them.

    Attributes:
        turns: by the id of the main thread's turn, what each thread did in it.
    """

    def __init__(self) -> None:
        self.turns: dict[str, dict[str, ThreadTurn]] = {}
        self._lines = Lines()
        self._thread = ""
        self._totals: dict[str, Usage] = {}
        self._current: ThreadTurn | None = None

    def received(self, piece: bytes) -> None:
        """See `OutputWatch.received`."""
        self._read(self._lines.feed(piece))

    def deadline(self) -> float:
        """See `OutputWatch.deadline`."""
        return math.inf

    def end(self) -> "SessionLog":
        """Everything was given."""
        self._read(self._lines.end())
        return self

    def without(self, earlier: "SessionLog") -> dict[str, list[ThreadTurn]]:
        """What is new, by thread."""
        new: dict[str, list[ThreadTurn]] = {}
        for turn, threads in self.turns.items():
            for thread, one in threads.items() if turn not in earlier.turns else ():
                new.setdefault(thread, []).append(one)
        return new

    def _read(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue  # the line that was being written when the program was ended
            self._see(mapping(event).get("type"), mapping(mapping(event).get("payload")))

    def _see(self, kind: object, payload: Mapping[str, Any]) -> None:
        if kind == "session_meta":
            self._thread, self._current = str(payload.get("id")), None
        elif kind == "token_usage_record":
            self._record(payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "response_item" and self._current is not None:
            self._item(self._current, payload)

    def _event(self, payload: Mapping[str, Any]) -> None:
        kind = payload.get("type")
        if kind in _BEGUN:
            self._current = self._turn(self._thread, str(payload.get("root_turn_id") or payload.get("turn_id")))
            self._current.running = True
        elif kind in _ENDED and self._current is not None:
            self._current.close_answer()
            self._current.running = False
        elif kind == "token_count" and (total := mapping(mapping(payload.get("info")).get("total_token_usage"))):
            self._totals[self._thread] = usage_of(total)

    def _record(self, payload: Mapping[str, Any]) -> None:
        thread, turn = str(payload.get("thread_id")), payload.get("root_turn_id") or payload.get("turn_id")
        one = self._turn(thread, str(turn))
        usage = usage_of(mapping(payload.get("usage")))
        one.answers[str(payload.get("response_id") or f"{len(one.answers)} without a name")] = usage
        one.asked = one.open = False

    def _item(self, turn: ThreadTurn, item: Mapping[str, Any]) -> None:
        kind = str(item.get("type"))
        if kind.endswith("_output"):
            # A tool's output is noted when the answer that asked for it has come to its end.
            turn.close_answer()
            turn.asked = True
        elif kind != "message" or item.get("role") == "assistant":
            turn.asked, turn.open = False, True
            turn.calls += kind in _CALLS

    def _turn(self, thread: str, turn: str) -> ThreadTurn:
        before = self._totals.get(thread, Usage())
        return self.turns.setdefault(turn, {}).setdefault(thread, ThreadTurn(before))
