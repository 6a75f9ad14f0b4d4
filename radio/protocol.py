"""The five phases (AgentRadio's Algorithm 1), followed through a cell's event log. Their texts are in `phase_texts`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from radio.events import Event, EventType
from radio.phase_texts import Listening, phase_blocks, radio_blocks

__all__ = ["Listening", "Phase", "PhaseChange", "PhaseState", "follow", "phase_blocks", "radio_blocks"]


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
        elif name.startswith("results-") and self.phase is Phase.EXECUTE:
            self._enter(Phase.REVIEW, event)
        elif name == "final-answer" and self.phase in (Phase.REVIEW, Phase.EXECUTE):
            missing = [lane for lane in self.lanes if not self._complete(f"results-{lane}", exempt=lane)]
            if missing:
                self.deviations.append(f"final-answer was opened without approval of the results of {', '.join(missing)}")
            self._enter(Phase.SUBMIT, event)

    def _said(self, event: Event, thread: str) -> None:
        sender, word = event.data["sender"], event.data["content"].lstrip().upper()
        if self.phase is Phase.EXPLORE:
            self.deviations.append(f"lane {sender} sent {event.data['id']} before planning was opened")
        approved = self._approved.setdefault(thread, set())
        if word.startswith("APPROVED"):
            approved.add(sender)
        elif word.startswith(("PROPOSAL", "DRAFT", "RESULT")):
            approved.clear()
            approved.add(sender)
        elif word.startswith("CHANGE REQUEST"):
            approved.clear()
            if thread.startswith("results-"):
                self._enter(Phase.EXECUTE, event)
        elif word.startswith("PLAN") and thread == "planning" and self.phase is Phase.DIVIDE:
            missing = sorted(set(self.lanes) - approved - {sender})
            if missing:
                self.deviations.append(f"the plan {event.data['id']} was sent without approval of {', '.join(missing)}")
            self._enter(Phase.EXECUTE, event)
        self._approvals_may_end(event, thread)

    def _approvals_may_end(self, event: Event, thread: str) -> None:
        if (
            thread.startswith("results-")
            and self.phase is Phase.EXECUTE
            and event.data["content"].lstrip().upper().startswith("RESULT")
        ):
            self._enter(Phase.REVIEW, event)
        if thread == "final-answer" and self.phase is Phase.SUBMIT and self._complete(thread):
            self._enter(Phase.DONE, event)

    def _complete(self, thread: str, exempt: str = "") -> bool:
        return set(self.lanes) - {exempt} <= self._approved.get(thread, set())


def follow(events: Iterable[Event], lanes: Sequence[str], assembler: str) -> PhaseState:
    """The phases that a cell went through, from its event log."""
    state = PhaseState(tuple(lanes), assembler)
    for event in events:
        state.take(event)
    return state
