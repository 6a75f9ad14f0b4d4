"""The event bus: each module says what happened and none knows who listens."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from depot.clock import Clock

ANY = "*"
_NAME = re.compile(r"[a-z]+\.[a-z_]+")


@dataclass(frozen=True)
class Event:
    """Something that has happened.

    `name` is a thing and what happened to it, `order.placed`; `data` says to which one; `number` counts from 1.
    """

    name: str
    data: Mapping[str, Any]
    day: date
    number: int


Handler = Callable[[Event], None]


class EventBus:
    """Hands every event to those who asked for its name, in the order in which they asked.

    A handler that raises stops the one who published: what cannot be recorded should not have happened.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._handlers: list[tuple[str, Handler]] = []
        self.history: list[Event] = []

    def subscribe(self, name: str, handler: Handler) -> None:
        """Call `handler` for each event of that name; the name `*` stands for all."""
        if name != ANY and not _NAME.fullmatch(name):
            raise ValueError(f"not an event name: {name!r}")
        self._handlers.append((name, handler))

    def publish(self, name: str, **data: Any) -> Event:
        if not _NAME.fullmatch(name):
            raise ValueError(f"not an event name: {name!r}")
        event = Event(name, MappingProxyType(data), self._clock.today(), len(self.history) + 1)
        self.history.append(event)
        for wanted, handler in list(self._handlers):
            if wanted in (ANY, name):
                handler(event)
        return event
