from datetime import date, timedelta

import pytest

from signoff import Service


class Day:
    """A calendar whose page is turned by hand."""

    def __init__(self, start):
        self.now = start

    def __call__(self):
        return self.now

    def turn(self, days=1):
        self.now += timedelta(days=days)


@pytest.fixture
def today():
    return Day(date(2026, 3, 2))


@pytest.fixture
def service(tmp_path, today):
    service = Service.open(tmp_path / "office.json", today)
    service.add_person("ad", "Front office", "admin")
    for person_id, name, role in (
        ("co", "Contributor C", "contributor"),
        ("cx", "Contributor X", "contributor"),
        ("ap", "Approver P", "approver"),
        ("pu", "Publisher U", "publisher"),
        ("re", "Reader E", "reader"),
    ):
        service.add_person(person_id, name, role, by="ad")
    return service


@pytest.fixture
def draft(service):
    return service.create("Heating plan", "Boilers first, then pipes.", "co")


@pytest.fixture
def submitted(service, draft):
    return service.submit(draft.id, "co")
