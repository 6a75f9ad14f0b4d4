# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Both wishes at once: deputies act, and two different people who did not write the text have to look."""

from datetime import date
from itertools import chain, combinations

import pytest

from signoff import Action, Forbidden, Service, State
from signoff.cli import main
from signoff.digest import digest

DAY = date(2026, 8, 5)
ROLES = {
    "ad": "admin",
    "co": "contributor",
    "cx": "contributor",
    "cy": "contributor",
    "ap": "approver",
    "aq": "approver",
    "re": "reader",
}


def office(path=None):
    service = Service.open(path, lambda: DAY) if path else Service(today=lambda: DAY)
    for person_id, role in ROLES.items():
        service.add_person(person_id, f"Person {person_id}", role, by="ad")
    return service


@pytest.fixture
def service(tmp_path):
    return office(tmp_path / "office.json")


def absent(service, *pairs):
    for person, deputy in pairs:
        service.add_absence(person, deputy, date(2026, 8, 3), date(2026, 8, 14), by="ad")


def submitted(service, author="co", classification="internal"):
    document = service.create("Plan", "First text.", author, classification)
    return service.submit(document.id, author).id


def refused(service, document_id, by):
    """Check that an approval is refused, not offered anywhere, and leaves no trace."""
    before = (service.document(document_id).state, len(service.history(document_id)), service.approvals(document_id))
    assert Action.APPROVE not in service.options(document_id, by)
    assert document_id not in [document.id for document, step in service.inbox(by) if step is Action.APPROVE]
    assert f"{document_id} " not in digest(service, by)
    with pytest.raises(Forbidden):
        service.approve(document_id, by)
    assert before == (
        service.document(document_id).state,
        len(service.history(document_id)),
        service.approvals(document_id),
    )


def approves(service, document_id, by, on_behalf_of):
    """Check that an approval is offered everywhere and goes through by the right that is expected."""
    assert Action.APPROVE in service.options(document_id, by)
    assert document_id in [document.id for document, step in service.inbox(by) if step is Action.APPROVE]
    assert f"{document_id} " in digest(service, by)
    count = len(service.approvals(document_id))
    service.approve(document_id, by)
    assert len(service.approvals(document_id)) == count + 1
    entry = service.history(document_id)[-1]
    assert (entry.person, entry.on_behalf_of, entry.action) == (by, on_behalf_of, Action.APPROVE)


@pytest.mark.parametrize("classification", ["public", "internal", "restricted"])
@pytest.mark.parametrize("author", ["co", "cx"])
def test_nobody_approves_their_own_text_as_a_deputy(service, author, classification):
    absent(service, ("ap", author), ("ad", author), ("ap", "cy"))
    document_id = submitted(service, author, classification)
    refused(service, document_id, author)
    approves(service, document_id, "cy", "ap")


def test_who_revised_as_a_deputy_wrote_the_text(service):
    absent(service, ("co", "cx"), ("ap", "cx"), ("ap", "cy"))
    document_id = service.create("Plan", "First text.", "co").id
    service.revise(document_id, "Second text.", "cx")
    service.submit(document_id, "cx")
    refused(service, document_id, "cx")
    assert service.options(document_id, "cx") == [Action.WITHDRAW, Action.REJECT]
    approves(service, document_id, "cy", "ap")


@pytest.mark.parametrize("author", ["ap", "ad"])
def test_deputy_cannot_do_what_the_absent_author_could_not(service, author):
    absent(service, (author, "cx"))
    document_id = submitted(service, author)
    refused(service, document_id, "cx")
    absent(service, ("aq", "cx"))
    approves(service, document_id, "cx", "aq")


def test_own_right_is_not_touched_by_the_absent_authors(service):
    absent(service, ("ap", "aq"))
    document_id = submitted(service, "ap", "restricted")
    approves(service, document_id, "aq", None)
    refused(service, document_id, "aq")


def test_one_deputy_is_one_person(service):
    absent(service, ("ap", "cx"), ("aq", "cx"), ("aq", "cy"))
    document_id = submitted(service, "co", "restricted")
    approves(service, document_id, "cx", "ap")
    assert service.document(document_id).state is State.IN_REVIEW
    refused(service, document_id, "cx")
    approves(service, document_id, "cy", "aq")
    assert service.document(document_id).state is State.APPROVED


def test_who_approved_in_their_own_name_does_not_approve_as_a_deputy(service):
    absent(service, ("ad", "ap"), ("aq", "ap"))
    document_id = submitted(service, "co", "restricted")
    approves(service, document_id, "ap", None)
    refused(service, document_id, "ap")
    approves(service, document_id, "aq", None)


def test_the_absent_person_approved_already(service):
    absent(service, ("ap", "cx"), ("ap", "cy"), ("aq", "cy"))
    document_id = submitted(service, "co", "restricted")
    approves(service, document_id, "ap", None)
    refused(service, document_id, "cx")
    approves(service, document_id, "cy", "aq")
    assert service.document(document_id).state is State.APPROVED


def test_approvals_by_deputies_are_void_after_a_new_text(service):
    absent(service, ("ap", "cx"), ("aq", "cy"), ("co", "re"))
    document_id = submitted(service, "co", "restricted")
    approves(service, document_id, "cx", "ap")
    service.withdraw(document_id, "re")
    service.submit(document_id, "re")
    assert service.approvals(document_id) == []
    approves(service, document_id, "cx", "ap")
    service.reject(document_id, "cx", "no")
    service.revise(document_id, "Second text.", "re")
    service.submit(document_id, "co")
    assert service.approvals(document_id) == []
    approves(service, document_id, "cy", "aq")
    approves(service, document_id, "cx", "ap")
    assert service.document(document_id).state is State.APPROVED


def test_restart_and_command_line(service, capsys):
    def run(by, *words):
        code = main(["--file", str(service.store.path), "--as", by, "--today", "2026-08-05", *words])
        return code, capsys.readouterr().out.splitlines()

    document_id = submitted(service, "co", "restricted")
    for person, deputy in (("ap", "cx"), ("aq", "cx"), ("ad", "co"), ("aq", "cy")):
        assert run("ad", "absence", person, deputy, "2026-08-01", "2026-08-30")[0] == 0
    assert run("co", "approve", document_id) == (1, [])
    assert run("cx", "approve", document_id, "--note", "fine") == (0, [f"{document_id}  in_review  Plan"])
    assert run("cx", "approve", document_id) == (1, [])
    assert run("cx", "inbox")[1] == []
    shown = run("cx", "show", document_id)[1]
    assert "approvals: 1 of 2" in shown
    assert "you can: reject" in shown
    assert run("cy", "inbox")[1] == [f"{document_id}  approve  Plan"]
    assert run("cy", "approve", document_id) == (0, [f"{document_id}  approved  Plan"])
    assert "approvals: 2 of 2" in run("cy", "show", document_id)[1]
    assert run("co", "history", document_id)[1] == [
        "1  2026-08-05  co  submit  draft -> in_review",
        "2  2026-08-05  cx for ap  approve  in_review -> in_review (1 of 2)  # fine",
        "3  2026-08-05  cy for aq  approve  in_review -> approved (2 of 2)",
    ]


UNCLEAR = object()
PAIRS = (("ap", "cx"), ("aq", "cx"), ("ad", "ap"), ("ap", "co"))


def expected(person, pairs, writers, approvals):
    """By whose right the person approves: None for their own, False if they may not.

    ``UNCLEAR`` where the two wishes leave it open: whether somebody for whom a deputy has approved may still approve.
    """
    hands = {hand for hand, _ in approvals}
    represented = {right for _, right in approvals if right}
    if person in writers or person in hands:
        return False
    for holder in (person, *(absentee for absentee, deputy in pairs if deputy == person)):
        if ROLES[holder] not in ("approver", "admin") or holder in writers or holder in hands:
            continue
        if holder in represented:
            return UNCLEAR
        return None if holder == person else holder
    return False


@pytest.mark.parametrize("classification", ["internal", "restricted"])
@pytest.mark.parametrize("writers", [("co",), ("cx",), ("ap",), ("co", "ad"), ("aq", "ad")])
def test_all_combinations(writers, classification):
    people = ("ad", "co", "cx", "ap", "aq")
    for pairs in chain.from_iterable(combinations(PAIRS, count) for count in range(len(PAIRS) + 1)):
        for first in people:
            for second in people:
                service = office()
                document_id = service.create("Plan", "First text.", writers[0], classification).id
                for other in writers[1:]:
                    service.revise(document_id, "Second text.", other)
                service.submit(document_id, writers[0])
                absent(service, *pairs)
                approvals = []
                for person in (first, second):
                    if service.document(document_id).state is not State.IN_REVIEW:
                        break
                    right = expected(person, pairs, set(writers), approvals)
                    if right is UNCLEAR:
                        break
                    if right is False:
                        refused(service, document_id, person)
                    else:
                        approves(service, document_id, person, right)
                        approvals.append((person, right))
                needed = 2 if classification == "restricted" else 1
                done = len(approvals) >= needed
                assert service.document(document_id).state is (State.APPROVED if done else State.IN_REVIEW)
