"""The hub's operations, each for lanes, for the engine, or for both. The same for HTTP, shell commands and MCP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radio.answers import handed_out, lane_state, listed, nothing
from radio.call import Answer, Call
from radio.engine_operations import events, finish, notice, shutdown, signal, state, step_ended, verified
from radio.errors import Reason, Refused
from radio.events import EventType
from radio.lane import Lane
from radio.leases import Handout
from radio.policy import SnapshotMode
from radio.waiting import Outcome, Parked

if TYPE_CHECKING:
    from radio.hub import Hub

_LONGEST_WATCH_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class Operation:
    """What may be asked.

    Attributes:
        run: gives the answer, or None when the call is parked.
        fields: the fields it knows; any other is refused.
    """

    run: Callable[["Hub", Call], Answer | None]
    fields: frozenset[str]
    for_lanes: bool = True
    for_engine: bool = False


def create_thread(hub: "Hub", call: Call) -> Answer:
    thread = hub.board.create_thread(call.caller, call.fields)
    return Answer({"thread": thread.id, "participants": list(thread.participants)}, thread.id)


def send_message(hub: "Hub", call: Call) -> Answer:
    covered = not _COVER.isdisjoint(call.fields.values)
    step = hub.step_of(call.caller, call.fields, "created_step") if covered else None
    message = hub.board.send(call.caller, call.fields, step)
    return Answer({"message": message.id, "at": message.at, "queued_for": list(message.mentions)}, message.id)


def respond(hub: "Hub", call: Call) -> Answer:
    hub.board.respond(call.caller, call.fields)
    return Answer({}, "noted")


def wait_for_mention(hub: "Hub", call: Call) -> Answer | None:
    """Foreground: the agent's step lasts until a mention is there. What is there already comes at once."""
    lane, step = _listener(hub, call, "wait")
    mode = call.fields.choice("snapshot", SnapshotMode, SnapshotMode.FULL) or SnapshotMode.FULL
    key = call.fields.text("key", "", limit=80)
    started = hub.board.clock.steady()

    def in_vain(outcome: Outcome, reason: str) -> Answer:
        seconds = round(hub.board.clock.steady() - started, 6)
        hub.board.record(EventType.LISTENED, lane=lane.name, via="wait", outcome=outcome.value, seconds=seconds)
        return nothing(hub, lane, outcome, reason)

    def attempt() -> Answer | None:
        if hub.leases.busy(lane, key):
            return None
        handout = hub.leases.take(lane, via="wait", step=step, snapshot=mode, key=key)
        return handed_out(handout) if handout else None

    peers = [name for name in hub.board.lanes if name != lane.name]
    background = call.fields.truth("background")
    return _now_or_later(hub, call, Parked(call, attempt, in_vain, None if background else lambda: peers))


def inbox(hub: "Hub", call: Call) -> Answer | None:
    """Pull: what waits, at once. With `peek` it is only listed and nothing is taken."""
    if call.fields.truth("peek"):
        return listed(hub, hub.board.lane(call.caller))
    lane, step = _listener(hub, call, "inbox")
    mode = call.fields.choice("snapshot", SnapshotMode, SnapshotMode.NONE) or SnapshotMode.NONE
    key = call.fields.text("key", "", limit=80)
    return _at_once(hub, call, lane, lambda: hub.leases.take(lane, via="inbox", step=step, snapshot=mode, key=key))


def deliver(hub: "Hub", call: Call) -> Answer | None:
    """At a step boundary: what waits, at once; costs the agent no step."""
    lane = hub.board.lane(call.caller)
    step = hub.step_of(call.caller, call.fields)
    via = call.fields.text("event", "step", limit=20)
    if via not in ("step", "stop"):
        raise Refused(Reason.MALFORMED, "a boundary's event is step or stop")
    hook = call.fields.text("hook", "", limit=40)
    mode = hub.board.policy.delivery_snapshot

    key = call.fields.text("key", "", limit=80)

    def take() -> Handout | None:
        return hub.leases.take(lane, via=via, step=step, snapshot=mode, key=key)

    return _at_once(hub, call, lane, take, hook)


def confirm(hub: "Hub", call: Call) -> Answer:
    lane = hub.board.lane(call.caller)
    lease = call.fields.optional_text("lease", limit=300)
    if lease is None:
        lease = hub.leases.named(lane, call.fields.text("key", limit=80))
    messages = hub.leases.confirm(lane, lease) if lease else ()
    return Answer({"messages": list(messages)}, " ".join(messages))


def release(hub: "Hub", call: Call) -> Answer:
    hub.leases.release(hub.board.lane(call.caller), call.fields.text("lease", limit=300))
    hub.room.wake((call.caller,))
    return Answer({}, "")


def watch(hub: "Hub", call: Call) -> Answer | None:
    """Background: ends when something waits, and says so; the messages themselves are read with a further step."""
    lane, _ = _listener(hub, call, "watch")
    key = call.fields.text("key", "", limit=80)

    def attempt() -> Answer | None:
        told = hub.leases.notice(lane, key)
        return Answer({"outcome": "mention", "lease": told[0], "text": told[1]}, told[1]) if told else None

    def give_up(outcome: Outcome, reason: str) -> Answer:
        return nothing(hub, lane, outcome, reason)

    return _now_or_later(hub, call, Parked(call, attempt, give_up))


def sync(hub: "Hub", call: Call) -> Answer | None:
    """A named point: post, and wait until every lane that still runs has posted there."""
    lane, step = _listener(hub, call, "sync")
    point = call.fields.text("point", limit=80)
    hub.board.post_sync(lane.name, point, call.fields.text("content"))

    def attempt() -> Answer | None:
        if hub.board.absent_from(point):
            return None
        posts = [post for name, post in hub.board.syncs[point].items() if name != lane.name]
        text = hub.leases.frame_posts(posts)
        hub.board.met(lane, point, [post.id for post in posts], len(text.encode()), step)
        return Answer({"outcome": "synced", "text": text, "messages": [post.id for post in posts], "lease": ""}, text)

    def give_up(outcome: Outcome, reason: str) -> Answer:
        return nothing(hub, lane, outcome, reason)

    parked = Parked(call, attempt, give_up, lambda: hub.board.absent_from(point), needs_all=True)
    answer = _now_or_later(hub, call, parked)
    hub.room.wake(name for name in hub.board.lanes if name != lane.name)
    return answer


def status(hub: "Hub", call: Call) -> Answer:
    """What became of the lane's own newest messages."""
    mine: dict[str, Any] = {}
    for identifier, states in hub.board.states.items():
        if hub.board.message(int(identifier[1:])).sender == call.caller:
            mine[identifier] = states
    lines = [f"{name}: " + ", ".join(f"{lane} {state}" for lane, state in states.items()) for name, states in mine.items()]
    return Answer({"messages": mine, **lane_state(hub, hub.board.lane(call.caller))}, "\n".join(lines))


def _listener(hub: "Hub", call: Call, via: str) -> tuple[Lane, int | None]:
    """The calling lane, which spends a step on listening."""
    lane = hub.board.lane(call.caller)
    if lane.finished is not None:
        raise Refused(Reason.SENDER_FINISHED, "this lane has finished")
    held = call.fields.optional_text("confirm", limit=300)
    if held:
        hub.leases.confirm(lane, held)
    step = hub.step_of(call.caller, call.fields)
    key = call.fields.text("key", "", limit=80)
    if not lane.listen_again(key):
        hub.board.refuse_hasty(lane)
        hub.board.record(EventType.LISTENING, lane=lane.name, via=via, step=step, **({"key": key} if key else {}))
    return lane, step


def _now_or_later(hub: "Hub", call: Call, parked: Parked) -> Answer | None:
    answer = parked.attempt()
    if answer is None:
        most = hub.board.policy.max_wait_seconds if parked.targets is not None else _LONGEST_WATCH_SECONDS
        hub.room.park(parked, min(call.fields.number("timeout", most), most))
    return answer


def _at_once(hub: "Hub", call: Call, lane: Lane, take: Callable[[], Handout | None], hook: str | None = None) -> Answer | None:
    """An answer without waiting for messages; only for another delivery of the lane, whose end decides what is left."""
    key = call.fields.text("key", "", limit=80)

    def attempt() -> Answer | None:
        if hub.leases.busy(lane, key):
            return None
        handout = take()
        return handed_out(handout, hook) if handout else nothing(hub, lane, None, "nothing waits", silent)

    def give_up(outcome: Outcome, reason: str) -> Answer:
        return nothing(hub, lane, None, reason, silent)

    silent = hook is not None  # what a hook prints would go to the model
    answer = attempt()
    if answer is None:
        hub.room.park(Parked(call, attempt, give_up), 4 * hub.board.policy.lease_seconds)
    return answer


_COVER = frozenset(
    [
        "kind",
        "claim",
        "affected",
        "evidence",
        "source_snapshot",
        "urgency",
        "confidence",
        "created_step",
        "expires_after_step",
        "response_requested",
        "reply_to",
    ]
)
_LISTEN = frozenset({"timeout", "snapshot", "confirm", "step", "key"})


def _fields(names: str) -> frozenset[str]:
    return frozenset(names.split())


OPERATIONS: Mapping[str, Operation] = {
    "create_thread": Operation(create_thread, _fields("name participants key"), for_engine=True),
    "send_message": Operation(send_message, _fields("thread content mentions key") | _COVER, for_engine=True),
    "wait_for_mention": Operation(wait_for_mention, _LISTEN | {"background"}),
    "inbox": Operation(inbox, _LISTEN | {"peek"}),
    "deliver": Operation(deliver, _fields("step event hook key")),
    "confirm": Operation(confirm, _fields("lease key")),
    "release": Operation(release, _fields("lease key")),
    "watch": Operation(watch, _LISTEN | {"background"}),
    "sync": Operation(sync, _LISTEN | {"point", "content"}),
    "respond": Operation(respond, _fields("message verdict reason paths key")),
    "status": Operation(status, frozenset()),
    "finish": Operation(finish, _fields("lane reason"), for_lanes=False, for_engine=True),
    "notice": Operation(notice, _fields("lane"), for_lanes=False, for_engine=True),
    "step_ended": Operation(step_ended, _fields("lane step"), for_lanes=False, for_engine=True),
    "signal": Operation(signal, _fields("lane kind text"), for_lanes=False, for_engine=True),
    "verified": Operation(verified, _fields("lane message holds unchanged"), for_lanes=False, for_engine=True),
    "state": Operation(state, frozenset(), for_lanes=False, for_engine=True),
    "events": Operation(events, _fields("after"), for_lanes=False, for_engine=True),
    "shutdown": Operation(shutdown, _fields("forget"), for_lanes=False, for_engine=True),
}
