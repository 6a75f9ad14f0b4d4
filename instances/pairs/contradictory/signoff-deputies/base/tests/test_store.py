import json

import pytest

from signoff import Invalid, Service, State
from signoff.store import Store


def test_round_trip(service, submitted, today):
    service.approve(submitted.id, "ap", "fine")
    again = Service.open(service.store.path, today)
    assert again.document(submitted.id) == service.document(submitted.id)
    assert again.document(submitted.id).state is State.APPROVED
    assert again.history(submitted.id) == service.history(submitted.id)
    assert [person.id for person in again.store.people] == ["ad", "co", "cx", "ap", "pu", "re"]


def test_no_file_is_left_beside(service, draft):
    assert [path.name for path in service.store.path.parent.iterdir()] == ["office.json"]


def test_other_format(tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"format": 99}))
    with pytest.raises(Invalid):
        Store(path)


def test_in_memory():
    service = Service()
    service.add_person("ad", "Front office", "admin")
    assert service.create("Note", "Short.", "ad").id == "D-1"
