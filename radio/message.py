"""What goes over the radio: threads, messages, envelopes, dispositions. Frozen data, validated where it comes in."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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
        "radar",
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
# What seems to be the bench's own, the system's, the principal's or a tool's. Other names of lanes that there can't be, such
# as `model` or `server`, are what threads may well be about.
RESERVED_THREAD_NAMES = frozenset(
    [
        "admin",
        "bench",
        "crosstalk",
        "developer",
        "hub",
        "human",
        "moderator",
        "operator",
        "overseer",
        "principal",
        "radar",
        "radio",
        "root",
        "supervisor",
        "system",
        "tool",
        "user",
    ]
)
HUB = "hub"
_LANE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z")
_AROUND = re.compile(r"\A[\W_]+|[\W_]+\Z")
_THREAD_ID = re.compile(r"t[0-9]+\Z")


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


def check_thread_name(name: str) -> str:
    """Raises Refused when a lane may not name a thread so: it would seem to be the bench's own, or another thread's id."""
    # As it is read: in any width of letters, and whatever stands around it.
    read = _AROUND.sub("", unicodedata.normalize("NFKC", name).casefold())
    if read in RESERVED_THREAD_NAMES or _THREAD_ID.match(name):
        raise Refused(Reason.RESERVED_NAME, f"a thread cannot be named {name!r}: the name is reserved; say what it is about")
    if not name:
        raise Refused(Reason.MALFORMED, "a thread's name must have something to read")
    return name


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
