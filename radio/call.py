"""One operation asked of the hub, whichever way it came in, and its answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from radio.errors import Reason
from radio.fields import Fields


@dataclass(frozen=True)
class Answer:
    """What the hub says.

    Attributes:
        data: for programs.
        text: the same for shell commands and for reading.
        refusal: why not; None where the operation was carried out.
    """

    data: Mapping[str, Any]
    text: str = ""
    refusal: Reason | None = None


@dataclass(eq=False)
class Call:
    """One request under way.

    Attributes:
        caller: the lane that the token belongs to, or the hub's own name for the engine's.
        respond: to be called once, when everything that the answer promises is stored.
        closed: the caller has gone away.
    """

    caller: str
    operation: str
    fields: Fields
    respond: Callable[[Answer], None]
    closed: bool = False
    on_closed: Callable[[], None] | None = field(default=None, repr=False)

    def close(self) -> None:
        self.closed = True
        if self.on_closed is not None:
            self.on_closed()
