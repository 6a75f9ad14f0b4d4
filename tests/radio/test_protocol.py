"""The five phases: what the three ways of listening differ in, and how a cell's log is followed."""

from typing import Any

import pytest

from radio.events import Event, EventType
from radio.phase_texts import DISPOSITIONS, ENVELOPE, MESSAGE_CHANNEL, RADIO, SYNC_CHANNEL, Listening, phase_blocks, radio_blocks
from radio.protocol import Phase, PhaseState, follow

LANES = ("a", "b")


def blocks(listening: Listening) -> dict[str, str]:
    return {**radio_blocks("a", LANES, listening), **phase_blocks("a", "a", listening)}


@pytest.mark.parametrize(
    ("one", "other", "differing"),
    [
        (Listening.FOREGROUND, Listening.WATCHER, {"listening", "execute"}),
        (Listening.FOREGROUND, Listening.HOOK, {"listening", "execute"}),
        (Listening.WATCHER, Listening.HOOK, {"listening"}),
    ],
)
def test_blocking_watcher_and_hook_differ_in_two_blocks_only(one: Listening, other: Listening, differing: set[str]) -> None:
    left, right = blocks(one), blocks(other)
    assert list(left) == list(right)
    assert {name for name in left if left[name] != right[name]} == differing


def test_the_phases_come_in_order_and_name_their_lane() -> None:
    assert list(phase_blocks("b", "a", Listening.HOOK)) == ["phases", "explore", "divide", "execute", "review", "submit"]
    assert "results-b" in phase_blocks("b", "a", Listening.HOOK)["review"]
    assert "Lane a is the assembler" in phase_blocks("b", "a", Listening.HOOK)["phases"]
    assert "the other lanes: a" in radio_blocks("b", LANES, Listening.HOOK)["radio"]


def test_no_text_gives_a_peer_authority_or_asks_to_hide() -> None:
    texts = [RADIO, MESSAGE_CHANNEL, SYNC_CHANNEL, ENVELOPE, DISPOSITIONS]
    for listening in set(Listening) - {Listening.NONE}:
        texts += blocks(listening).values()
    for text in texts:
        assert not any(word in text.lower() for word in ("secret", "hide", "do not tell", "must obey"))
    assert "never an instruction" in RADIO
    assert "not the text of your request" in RADIO


class Talk:
    """Writes a log by hand."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.names: dict[str, str] = {}

    def _add(self, kind: EventType, thread: str, **data: Any) -> None:
        self.events.append(Event(len(self.events) + 1, kind, "2026-01-01T00:00:00.000Z", 0.0, thread, data))

    def open(self, owner: str, name: str) -> None:
        self.names[name] = f"t{len(self.events) + 1}"
        self._add(EventType.THREAD_CREATED, self.names[name], name=name, owner=owner)

    def say(self, sender: str, thread: str, content: str) -> None:
        identifier = f"m{len(self.events) + 1}"
        self._add(EventType.MESSAGE_SENT, self.names[thread], id=identifier, sender=sender, content=content, origin="peer")

    def state(self) -> PhaseState:
        return follow(self.events, LANES, "a")

    def divided(self) -> "Talk":
        self.open("a", "planning")
        self.say("a", "planning", "PROPOSAL: the parser is mine")
        self.say("b", "planning", "APPROVED.")
        self.say("a", "planning", "PLAN: as proposed")
        return self

    def reviewed(self) -> "Talk":
        for lane, other in (("a", "b"), ("b", "a")):
            self.open(lane, f"results-{lane}")
            self.say(lane, f"results-{lane}", "RESULT: done")
            self.say(other, f"results-{lane}", "APPROVED")
        return self


def test_a_cell_goes_through_all_five_phases() -> None:
    talk = Talk().divided().reviewed()
    talk.open("a", "final-answer")
    talk.say("a", "final-answer", "DRAFT: both")
    assert talk.state().phase is Phase.SUBMIT
    talk.say("b", "final-answer", "APPROVED")
    state = talk.state()
    assert state.deviations == []
    assert [change.phase for change in state.changes] == [Phase.DIVIDE, Phase.EXECUTE, Phase.REVIEW, Phase.SUBMIT, Phase.DONE]


def test_a_change_request_sends_back_to_work_and_voids_the_approvals() -> None:
    talk = Talk().divided().reviewed()
    talk.say("b", "results-a", "CHANGE REQUEST: the lexer")
    assert talk.state().phase is Phase.EXECUTE
    talk.open("a", "final-answer")
    assert "without approval of the results of a" in talk.state().deviations[0]


def test_a_plan_without_approval_is_told() -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("b", "planning", "APPROVED")
    talk.say("a", "planning", "PROPOSAL: another")
    talk.say("a", "planning", "PLAN: another")
    assert talk.state().deviations == ["the plan m5 was sent without approval of b"]


def test_a_draft_is_approved_anew_when_it_is_revised() -> None:
    talk = Talk().divided().reviewed()
    talk.open("a", "final-answer")
    talk.say("a", "final-answer", "DRAFT: one")
    talk.say("b", "final-answer", "CHANGE REQUEST: not yet")
    talk.say("a", "final-answer", "DRAFT: two")
    assert talk.state().phase is Phase.SUBMIT
    talk.say("b", "final-answer", "APPROVED")
    assert talk.state().phase is Phase.DONE


def test_talk_while_exploring_is_told() -> None:
    talk = Talk()
    talk.open("b", "chat")
    talk.say("b", "chat", "hello")
    assert talk.state().deviations == ["lane b sent m2 before planning was opened"]


NO_APPROVALS = [
    "not APPROVED yet",
    "approved by nobody so far",
    "Approved, but only if the lexer is mine",
    "APPROVED? I do not think so",
    "APPROVED-ish",
    "APPROVEDLY",
    "I would have approved",
    '"APPROVED" is what I shall say',
    "DISAPPROVED",
    "",
]


@pytest.mark.parametrize("said", NO_APPROVALS)
def test_only_the_word_at_the_beginning_approves(said: str) -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("b", "planning", said)
    talk.say("a", "planning", "PLAN: one")
    assert talk.state().deviations == ["the plan m4 was sent without approval of b"]


@pytest.mark.parametrize("said", ["APPROVED", " \nAPPROVED: go on", "APPROVED.", "APPROVED\nas it stands"])
def test_the_word_for_it_approves(said: str) -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("b", "planning", "PROPOSAL: one")
    talk.say("b", "planning", "AMENDMENT: the other")
    talk.say("a", "planning", said)
    talk.say("a", "planning", "PLAN: the other")
    assert (talk.state().phase, talk.state().deviations) == (Phase.EXECUTE, [])


def test_what_was_approved_before_it_stood_is_not_approved() -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("b", "planning", "APPROVED")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("a", "planning", "PLAN: one")
    assert talk.state().deviations == ["the plan m4 was sent without approval of b"]


def test_an_amendment_is_approved_anew() -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("b", "planning", "APPROVED")
    talk.say("a", "planning", "AMENDMENT: and the lexer")
    talk.say("a", "planning", "PLAN: both")
    assert talk.state().deviations == ["the plan m5 was sent without approval of b"]


@pytest.mark.parametrize("said", ["Plan B would be better", "PLANNING is hard", "Results are odd", "proposals differ", "PLAN?"])
def test_words_that_only_look_like_it_decide_nothing(said: str) -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("b", "planning", "APPROVED")
    talk.say("a", "planning", said)
    assert talk.state().phase is Phase.DIVIDE
    talk.say("a", "planning", "PLAN: one")
    assert (talk.state().phase, talk.state().deviations) == (Phase.EXECUTE, [])


def test_the_assembler_alone_plans_and_drafts() -> None:
    talk = Talk()
    talk.open("a", "planning")
    talk.say("a", "planning", "PROPOSAL: one")
    talk.say("b", "planning", "APPROVED")
    talk.say("b", "planning", "PLAN: mine")
    assert talk.state().phase is Phase.DIVIDE
    assert talk.state().deviations == ["lane b, not the assembler, sent the plan m4"]
    talk = Talk().divided().reviewed()
    talk.open("b", "final-answer")
    talk.say("b", "final-answer", "DRAFT: mine")
    talk.say("a", "final-answer", "APPROVED")
    assert talk.state().phase is Phase.SUBMIT
    assert talk.state().deviations == ["lane b, not the assembler, opened final-answer"]


def test_nobody_gives_another_lanes_result() -> None:
    talk = Talk().divided()
    talk.open("a", "results-a")
    talk.open("b", "results-b")
    talk.say("b", "results-a", "RESULT: theirs is done")
    talk.say("a", "results-b", "RESULT: theirs is done")
    talk.say("a", "results-a", "APPROVED")
    talk.open("a", "final-answer")
    assert talk.state().deviations == ["final-answer was opened without approval of the results of a, b"]
