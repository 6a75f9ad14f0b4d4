"""The hub of one cell: one process, one thread, one event loop; the only owner of the cell's store.

Calls that arrive in the same turn of the loop are stored in one batch, and answered when it is stored. If the store
fails the hub ends, having promised nothing: whoever starts it again has every answer that was given.
"""

import asyncio
import contextlib
import logging
import os
import stat
from pathlib import Path

from radio.call import Answer, Call
from radio.clock import Clock
from radio.config import HubConfig
from radio.errors import Reason, Refused, StoreError
from radio.events import Event, EventType, decode
from radio.fields import Fields
from radio.journal import Journal, Mailboxes
from radio.leases import Leases
from radio.message import HUB
from radio.operations import OPERATIONS
from radio.store import Namespace, Record, open_store
from radio.switchboard import Switchboard
from radio.waiting import WaitingRoom

_logger = logging.getLogger(__name__)
# A lane's steps are in its own hands: so far beyond what the engine has seen they are believed, and where there is no
# engine, beyond what the lane said last.
_STEPS_AHEAD = 100
_STEPS_AHEAD_BY_HAND = 10_000
_REFUSALS_LOGGED_SECONDS = 0.5
_CLAIMS_OF_IDENTITY = ("from", "sender", "author", "lane", "origin")
# What the snapshot of a thread is made of; only these are stored under their thread.
_CONVERSATION = frozenset({EventType.MESSAGE_SENT})


class Hub:
    """One cell's radio.

    Attributes:
        ended: set when the hub is to stop.
    """

    def __init__(self, config: HubConfig) -> None:
        """Open a hub's store and bring its state back. In a running event loop only.

        Raises:
            SetupError, StoreError: the store cannot be used.
        """
        self.config = config
        self.store = open_store(config.store, Namespace(config.run, config.cell), real=config.real)
        clock = Clock()
        self.board = Switchboard(config.limits, config.policy, clock, self.store.read)
        last = self._bring_back()
        if last is not None:
            clock.resume(last.at, last.clock)
        self.journal = Journal(Path(config.events), self.store, self.board.seq)
        self.leases = Leases(self.board, self.store, config.admin_token)
        self.room = WaitingRoom(self.board, self._settle)
        self.mailboxes = Mailboxes({lane.name: Path(lane.mailbox) for lane in config.lanes if lane.mailbox})
        self._steps = {lane.name: lane.steps for lane in config.lanes if lane.steps}
        self.board.counted_step = self._counted_step
        self._held: list[tuple[Call, Answer]] = []
        self._flush_is_due = False
        self._refusals_are_due = False
        self._forget = False
        self.ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def _bring_back(self) -> Event | None:
        """Apply what the store holds; returns its last event."""
        last: Event | None = None
        try:
            for record in self.store.replay():
                last = decode(record.line)
                if last.seq != self.board.seq + 1:
                    raise StoreError(
                        f"the store has lost what was acknowledged: after event {self.board.seq} it holds {last.seq}"
                    )
                self.board.apply(last)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"the store holds what no hub wrote, after event {self.board.seq}: {error!r}"[:300]) from error
        self.board.stored = self.board.seq
        return last

    def open(self) -> None:
        """Join the lanes, and make every mailbox true, before anyone can connect."""
        self.board.join(lane.name for lane in self.config.lanes)
        self.board.record(EventType.HUB_STARTED, process=os.getpid())
        self._flush()
        for lane in self.board.lanes.values():
            self.mailboxes.set(lane.name, lane.something_waits)
            lane.unanswered.update(lane.listened)  # whoever waited when the last hub died asks again

    def step_of(self, caller: str, fields: Fields, name: str = "step") -> int | None:
        """The caller's step as it says, or as its file of steps says; None where nobody knows."""
        given = fields.optional_whole(name)
        if given is None or caller not in self.board.lanes:
            return given if given is not None else self._counted(caller)
        return min(given, self._furthest(caller))

    def _counted(self, lane: str) -> int | None:
        if lane in self._steps:
            with contextlib.suppress(OSError):
                file = os.lstat(self._steps[lane])
                if stat.S_ISREG(file.st_mode) and (file.st_size or self.config.counted):
                    return min(file.st_size, self._furthest(lane))
        return None

    def _furthest(self, lane: str) -> int:
        """The last step that is believed of a lane."""
        known = self.board.lanes[lane]
        if self.config.counted or known.ended:
            return known.ended + _STEPS_AHEAD
        return known.step + _STEPS_AHEAD_BY_HAND

    def _counted_step(self, lane: str) -> int:
        return self._counted(lane) or 0

    def stop(self, *, forget: bool) -> None:
        """End after the answers that are owed; with `forget`, leave nothing in a store that others use too."""
        self._forget = forget
        self._flush_soon()
        self._loop.call_later(0.01, self.ended.set)

    def close(self) -> None:
        self.board.flush_refusals()
        self.board.record(EventType.HUB_STOPPED, process=os.getpid())
        self._flush()
        self.journal.close()
        self.mailboxes.close()
        if self._forget:  # the log is whole by now
            self.store.forget()
        self.store.close()

    # -- calls

    def submit(self, call: Call) -> None:
        """Carry out one call; it is answered now or later."""
        try:
            answer = self._carry_out(call)
        except Refused as refusal:
            answer = self.refuse(call.caller, call.operation, refusal)
            key = call.fields.values.get("key")
            if call.operation in _HANDING_OUT and call.caller in self.board.lanes and isinstance(key, str):
                # A shell command confirms by its key whatever it was told: it was handed nothing, which is no second refusal.
                self.board.lanes[call.caller].offer(key[:80], "")
        if answer is not None:
            self._settle(call, answer)

    def _carry_out(self, call: Call) -> Answer | None:
        operation = OPERATIONS.get(call.operation)
        if operation is None:
            raise Refused(Reason.UNKNOWN_OPERATION, "there is no such operation")
        allowed = operation.for_engine if call.caller == HUB else operation.for_lanes
        if not allowed:
            raise Refused(Reason.NOT_ALLOWED, f"{call.operation} is not for this token")
        for name in call.fields.values:
            if name in operation.fields:
                continue
            if name in _CLAIMS_OF_IDENTITY:
                if call.fields.values[name] == call.caller:
                    continue
                raise Refused(Reason.FORGED_SENDER, f"field {name!r}: who speaks is known from the token alone")
            raise Refused(Reason.MALFORMED, f"{call.operation} has no field {name[:40]!r}")
        return operation.run(self, call)

    def decline(self, call: Call, refusal: Refused) -> None:
        """Refuse a call that did not come as far as an operation."""
        self._settle(call, self.refuse(call.caller, call.operation, refusal))

    def refuse(self, caller: str, operation: str, refusal: Refused) -> Answer:
        """Count a refusal, and put it into words for the caller."""
        self.board.refuse(caller, operation, refusal)
        if self.board.has_unlogged and not self._refusals_are_due:
            self._refusals_are_due = True
            self._loop.call_later(_REFUSALS_LOGGED_SECONDS, self._log_refusals)
        data = {"refused": refusal.reason.value, "text": str(refusal)}
        return Answer(data, f"refused ({refusal.reason}): {refusal}", refusal.reason)

    def _log_refusals(self) -> None:
        self._refusals_are_due = False
        self.board.flush_refusals()
        self._flush_soon()

    def _settle(self, call: Call, answer: Answer) -> None:
        """Answer when everything that the answer promises is stored."""
        if self.board.owed or self._held:
            self._held.append((call, answer))
            self._flush_soon()
            return
        if self.board.batch:
            self._flush_soon()
        call.respond(answer)

    def _flush_soon(self) -> None:
        if not self._flush_is_due:
            self._flush_is_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Store what was recorded; then, and not before, tell everyone: those who wait, and those who are owed an answer."""
        self._flush_is_due = False
        events, self.board.batch = self.board.batch, []
        held, self._held = self._held, []
        self.board.owed = False
        records = [Record(event.seq, event.thread if event.type in _CONVERSATION else "", event.encode()) for event in events]
        if records:
            self.store.append(records)
            self.board.stored = records[-1].seq
        touched = self._touched(events)
        self.room.wake(touched)
        for name in touched:
            self.mailboxes.set(name, self.board.lanes[name].something_waits)
        self.journal.append(records)
        for call, answer in held:
            call.respond(answer)

    def _touched(self, events: list[Event]) -> set[str]:
        """The lanes for which something may have changed."""
        touched: set[str] = set()
        for event in events:
            if event.type is EventType.MESSAGE_SENT:
                touched.update(event.data["mentions"])
            elif event.type in _CHANGES_LANE:
                touched.add(event.data["lane"])
        return touched


_HANDING_OUT = frozenset({"wait_for_mention", "inbox", "deliver", "watch"})
_CHANGES_LANE = frozenset({EventType.SIGNALLED, EventType.SHOWN, EventType.NOTICED, EventType.EXPIRED, EventType.FINISHED})
