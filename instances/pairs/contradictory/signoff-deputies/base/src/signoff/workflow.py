"""The state machine: which action leads from where to where."""

from __future__ import annotations

from signoff.errors import WrongState
from signoff.model import Action, State

TRANSITIONS: dict[tuple[State, Action], State] = {
    (State.DRAFT, Action.REVISE): State.DRAFT,
    (State.DRAFT, Action.SUBMIT): State.IN_REVIEW,
    (State.IN_REVIEW, Action.WITHDRAW): State.DRAFT,
    (State.IN_REVIEW, Action.APPROVE): State.APPROVED,
    (State.IN_REVIEW, Action.REJECT): State.REJECTED,
    (State.REJECTED, Action.REVISE): State.DRAFT,
    (State.APPROVED, Action.WITHDRAW): State.DRAFT,
    (State.APPROVED, Action.PUBLISH): State.PUBLISHED,
    (State.PUBLISHED, Action.ARCHIVE): State.ARCHIVED,
}

#: What moves a document on, for those states that wait for somebody else than the author.
NEXT_STEP: dict[State, Action] = {
    State.IN_REVIEW: Action.APPROVE,
    State.APPROVED: Action.PUBLISH,
}


def next_state(state: State, action: Action) -> State:
    """Where the action leads from this state.

    Raises:
        WrongState: the action does not exist there.
    """
    try:
        return TRANSITIONS[state, action]
    except KeyError:
        raise WrongState(f"cannot {action} a document that is {state}") from None


def actions_from(state: State) -> list[Action]:
    """The actions that exist in a state, in the order of ``Action``."""
    return [action for action in Action if (state, action) in TRANSITIONS]
