"""The operations that are for the engine alone: ending a lane, the run's own signals, counters and the log."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from radio.answers import lane_state
from radio.call import Answer, Call
from radio.errors import Reason, Refused
from radio.events import EventType

if TYPE_CHECKING:
    from radio.hub import Hub

_EVENTS_PAGE = 1000


def finish(hub: "Hub", call: Call) -> Answer:
    name = call.fields.text("lane", limit=40)
    hub.board.finish(name, call.fields.text("reason", "ended", limit=200))
    hub.room.end_lane(name, "this lane has finished")
    hub.room.wake(list(hub.board.lanes))
    hub.room.look_for_deadlock()
    return Answer(lane_state(hub, hub.board.lane(name)))


def signal(hub: "Hub", call: Call) -> Answer:
    kind = call.fields.text("kind", "notice", limit=20)
    if kind not in ("notice", "cancel", "canary"):
        raise Refused(Reason.MALFORMED, "a signal's kind is notice, cancel or canary")
    hub.board.signal(call.fields.text("lane", limit=40), kind, call.fields.text("text", limit=2000))
    return Answer({})


def step_ended(hub: "Hub", call: Call) -> Answer:
    """The engine saw a step of a lane end: the log's own order of steps and deliveries, which no clock can upset."""
    lane = hub.board.lane(call.fields.text("lane", limit=40))
    hub.board.record(EventType.STEP_ENDED, lane=lane.name, step=int(call.fields.number("step", 0)))
    return Answer({})


def notice(hub: "Hub", call: Call) -> Answer:
    """A scripted lane's watcher, which has no process: whether it tells of messages now, as one that runs would."""
    lane = hub.board.lane(call.fields.text("lane", limit=40))
    told = hub.leases.notice(lane)
    if told is not None:
        hub.leases.confirm(lane, told[0])
    return Answer({"told": told is not None})


def verified(hub: "Hub", call: Call) -> Answer:
    """The engine held an acceptance against the lane's snapshots."""
    hub.board.record(
        EventType.VERIFIED,
        lane=call.fields.text("lane", limit=40),
        message=call.fields.text("message", limit=20),
        holds=call.fields.truth("holds"),
        unchanged=list(call.fields.names("unchanged")),
    )
    return Answer({})


def state(hub: "Hub", call: Call) -> Answer:
    """Everything that is counted, for the record and for watching; takes nothing from anyone."""
    hub.board.flush_refusals()  # what is counted here is in the log too
    waiting = hub.room.waiting_lanes()
    lanes = {name: lane_state(hub, lane) | {"waiting": name in waiting} for name, lane in hub.board.lanes.items()}
    threads = [asdict(thread) for thread in hub.board.threads.values()]
    return Answer(
        {
            "run": hub.config.run,
            "cell": hub.config.cell,
            "seq": hub.board.seq,
            "deadlocks": hub.board.deadlocks,
            "refused_unknown": dict(hub.board.strangers),
            "lanes": lanes,
            "threads": threads,
            "messages": dict(hub.board.states),
        }
    )


def events(hub: "Hub", call: Call) -> Answer:
    """A page of the event log."""
    after = call.fields.optional_whole("after") or 0
    page: list[Mapping[str, Any]] = []
    for record in hub.store.replay(after):
        page.append(json.loads(record.line))
        if len(page) == _EVENTS_PAGE:
            break
    return Answer({"events": page})


def shutdown(hub: "Hub", call: Call) -> Answer:
    hub.stop(forget=call.fields.truth("forget"))
    return Answer({})
