"""The engine's side of a cell's radio: the hub, what each lane is given of it, delivery at step boundaries, what was counted."""

import os
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from harnesses.base import Harness
from radio.client import RadioClient
from radio.delivery import deliver, delivery_fault, mail_waits
from radio.errors import Reason, Refused
from radio.hub_process import COMMANDS, HubProcess, LaneCredentials
from radio.message import Disposition, Verdict
from radio.policy import EnvelopeRule, Limits, Policy, latest_dispositions, verify_disposition
from radio.radar import Radar
from sandboxes.base import Mount
from sandboxes.errors import SandboxError
from sandboxes.gitstore import GitStore
from scenarios.model import Channel, Listening, Scenario, Store
from scenarios.private_redis import PrivateRedis
from scenarios.prompts import GOVERNED_LIMITS

INSIDE = "/crosstalk"
NOTICE = "[background task radio-watch has ended: messages wait for you; radio-inbox prints them]"


@dataclass(frozen=True)
class LaneCounts:
    """What the radio counted for one lane.

    Attributes:
        listening_steps: steps spent on waiting for or reading messages.
        bytes_shown: of all that was put before the lane's model; `snapshot_bytes` is how much of it were its threads' snapshots.
        unread: mentions that never came before the lane's model; `expired` is how many of them ran out.
        accepted: messages that the lane says it has acted on; `borne_out` is for how many of them its files show it.
    """

    sent: int
    received: int
    shown: int
    noticed: int
    unread: int
    expired: int
    refused: int
    listening_steps: int
    drains: int
    accepted: int
    borne_out: int
    bytes_shown: int
    snapshot_bytes: int


@dataclass(frozen=True)
class HubCounts:
    """What was counted for the cell's hub as a whole.

    Attributes:
        restarts: how often it died unasked and was brought back.
        deadlocks: how often everyone waited for someone who could not come.
        strangers: requests refused because their token is for no lane of the cell.
    """

    restarts: int
    deadlocks: int
    strangers: int


def lacking(scenario: Scenario) -> str:
    """What this machine lacks for a scenario's store; empty where nothing is missing."""
    if scenario.store is not Store.REDIS:
        return ""
    if find_spec("redis") is None:
        return "needs the package redis: pip install 'crosstalk-bench[redis]'"
    if "CROSSTALK_REDIS_URL" not in os.environ and shutil.which("redis-server") is None:
        return "needs a Redis: install redis-server, or set CROSSTALK_REDIS_URL"
    return ""


class RadioLink:
    """The radio of one cell, open from `__enter__` to `__exit__`. Its radar is guarded by one lock."""

    def __init__(self, scenario: Scenario, cell: str, folder: Path, harness: Harness) -> None:
        self.scenario, self.cell, self.folder, self.harness = scenario, cell, folder, harness
        self._stack = ExitStack()
        self._lock = Lock()
        self._radar: Radar | None = None
        self._trees: dict[str, str] = {}
        self._boundaries: dict[str, int] = {}
        self._clients: dict[str, RadioClient] = {}
        self._accepted: Counter[str] = Counter()
        self._borne_out: Counter[str] = Counter()

    def __enter__(self) -> "RadioLink":
        try:
            self.hub = self._stack.enter_context(
                HubProcess(
                    self.folder / "radio",
                    # One Redis may serve many runs: nothing of another one may be met in it.
                    secrets.token_hex(8),
                    re.sub(r"[^A-Za-z0-9.-]", ".", self.cell)[-100:],
                    self.scenario.lanes,
                    store=self._store_address(),
                    limits=GOVERNED_LIMITS if self.scenario.limits else Limits(),
                    policy=Policy(
                        envelope=EnvelopeRule.REQUIRED if self.scenario.envelope else EnvelopeRule.OFF,
                        dispositions=self.scenario.dispositions,
                        drains_at_stop=int(self.scenario.drain_at_stop),
                    ),
                    real=not self.harness.scripted,
                    forget=True,
                    counted=self.harness.stepwise or self.scenario.listening is Listening.HOOK,
                )
            )
            for lane in self.scenario.lanes:
                self._clients[lane] = self.hub.client(lane)
                if self.scenario.listening is Listening.HOOK:
                    self.hub.canary(lane)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def _store_address(self) -> str:
        if self.scenario.store is not Store.REDIS:
            return str(self.scenario.store)
        if named := os.environ.get("CROSSTALK_REDIS_URL"):
            return named
        return self._stack.enter_context(PrivateRedis())

    def mounts(self, lane: str) -> tuple[Mount, ...]:
        """What a lane sees of the radio: its own folder, the socket, the commands; nothing of the store or of other lanes."""
        credentials = self._credentials(lane)
        return (
            Mount(credentials.directory, f"{INSIDE}/lane"),
            Mount(credentials.own, f"{INSIDE}/lane/{credentials.own.name}", writable=True),
            Mount(credentials.socket.parent, f"{INSIDE}/socket"),
            Mount(COMMANDS, f"{INSIDE}/bin"),
        )

    def variables(self, lane: str, isolated: bool) -> tuple[dict[str, str], str]:
        """The variables of a lane's shell, and the folder of the commands for its PATH."""
        credentials = self._credentials(lane)
        if not isolated:
            return credentials.environment(), str(COMMANDS)
        return credentials.environment(socket=f"{INSIDE}/socket/hub.sock", directory=f"{INSIDE}/lane"), f"{INSIDE}/bin"

    def _credentials(self, lane: str) -> LaneCredentials:
        return self.hub.lanes[lane]

    def watch_trees(self, store: GitStore, base: str) -> None:
        """Switch the radar on, where the scenario has one."""
        if self.scenario.radar:
            self._radar = Radar(store, base)

    def boundary(self, lane: str, step: int, tree: str | None) -> str:
        """A step of a lane has ended: what surfaces before its next model call.

        A real program's own hook brings messages before its model; for a stepwise agent it is done here, by the same code path.
        """
        self._boundaries[lane] = step
        self._ask("step_ended", {"lane": lane, "step": step})
        if self._radar is not None and tree is not None:
            with self._lock:
                self._trees[lane] = tree
                sweep = self._radar.look(self._trees)
                self._radar.announce(sweep, self._ask)
        if not self.harness.stepwise:
            return ""
        credentials, client = self._credentials(lane), self._clients[lane]
        _count_step(credentials.steps)
        if self.scenario.listening is Listening.HOOK:
            return deliver(credentials.mailbox, client, step).text or ""
        if self.scenario.listening is Listening.WATCHER and mail_waits(credentials.mailbox):
            return NOTICE if self._ask("notice", {"lane": lane})["told"] else ""
        return ""

    def stopping(self, lane: str, step: int) -> str:
        """A scripted lane is about to stop: what it is shown once more, where the scenario drains."""
        if self.scenario.listening is not Listening.HOOK or not self.scenario.drain_at_stop:
            return ""
        return deliver(self._credentials(lane).mailbox, self._clients[lane], step, stopping=True).text or ""

    def mail_waits(self, lane: str) -> bool:
        return mail_waits(self._credentials(lane).mailbox)

    def finish(self, lane: str, reason: str) -> None:
        """The lane has ended: what it did not see expires, and nothing more is sent to it."""
        self.hub.finish(lane, reason)

    def fault(self) -> str:
        """Why delivery could not have worked in some lane, by its canary; empty where it works."""
        counters = self.hub.counters()
        faults = (delivery_fault(counters[lane], boundaries=count) for lane, count in self._boundaries.items())
        return "; ".join(fault for fault in faults if fault)

    def verify(
        self, store: GitStore, base: str, steps: Mapping[str, Sequence[str | None]], ends: Mapping[str, str | None]
    ) -> None:
        """Hold each acceptance against the lane's snapshots: did the named paths change after the message was shown?

        Args:
            steps: the tree after each step, by lane; `ends` the tree at the end.
        """
        if not self.scenario.dispositions:
            return
        shown: dict[tuple[str, str], int] = {}
        answers: list[Disposition] = []
        ended = dict.fromkeys(self.scenario.lanes, 0)
        for event in self._log():
            if event["type"] == "step_ended":
                ended[event["lane"]] = event["step"]
            elif event["type"] == "shown":
                step = _seen_after(event, ended[event["lane"]])
                shown.update({(event["lane"], message): step for message in event["messages"]})
            elif event["type"] == "responded":
                verdict = Verdict(event["verdict"])
                answers.append(Disposition(event["message"], event["lane"], verdict, event["reason"], tuple(event["paths"])))
        for (message, lane), answer in latest_dispositions(answers).items():
            if answer.verdict is not Verdict.ACCEPTED:
                continue
            changed = self._changed_since(shown.get((lane, message)), store, [base, *steps.get(lane, ())], ends.get(lane))
            checked = verify_disposition(answer, changed)
            self._accepted[lane] += 1
            self._borne_out[lane] += checked.holds
            fields = {"lane": lane, "message": message, "holds": checked.holds, "unchanged": list(checked.unchanged)}
            self._ask("verified", fields)

    def _changed_since(self, shown: int | None, store: GitStore, trees: Sequence[str | None], end: str | None) -> tuple[str, ...]:
        """What a lane changed after the step in which a message was shown; nothing if it never was."""
        if shown is None or end is None:
            return ()
        before = next(tree for tree in reversed(trees[: shown + 1]) if tree is not None)
        return store.changed_paths(before, end)

    def _ask(self, operation: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the hub in the engine's name.

        Raises:
            SandboxError: it refuses. That is a fault of the bench, of this cell alone.
        """
        try:
            return self.hub.admin(operation, fields)
        except Refused as refusal:
            if refusal.reason is Reason.RECIPIENT_FINISHED:
                raise
            raise SandboxError(f"the radio refuses the engine's {operation}: {refusal}") from refusal

    def _log(self) -> Iterator[Mapping[str, Any]]:
        after = 0
        while page := self.hub.admin("events", {"after": after})["events"]:
            yield from page
            after = page[-1]["seq"]

    def counts(self) -> dict[str, LaneCounts]:
        """What was counted, by lane."""
        return {
            lane: LaneCounts(
                sent=one["sent"],
                received=one["received"],
                shown=one["shown"],
                noticed=one["noticed"],
                unread=one["unread"] + one["expired"],
                expired=one["expired"],
                refused=sum(one["refused"].values()),
                listening_steps=one["listening_steps"],
                drains=one["drains"],
                accepted=self._accepted[lane],
                borne_out=self._borne_out[lane],
                bytes_shown=one["bytes_shown"],
                snapshot_bytes=one["snapshot_bytes"],
            )
            for lane, one in self.hub.counters().items()
        }

    def hub_counts(self) -> HubCounts:
        state = self.hub.admin("state")
        return HubCounts(self.hub.restarts, state["deadlocks"], sum(state["refused_unknown"].values()))

    def events(self) -> bytes:
        """The hub's event log so far."""
        return self.hub.events.read_bytes() if self.hub.events.is_file() else b""


def _seen_after(event: Mapping[str, Any], ended: int) -> int:
    """The step after which a lane's model got to see a delivery, by the log's own order.

    Args:
        ended: the lane's last step that the engine had seen end by then. A program's own hook runs before the engine hears of
            the step; then the step that the hook counted says so, of which one more than the engine's is believed.
    """
    if event["via"] in ("step", "stop"):
        return min(max(event["step"] or 0, ended), ended + 1)
    return ended + 1


def open_radio(scenario: Scenario, cell: str, folder: Path, harness: Harness) -> RadioLink | None:
    """The radio of a cell, not yet open; `None` where the scenario has no channel."""
    return None if scenario.channel is Channel.NONE else RadioLink(scenario, cell, folder, harness)


def _count_step(path: Path) -> None:
    """One more byte in a lane's steps file. The lane may have put anything in its place: nothing is followed or waited for."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.write(descriptor, b".")
        finally:
            os.close(descriptor)
