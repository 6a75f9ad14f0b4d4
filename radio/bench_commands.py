"""What the bench does on the radio: lanes join and finish, signals of the run, what expires, what was refused."""

from collections.abc import Callable, Iterable, Sequence

from radio import framing
from radio.clock import Clock
from radio.errors import Refused
from radio.events import EventType
from radio.lane import Lane, Pending
from radio.message import check_lane_name
from radio.state import State
from radio.store import Record

_REFUSALS_IN_FULL = 200


class BenchCommands(State):
    """Commands that no lane asks for. Each records events, and checks little: the bench is trusted."""

    def __init__(self, clock: Clock, read: Callable[[int], Record | None]) -> None:
        super().__init__(clock, read)
        self._unlogged: dict[tuple[str, str], int] = {}

    def join(self, names: Iterable[str]) -> None:
        """Make the lanes that are not there yet.

        Raises:
            Refused: a name is reserved or malformed.
        """
        for name in names:
            if name not in self.lanes:
                self.record(EventType.LANE_JOINED, lane=check_lane_name(name))

    def finish(self, name: str, reason: str) -> None:
        """The lane's agent has ended: what it has not seen expires, and nothing more is taken for it."""
        lane = self.lane(name)
        if lane.finished is not None:
            return
        self.expire(lane, list(lane.mentions.waiting), "recipient finished")
        self.record(EventType.FINISHED, lane=name, reason=reason)

    def signal(self, name: str, kind: str, text: str) -> None:
        """Tell a lane something in the run's own name, such as to stop. Never a peer's words."""
        lane = self.lane(name)
        if lane.finished is None:
            self.record(EventType.SIGNALLED, lane=name, kind=kind, text=text)

    def expire(self, lane: Lane, entries: Sequence[Pending], reason: str) -> None:
        if entries:
            self.record(
                EventType.EXPIRED,
                lane=lane.name,
                messages=[entry.message for entry in entries],
                seqs=[entry.seq for entry in entries],
                reason=reason,
            )

    def refuse(self, lane: str, operation: str, refusal: Refused) -> None:
        """Count a refusal. The first of a kind are logged one by one, a flood of them by `flush_refusals`, together."""
        key = (lane, refusal.reason.value)
        known = self.lanes.get(lane)
        so_far = (known.counters.refused if known else self.strangers)[refusal.reason.value]
        if so_far >= _REFUSALS_IN_FULL:
            self._unlogged[key] = self._unlogged.get(key, 0) + 1
            return
        self.record(
            EventType.REFUSED,
            lane=lane,
            operation=operation,
            reason=refusal.reason.value,
            count=1,
            text=framing.label(str(refusal), 200),
        )

    @property
    def has_unlogged(self) -> bool:
        return bool(self._unlogged)

    def flush_refusals(self) -> None:
        """Log the refusals that were not logged yet, and so count them."""
        for (lane, reason), count in self._unlogged.items():
            self.record(EventType.REFUSED, lane=lane, operation="", reason=reason, count=count, text="and more alike")
        self._unlogged.clear()
