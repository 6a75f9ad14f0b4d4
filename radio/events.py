"""The append-only event log: one typed event a line, in the hub's order. All metrics are read from it alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson


class EventType(StrEnum):
    HUB_STARTED = "hub_started"
    LANE_JOINED = "lane_joined"
    THREAD_CREATED = "thread_created"
    MESSAGE_SENT = "message_sent"
    REFUSED = "refused"
    LEASED = "leased"
    SHOWN = "shown"
    NOTICED = "noticed"
    EXPIRED = "expired"
    RESPONDED = "responded"
    VERIFIED = "verified"
    LISTENING = "listening"
    LISTENED = "listened"
    DRAINED = "drained"
    SIGNALLED = "signalled"
    SYNC_POSTED = "sync_posted"
    SYNCED = "synced"
    STEP_ENDED = "step_ended"
    FINISHED = "finished"
    DEADLOCK = "deadlock"
    HUB_STOPPED = "hub_stopped"


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        seq: its place in the log, from 1, without gaps.
        at: wall time of the hub, ISO 8601 in UTC, never running backwards; for display.
        clock: seconds of a clock that never jumps, continued over restarts; for durations.
        thread: the thread that it belongs to, or "".
        data: the type's own fields.
    """

    seq: int
    type: EventType
    at: str
    clock: float
    thread: str
    data: Mapping[str, Any]

    def encode(self) -> bytes:
        fields = {"seq": self.seq, "type": self.type.value, "at": self.at, "clock": self.clock}
        if self.thread:
            fields["thread"] = self.thread
        return orjson.dumps({**fields, **self.data})


_LANE = {"lane": str}
_SHOWING: dict[str, type] = {**_LANE, "messages": list, "seconds": list, "via": str, "bytes": int}
_HELD: Mapping[EventType, Mapping[str, type]] = {
    EventType.LANE_JOINED: _LANE,
    EventType.THREAD_CREATED: {"id": str, "name": str, "owner": str, "participants": list},
    EventType.MESSAGE_SENT: {"id": str, "sender": str, "content": str, "mentions": list},
    EventType.SYNC_POSTED: {**_LANE, "id": str, "point": str, "content": str, "mentions": list},
    EventType.SHOWN: {**_SHOWING, "snapshot_bytes": int},
    EventType.SYNCED: _SHOWING,
    EventType.NOTICED: {**_LANE, "start": int, "cursor": int},
    EventType.EXPIRED: {**_LANE, "messages": list, "seqs": list, "reason": str},
    EventType.REFUSED: {**_LANE, "reason": str, "count": int},
    EventType.RESPONDED: {**_LANE, "message": str, "verdict": str, "reason": str, "paths": list},
    EventType.VERIFIED: {**_LANE, "message": str, "holds": bool},
    EventType.LISTENING: _LANE,
    EventType.STEP_ENDED: {**_LANE, "step": int},
    EventType.FINISHED: {**_LANE, "reason": str},
}
_COMMON = ("seq", "type", "at", "clock", "thread")


def decode(line: bytes) -> Event:
    """Raises ValueError when the line is no event."""
    fields = orjson.loads(line)
    try:
        return Event(
            seq=fields["seq"],
            type=EventType(fields["type"]),
            at=fields["at"],
            clock=fields["clock"],
            thread=fields.get("thread", ""),
            data={name: value for name, value in fields.items() if name not in _COMMON},
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an event: {line[:80]!r}") from error


def check(event: Event) -> Event:
    """The event, if it holds what its type holds; for logs that a hub may not have written.

    Raises:
        ValueError: a field is missing, or of another kind.
    """
    for name, kind in _HELD.get(event.type, {}).items():
        if not isinstance(event.data.get(name), kind):
            raise ValueError(f"event {event.seq} of type {event.type} has no {name} as it should be")
    return event
