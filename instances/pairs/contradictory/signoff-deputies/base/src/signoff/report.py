"""Figures about documents and reviews."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

from signoff.deadlines import is_overdue
from signoff.model import Action, State
from signoff.service import Service


@dataclass(frozen=True)
class Figures:
    by_state: dict[State, int]
    overdue: list[str]
    average_review_days: float | None


def review_days(service: Service, document_id: str) -> int | None:
    """Calendar days from the last submission to the approval or rejection that ended it."""
    submitted: date | None = None
    taken: int | None = None
    for entry in service.history(document_id):
        if entry.action is Action.SUBMIT:
            submitted = entry.day
        elif entry.after in (State.APPROVED, State.REJECTED) and submitted is not None:
            taken = (entry.day - submitted).days
    return taken


def figures(service: Service) -> Figures:
    counts = Counter(document.state for document in service.documents())
    days = [review_days(service, document.id) for document in service.documents()]
    known = [value for value in days if value is not None]
    return Figures(
        by_state={state: counts[state] for state in State if counts[state]},
        overdue=[document.id for document in service.documents() if is_overdue(document, service.today())],
        average_review_days=sum(known) / len(known) if known else None,
    )


def activity(service: Service) -> dict[str, int]:
    """How many actions each person took, busiest first."""
    return dict(Counter(entry.person for entry in service.store.audit).most_common())


def format_figures(found: Figures) -> str:
    lines = [f"{state}: {count}" for state, count in found.by_state.items()]
    lines.append(f"overdue: {', '.join(found.overdue) or 'none'}")
    average = "unknown" if found.average_review_days is None else f"{found.average_review_days:.1f} days"
    lines.append(f"average review: {average}")
    return "\n".join(lines)
