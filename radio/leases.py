"""Handing messages out, each once and in order: a delivery leases them, and a confirmation moves the lane's cursor.

A lease's id says from where to where it would move the cursors. Whoever confirms first moves them; every other delivery
of the same messages is refused then and must not be shown. So it does not matter how many deliveries run at once,
nor whether hub, hook or agent died and came back in between.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from radio import framing
from radio.compaction import compact
from radio.errors import Reason, Refused
from radio.events import EventType
from radio.lane import Lane, Lease, Pending
from radio.message import HUB, Message, Thread
from radio.policy import SnapshotMode
from radio.state import message_from_record
from radio.store import Store
from radio.switchboard import Switchboard

VIAS = ("step", "stop", "wait", "inbox", "watch")
_BYTES_PER_TOKEN = 4  # a rule of thumb, for comparing the two kinds of snapshot only


@dataclass(frozen=True)
class Handout:
    """What one delivery would show.

    Attributes:
        lease: to be confirmed when it was shown.
        text: all of it, framed.
        messages: ids of the mentions in it, in order.
        signals: how many signals of the run are in it.
        waiting: mentions that did not fit.
        snapshot_tokens: about what the snapshot in it costs.
    """

    lease: str
    text: str
    messages: tuple[str, ...]
    signals: int
    waiting: int
    snapshot_tokens: int


class _Ticket(NamedTuple):
    """The content of a lease's id."""

    start: int
    end: int
    entries: int
    signal_start: int
    signal_end: int
    seen: int
    size: int
    snapshot_size: int
    via: int
    step: int


class Leases:
    """All deliveries of one hub."""

    def __init__(self, board: Switchboard, store: Store, key: str) -> None:
        self._board = board
        self._store = store
        self._birth = secrets.token_hex(3)
        self._given = 0
        self._key = hashlib.sha256(key.encode()).digest()

    def busy(self, lane: Lane, key: str = "") -> bool:
        """Whether another delivery is under way, whose end must be awaited to keep the order."""
        if lane.lease is None or (key and lane.lease.key == key):
            return False
        return lane.lease.until > self._board.clock.steady()

    def take(self, lane: Lane, *, via: str, step: int | None, snapshot: SnapshotMode, key: str = "") -> Handout | None:
        """Lease what waits for a lane, oldest first and as much as one delivery may hold. None when nothing does."""
        board = self._board
        self.drop_expired(lane, step)
        lane.offer(key, "")
        if lane.finished is not None or not lane.something_waits or self._drained_enough(lane, via):
            return None
        self._refuse_endless(lane)
        entries = self._fitting(lane.mentions.waiting)
        signals = list(lane.signals.waiting)
        messages = [board.message(entry.seq) for entry in entries]
        rest = list(lane.mentions.waiting)[len(entries) :]
        shot = self.snapshot(lane, snapshot)
        waiting = framing.Waiting(len(rest), tuple(dict.fromkeys(entry.sender for entry in rest)))
        framed = [framing.frame(message, board.threads.get(message.thread)) for message in messages]
        own = bool(messages) and all(message.origin == HUB for message in messages)
        text = framing.frame_delivery(framed, shot, [entry.text for entry in signals], waiting, own=own)
        size, snapshot_size = len(text.encode()), len(shot.encode())
        ticket = _Ticket(
            start=lane.mentions.cursor,
            end=entries[-1].index if entries else lane.mentions.cursor,
            entries=len(entries),
            signal_start=lane.signals.cursor,
            signal_end=signals[-1].index if signals else lane.signals.cursor,
            seen=board.stored if shot else lane.seen,
            size=size,
            snapshot_size=snapshot_size,
            via=VIAS.index(via),
            step=-1 if step is None else step,
        )
        identifier = self._sign(lane.name, ticket)
        lane.lease = Lease(identifier, board.clock.steady() + board.policy.lease_seconds, key)
        identifiers = tuple(message.id for message in messages)
        if key:  # so that it can be confirmed by its key after a restart of the hub
            board.record(EventType.LEASED, lane=lane.name, lease=identifier, messages=list(identifiers), key=key)
        tokens = -(-snapshot_size // _BYTES_PER_TOKEN)
        return Handout(identifier, text, identifiers, len(signals), len(rest), tokens)

    def _refuse_endless(self, lane: Lane) -> None:
        """Each delivery leaves a line in the log, whether or not it is ever confirmed."""
        given = lane.offered.count(self._board.clock.steady())
        if given >= self._board.limits.requests_per_minute:
            raise Refused(Reason.RATE, f"you were handed this {given} times in a minute and have confirmed none of it")

    def _drained_enough(self, lane: Lane, via: str) -> bool:
        return via == "stop" and lane.counters.drains >= self._board.policy.drains_at_stop

    def _fitting(self, waiting: Sequence[Pending]) -> list[Pending]:
        room = self._board.policy.delivery_bytes
        entries: list[Pending] = []
        for entry in waiting:
            room -= entry.size
            if room < 0 and entries:
                break
            entries.append(entry)
        return entries

    def confirm(self, lane: Lane, identifier: str) -> tuple[str, ...]:
        """The delivery was shown: move the cursors. To confirm it once more changes nothing. Returns the messages' ids.

        Raises:
            Refused: another delivery has shown them first, or they expired meanwhile. This one must show nothing.
        """
        if identifier in lane.confirmed:
            return lane.confirmed[identifier]
        ticket = self._open(lane.name, identifier)
        if VIAS[ticket.via] == "watch":
            self._confirm_notice(lane, identifier, ticket)
            return ()
        entries = list(takewhile(lambda entry: entry.index <= ticket.end, lane.mentions.waiting))
        unmoved = ticket.start == lane.mentions.cursor and ticket.signal_start == lane.signals.cursor
        if lane.finished is not None or not unmoved or len(entries) != ticket.entries:
            raise Refused(Reason.LEASE_LOST, "these messages were settled by another delivery meanwhile; show nothing")
        now = self._board.clock.steady()
        messages = tuple(entry.message for entry in entries)
        self._board.record(
            EventType.SHOWN,
            lane=lane.name,
            lease=identifier,
            messages=list(messages),
            cursor=ticket.end,
            signals=ticket.signal_end - ticket.signal_start,
            signal_cursor=ticket.signal_end,
            seen=ticket.seen,
            via=VIAS[ticket.via],
            step=None if ticket.step < 0 else ticket.step,
            seconds=[round(now - entry.clock, 6) for entry in entries],
            bytes=ticket.size,
            snapshot_bytes=ticket.snapshot_size,
        )
        if VIAS[ticket.via] == "stop" and messages:
            self._board.record(EventType.DRAINED, lane=lane.name)
        return messages

    def _confirm_notice(self, lane: Lane, identifier: str, ticket: _Ticket) -> None:
        if ticket.start != lane.noticed:
            raise Refused(Reason.LEASE_LOST, "this was told by another watcher, or shown, meanwhile")
        self._board.record(EventType.NOTICED, lane=lane.name, lease=identifier, start=ticket.start, cursor=ticket.end)

    def named(self, lane: Lane, key: str) -> str:
        """The lease that was taken under a key; "" where nothing was there to take.

        Raises:
            Refused: the hub does not know the key (any more): what was shown under it must not count.
        """
        if key not in lane.offers:
            raise Refused(Reason.LEASE_LOST, "nothing was handed out under this key")
        return lane.offers[key]

    def release(self, lane: Lane, identifier: str) -> None:
        """The delivery was not shown: what it leased may go out again at once."""
        if lane.lease is not None and lane.lease.id == identifier:
            lane.lease = None

    def drop_expired(self, lane: Lane, step: int | None) -> None:
        """Expire what is too old in the receiver's steps or in seconds."""
        board = self._board
        at_step = max(step or 0, lane.step)
        lifetime = board.limits.lifetime_seconds
        oldest = board.clock.steady() - lifetime if lifetime is not None else None
        by_step = [
            entry
            for entry in lane.mentions.waiting
            if entry.expires_after_step is not None and entry.expires_after_step < at_step
        ]
        board.expire(lane, by_step, "past the step at which it was still of use")
        if oldest is not None:
            by_age = [entry for entry in lane.mentions.waiting if entry.clock < oldest]
            board.expire(lane, by_age, "older than a message may get")

    def snapshot(self, lane: Lane, mode: SnapshotMode) -> str:
        """The lane's threads: `full`, or only what it has neither written nor been shown (`delta`)."""
        if mode is SnapshotMode.NONE:
            return ""
        after = 0 if mode is SnapshotMode.FULL else lane.seen
        threads = [thread for thread in self._board.threads_of(lane.name) if self._board.newest.get(thread.id, 0) > after]
        said = {thread.id: self._said(thread, lane, mode, after) for thread in threads}
        in_order = sorted((message for messages in said.values() for message in messages), key=lambda one: one.seq)
        left = compact(in_order, self._board.policy.snapshot_bytes, _size_in_snapshot)
        shown: list[tuple[Thread, Sequence[Message], int]] = [
            (thread, [one for one in left.messages if one.thread == thread.id], left.dropped.get(thread.id, 0))
            for thread in threads
            if said[thread.id]
        ]
        return framing.frame_snapshot(shown, mode.value, left.brief) if shown else ""

    def _said(self, thread: Thread, lane: Lane, mode: SnapshotMode, after: int) -> list[Message]:
        found = (message_from_record(record) for record in self._store.thread(thread.id, after))
        messages = [message for message in found if message is not None]
        if mode is SnapshotMode.FULL:
            return messages
        # A mention comes by its own delivery, once; what the lane wrote it knows.
        return [one for one in messages if one.sender != lane.name and lane.name not in one.mentions]

    def notice(self, lane: Lane, key: str = "") -> tuple[str, str] | None:
        """For a watcher: a lease on telling that messages wait, and the text for it. Reading them is a further step."""
        self.drop_expired(lane, None)
        lane.offer(key, "")
        fresh = [entry for entry in lane.mentions.waiting if entry.index > lane.noticed]
        if not fresh:
            return None
        ticket = _Ticket(lane.noticed, fresh[-1].index, len(fresh), 0, 0, 0, 0, 0, VIAS.index("watch"), -1)
        senders = ", ".join(dict.fromkeys(entry.sender for entry in fresh))
        count = f"{len(fresh)} message" + ("s" if len(fresh) > 1 else "")
        text = f"{framing.HEAD} {count} for you from {senders} ({fresh[0].message} on). Read with: radio-inbox"
        identifier = self._sign(lane.name, ticket)
        if key:
            self._board.record(EventType.LEASED, lane=lane.name, lease=identifier, messages=[], key=key)
        return identifier, text

    def frame_posts(self, posts: Sequence[Message]) -> str:
        """What the others posted at a named point."""
        return framing.frame_delivery([framing.frame(post, None) for post in posts], "", [], framing.Waiting(0, ()))

    def _sign(self, lane: str, ticket: _Ticket) -> str:
        """As text, with a seal, so that no lane can confirm what it was not given."""
        numbers = ".".join(map(str, ticket))
        self._given += 1  # so that no two leases are alike, also of two hubs of one cell
        text = f"{numbers}.{self._birth}{self._given:x}"
        return f"{text}.{self._seal(lane, text)}"

    def _open(self, lane: str, identifier: str) -> _Ticket:
        text, _, seal = identifier.rpartition(".")
        if not identifier.isascii() or not hmac.compare_digest(seal, self._seal(lane, text)):
            raise Refused(Reason.LEASE_LOST, "this is no lease of yours")
        return _Ticket(*(int(number) for number in text.split(".")[:-1]))

    def _seal(self, lane: str, text: str) -> str:
        return hashlib.blake2b(f"{lane}:{text}".encode(), key=self._key, digest_size=10).hexdigest()


def _size_in_snapshot(message: Message) -> int:
    cover = message.envelope
    more = len(cover.claim.encode()) + sum(len(one.encode()) + 2 for one in cover.evidence) + 40 if cover else 0
    return len(message.content.encode()) + 60 + more
