"""Holds a limit of tool calls: what of an answer would begin one too many is not passed on to the program.

A program begins a call while the answer that asks for it still comes, so to end it when it says so is too late.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from threading import Event, Lock
from typing import Any

from sandboxes.usage import Usage

_ENDS = (b"\n\n", b"\r\n\r\n")


class Gate:
    """The tool calls of a turn, over all its answers; shared by the threads that pass them on.

    Attributes:
        shut: an answer with a call too many has come to its end.
        unseen: what such answers used; the program does not know of them.
    """

    def __init__(self, most: int, is_call: Callable[[Mapping[str, Any]], bool]) -> None:
        """Let so many calls through.

        Args:
            most: how many.
            is_call: whether an event of a stream begins a call.
        """
        self.shut = Event()
        self.unseen = Usage()
        self._most, self._is_call = most, is_call
        self._lock = Lock()
        self._calls = 0

    def close(self, used: Usage) -> None:
        """An answer with a call too many has come to its end."""
        with self._lock:
            self.unseen += used
        self.shut.set()

    def lets(self, frame: bytes) -> bool:
        """Whether an event may be passed on; it is counted."""
        if not self._is_call(_event(frame)):
            return True
        with self._lock:
            self._calls += 1
            return self._calls <= self._most


class Gated:
    """One streamed answer on its way through a gate.

    Attributes:
        withheld: a part of it was not passed on, and nothing behind that part is.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._rest = b""
        self.withheld = False

    def feed(self, piece: bytes) -> bytes:
        """Take a piece; what may be passed on by now, in whole events."""
        self._rest += piece
        return b"".join(self._passed())

    def end(self) -> bytes:
        """The answer has come to its end; what is left of it."""
        rest, self._rest = self._rest, b""
        return b"" if self.withheld or not self._gate.lets(rest) else rest

    def _passed(self) -> Iterator[bytes]:
        while (size := _first_end(self._rest)) > 0:
            frame, self._rest = self._rest[:size], self._rest[size:]
            self.withheld = self.withheld or not self._gate.lets(frame)
            if not self.withheld:
                yield frame


def _first_end(content: bytes) -> int:
    """Where the first event of a stream is over; 0 where it is not."""
    found = [at + len(end) for end in _ENDS if (at := content.find(end)) >= 0]
    return min(found, default=0)


def _event(frame: bytes) -> Mapping[str, Any]:
    data = b"".join(line[len(b"data:") :] for line in frame.splitlines() if line.startswith(b"data:"))
    try:
        event = json.loads(data)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
