"""The morning mail: what waits for a person."""

from __future__ import annotations

from signoff.deadlines import is_overdue
from signoff.service import Service


def digest(service: Service, person_id: str) -> str:
    """The text of the mail, or an empty string if nothing waits."""
    items = service.inbox(person_id)
    if not items:
        return ""
    person = service.store.people.get(person_id)
    count = "1 document waits" if len(items) == 1 else f"{len(items)} documents wait"
    lines = [f"{person.name}, {count} for you:"]
    for document, step in items:
        late = ", overdue" if is_overdue(document, service.today()) else ""
        due = f" (due {document.due}{late})" if document.due and step.value == "approve" else ""
        lines.append(f"- {document.id} {document.title}: {step}{due}")
    return "\n".join(lines)


def digests(service: Service) -> dict[str, str]:
    """The mails of all active people for whom something waits, by person."""
    mails = {person.id: digest(service, person.id) for person in service.store.people if person.active}
    return {person_id: text for person_id, text in mails.items() if text}
