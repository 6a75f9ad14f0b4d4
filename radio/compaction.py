"""Making a conversation shorter without losing what must not be lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from radio.message import Kind, Message, Urgency

BRIEF_BYTES = 250  # about what a line costs that stands for a message
KEPT_KINDS = frozenset({Kind.CONTRADICTION, Kind.BLOCKER, Kind.NEGATIVE_RESULT, Kind.MINORITY_VIEW})


@dataclass(frozen=True)
class Compacted:
    """What is left of a conversation, in order.

    Attributes:
        dropped: how many messages were left out of each thread.
        brief: ids of the messages of which a line each is left.
    """

    messages: tuple[Message, ...]
    dropped: dict[str, int]
    brief: frozenset[str] = frozenset()


def is_kept(message: Message) -> bool:
    """Whether a message stands whatever the budget is: dissent, obstacles, failures, and what is urgent."""
    return message.kind in KEPT_KINDS or bool(message.envelope and message.envelope.urgency is Urgency.HIGH)


def compact(messages: Sequence[Message], budget: int, size: Callable[[Message], int]) -> Compacted:
    """Leave out the oldest ordinary messages until the rest fits into `budget`.

    A contradiction, a blocker, a negative result, a minority view and an urgent message are never left out. Where these
    alone are more than the budget, a line is left of each of the oldest, except of a sender's newest of each kind.
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
    brief: set[str] = set()
    newest = {(message.sender, message.kind): message.id for message in kept}
    for message in kept:
        if total <= budget:
            break
        if newest[message.sender, message.kind] != message.id:
            total -= max(0, size(message) - BRIEF_BYTES)
            brief.add(message.id)
    return Compacted(tuple(kept), dropped, frozenset(brief))
