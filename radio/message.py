"""What goes over the radio: threads, messages, envelopes, dispositions. Frozen data, validated where it comes in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from radio.errors import Reason, Refused

RESERVED_NAMES = frozenset(
    [
        "admin",
        "agent",
        "all",
        "anthropic",
        "assistant",
        "bench",
        "crosstalk",
        "developer",
        "everyone",
        "function",
        "hub",
        "human",
        "model",
        "moderator",
        "nobody",
        "none",
        "openai",
        "operator",
        "orchestrator",
        "overseer",
        "principal",
        "radio",
        "root",
        "runtime",
        "server",
        "supervisor",
        "system",
        "tool",
        "user",
    ]
)
HUB = "hub"
_LANE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")
_Choice = TypeVar("_Choice", bound=StrEnum)
_TREE = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENVELOPE_FIELDS = (
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
)


class Kind(StrEnum):
    """What a message is, as its sender says."""

    NOTE = "note"
    FINDING = "finding"
    INTERFACE = "interface"
    REGION_CLAIM = "region-claim"
    PROPOSAL = "proposal"
    AMENDMENT = "amendment"
    PLAN = "plan"
    APPROVAL = "approval"
    CHANGE_REQUEST = "change-request"
    CONTRADICTION = "contradiction"
    BLOCKER = "blocker"
    NEGATIVE_RESULT = "negative-result"
    MINORITY_VIEW = "minority-view"
    QUESTION = "question"
    ANSWER = "answer"
    RESULT = "result"


class Urgency(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class Confidence(StrEnum):
    GUESS = "guess"
    LIKELY = "likely"
    CHECKED = "checked"


class Verdict(StrEnum):
    """What a receiver did with a message."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    DUPLICATE = "duplicate"
    EXPIRED = "expired"


class DeliveryState(StrEnum):
    """Where a mention stands for one recipient. `refused` is a message that was never taken."""

    QUEUED = "queued"
    LEASED = "leased"
    SHOWN = "shown"
    EXPIRED = "expired"
    REFUSED = "refused"


@dataclass(frozen=True)
class Thread:
    id: str
    name: str
    owner: str
    participants: tuple[str, ...]


@dataclass(frozen=True)
class Envelope:
    """The typed cover of a message (radio/envelope.schema.json). The hub sets id, trace_id and sender.

    Attributes:
        trace_id: the id of the message that this exchange began with.
        affected: lanes that the claim bears on.
        evidence: references such as `src/parser.py:12`, a test id, a message id.
        source_snapshot: hash of the tree that the sender looked at.
        created_step: the sender's step.
        expires_after_step: after this step of the receiver the message is moot and is not shown any more.
    """

    id: str
    trace_id: str
    sender: str
    kind: Kind
    claim: str = ""
    affected: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    source_snapshot: str | None = None
    urgency: Urgency = Urgency.NORMAL
    confidence: Confidence | None = None
    created_step: int | None = None
    expires_after_step: int | None = None
    response_requested: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "trace_id": self.trace_id,
            "sender": self.sender,
            "kind": self.kind.value,
            "claim": self.claim,
            "affected": list(self.affected),
            "evidence": list(self.evidence),
            "source_snapshot": self.source_snapshot,
            "urgency": self.urgency.value,
            "confidence": self.confidence.value if self.confidence else None,
            "created_step": self.created_step,
            "expires_after_step": self.expires_after_step,
            "response_requested": self.response_requested,
        }


@dataclass(frozen=True)
class Message:
    """One message. Sender, id and time are the hub's, whatever the sender claimed.

    Attributes:
        at: wall time as the hub saw it, ISO 8601 in UTC; for display, never for ordering.
        envelope: absent where none was given and none was asked for.
        origin: `peer`, or `hub` for the bench's own evidence (the radar's).
    """

    id: str
    seq: int
    thread: str
    sender: str
    content: str
    mentions: tuple[str, ...]
    at: str
    envelope: Envelope | None = None
    origin: str = "peer"

    @property
    def kind(self) -> Kind:
        return self.envelope.kind if self.envelope else Kind.NOTE


@dataclass(frozen=True)
class Disposition:
    """What one lane did with one message; an accepted one names the paths that it changed."""

    message: str
    lane: str
    verdict: Verdict
    reason: str
    paths: tuple[str, ...] = ()


def check_lane_name(name: str) -> str:
    """Raises Refused when a lane may not be called this."""
    if not _LANE_NAME.match(name):
        raise Refused(Reason.RESERVED_NAME, f"{name!r} is no lane name: lower-case letters, digits, - and _, 32 at most")
    if name in RESERVED_NAMES:
        raise Refused(Reason.RESERVED_NAME, f"the name {name!r} is reserved")
    return name


@dataclass(frozen=True)
class Fields:
    """The fields of a request, each taken with its type checked. Shell commands send text only, so text is parsed."""

    values: Mapping[str, Any]

    def text(self, name: str, default: str | None = None, *, limit: int = 1 << 24) -> str:
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise Refused(Reason.MALFORMED, f"field {name!r} must be text")
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise Refused(Reason.MALFORMED, f"field {name!r} holds half a character (a lone surrogate)")
        if len(value) > limit:
            raise Refused(Reason.BYTES, f"field {name!r} is longer than {limit} characters")
        return value

    def optional_text(self, name: str, *, limit: int = 1 << 24) -> str | None:
        return None if self.values.get(name) in (None, "") else self.text(name, limit=limit)

    def number(self, name: str, default: float) -> float:
        value = self.values.get(name, default)
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                value = None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise Refused(Reason.MALFORMED, f"field {name!r} must be a number from 0")
        return float(value)

    def optional_whole(self, name: str) -> int | None:
        if self.values.get(name) in (None, ""):
            return None
        return int(self.number(name, 0))

    def truth(self, name: str) -> bool:
        value = self.values.get(name, False)
        if value in (True, "true", "1", "yes"):
            return True
        if value in (False, None, "false", "0", "no", ""):
            return False
        raise Refused(Reason.MALFORMED, f"field {name!r} must be true or false")

    def names(self, name: str, *, limit: int = 256) -> tuple[str, ...]:
        """A list of short texts, or one text with commas between; repeated ones are kept once, in order."""
        value = self.values.get(name, ())
        if value is None:
            value = ()
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
            raise Refused(Reason.MALFORMED, f"field {name!r} must be a list of texts")
        if len(value) > limit:
            raise Refused(Reason.FAN_OUT, f"field {name!r} has more than {limit} entries")
        return tuple(dict.fromkeys(Fields({name: part}).text(name, limit=512) for part in value))

    def choice(self, name: str, kind: type[_Choice], default: _Choice | None) -> _Choice | None:
        value = self.values.get(name)
        if value in (None, ""):
            return default
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(member.value for member in kind)
            raise Refused(Reason.MALFORMED, f"field {name!r} must be one of {allowed}") from None


def envelope_from(fields: Fields) -> dict[str, Any] | None:
    """What a sender may say of its message, checked; None when it said nothing.

    Raises:
        Refused: a field is malformed.
    """
    if not any(fields.values.get(name) not in (None, "", [], ()) for name in _ENVELOPE_FIELDS):
        return None
    snapshot = fields.optional_text("source_snapshot", limit=64)
    if snapshot is not None and not _TREE.match(snapshot):
        raise Refused(Reason.MALFORMED, "field 'source_snapshot' must be a tree hash of 40 or 64 hexadecimal digits")
    kind = fields.choice("kind", Kind, Kind.NOTE)
    urgency = fields.choice("urgency", Urgency, Urgency.NORMAL)
    confidence = fields.choice("confidence", Confidence, None)
    assert kind is not None
    assert urgency is not None
    return {
        "kind": kind.value,
        "claim": fields.text("claim", "", limit=500),
        "affected": list(fields.names("affected")),
        "evidence": list(fields.names("evidence", limit=32)),
        "source_snapshot": snapshot,
        "urgency": urgency.value,
        "confidence": confidence.value if confidence else None,
        "created_step": fields.optional_whole("created_step"),
        "expires_after_step": fields.optional_whole("expires_after_step"),
        "response_requested": fields.truth("response_requested"),
    }


def envelope_of(data: Mapping[str, Any]) -> Envelope:
    """An envelope from its JSON form, as the hub wrote it."""
    confidence = data["confidence"]
    return Envelope(
        id=data["id"],
        trace_id=data["trace_id"],
        sender=data["sender"],
        kind=Kind(data["kind"]),
        claim=data["claim"],
        affected=tuple(data["affected"]),
        evidence=tuple(data["evidence"]),
        source_snapshot=data["source_snapshot"],
        urgency=Urgency(data["urgency"]),
        confidence=Confidence(confidence) if confidence else None,
        created_step=data["created_step"],
        expires_after_step=data["expires_after_step"],
        response_requested=data["response_requested"],
    )
