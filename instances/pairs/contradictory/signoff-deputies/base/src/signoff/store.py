"""Everything in one JSON file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from signoff.audit import AuditLog, Entry
from signoff.errors import Invalid, NotFound
from signoff.model import Document
from signoff.people import Directory, Person

FORMAT = 1


class Store:
    """People, documents and the audit log; kept in ``path``, or in memory only without one."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self.people = Directory()
        self.documents: dict[str, Document] = {}
        self.audit = AuditLog()
        if self.path is not None and self.path.exists():
            self._load(json.loads(self.path.read_text(encoding="utf-8")))

    def _load(self, data: dict[str, Any]) -> None:
        if data.get("format") != FORMAT:
            raise Invalid(f"{self.path} is not a signoff file of format {FORMAT}")
        self.people = Directory([Person.from_json(item) for item in data["people"]])
        self.documents = {item["id"]: Document.from_json(item) for item in data["documents"]}
        self.audit = AuditLog([Entry.from_json(item) for item in data["audit"]])

    def save(self) -> None:
        """Write the file anew; the old one stays until the new one is complete."""
        if self.path is None:
            return
        data = {
            "format": FORMAT,
            "people": [person.to_json() for person in self.people],
            "documents": [document.to_json() for document in self.documents.values()],
            "audit": [entry.to_json() for entry in self.audit],
        }
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        beside.replace(self.path)

    def document(self, document_id: str) -> Document:
        try:
            return self.documents[document_id]
        except KeyError:
            raise NotFound(f"no document {document_id}") from None

    def next_document_id(self) -> str:
        return f"D-{len(self.documents) + 1}"
