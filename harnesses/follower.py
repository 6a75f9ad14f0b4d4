"""Follows a program's event lines while it runs: steps, boundaries, limits, and the waits that must have an end."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from harnesses.base import Ended, Failure, Lane, Limits, Step, Turn
from harnesses.endpoint import masked
from harnesses.streams.base import Stream, Verdict, text
from harnesses.streams.lines import Lines
from sandboxes.base import ExecResult

# Pieces of what a later line gives as a whole; they would double the transcript.
_NOT_KEPT = frozenset({"stream_event"})


@dataclass(frozen=True)
class Patience:
    """How long a program may keep silent, in seconds.

    Attributes:
        first_event: until its first event.
        model: while it waits for its model.
        after_closing: from its closing event until it has ended.
    """

    first_event: float = 120.0
    model: float = 900.0
    after_closing: float = 10.0


class _Why(Enum):
    """Why the follower ended a program."""

    STEPS = auto()
    HOPELESS = auto()


class Follower:
    """The `OutputWatch` of one turn."""

    def __init__(
        self,
        lane: Lane,
        stream: Stream,
        limits: Limits,
        patience: Patience,
        secrets: tuple[str, ...],
        *,
        held: Callable[[], bool] = lambda: False,
    ) -> None:
        """Follow a turn.

        Args:
            lane: the turn's.
            stream: reads the program's events.
            limits: of the turn.
            patience: with the program.
            secrets: what must not get into the transcript.
            held: whether the model has asked for a step too many, which was kept from the program.
        """
        self.steps = 0
        self._held = held
        self.transcript: list[dict[str, Any]] = []
        self._lane, self._stream, self._limits, self._patience, self._secrets = lane, stream, limits, patience, secrets
        self._lines = Lines()
        self._began = False
        self._ended: _Why | None = None
        self._garbled = 0
        self._since = time.monotonic()  # the newest event, or the start

    def received(self, piece: bytes) -> None:
        """See `OutputWatch.received`. What comes after the end was decided is still read, for its usage."""
        for line in self._lines.feed(piece):
            self._line(line)

    def deadline(self) -> float:
        """See `OutputWatch.deadline`."""
        if self._ended is None and self._held():
            self._ended = _Why.STEPS
        if self._ended is not None:
            return -math.inf
        if not self._began:
            return self._since + self._patience.first_event
        if self._stream.closed:
            return self._since + self._patience.after_closing
        if self._stream.waiting:
            return self._since + self._patience.model
        return math.inf

    def _line(self, line: bytes) -> None:
        try:
            event = json.loads(masked(line, self._secrets))
        except ValueError:
            event = None
        if not isinstance(event, dict):
            self._garbled += 1
            return
        closed = self._stream.closed
        self._began = True
        if event.get("type") not in _NOT_KEPT:
            self.transcript.append(event)
        for tool in self._stream.see(event):
            self.steps += 1
            if self._ended is None:
                self._lane.boundary(Step(self.steps, tool.tool, tool.detail))
        if not (closed and self._stream.closed):
            self._since = time.monotonic()
        if self._ended is None and self._stream.hopeless:
            self._ended = _Why.HOPELESS
        # Ended at the end of the response that goes too far, when its usage is known.
        if self._ended is None and self._stream.calls > self._limits.max_steps and not self._stream.mid_response:
            self._ended = _Why.STEPS

    def turn(self, result: ExecResult, session: str | None) -> Turn:
        """The turn, once the program has ended.

        Args:
            result: how its process ended.
            session: the one that was resumed.
        """
        for line in self._lines.end():
            self._line(line)
        usage, metering = self._stream.usage()
        verdict = self._verdict(result)
        labels = list(self._stream.labels())
        if self._lines.left_out or self._garbled:
            labels.append(f"{self._lines.left_out + self._garbled} lines of the program's output were no events")
        if result.timed_out and self._stream.closed:
            labels.append("the program did not end by itself after its closing event")
        return Turn(
            verdict.ended,
            verdict.reason,
            usage,
            self.steps,
            self._stream.session or session,
            tuple(self.transcript),
            verdict.failure,
            metering,
            tuple(labels),
            self._stream.subagents,
            self._stream.summary,
        )

    def _verdict(self, result: ExecResult) -> Verdict:
        if self._ended is _Why.STEPS:
            return Verdict(Ended.LIMIT, f"{self._limits.max_steps} steps")
        if result.over:
            return Verdict(Ended.LIMIT, result.over)
        told = self._stream.verdict()
        if told is not None and (self._stream.closed or not result.timed_out):
            return told
        if self._ended is _Why.HOPELESS or (result.timed_out and self._stream.trouble is not None):
            assert self._stream.trouble is not None
            return self._stream.trouble
        if not result.timed_out:
            return Verdict(Ended.INFRASTRUCTURE, self._last_words(result), Failure.CRASH)
        if not self._began:
            seconds = min(self._patience.first_event, self._limits.max_minutes * 60)
            return Verdict(Ended.INFRASTRUCTURE, f"no event within {seconds:g} s", Failure.NO_FIRST_EVENT)
        # A turn that was no more than a wait for the model in its whole latter half says nothing about the agent either.
        silence = min(self._patience.model, self._limits.max_minutes * 60 / 2)
        if self._stream.waiting and time.monotonic() >= self._since + silence:
            return Verdict(Ended.INFRASTRUCTURE, f"no answer of the model within {silence:g} s", Failure.HANG)
        return Verdict(Ended.LIMIT, f"{self._limits.max_minutes:g} minutes")

    def _last_words(self, result: ExecResult) -> str:
        lines = masked(result.stderr, self._secrets).decode("utf-8", "replace").strip().splitlines()
        said = f": {text(lines[-1])}" if lines else ""
        return f"the program ended with status {result.returncode} and without a closing event{said}"
