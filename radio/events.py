"""The append-only event log: one typed event a line, in the hub's order. All metrics are read from it alone."""

from collections.abc import Callable, Mapping
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


_Check = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _name(value: object) -> bool:
    """What is shown as it stands: nothing in it steers a terminal or ends a line."""
    return isinstance(value, str) and value.isprintable()


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _truth(value: object) -> bool:
    return isinstance(value, bool)


def _all(each: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(each, value))


def _cover(value: object) -> bool:
    if not isinstance(value, dict):
        return value is None
    asked = value.get("response_requested", False)
    return _truth(asked) and all(_name(value[part]) for part in ("kind", "trace_id") if part in value)


_LANE: Mapping[str, _Check] = {"lane": _name}
_SAID: Mapping[str, _Check] = {"id": _name, "content": _text, "mentions": _all(_name)}
_SHOWING: Mapping[str, _Check] = {
    **_LANE,
    "messages": _all(_name),
    "seconds": _all(_duration),
    "via": _name,
    "bytes": _count,
}
_HELD: Mapping[EventType, Mapping[str, _Check]] = {
    EventType.LANE_JOINED: _LANE,
    EventType.THREAD_CREATED: {"id": _name, "name": _text, "owner": _name, "participants": _all(_name)},
    EventType.MESSAGE_SENT: {**_SAID, "sender": _name},
    EventType.SYNC_POSTED: {**_SAID, **_LANE, "point": _text},
    EventType.SHOWN: {**_SHOWING, "snapshot_bytes": _count},
    EventType.SYNCED: _SHOWING,
    EventType.NOTICED: {**_LANE, "start": _count, "cursor": _count},
    EventType.EXPIRED: {**_LANE, "messages": _all(_name), "seqs": _all(_whole), "reason": _name},
    EventType.REFUSED: {**_LANE, "operation": _text, "reason": _name, "count": _count},
    EventType.RESPONDED: {**_LANE, "message": _name, "verdict": _name, "reason": _text, "paths": _all(_text)},
    EventType.VERIFIED: {**_LANE, "message": _name, "holds": _truth},
    EventType.LISTENING: _LANE,
    EventType.STEP_ENDED: {**_LANE, "step": _count},
    EventType.FINISHED: {**_LANE, "reason": _text},
}
_OPTIONAL: Mapping[str, _Check] = {
    "lane": _name,
    "step": lambda value: value is None or _count(value),
    "snapshot_bytes": _count,
    "envelope": _cover,
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
    common = {"seq": _whole(event.seq), "at": _name(event.at), "clock": _number(event.clock), "thread": _name(event.thread)}
    wrong = [name for name, holds in common.items() if not holds]
    wrong += [name for name, holds in _HELD.get(event.type, {}).items() if not holds(event.data.get(name))]
    wrong += [name for name, holds in _OPTIONAL.items() if name in event.data and not holds(event.data[name])]
    if wrong:
        raise ValueError(f"an event of type {event.type} has no {wrong[0]} as it should be")
    if event.type in (EventType.SHOWN, EventType.SYNCED) and len(event.data["messages"]) != len(event.data["seconds"]):
        raise ValueError(f"an event of type {event.type} has other than one of its seconds for each of its messages")
    if event.type is EventType.EXPIRED and len(event.data["messages"]) != len(event.data["seqs"]):
        raise ValueError("an event of type expired has other than one of its seqs for each of its messages")
    if event.type is EventType.NOTICED and event.data["cursor"] < event.data["start"]:
        raise ValueError("an event of type noticed has a cursor before its start")
    return event
