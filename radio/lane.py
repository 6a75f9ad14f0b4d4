"""What the hub knows of one lane: its queues and cursors, counters and limits. Changed by events only."""

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TypeVar

from radio.errors import Reason, Refused
from radio.events import EventType
from radio.policy import RateWindow

_REMEMBERED_KEYS = 1000
_REMEMBERED_LEASES = 50
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Pending:
    """A mention, or a signal, that waits for its lane. `index` counts the lane's own, from 1."""

    index: int
    seq: int
    message: str
    sender: str
    size: int
    clock: float
    expires_after_step: int | None = None
    lifetime: int | None = None  # steps from the first delivery on; None once it has begun
    text: str = ""

    def aging_from(self, step: int) -> "Pending":
        if self.lifetime is None:
            return self
        last = step + self.lifetime
        given = self.expires_after_step
        return replace(self, expires_after_step=last if given is None else min(given, last), lifetime=None)


@dataclass
class Track:
    """A queue in order with a cursor: everything up to the cursor is settled, and a delivery moves it once."""

    last: int = 0
    cursor: int = 0
    waiting: deque[Pending] = field(default_factory=deque)

    def settle(self, cursor: int) -> None:
        self.cursor = cursor
        while self.waiting and self.waiting[0].index <= cursor:
            self.waiting.popleft()

    def begin_lifetimes(self, step: int) -> None:
        """A delivery at this step has left these behind: from here on they age."""
        self.waiting = deque(entry.aging_from(step) for entry in self.waiting)

    def drop(self, seqs: frozenset[int]) -> None:
        self.waiting = deque(entry for entry in self.waiting if entry.seq not in seqs)


@dataclass(frozen=True)
class Lease:
    """A delivery under way. It holds nothing by itself: whoever confirms first moves the cursors, and the others can't.

    Attributes:
        id: the cursors it starts from and would move to, as text, so that it outlives a restart of the hub.
        key: the name that the one who shows it gave it, to be able to confirm it without having read the id.
    """

    id: str
    until: float
    key: str = ""


@dataclass
class Counters:
    """What is counted for a lane. Latencies and steps of each delivery are in the event log."""

    sent: int = 0
    received: int = 0
    shown: int = 0
    noticed: int = 0
    expired: int = 0
    listening_steps: int = 0
    drains: int = 0
    bytes_shown: int = 0
    snapshot_bytes: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    responded: Counter[str] = field(default_factory=Counter)


@dataclass
class Lane:
    name: str
    mentions: Track = field(default_factory=Track)
    signals: Track = field(default_factory=Track)
    noticed: int = 0  # cursor of the notices that a watcher printed
    seen: int = 0  # the newest event that a snapshot has shown
    step: int = 0
    ended: int = 0  # the last step that the engine saw end
    listened_at: int | None = None  # the step in which it listened last
    finished: str | None = None
    lease: Lease | None = None
    canary: str | None = None  # queued or shown
    canary_index: int = 0
    cancelled: str | None = None
    posts: dict[str, float] = field(default_factory=dict)  # at named points, by others, not shown yet; when each was made
    counters: Counters = field(default_factory=Counters)
    rate: RateWindow = field(default_factory=RateWindow)
    asked: RateWindow = field(default_factory=RateWindow)
    offered: RateWindow = field(default_factory=RateWindow)  # deliveries under a key, since the last that was shown
    keys: OrderedDict[str, tuple[EventType, int]] = field(default_factory=OrderedDict)
    listened: OrderedDict[str, None] = field(default_factory=OrderedDict)  # keys of its newest requests to listen
    unanswered: OrderedDict[str, None] = field(default_factory=OrderedDict)  # of them those that may be asked once more
    offers: OrderedDict[str, str] = field(default_factory=OrderedDict)  # leases by key; "" where nothing was leased
    confirmed: OrderedDict[str, tuple[str, ...]] = field(default_factory=OrderedDict)  # the last ones, with what they showed

    @property
    def something_waits(self) -> bool:
        return bool(self.mentions.waiting or self.signals.waiting)

    def remember(self, key: str, kind: EventType, seq: int) -> None:
        """So that a send that is repeated because its answer got lost is the same message."""
        if key:
            keep(self.keys, key, (kind, seq), _REMEMBERED_KEYS)

    def known(self, key: str, kind: EventType) -> int | None:
        """The event that a request with this key has made already.

        Raises:
            Refused: the key was given with a request of another kind.
        """
        found = self.keys.get(key)
        if found is not None and found[0] is not kind:
            raise Refused(Reason.MALFORMED, "this key was given with another request")
        return found[1] if found else None

    def listen_again(self, key: str) -> bool:
        """Whether a request to listen is an earlier one once more, whose answer nobody got: then it is no further step."""
        return self.unanswered.pop(key, key) is None

    def leave_unanswered(self, key: str) -> None:
        if key:
            keep(self.unanswered, key, None, _REMEMBERED_LEASES)

    def offer(self, key: str, lease: str) -> None:
        if key:
            keep(self.offers, key, lease, _REMEMBERED_LEASES)


def keep(newest: "OrderedDict[str, _Value]", key: str, value: "_Value", most: int) -> None:
    """Put an entry into a memory of the newest ones."""
    newest[key] = value
    newest.move_to_end(key)
    if len(newest) > most:
        newest.popitem(last=False)
