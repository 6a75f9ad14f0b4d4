# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What the office manager asked for."""

import json
from datetime import date, timedelta

import pytest

from signoff import Action, Forbidden, Invalid, NotFound, Service, State
from signoff.cli import main
from signoff.digest import digest

FIRST, LAST = date(2026, 8, 3), date(2026, 8, 14)
PEOPLE = (
    ("co", "contributor"),
    ("cx", "contributor"),
    ("ap", "approver"),
    ("aq", "approver"),
    ("pu", "publisher"),
    ("re", "reader"),
)


class Day:
    def __init__(self):
        self.now = date(2026, 8, 5)

    def __call__(self):
        return self.now


@pytest.fixture
def today():
    return Day()


@pytest.fixture
def service(tmp_path, today):
    service = Service.open(tmp_path / "office.json", today)
    service.add_person("ad", "Front office", "admin")
    for person_id, role in PEOPLE:
        service.add_person(person_id, f"Person {person_id}", role, by="ad")
    return service


def absent(service, person, deputy, first=FIRST, last=LAST):
    return service.add_absence(person, deputy, first, last, by="ad")


def submitted(service, author="co"):
    document = service.create("Plan", "First text.", author)
    return service.submit(document.id, author).id


def last_entry(service, document_id):
    entry = service.history(document_id)[-1]
    return entry.person, entry.on_behalf_of, entry.action


def refused(service, document_id, by, action=Action.APPROVE):
    count = len(service.history(document_id))
    assert action not in service.options(document_id, by)
    with pytest.raises(Forbidden):
        getattr(service, action.value)(document_id, by)
    assert len(service.history(document_id)) == count


def test_deputy_approves_only_on_the_days(service, today):
    absent(service, "ap", "cx")
    for day, allowed in (
        (FIRST - timedelta(days=1), False),
        (FIRST, True),
        (FIRST + timedelta(days=4), True),
        (LAST, True),
        (LAST + timedelta(days=1), False),
    ):
        today.now = day
        document_id = submitted(service)
        if not allowed:
            refused(service, document_id, "cx")
            continue
        assert service.approve(document_id, "cx").state is State.APPROVED
        assert last_entry(service, document_id) == ("cx", "ap", Action.APPROVE)


def test_every_action_on_a_document(service):
    absent(service, "co", "cx")
    absent(service, "ap", "re")
    absent(service, "pu", "re")
    document_id = service.create("Plan", "First text.", "co").id
    steps = (
        ("revise", ("Second text.", "cx"), "co"),
        ("submit", ("cx",), "co"),
        ("reject", ("re", "too short"), "ap"),
        ("revise", ("Third text.", "cx"), "co"),
        ("submit", ("cx",), "co"),
        ("withdraw", ("cx",), "co"),
        ("submit", ("cx",), "co"),
        ("approve", ("re",), "ap"),
        ("publish", ("re",), "pu"),
        ("archive", ("re",), "pu"),
    )
    for name, arguments, holder in steps:
        getattr(service, name)(document_id, *arguments)
        hand = "re" if holder in ("ap", "pu") else "cx"
        assert last_entry(service, document_id) == (hand, holder, Action(name))
    document = service.document(document_id)
    assert document.text == "Third text."
    assert document.author == "co"
    assert [revision.person for revision in document.revisions] == ["co", "cx", "cx"]


def test_own_right_comes_first(service):
    absent(service, "ap", "aq")
    absent(service, "ad", "aq")
    document_id = submitted(service)
    service.approve(document_id, "aq")
    assert last_entry(service, document_id) == ("aq", None, Action.APPROVE)
    assert service.history(document_id)[0].on_behalf_of is None
    service.publish(document_id, "aq")
    assert last_entry(service, document_id) == ("aq", "ad", Action.PUBLISH)


def test_first_absence_that_helps(service):
    for person in ("pu", "aq", "ap", "ad"):
        absent(service, person, "cx")
    document_id = submitted(service)
    service.approve(document_id, "cx")
    assert last_entry(service, document_id) == ("cx", "aq", Action.APPROVE)
    service.publish(document_id, "cx")
    assert last_entry(service, document_id) == ("cx", "pu", Action.PUBLISH)


def test_never_more_than_the_absent_person(service):
    absent(service, "ap", "cx")
    document_id = submitted(service)
    refused(service, document_id, "cx", Action.WITHDRAW)
    service.approve(document_id, "ap")
    refused(service, document_id, "cx", Action.PUBLISH)
    other = submitted(service)
    service.change_role("ap", "reader", by="ad")
    refused(service, other, "cx")
    absent(service, "aq", "re")
    assert Action.APPROVE in service.options(other, "re")
    service.deactivate("aq", by="ad")
    refused(service, other, "re")


def test_closed_deputy_does_nothing(service):
    absent(service, "ap", "cx")
    document_id = submitted(service)
    service.deactivate("cx", by="ad")
    with pytest.raises(Forbidden):
        service.approve(document_id, "cx")


def test_not_passed_on(service):
    absent(service, "ap", "cx")
    absent(service, "cx", "re")
    document_id = submitted(service)
    refused(service, document_id, "re")
    assert service.inbox("re") == []


def test_only_documents_are_covered(service):
    absent(service, "ad", "re")
    with pytest.raises(Forbidden):
        service.create("Wishes", "Chairs.", "re")
    with pytest.raises(Forbidden):
        service.add_person("nn", "New", "reader", by="re")
    with pytest.raises(Forbidden):
        service.change_role("re", "admin", by="re")
    with pytest.raises(Forbidden):
        service.add_absence("ap", "re", FIRST, LAST, by="re")
    document_id = submitted(service)
    assert service.approve(document_id, "re").state is State.APPROVED


def test_who_enters_absences(service):
    service.add_absence("ap", "cx", FIRST, LAST, by="ap")
    with pytest.raises(Forbidden):
        service.add_absence("aq", "cx", FIRST, LAST, by="ap")
    with pytest.raises(Forbidden):
        service.add_absence("aq", "cx", FIRST, LAST, by="cx")
    for arguments, error in (
        (("ap", "ap", FIRST, LAST), Invalid),
        (("ap", "cx", LAST, FIRST), Invalid),
        (("nobody", "cx", FIRST, LAST), NotFound),
        (("ap", "nobody", FIRST, LAST), NotFound),
    ):
        with pytest.raises(error):
            service.add_absence(*arguments, by="ad")
    service.add_absence("aq", "re", FIRST, FIRST, by="ad")


def test_inbox_options_and_digest(service, today):
    absent(service, "ap", "cx")
    absent(service, "pu", "cx", FIRST, FIRST)
    one, two = submitted(service), submitted(service)
    service.approve(two, "aq")
    assert [(document.id, step) for document, step in service.inbox("cx")] == [(one, Action.APPROVE)]
    assert service.options(one, "cx") == [Action.APPROVE, Action.REJECT]
    assert [line.split()[1] for line in digest(service, "cx").splitlines()[1:]] == [one]
    today.now = FIRST
    assert [(document.id, step) for document, step in service.inbox("cx")] == [
        (one, Action.APPROVE),
        (two, Action.PUBLISH),
    ]
    today.now = LAST + timedelta(days=1)
    assert service.inbox("cx") == []
    assert digest(service, "cx") == ""


def test_restart(service, today):
    absent(service, "ap", "cx")
    one, two = submitted(service), submitted(service)
    service.approve(one, "cx")
    again = Service.open(service.store.path, today)
    assert last_entry(again, one) == ("cx", "ap", Action.APPROVE)
    again.approve(two, "cx")
    assert last_entry(again, two) == ("cx", "ap", Action.APPROVE)


def test_earlier_file(tmp_path, today):
    day = "2026-08-03"
    entry = {
        "number": 1,
        "day": day,
        "document": "D-1",
        "person": "co",
        "action": "submit",
        "before": "draft",
        "after": "in_review",
        "note": "",
    }
    document = {
        "id": "D-1",
        "title": "Plan",
        "author": "co",
        "text": "Text.",
        "classification": "internal",
        "state": "in_review",
        "due": day,
        "revisions": [{"person": "co", "day": day, "words": 1}],
    }
    people = [{"id": name, "name": "Somebody", "role": role, "active": True} for name, role in PEOPLE]
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps({"format": 1, "people": people, "documents": [document], "audit": [entry]}))
    service = Service.open(path, today)
    assert service.history("D-1")[0].on_behalf_of is None
    service.add_absence("ap", "cx", FIRST, LAST, by="ap")
    service.approve("D-1", "cx")
    assert last_entry(service, "D-1") == ("cx", "ap", Action.APPROVE)


def test_command_line(service, capsys):
    def run(by, *words):
        code = main(["--file", str(service.store.path), "--as", by, "--today", "2026-08-04", *words])
        return code, capsys.readouterr().out.splitlines()

    document_id = submitted(service)
    assert run("cx", "approve", document_id) == (1, [])
    assert run("cx", "absence", "ap", "cx", "2026-08-03", "2026-08-14") == (1, [])
    assert run("ad", "absence", "ap", "cx", "2026-08-03", "2026-08-14") == (
        0,
        ["ap: cx from 2026-08-03 to 2026-08-14"],
    )
    assert "you can: approve, reject" in run("cx", "show", document_id)[1]
    assert run("cx", "inbox")[1] == [f"{document_id}  approve  Plan"]
    assert run("cx", "approve", document_id, "--note", "fine") == (0, [f"{document_id}  approved  Plan"])
    assert run("cx", "history", document_id)[1] == [
        "1  2026-08-05  co  submit  draft -> in_review",
        "2  2026-08-04  cx for ap  approve  in_review -> approved  # fine",
    ]
