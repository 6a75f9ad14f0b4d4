import pytest

from signoff import Action, Forbidden, Invalid, NotFound, State, WrongState


def test_from_draft_to_archive(service, submitted):
    assert service.approve(submitted.id, "ap").state is State.APPROVED
    assert service.publish(submitted.id, "pu").state is State.PUBLISHED
    assert service.archive(submitted.id, "pu").state is State.ARCHIVED


def test_reject_and_revise(service, submitted):
    assert service.reject(submitted.id, "ap", "pipes first").state is State.REJECTED
    revised = service.revise(submitted.id, "Pipes first.", "co")
    assert (revised.state, revised.text) == (State.DRAFT, "Pipes first.")
    assert [revision.words for revision in revised.revisions] == [4, 2]


def test_rejection_needs_reason(service, submitted):
    with pytest.raises(Invalid):
        service.reject(submitted.id, "ap", " ")


def test_withdraw_approved(service, submitted):
    service.approve(submitted.id, "ap")
    assert service.withdraw(submitted.id, "co").state is State.DRAFT


def test_wrong_state(service, draft):
    with pytest.raises(WrongState):
        service.approve(draft.id, "ap")


def test_contributor_may_not_approve(service, submitted):
    with pytest.raises(Forbidden):
        service.approve(submitted.id, "cx")
    assert service.document(submitted.id).state is State.IN_REVIEW
    assert len(service.history(submitted.id)) == 1


def test_others_documents(service, draft):
    with pytest.raises(Forbidden):
        service.revise(draft.id, "Mine now.", "cx")
    assert service.revise(draft.id, "Tidied.", "ad").text == "Tidied."


def test_inactive_person(service, submitted):
    service.deactivate("ap", by="ad")
    with pytest.raises(Forbidden):
        service.approve(submitted.id, "ap")


def test_readers_create_nothing(service):
    with pytest.raises(Forbidden):
        service.create("Wish list", "Chairs.", "re")


def test_title_needed(service):
    with pytest.raises(Invalid):
        service.create("  ", "Chairs.", "co")


def test_unknown_document_and_person(service, draft):
    with pytest.raises(NotFound):
        service.submit("D-77", "co")
    with pytest.raises(NotFound):
        service.submit(draft.id, "nobody")


def test_people_are_managed_by_admins(service):
    with pytest.raises(Forbidden):
        service.change_role("co", "admin", by="ap")
    service.change_role("co", "approver", by="ad")
    assert service.store.people.get("co").role.value == "approver"


def test_options(service, submitted):
    assert service.options(submitted.id, "ap") == [Action.APPROVE, Action.REJECT]
    assert service.options(submitted.id, "co") == [Action.WITHDRAW]
    assert service.options(submitted.id, "re") == []


def test_inbox(service, submitted):
    assert [(document.id, step) for document, step in service.inbox("ap")] == [(submitted.id, Action.APPROVE)]
    assert service.inbox("pu") == []
    service.approve(submitted.id, "ap")
    assert service.inbox("ap") == []
    assert [(document.id, step) for document, step in service.inbox("pu")] == [(submitted.id, Action.PUBLISH)]


def test_history(service, submitted, today):
    today.turn(2)
    service.approve(submitted.id, "ap", "fine")
    entries = service.history(submitted.id)
    assert [(entry.person, entry.action, entry.after) for entry in entries] == [
        ("co", Action.SUBMIT, State.IN_REVIEW),
        ("ap", Action.APPROVE, State.APPROVED),
    ]
    assert (entries[1].day.isoformat(), entries[1].note) == ("2026-03-04", "fine")
