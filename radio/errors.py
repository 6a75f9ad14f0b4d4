"""What the radio can say no to, and what it could not do."""

from enum import StrEnum

from sandboxes.errors import BenchError, SandboxError


class Reason(StrEnum):
    """Why the hub refused a request. Each refusal is counted for its lane, by reason."""

    UNKNOWN_TOKEN = "unknown-token"
    NOT_ALLOWED = "not-allowed"
    UNKNOWN_OPERATION = "unknown-operation"
    MALFORMED = "malformed"
    FORGED_SENDER = "forged-sender"
    UNKNOWN_THREAD = "unknown-thread"
    NOT_A_PARTICIPANT = "not-a-participant"
    UNKNOWN_LANE = "unknown-lane"
    RESERVED_NAME = "reserved-name"
    UNKNOWN_MESSAGE = "unknown-message"
    BYTES = "bytes"
    RATE = "rate"
    FAN_OUT = "fan-out"
    TOTAL = "total"
    THREADS = "threads"
    ENVELOPE_MISSING = "envelope-missing"
    RECIPIENT_FINISHED = "recipient-finished"
    SENDER_FINISHED = "sender-finished"
    LEASE_LOST = "lease-lost"
    OFF = "off"


class Refused(BenchError):
    """The hub said no. A value for the agent that asked, not a fault of the bench."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class HubUnreachable(SandboxError):
    """Nothing answers at the hub's socket; says nothing about an agent's work."""


class StoreError(SandboxError):
    """The store cannot keep what it is given: a full disk, a lost server, another owner."""
