"""What can be done with Signoff. The command line, and other programs, call this and nothing below it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date

from signoff.audit import Entry
from signoff.deadlines import review_due
from signoff.errors import Forbidden, Invalid
from signoff.model import Action, Classification, Document, State
from signoff.people import Person, Role
from signoff.permissions import may, may_create, may_manage_people
from signoff.store import Store
from signoff.workflow import NEXT_STEP, actions_from, next_state


class Service:
    """One store, one notion of today."""

    def __init__(self, store: Store | None = None, today: Callable[[], date] = date.today) -> None:
        self.store = store if store is not None else Store()
        self.today = today

    @classmethod
    def open(cls, path: str | os.PathLike[str], today: Callable[[], date] = date.today) -> Service:
        return cls(Store(path), today)

    # People

    def add_person(self, person_id: str, name: str, role: str | Role, by: str | None = None) -> Person:
        """Add a person. The very first one needs nobody's leave; after that ``by`` is an admin."""
        if len(self.store.people):
            self._require_manager(by)
        person = self.store.people.add(Person(person_id, name, Role.parse(str(role))))
        self.store.save()
        return person

    def change_role(self, person_id: str, role: str | Role, by: str) -> Person:
        self._require_manager(by)
        person = self.store.people.get(person_id)
        person.role = Role.parse(str(role))
        self.store.save()
        return person

    def deactivate(self, person_id: str, by: str) -> Person:
        """Close a person's account; what they did stays on record."""
        self._require_manager(by)
        person = self.store.people.get(person_id)
        person.active = False
        self.store.save()
        return person

    def _require_manager(self, by: str | None) -> None:
        if by is None or not may_manage_people(self.store.people.active(by)):
            raise Forbidden("only an admin manages people")

    # Documents

    def create(
        self, title: str, text: str, by: str, classification: str | Classification = Classification.INTERNAL
    ) -> Document:
        person = self.store.people.active(by)
        if not may_create(person):
            raise Forbidden(f"{by} may not create documents")
        if not title.strip():
            raise Invalid("a document needs a title")
        document = Document(
            self.store.next_document_id(),
            title.strip(),
            person.id,
            classification=Classification.parse(str(classification)),
        )
        document.rewrite(person.id, self.today(), text)
        self.store.documents[document.id] = document
        self.store.save()
        return document

    def document(self, document_id: str) -> Document:
        return self.store.document(document_id)

    def documents(self, state: State | None = None) -> list[Document]:
        return [document for document in self.store.documents.values() if state in (None, document.state)]

    def revise(self, document_id: str, text: str, by: str, note: str = "") -> Document:
        document = self._act(document_id, Action.REVISE, by, note)
        document.rewrite(by, self.today(), text)
        self.store.save()
        return document

    def submit(self, document_id: str, by: str, note: str = "") -> Document:
        document = self._act(document_id, Action.SUBMIT, by, note)
        document.due = review_due(document.classification, self.today())
        self.store.save()
        return document

    def withdraw(self, document_id: str, by: str, note: str = "") -> Document:
        return self._act(document_id, Action.WITHDRAW, by, note)

    def approve(self, document_id: str, by: str, note: str = "") -> Document:
        return self._act(document_id, Action.APPROVE, by, note)

    def reject(self, document_id: str, by: str, note: str) -> Document:
        if not note.strip():
            raise Invalid("a rejection needs a reason")
        return self._act(document_id, Action.REJECT, by, note)

    def publish(self, document_id: str, by: str, note: str = "") -> Document:
        return self._act(document_id, Action.PUBLISH, by, note)

    def archive(self, document_id: str, by: str, note: str = "") -> Document:
        return self._act(document_id, Action.ARCHIVE, by, note)

    def _act(self, document_id: str, action: Action, by: str, note: str) -> Document:
        document = self.store.document(document_id)
        person = self.store.people.active(by)
        before, after = document.state, next_state(document.state, action)
        if not may(person, action, document):
            raise Forbidden(f"{by} may not {action} {document_id}")
        self.store.audit.add(self.today(), document_id, by, action, before, after, note)
        document.state = after
        self.store.save()
        return document

    # Looking

    def options(self, document_id: str, by: str) -> list[Action]:
        """What the person could do with the document right now."""
        document = self.store.document(document_id)
        person = self.store.people.active(by)
        return [action for action in actions_from(document.state) if may(person, action, document)]

    def inbox(self, by: str) -> list[tuple[Document, Action]]:
        """The documents that wait for a step that this person may take, with that step, oldest first."""
        waiting = []
        for document in self.store.documents.values():
            step = NEXT_STEP.get(document.state)
            if step is not None and step in self.options(document.id, by):
                waiting.append((document, step))
        return waiting

    def history(self, document_id: str) -> list[Entry]:
        self.store.document(document_id)
        return self.store.audit.of(document_id)
