from datetime import date

import pytest

from signoff import Invalid, State
from signoff.deadlines import add_working_days, is_overdue
from signoff.digest import digest, digests
from signoff.report import activity, figures, format_figures
from signoff.search import search


def test_working_days_skip_weekends():
    assert add_working_days(date(2026, 3, 6), 1) == date(2026, 3, 9)
    assert add_working_days(date(2026, 3, 2), 5) == date(2026, 3, 9)


def test_due_by_classification(service):
    days = {}
    for word in ("public", "internal", "restricted"):
        document = service.create("Plan", "Text.", "co", word)
        days[word] = service.submit(document.id, "co").due
    assert days == {
        "public": date(2026, 3, 5),
        "internal": date(2026, 3, 9),
        "restricted": date(2026, 3, 16),
    }


def test_overdue(service, submitted, today):
    assert not is_overdue(submitted, date(2026, 3, 9))
    assert is_overdue(submitted, date(2026, 3, 10))


def test_digest(service, submitted, today):
    assert digest(service, "ap").splitlines() == [
        "Approver P, 1 document waits for you:",
        "- D-1 Heating plan: approve (due 2026-03-09)",
    ]
    today.turn(30)
    assert digest(service, "ap").endswith("(due 2026-03-09, overdue)")
    assert digest(service, "re") == ""


def test_digests_of_all(service, submitted):
    assert sorted(digests(service)) == ["ad", "ap"]


def test_search(service, draft):
    service.create("Roof", "Tiles and PIPES.", "cx", "public")
    assert [document.id for document in search(service.documents(), "pipes")] == ["D-1", "D-2"]
    assert [document.id for document in search(service.documents(), "pipes class:public")] == ["D-2"]
    assert [document.id for document in search(service.documents(), "author:co state:draft")] == ["D-1"]
    with pytest.raises(Invalid):
        search(service.documents(), "state:lost")


def test_figures(service, submitted, today):
    service.create("Roof", "Tiles.", "cx")
    today.turn(3)
    service.approve(submitted.id, "ap")
    found = figures(service)
    assert found.by_state == {State.DRAFT: 1, State.APPROVED: 1}
    assert found.average_review_days == 3
    assert format_figures(found).splitlines() == ["draft: 1", "approved: 1", "overdue: none", "average review: 3.0 days"]
    assert activity(service) == {"co": 1, "ap": 1}
