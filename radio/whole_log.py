"""Whether a log is one that a hub can have written: whole, in order, with each message once. Else its counts would be wrong."""

from radio.events import Event, EventType


class WholeLog:
    """Follows a log from its first event on."""

    def __init__(self) -> None:
        self._last = 0
        self._said: set[str] = set()
        self._waiting: set[tuple[str, str]] = set()  # lane and message

    def take(self, event: Event) -> Event:
        """The event, if it can come next.

        Raises:
            ValueError: it can't; the text says why.
        """
        if event.seq != self._last + 1:
            raise ValueError(f"event {event.seq} comes after event {self._last}: the log is not whole")
        self._last = event.seq
        data = event.data
        if event.type in (EventType.MESSAGE_SENT, EventType.SYNC_POSTED):
            if data["id"] in self._said:
                raise ValueError(f"message {data['id']} was sent before")
            self._said.add(data["id"])
            self._waiting.update((lane, data["id"]) for lane in data["mentions"])
        elif event.type in (EventType.SHOWN, EventType.SYNCED, EventType.EXPIRED):
            for message in data["messages"]:
                if (data["lane"], message) not in self._waiting:
                    raise ValueError(f"message {message} does not wait for lane {data['lane']}, and cannot be {event.type}")
                self._waiting.remove((data["lane"], message))
        return event
