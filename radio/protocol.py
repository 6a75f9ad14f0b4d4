"""The five phases (AgentRadio's Algorithm 1), followed through a cell's event log. Their texts are in `phase_texts`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from radio.events import Event, EventType
from radio.phase_texts import Listening, phase_blocks, radio_blocks

__all__ = ["Listening", "Phase", "PhaseChange", "PhaseState", "follow", "phase_blocks", "radio_blocks"]


# A message that decides something begins with the word for it, as the lanes are told: in capitals, whole, and no question.
_WORD = re.compile(r"\s*(PROPOSAL|AMENDMENT|PLAN|APPROVED|CHANGE REQUEST|RESULT|DRAFT)(?![\w?-])")


class Phase(StrEnum):
    EXPLORE = "explore"
    DIVIDE = "divide"
    EXECUTE = "execute"
    REVIEW = "review"
    SUBMIT = "submit"
    DONE = "done"


@dataclass(frozen=True)
class PhaseChange:
    """The log's event with which a phase began."""

    phase: Phase
    seq: int
    at: str


@dataclass
class PhaseState:
    """Where a cell stands in the five phases, read from its event log alone.

    Attributes:
        changes: each phase that was entered, with the event; a change request may lead back to `execute`.
        deviations: what was done against the protocol, in words. Nothing is forbidden by it; it is reported.
    """

    lanes: tuple[str, ...]
    assembler: str
    phase: Phase = Phase.EXPLORE
    changes: list[PhaseChange] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _approved: dict[str, set[str]] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Follow one event, in the log's order."""
        if event.type is EventType.THREAD_CREATED:
            self._names[event.thread] = event.data["name"]
            self._opened(event)
        elif event.type is EventType.MESSAGE_SENT and event.data["origin"] == "peer":
            self._said(event, self._names.get(event.thread, ""))

    def _enter(self, phase: Phase, event: Event) -> None:
        if phase is not self.phase:
            self.phase = phase
            self.changes.append(PhaseChange(phase, event.seq, event.at))

    def _opened(self, event: Event) -> None:
        name, owner = event.data["name"], event.data["owner"]
        if name == "planning" and self.phase is Phase.EXPLORE:
            if owner != self.assembler:
                self.deviations.append(f"lane {owner}, not the assembler, opened planning")
            self._enter(Phase.DIVIDE, event)
        elif name == f"results-{owner}" and owner in self.lanes and self.phase is Phase.EXECUTE:
            self._enter(Phase.REVIEW, event)
        elif name == "final-answer" and self.phase in (Phase.REVIEW, Phase.EXECUTE):
            if owner != self.assembler:
                self.deviations.append(f"lane {owner}, not the assembler, opened final-answer")
            missing = [lane for lane in self.lanes if self._yet_to_approve(f"results-{lane}")]
            if missing:
                self.deviations.append(f"final-answer was opened without approval of the results of {', '.join(missing)}")
            self._enter(Phase.SUBMIT, event)

    def _said(self, event: Event, thread: str) -> None:
        sender, found = event.data["sender"], _WORD.match(event.data["content"])
        if self.phase is Phase.EXPLORE:
            self.deviations.append(f"lane {sender} sent {event.data['id']} before planning was opened")
        word = found.group(1) if found else ""
        if word == "APPROVED":
            # An approval is of what stands: where nothing does, it is none.
            self._approved.get(thread, set()).add(sender)
        elif self._is_to_be_approved(thread, sender, word):
            self._approved[thread] = {sender}
        elif word == "CHANGE REQUEST":
            self._approved.pop(thread, None)
        self._may_enter(event, thread, word)

    def _is_to_be_approved(self, thread: str, sender: str, word: str) -> bool:
        """Whether a word stands for something in its thread, and for something new, which voids approvals of what was before."""
        if thread == "planning":
            return word in ("PROPOSAL", "AMENDMENT")
        if thread == "final-answer":
            return word == "DRAFT" and sender == self.assembler
        return thread == f"results-{sender}" and word == "RESULT"

    def _may_enter(self, event: Event, thread: str, word: str) -> None:
        """What a word leads to in its thread."""
        sender = event.data["sender"]
        if thread == "planning" and word == "PLAN" and self.phase is Phase.DIVIDE:
            if sender != self.assembler:
                self.deviations.append(f"lane {sender}, not the assembler, sent the plan {event.data['id']}")
                return
            missing = [lane for lane in self._yet_to_approve(thread) if lane != self.assembler]
            if missing:
                self.deviations.append(f"the plan {event.data['id']} was sent without approval of {', '.join(missing)}")
            self._enter(Phase.EXECUTE, event)
        elif thread in self._results and word == "CHANGE REQUEST" and self.phase in (Phase.REVIEW, Phase.SUBMIT):
            self._enter(Phase.EXECUTE, event)
        elif thread == f"results-{sender}" and word == "RESULT" and self.phase is Phase.EXECUTE:
            self._enter(Phase.REVIEW, event)
        elif thread == "final-answer" and self.phase is Phase.SUBMIT and not self._yet_to_approve(thread):
            self._enter(Phase.DONE, event)

    @property
    def _results(self) -> frozenset[str]:
        return frozenset(f"results-{lane}" for lane in self.lanes)

    def _yet_to_approve(self, thread: str) -> list[str]:
        """The lanes without whose approval a thread still is; who proposed what stands in it is for it."""
        return sorted(set(self.lanes) - self._approved.get(thread, set()))


def follow(events: Iterable[Event], lanes: Sequence[str], assembler: str) -> PhaseState:
    """The phases that a cell went through, from its event log."""
    state = PhaseState(tuple(lanes), assembler)
    for event in events:
        state.take(event)
    return state
