"""Working days, and when a review is due."""

from __future__ import annotations

from datetime import date, timedelta

from signoff.model import Classification, Document, State

#: Working days that a review may take.
REVIEW_DAYS: dict[Classification, int] = {
    Classification.PUBLIC: 3,
    Classification.INTERNAL: 5,
    Classification.RESTRICTED: 10,
}


def is_working_day(day: date) -> bool:
    return day.weekday() < 5


def add_working_days(day: date, count: int) -> date:
    """The working day that is ``count`` working days after ``day``."""
    while count > 0:
        day += timedelta(days=1)
        if is_working_day(day):
            count -= 1
    return day


def review_due(classification: Classification, submitted: date) -> date:
    return add_working_days(submitted, REVIEW_DAYS[classification])


def is_overdue(document: Document, today: date) -> bool:
    return document.state is State.IN_REVIEW and document.due is not None and today > document.due
