"""Every token that the server has reported, by key."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock

from sandboxes.usage import Usage


@dataclass(frozen=True)
class Entry:
    """One response.

    Attributes:
        key: the lane's.
        model: the model that was asked for.
        wire: the wire format.
        request: 1 for the lane's first model request, failed ones counted.
        usage: as it was reported, in disjoint counts; unknown where the response was told to leave it out.
        complete: the whole response was sent.
    """

    key: str
    model: str
    wire: str
    request: int
    usage: Usage
    complete: bool


class Ledger:
    """The responses, appended by the server's threads under one lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: list[Entry] = []

    def add(self, entry: Entry) -> int:
        """Note a response that has begun, with what it has reported; its number is what `update` takes."""
        with self._lock:
            self._entries.append(entry)
            return len(self._entries) - 1

    def update(self, number: int, usage: Usage, *, complete: bool) -> None:
        """A response has now reported this."""
        with self._lock:
            self._entries[number] = replace(self._entries[number], usage=usage, complete=complete)

    def entries(self, key: str | None = None) -> tuple[Entry, ...]:
        with self._lock:
            return tuple(entry for entry in self._entries if key is None or entry.key == key)

    def total(self, key: str) -> Usage:
        """All that was reported to a lane."""
        return sum((entry.usage for entry in self.entries(key)), Usage())

    def by_model(self, key: str) -> Mapping[str, Usage]:
        sums: dict[str, Usage] = {}
        for entry in self.entries(key):
            sums[entry.model] = sums.get(entry.model, Usage()) + entry.usage
        return sums
