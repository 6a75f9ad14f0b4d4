"""The people who use Signoff, and their roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from signoff.errors import Forbidden, Invalid, NotFound
from signoff.model import Word


class Role(Word):
    READER = "reader"
    CONTRIBUTOR = "contributor"
    APPROVER = "approver"
    PUBLISHER = "publisher"
    ADMIN = "admin"


@dataclass
class Person:
    id: str
    name: str
    role: Role
    active: bool = True

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "role": self.role.value, "active": self.active}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Person:
        return cls(data["id"], data["name"], Role(data["role"]), data.get("active", True))


class Directory:
    """All people, by id, in the order in which they were added."""

    def __init__(self, people: list[Person] | None = None) -> None:
        self._people: dict[str, Person] = {person.id: person for person in people or []}

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people.values())

    def __len__(self) -> int:
        return len(self._people)

    def add(self, person: Person) -> Person:
        if not person.id or not person.id.isalnum():
            raise Invalid(f"a person's id is letters and digits, not {person.id!r}")
        if person.id in self._people:
            raise Invalid(f"there is a person {person.id} already")
        self._people[person.id] = person
        return person

    def get(self, person_id: str) -> Person:
        try:
            return self._people[person_id]
        except KeyError:
            raise NotFound(f"no person {person_id}") from None

    def active(self, person_id: str) -> Person:
        """The person, who must not have left."""
        person = self.get(person_id)
        if not person.active:
            raise Forbidden(f"{person_id} is no longer active")
        return person
