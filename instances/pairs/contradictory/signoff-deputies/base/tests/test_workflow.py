import pytest

from signoff import Action, State, WrongState
from signoff.workflow import NEXT_STEP, TRANSITIONS, actions_from, next_state


def test_next_state():
    assert next_state(State.DRAFT, Action.SUBMIT) is State.IN_REVIEW


def test_unknown_step():
    with pytest.raises(WrongState):
        next_state(State.ARCHIVED, Action.PUBLISH)


def test_actions_from_each_state():
    assert actions_from(State.DRAFT) == [Action.REVISE, Action.SUBMIT]
    assert actions_from(State.IN_REVIEW) == [Action.WITHDRAW, Action.APPROVE, Action.REJECT]
    assert actions_from(State.ARCHIVED) == []


def test_next_steps_exist():
    assert all((state, action) in TRANSITIONS for state, action in NEXT_STEP.items())
