"""The audit log: one entry for each action, never changed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from signoff.model import Action, State


@dataclass(frozen=True)
class Entry:
    number: int
    day: date
    document: str
    person: str
    action: Action
    before: State
    after: State
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "day": self.day.isoformat(),
            "document": self.document,
            "person": self.person,
            "action": self.action.value,
            "before": self.before.value,
            "after": self.after.value,
            "note": self.note,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        return cls(
            number=data["number"],
            day=date.fromisoformat(data["day"]),
            document=data["document"],
            person=data["person"],
            action=Action(data["action"]),
            before=State(data["before"]),
            after=State(data["after"]),
            note=data.get("note", ""),
        )


class AuditLog:
    """Entries in the order in which things happened, numbered from 1."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self._entries = list(entries or [])

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, day: date, document: str, person: str, action: Action, before: State, after: State, note: str = "") -> Entry:
        entry = Entry(len(self._entries) + 1, day, document, person, action, before, after, note)
        self._entries.append(entry)
        return entry

    def of(self, document: str) -> list[Entry]:
        """The entries of one document."""
        return [entry for entry in self._entries if entry.document == document]


def format_entry(entry: Entry) -> str:
    """The entry as ``signoff history`` prints it."""
    line = f"{entry.number}  {entry.day}  {entry.person}  {entry.action}  {entry.before} -> {entry.after}"
    return f"{line}  # {entry.note}" if entry.note else line
