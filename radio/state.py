"""What the hub knows, and how each event changes it. A restarted hub applies its stored events again."""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from radio import framing
from radio.clock import Clock
from radio.errors import Reason, Refused
from radio.events import Event, EventType, decode
from radio.lane import Lane, Pending, keep
from radio.message import HUB, Message, Thread, envelope_of
from radio.store import Record

_RECENT = 1000
# Events that promise nothing to anyone: an answer may go out before they are stored.
_PASSING = frozenset({EventType.LEASED, EventType.LISTENING, EventType.LISTENED})
_MESSAGE_ID = re.compile(r"m([0-9]{1,15})\Z")


class State:
    """Lanes, threads, and what is still to be shown.

    Attributes:
        lanes, threads: to be read only; events alone change them.
        states: of the newest messages, by recipient, for senders and watchers.
        strangers: refusals of callers that are no lane of this cell, by reason.
        batch: the events recorded since the hub last stored them.
        stored: the number of the last event that the store has.
    """

    def __init__(self, clock: Clock, read: Callable[[int], Record | None]) -> None:
        self.clock = clock
        self._read = read
        self.lanes: dict[str, Lane] = {}
        self.threads: dict[str, Thread] = {}
        self.newest: dict[str, int] = {}
        self.states: OrderedDict[str, dict[str, str]] = OrderedDict()
        self.syncs: dict[str, dict[str, Message]] = {}
        self.batch: list[Event] = []
        self.owed = False  # whether the batch holds what an answer must wait for
        self.seq = 0
        self.stored = 0
        self.messages = 0
        self.deadlocks = 0
        self.strangers: Counter[str] = Counter()
        self._recent: OrderedDict[int, Message] = OrderedDict()

    def record(self, kind: EventType, /, *, thread: str = "", **data: Any) -> Event:
        at, clock = self.clock.now()
        event = Event(self.seq + 1, kind, at, clock, thread, data)
        self.apply(event)
        self.batch.append(event)
        self.owed = self.owed or kind not in _PASSING
        return event

    def apply(self, event: Event) -> None:
        """Bring the state up to an event. Used for new events and for stored ones alike."""
        self.seq = event.seq
        apply = _APPLY.get(event.type)
        if apply is not None:
            apply(self, event)

    def _lane_joined(self, event: Event) -> None:
        self.lanes[event.data["lane"]] = Lane(event.data["lane"])

    def _thread_created(self, event: Event) -> None:
        data = event.data
        self.threads[data["id"]] = Thread(data["id"], data["name"], data["owner"], tuple(data["participants"]))
        if data["owner"] in self.lanes:
            self.lanes[data["owner"]].remember(data["key"], event.type, event.seq)

    def _message_sent(self, event: Event) -> None:
        message = message_of(event)
        self.messages += 1
        self.newest[event.thread] = event.seq
        self._recent[event.seq] = message
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        sender = self.lanes.get(message.sender)
        if sender is not None:
            sender.counters.sent += 1
            sender.rate.add(event.clock)
            sender.remember(event.data["key"], event.type, event.seq)
        states: dict[str, str] = {}
        for name in message.mentions:
            lane = self.lanes[name]
            lane.mentions.last += 1
            lane.counters.received += 1
            states[name] = "queued"
            expires = event.data["expires"].get(name)
            size = event.data["size"]
            lifetime = event.data["lifetimes"].get(name)
            lane.mentions.waiting.append(
                Pending(lane.mentions.last, event.seq, message.id, message.sender, size, event.clock, expires, lifetime)
            )
        self._note_states(message.id, states)

    def _note_states(self, message: str, states: dict[str, str]) -> None:
        if states:
            keep(self.states, message, states, _RECENT)

    def _signalled(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.signals.last += 1
        text = event.data["text"]
        lane.signals.waiting.append(Pending(lane.signals.last, event.seq, "", HUB, len(text), event.clock, text=text))
        if event.data["kind"] == "cancel":
            lane.cancelled = text
        if event.data["kind"] == "canary":
            lane.canary = "queued"
            lane.canary_index = lane.signals.last

    def _shown(self, event: Event) -> None:
        data = event.data
        lane = self.lanes[data["lane"]]
        for message in data["messages"]:
            if message in self.states:
                self.states[message][lane.name] = "shown"
        lane.counters.shown += len(data["messages"])
        lane.counters.bytes_shown += data["bytes"]
        lane.counters.snapshot_bytes += data["snapshot_bytes"]
        lane.mentions.settle(data["cursor"])
        lane.signals.settle(data["signal_cursor"])
        if lane.canary == "queued" and lane.canary_index <= data["signal_cursor"]:
            lane.canary = "shown"
        lane.noticed = max(lane.noticed, data["cursor"])
        lane.seen = max(lane.seen, data["seen"])
        lane.step = max(lane.step, data["step"] or 0)
        if data["step"] is not None:
            lane.mentions.begin_lifetimes(lane.step)
        lane.lease = None
        lane.offered.clear()
        keep(lane.confirmed, data["lease"], tuple(data["messages"]), 50)

    def _leased(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.offer(event.data["key"], event.data["lease"])
        lane.offered.add(event.clock)

    def _noticed(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.counters.noticed += event.data["cursor"] - event.data["start"]
        lane.noticed = event.data["cursor"]
        lane.offered.clear()
        keep(lane.confirmed, event.data["lease"], (), 50)

    def _expired(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        seqs = frozenset(event.data["seqs"])
        lane.counters.expired += len(seqs)
        lane.mentions.drop(seqs)
        for message in event.data["messages"]:
            if message in self.states:
                self.states[message][lane.name] = "expired"

    def _refused(self, event: Event) -> None:
        lane = self.lanes.get(event.data["lane"])
        refused = self.strangers if lane is None else lane.counters.refused
        refused[event.data["reason"]] += event.data["count"]

    def _responded(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.counters.responded[event.data["verdict"]] += 1
        lane.asked.add(event.clock)
        lane.remember(event.data["key"], event.type, event.seq)

    def _listening(self, event: Event) -> None:
        lane, step = self.lanes[event.data["lane"]], event.data["step"]
        # A scripted lane that waits asks again and again within its one step. Where nobody counts, each command is a step.
        lane.counters.listening_steps += step is None or step != lane.listened_at
        lane.listened_at = step
        lane.asked.add(event.clock)
        if key := event.data.get("key"):
            keep(lane.listened, key, None, 50)
        lane.step = max(lane.step, step or 0)

    def _drained(self, event: Event) -> None:
        self.lanes[event.data["lane"]].counters.drains += 1

    def _sync_posted(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.counters.sent += 1
        lane.rate.add(event.clock)
        content = event.data["content"]
        posted = Message(event.data["id"], event.seq, "", lane.name, content, tuple(event.data["mentions"]), event.at)
        self.syncs.setdefault(event.data["point"], {})[lane.name] = posted
        for name in posted.mentions:
            self.lanes[name].counters.received += 1
            self.lanes[name].posts[posted.id] = event.clock

    def _synced(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.counters.shown += len(event.data["messages"])
        lane.counters.bytes_shown += event.data["bytes"]
        for message in event.data["messages"]:
            del lane.posts[message]

    def _step_ended(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.ended = max(lane.ended, event.data["step"])
        lane.step = max(lane.step, lane.ended)

    def _finished(self, event: Event) -> None:
        lane = self.lanes[event.data["lane"]]
        lane.finished = event.data["reason"]
        lane.lease = None
        lane.signals.settle(lane.signals.last)

    def _deadlock(self, event: Event) -> None:
        self.deadlocks += 1

    def lane(self, name: str) -> Lane:
        if name not in self.lanes:
            raise Refused(Reason.UNKNOWN_LANE, f"there is no lane {framing.label(name, 40)!r}")
        return self.lanes[name]

    def threads_of(self, lane: str) -> list[Thread]:
        return [thread for thread in self.threads.values() if lane == HUB or lane in thread.participants]

    def message(self, seq: int) -> Message:
        found = self._recent.get(seq)
        if found is None:
            record = self._read(seq)
            found = message_from_record(record) if record else None
        if found is None:
            raise Refused(Reason.UNKNOWN_MESSAGE, f"there is no message m{seq}")
        return found

    def message_for(self, caller: str, identifier: str) -> Message:
        """A message by its id, if the caller is in its thread. Others are as unknown as those that do not exist."""
        match = _MESSAGE_ID.match(identifier)
        if match is None:
            raise Refused(Reason.UNKNOWN_MESSAGE, f"{framing.label(identifier, 20)!r} is no message id")
        message = self.message(int(match.group(1)))
        if caller != HUB and caller not in self.threads[message.thread].participants:
            raise Refused(Reason.UNKNOWN_MESSAGE, f"there is no message {identifier}")
        return message


def message_of(event: Event) -> Message:
    data = event.data
    return Message(
        id=data["id"],
        seq=event.seq,
        thread=event.thread,
        sender=data["sender"],
        content=data["content"],
        mentions=tuple(data["mentions"]),
        at=event.at,
        envelope=envelope_of(data["envelope"]) if data["envelope"] else None,
        origin=data["origin"],
    )


def message_from_record(record: Record) -> Message | None:
    event = decode(record.line)
    return message_of(event) if event.type is EventType.MESSAGE_SENT else None


_APPLY: dict[EventType, Callable[[State, Event], None]] = {
    EventType.LANE_JOINED: State._lane_joined,
    EventType.THREAD_CREATED: State._thread_created,
    EventType.MESSAGE_SENT: State._message_sent,
    EventType.SIGNALLED: State._signalled,
    EventType.LEASED: State._leased,
    EventType.SHOWN: State._shown,
    EventType.NOTICED: State._noticed,
    EventType.EXPIRED: State._expired,
    EventType.REFUSED: State._refused,
    EventType.RESPONDED: State._responded,
    EventType.LISTENING: State._listening,
    EventType.DRAINED: State._drained,
    EventType.SYNC_POSTED: State._sync_posted,
    EventType.SYNCED: State._synced,
    EventType.STEP_ENDED: State._step_ended,
    EventType.FINISHED: State._finished,
    EventType.DEADLOCK: State._deadlock,
}
