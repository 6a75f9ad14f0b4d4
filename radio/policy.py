"""What a hub allows and asks for: limits, envelope, drain, delivery sizes; and the check of dispositions."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from radio.message import Disposition, Verdict
from sandboxes.errors import SetupError

_Data = TypeVar("_Data")


class EnvelopeRule(StrEnum):
    OFF = "off"  # envelope fields are refused, so that a scenario without envelopes has none
    OPTIONAL = "optional"
    REQUIRED = "required"  # kind and claim must be given


class SnapshotMode(StrEnum):
    NONE = "none"
    DELTA = "delta"  # what the caller has neither seen nor written
    FULL = "full"  # everything, every time, as AgentRadio does it


@dataclass(frozen=True)
class Limits:
    """Bounds on what a lane may send. The defaults only keep a cell from harm; a scenario may set tighter ones.

    Attributes:
        messages_per_minute: per lane, over any 60 seconds.
        mentions_per_message: the fan-out.
        body_bytes: of one message, both as sent and as framed.
        lifetime_steps: steps of the receiver, from the one it is at, after which an unshown mention expires.
        lifetime_seconds: seconds after which an unshown mention expires.
        total_messages: per lane, over the cell's life.
        threads: that one lane may open, and named points that it may post at.
        responses_per_message: dispositions of one lane, for each message that was sent.
        requests_per_minute: of one lane, to listen or to respond, and deliveries that it does not confirm; each leaves a
            line in the log.
    """

    messages_per_minute: int = 120
    mentions_per_message: int = 64
    body_bytes: int = 16 << 10
    lifetime_steps: int | None = None
    lifetime_seconds: float | None = None
    total_messages: int = 5000
    threads: int = 500
    responses_per_message: int = 5
    requests_per_minute: int = 1200


@dataclass(frozen=True)
class Policy:
    """How a hub treats messages, apart from the limits.

    Attributes:
        envelope: whether a message's typed cover is taken, asked for, or refused.
        dispositions: whether `respond` is on.
        drains_at_stop: how often unread mentions may keep a stopping agent for another turn; 0 is off.
        delivery_snapshot: the snapshot that goes with a delivery at a step boundary.
        delivery_bytes: most bytes of messages in one delivery; the rest is announced.
        snapshot_bytes: most bytes of a snapshot, beyond which it is compacted.
        lease_seconds: after this a delivery that was not confirmed is given back.
        max_wait_seconds: a longer wait is cut to this, which lies below the agent programs' own tool limits.
        deadlock_grace_seconds: how long all must have been waiting before it counts as a deadlock.
    """

    envelope: EnvelopeRule = EnvelopeRule.OPTIONAL
    dispositions: bool = True
    drains_at_stop: int = 0
    delivery_snapshot: SnapshotMode = SnapshotMode.NONE
    delivery_bytes: int = 48 << 10
    snapshot_bytes: int = 256 << 10
    lease_seconds: float = 5.0
    max_wait_seconds: float = 90.0
    deadlock_grace_seconds: float = 0.3


def to_json(data: Limits | Policy) -> dict[str, Any]:
    return asdict(data)


def limits_from(data: Mapping[str, Any]) -> Limits:
    """Raises SetupError on a field that there is none of."""
    return _checked(Limits, data)


def policy_from(data: Mapping[str, Any]) -> Policy:
    """Raises SetupError on a field that there is none of, or a value that is none of its choices."""
    try:
        chosen = {
            **data,
            **({"envelope": EnvelopeRule(data["envelope"])} if "envelope" in data else {}),
            **({"delivery_snapshot": SnapshotMode(data["delivery_snapshot"])} if "delivery_snapshot" in data else {}),
        }
    except ValueError as error:
        raise SetupError(f"radio policy: {error}") from None
    return _checked(Policy, chosen)


def _checked(kind: type[_Data], data: Mapping[str, Any]) -> _Data:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # only called with the two dataclasses above
    unknown = sorted(set(data) - known)
    if unknown:
        raise SetupError(f"radio {kind.__name__.lower()}: unknown field {unknown[0]!r}")
    return kind(**data)


class RateWindow:
    """Counts what happened in the last 60 seconds, in bounded memory: by the second, so that it may remember for 61."""

    def __init__(self) -> None:
        self._seconds: deque[list[int]] = deque()
        self._total = 0

    def count(self, clock: float) -> int:
        while self._seconds and self._seconds[0][0] + 1 <= clock - 60:
            self._total -= self._seconds.popleft()[1]
        return self._total

    def add(self, clock: float) -> None:
        second = int(clock)
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1][1] += 1
        else:
            self._seconds.append([second, 1])
        self._total += 1

    def clear(self) -> None:
        if self._total:
            self._seconds.clear()
            self._total = 0


@dataclass(frozen=True)
class Verified:
    """A disposition held against what the lane's snapshots show.

    Attributes:
        holds: an accepted one names paths, and each of them did change after the message was shown.
        unchanged: the named paths that did not change.
    """

    disposition: Disposition
    holds: bool
    unchanged: tuple[str, ...]


def verify_disposition(disposition: Disposition, changed_paths: Collection[str]) -> Verified:
    """Hold a disposition against the paths that changed in the lane since the message was shown.

    Only an acceptance says something about the tree; the others hold as they are.
    """
    if disposition.verdict is not Verdict.ACCEPTED:
        return Verified(disposition, holds=True, unchanged=())
    unchanged = tuple(path for path in disposition.paths if not _touches(path, changed_paths))
    return Verified(disposition, holds=bool(disposition.paths) and not unchanged, unchanged=unchanged)


def _touches(path: str, changed: Collection[str]) -> bool:
    """A path counts as changed when it, or something in the folder that it names, was changed."""
    named = path.removeprefix("./").rstrip("/")
    return any(entry == named or entry.startswith(named + "/") for entry in changed)


def latest_dispositions(dispositions: Sequence[Disposition]) -> dict[tuple[str, str], Disposition]:
    """The last word of each lane on each message."""
    return {(disposition.message, disposition.lane): disposition for disposition in dispositions}
