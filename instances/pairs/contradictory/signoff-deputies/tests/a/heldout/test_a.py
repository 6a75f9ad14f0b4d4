# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What the compliance lead asked for."""

import json
from datetime import date

import pytest

from signoff import Action, Forbidden, Service, State
from signoff.cli import main
from signoff.digest import digest

DAY = date(2026, 3, 4)
PEOPLE = (
    ("co", "contributor"),
    ("ap", "approver"),
    ("aq", "approver"),
    ("ar", "approver"),
    ("pu", "publisher"),
)


@pytest.fixture
def service(tmp_path):
    service = Service.open(tmp_path / "office.json", lambda: DAY)
    service.add_person("ad", "Front office", "admin")
    for person_id, role in PEOPLE:
        service.add_person(person_id, f"Person {person_id}", role, by="ad")
    return service


@pytest.fixture
def run(service, capsys):
    def run(by, *words):
        code = main(["--file", str(service.store.path), "--as", by, "--today", DAY.isoformat(), *words])
        return code, capsys.readouterr().out.splitlines()

    return run


def submitted(service, author="co", classification="internal"):
    document = service.create("Plan", "First text.", author, classification)
    return service.submit(document.id, author).id


def refused(service, document_id, by):
    """Check that an approval is refused, not offered, and leaves no trace."""
    before = (service.document(document_id).state, len(service.history(document_id)), service.approvals(document_id))
    assert Action.APPROVE not in service.options(document_id, by)
    assert (document_id, Action.APPROVE) not in [(document.id, step) for document, step in service.inbox(by)]
    assert f"{document_id} " not in digest(service, by)
    with pytest.raises(Forbidden):
        service.approve(document_id, by)
    assert before == (
        service.document(document_id).state,
        len(service.history(document_id)),
        service.approvals(document_id),
    )


@pytest.mark.parametrize("classification", ["public", "internal", "restricted"])
@pytest.mark.parametrize("author", ["ap", "ad"])
def test_authors_do_not_approve(service, author, classification):
    document_id = submitted(service, author, classification)
    refused(service, document_id, author)
    service.approve(document_id, "aq")
    expected = State.IN_REVIEW if classification == "restricted" else State.APPROVED
    assert service.document(document_id).state is expected


def test_those_who_revised_do_not_approve(service):
    document_id = service.create("Plan", "First text.", "co").id
    service.revise(document_id, "Tidied.", "ad")
    service.submit(document_id, "co")
    refused(service, document_id, "ad")
    service.reject(document_id, "ap", "too short")
    service.revise(document_id, "A longer text.", "co")
    service.submit(document_id, "co")
    refused(service, document_id, "ad")
    assert service.approve(document_id, "ap").state is State.APPROVED


def test_writers_may_still_reject(service):
    document_id = submitted(service, "ap")
    assert service.options(document_id, "ap") == [Action.WITHDRAW, Action.REJECT]
    assert service.reject(document_id, "ap", "not ready").state is State.REJECTED


@pytest.mark.parametrize(("first", "second"), [("ap", "aq"), ("aq", "ad"), ("ad", "ar")])
def test_restricted_needs_two(service, first, second):
    document_id = submitted(service, "co", "restricted")
    assert service.approvals_needed(document_id) == 2
    assert service.approvals(document_id) == []
    assert service.approve(document_id, first).state is State.IN_REVIEW
    assert service.approvals(document_id) == [first]
    refused(service, document_id, first)
    assert service.inbox(second) != []
    assert service.approve(document_id, second).state is State.APPROVED
    assert service.approvals(document_id) == [first, second]
    assert service.publish(document_id, "pu").state is State.PUBLISHED


@pytest.mark.parametrize("classification", ["public", "internal"])
def test_others_need_one(service, classification):
    document_id = submitted(service, "co", classification)
    assert service.approvals_needed(document_id) == 1
    assert service.approve(document_id, "ap").state is State.APPROVED
    assert service.approvals(document_id) == ["ap"]


def test_rejection_voids_approvals(service):
    document_id = submitted(service, "co", "restricted")
    service.approve(document_id, "ap")
    service.reject(document_id, "aq", "no")
    service.revise(document_id, "Second text.", "co")
    service.submit(document_id, "co")
    assert service.approvals(document_id) == []
    assert service.approve(document_id, "aq").state is State.IN_REVIEW
    assert service.approve(document_id, "ap").state is State.APPROVED


@pytest.mark.parametrize("approvers", [["ap"], ["ap", "aq"]])
def test_withdrawal_voids_approvals(service, approvers):
    document_id = submitted(service, "co", "restricted")
    for person in approvers:
        service.approve(document_id, person)
    service.withdraw(document_id, "co")
    service.submit(document_id, "co")
    assert service.approvals(document_id) == []
    assert service.approve(document_id, "ap").state is State.IN_REVIEW
    assert service.approve(document_id, "ar").state is State.APPROVED


def test_restart(service):
    document_id = submitted(service, "co", "restricted")
    service.approve(document_id, "ap")
    again = Service.open(service.store.path, lambda: DAY)
    assert again.approvals(document_id) == ["ap"]
    refused(again, document_id, "ap")
    assert again.approve(document_id, "aq").state is State.APPROVED


def test_earlier_file(tmp_path):
    day = DAY.isoformat()
    person = {"name": "Somebody", "active": True}
    data = {
        "format": 1,
        "people": [{"id": name, "role": role, **person} for name, role in PEOPLE],
        "documents": [
            {
                "id": "D-1",
                "title": "Plan",
                "author": "co",
                "text": "Text.",
                "classification": "restricted",
                "state": "in_review",
                "due": day,
                "revisions": [{"person": "co", "day": day, "words": 1}],
            }
        ],
        "audit": [
            {
                "number": 1,
                "day": day,
                "document": "D-1",
                "person": "co",
                "action": "submit",
                "before": "draft",
                "after": "in_review",
                "note": "",
            }
        ],
    }
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(data))
    service = Service.open(path, lambda: DAY)
    assert service.approvals("D-1") == []
    assert service.approve("D-1", "ap").state is State.IN_REVIEW
    assert service.approve("D-1", "aq").state is State.APPROVED


def test_command_line_restricted(service, run):
    document_id = submitted(service, "co", "restricted")
    assert "approvals: 0 of 2" in run("ap", "show", document_id)[1]
    assert run("ap", "approve", document_id, "--note", "fine") == (0, [f"{document_id}  in_review  Plan"])
    lines = run("ap", "show", document_id)[1]
    assert "approvals: 1 of 2" in lines
    assert "you can: reject" in lines
    assert run("ap", "approve", document_id) == (1, [])
    assert run("aq", "approve", document_id) == (0, [f"{document_id}  approved  Plan"])
    assert "approvals: 2 of 2" in run("aq", "show", document_id)[1]
    assert run("ap", "history", document_id)[1] == [
        "1  2026-03-04  co  submit  draft -> in_review",
        "2  2026-03-04  ap  approve  in_review -> in_review (1 of 2)  # fine",
        "3  2026-03-04  aq  approve  in_review -> approved (2 of 2)",
    ]


def test_command_line_others(service, run):
    document_id = submitted(service, "co", "internal")
    run("ap", "approve", document_id)
    assert not [line for line in run("ap", "show", document_id)[1] if line.startswith("approvals")]
    assert run("ap", "history", document_id)[1][-1] == "2  2026-03-04  ap  approve  in_review -> approved"
