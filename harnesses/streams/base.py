"""What a program's stream comes down to, whoever's it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from harnesses.base import Ended, Failure, Metering
from sandboxes.usage import Usage


@dataclass(frozen=True)
class ToolEnd:
    """A tool call that has ended: the tool's name and what it was asked to do."""

    tool: str
    detail: str


@dataclass(frozen=True)
class Verdict:
    """How a turn ended by the program's own account."""

    ended: Ended
    reason: str = ""
    failure: Failure | None = None


class Stream(Protocol):
    """Reads one program's events, in order.

    Attributes:
        closed: the program has said its last word, as far as one can know.
        waiting: it waits for its model.
        calls: tool calls that were begun.
        mid_response: the model's answer with the newest call has not come to its end.
        trouble: what keeps it waiting, where it told: it is trying again after a failure.
        hopeless: waiting longer is of no use.
        session: what a later turn resumes.
        subagents: calls of the program's subagents that have ended.
        summary: the newest words of the main agent.
    """

    closed: bool
    waiting: bool
    mid_response: bool
    trouble: Verdict | None
    hopeless: bool
    session: str | None
    subagents: int
    summary: str

    @property
    def calls(self) -> int: ...

    def see(self, event: Mapping[str, Any]) -> Iterable[ToolEnd]:
        """Take an event; the tool calls that it ends."""
        ...

    def verdict(self) -> Verdict | None:
        """`None` where there was no closing event."""
        ...

    def usage(self) -> tuple[Usage, Metering]:
        """The usage that counts, and where it comes from."""
        ...

    def labels(self) -> tuple[str, ...]: ...


def count(value: object) -> int | None:
    """A count of tokens; `None` for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def difference(one: Usage, other: Usage) -> tuple[int | None, ...]:
    """One minus the other, count by count; `None` where either is unknown."""
    pairs = (
        (one.input, other.input),
        (one.cache_write, other.cache_write),
        (one.cache_read, other.cache_read),
        (one.output, other.output),
    )
    return tuple(None if first is None or second is None else first - second for first, second in pairs)


def text(value: object, limit: int = 200) -> str:
    """A short text for a reason or a detail."""
    line = " ".join(str(value).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
