"""Who may do what."""

from __future__ import annotations

from signoff.model import Action, Document
from signoff.people import Person, Role

WRITING = frozenset({Action.REVISE, Action.SUBMIT, Action.WITHDRAW})

GRANTS: dict[Role, frozenset[Action]] = {
    Role.READER: frozenset(),
    Role.CONTRIBUTOR: WRITING,
    Role.APPROVER: WRITING | {Action.APPROVE, Action.REJECT},
    Role.PUBLISHER: WRITING | {Action.PUBLISH, Action.ARCHIVE},
    Role.ADMIN: frozenset(Action),
}

#: What only the author of a document does with it (an admin may step in).
OWN_ONLY = WRITING


def may(person: Person, action: Action, document: Document) -> bool:
    """Whether the person may do this to the document, its state aside."""
    if action in OWN_ONLY and person.role is not Role.ADMIN and document.author != person.id:
        return False
    return action in GRANTS[person.role]


def may_create(person: Person) -> bool:
    """Whether the person may start a new document."""
    return person.role is not Role.READER


def may_manage_people(person: Person) -> bool:
    """Whether the person may add people, change roles and close accounts."""
    return person.role is Role.ADMIN
