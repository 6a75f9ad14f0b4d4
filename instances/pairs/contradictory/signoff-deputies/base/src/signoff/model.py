"""Documents, and the words for what happens to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Any

from signoff.errors import Invalid


class Word(str, Enum):
    """A closed set of words that are stored and printed as they stand."""

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def parse(cls, text: str) -> Any:
        try:
            return cls(text)
        except ValueError:
            known = ", ".join(word.value for word in cls)
            raise Invalid(f"{text!r} is not one of {known}") from None


class State(Word):
    DRAFT = "draft"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class Action(Word):
    REVISE = "revise"
    SUBMIT = "submit"
    WITHDRAW = "withdraw"
    APPROVE = "approve"
    REJECT = "reject"
    PUBLISH = "publish"
    ARCHIVE = "archive"


class Classification(Word):
    PUBLIC = "public"
    INTERNAL = "internal"
    RESTRICTED = "restricted"


@dataclass
class Revision:
    """Who put down which number of words, and when."""

    person: str
    day: date
    words: int

    def to_json(self) -> dict[str, Any]:
        return {"person": self.person, "day": self.day.isoformat(), "words": self.words}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Revision:
        return cls(data["person"], date.fromisoformat(data["day"]), data["words"])


@dataclass
class Document:
    id: str
    title: str
    author: str
    text: str = ""
    classification: Classification = Classification.INTERNAL
    state: State = State.DRAFT
    due: date | None = None
    revisions: list[Revision] = field(default_factory=list)

    def rewrite(self, person: str, day: date, text: str) -> None:
        """Replace the text and note who did it."""
        self.text = text
        self.revisions.append(Revision(person, day, len(text.split())))

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "author": self.author,
            "text": self.text,
            "classification": self.classification.value,
            "state": self.state.value,
            "due": self.due.isoformat() if self.due else None,
            "revisions": [revision.to_json() for revision in self.revisions],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Document:
        return cls(
            id=data["id"],
            title=data["title"],
            author=data["author"],
            text=data["text"],
            classification=Classification(data["classification"]),
            state=State(data["state"]),
            due=date.fromisoformat(data["due"]) if data.get("due") else None,
            revisions=[Revision.from_json(item) for item in data["revisions"]],
        )
