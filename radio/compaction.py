"""Making a conversation shorter without losing what must not be lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from radio.message import Kind, Message, Urgency

KEPT_KINDS = frozenset({Kind.CONTRADICTION, Kind.BLOCKER, Kind.NEGATIVE_RESULT, Kind.MINORITY_VIEW})


@dataclass(frozen=True)
class Compacted:
    """What is left of a conversation, in order, and how many messages were left out of each thread."""

    messages: tuple[Message, ...]
    dropped: dict[str, int]


def is_kept(message: Message) -> bool:
    """Whether a message stands whatever the budget is: dissent, obstacles, failures, and what is urgent."""
    return message.kind in KEPT_KINDS or bool(message.envelope and message.envelope.urgency is Urgency.HIGH)


def compact(messages: Sequence[Message], budget: int, size: Callable[[Message], int]) -> Compacted:
    """Leave out the oldest ordinary messages until the rest fits into `budget`.

    A contradiction, a blocker, a negative result, a minority view and an urgent message are never left out, so the
    result may be larger than the budget when these alone are.
    """
    total = sum(size(message) for message in messages)
    kept: list[Message] = []
    dropped: dict[str, int] = {}
    for message in messages:
        if total > budget and not is_kept(message):
            total -= size(message)
            dropped[message.thread] = dropped.get(message.thread, 0) + 1
        else:
            kept.append(message)
    return Compacted(tuple(kept), dropped)
