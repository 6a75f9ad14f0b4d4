"""A line for each event, for whoever has to find out later what happened."""

from depot.events import ANY, Event, EventBus


class AuditLog:
    def __init__(self, bus: EventBus) -> None:
        self.entries: list[str] = []
        bus.subscribe(ANY, self._write)

    def _write(self, event: Event) -> None:
        data = " ".join(f"{key}={value}" for key, value in sorted(event.data.items()))
        self.entries.append(f"{event.day} #{event.number} {event.name} {data}".rstrip())

    def about(self, text: str) -> list[str]:
        """The entries in which the text stands as a value."""
        return [entry for entry in self.entries if f"={text} " in entry + " "]
