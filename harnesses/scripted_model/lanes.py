"""The lanes that the server plays to: a key each, with its script, its failures and what it has asked so far."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from harnesses.base import Company
from harnesses.script import Action
from harnesses.scripted_model.faults import Fault, FaultKind
from harnesses.scripted_model.play import LaneScript

_MEETING_SECONDS = 20.0


@dataclass
class _Meeting:
    """Lanes that begin together, and how many of them are missing."""

    missing: int
    complete: Event = field(default_factory=Event)


@dataclass
class ServedLane:
    """One key's script and failures, and its model requests so far."""

    key: str
    script: LaneScript
    faults: tuple[Fault, ...]
    meeting: _Meeting | None = None
    bodies: list[Mapping[str, Any]] = field(default_factory=list)


class LaneBook:
    """All lanes, by key; one lock guards them and what is in them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lanes: dict[str, ServedLane] = {}
        self._meetings: dict[str, _Meeting] = {}

    def add(
        self,
        name: str,
        actions: Sequence[Action],
        faults: Sequence[Fault] = (),
        *,
        watches: bool = False,
        company: Company | None = None,
        key: str | None = None,
    ) -> str:
        """See `ScriptedModelServer.add_lane`."""
        mark = f"call_{secrets.token_hex(4)}"
        made = key or f"sk-scripted-{name}-{secrets.token_hex(12)}"
        script = LaneScript(name, mark, tuple(actions), watches)
        with self._lock:
            meeting = self._meetings.setdefault(company.name, _Meeting(company.lanes)) if company else None
            self._lanes[made] = ServedLane(made, script, tuple(faults), meeting)
        return made

    def of(self, key: str) -> ServedLane | None:
        with self._lock:
            return self._lanes.get(key)

    def requests(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """The bodies of a lane's model requests, in order."""
        with self._lock:
            return tuple(self._lanes[key].bodies)

    def count(self, lane: ServedLane, body: Mapping[str, Any]) -> tuple[int, FaultKind | None]:
        """The number of a lane's new model request, and how it is to fail."""
        with self._lock:
            lane.bodies.append(body)
            number = len(lane.bodies)
        return number, next((fault.kind for fault in lane.faults if fault.strikes(number)), None)

    def meet(self, lane: ServedLane) -> None:
        """A lane has made its first request: wait until all of its company have; not for ever, for one may never come to it."""
        if lane.meeting is None:
            return
        with self._lock:
            lane.meeting.missing -= 1
            if lane.meeting.missing <= 0:
                lane.meeting.complete.set()
        lane.meeting.complete.wait(_MEETING_SECONDS)
