"""The engine: plays one cell's lanes under its scenario, and gives back what each turn left behind."""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from harnesses.base import Company, Ended, Harness, Lane, Limits, ReplaySource, Step, Turn
from harnesses.script import script_name
from instances.model import Instance
from sandboxes.base import Mount, Sandbox, SandboxFactory, SandboxSpec
from sandboxes.environments import Environment
from sandboxes.gitstore import GitStore
from sandboxes.recorder import Capture, CaptureLimits, Recorder
from scenarios.model import GoldTests, History, Listening, Scenario, Schedule
from scenarios.prompts import GOLD_FOLDER, PromptContext, build_prompt
from scenarios.radio_link import INSIDE, HubCounts, LaneCounts, RadioLink, open_radio
from scenarios.schedule import StepSchedule

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# Caches that Python and pytest would leave in the tree are no part of anyone's change, and two lanes' caches would conflict.
NO_LITTER = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider"}
# Where no messages come by it, the hook at a step boundary is the shell builtin that does nothing: it is run in every scenario.
_SILENT_HOOK = ":"


@dataclass(frozen=True)
class Stage:
    """What cells of one instance are played on.

    Attributes:
        store: the harness's own git, outside every lane.
        base: the base's tree in it.
        environment: the interpreter and packages that lanes and gradings see, read-only.
        sandboxes: opens the lanes' sandboxes.
        limits: of each turn; `capture_limits` of what a turn may leave behind.
    """

    store: GitStore
    base: str
    environment: Environment
    sandboxes: SandboxFactory
    limits: Limits = field(default_factory=Limits)
    capture_limits: CaptureLimits = field(default_factory=CaptureLimits)


@dataclass(frozen=True)
class PlayedTurn:
    """One turn: the lane, its prompt, the tree it began with, how it ended, and what it left on disk."""

    lane: str
    number: int
    prompt: str
    start: str
    turn: Turn
    capture: Capture


@dataclass(frozen=True)
class Played:
    """What playing a cell gave.

    Attributes:
        turns: in the order they were started; of parallel lanes, by lane.
        tree: the one tree that a single or serial schedule ends with; `None` of parallel lanes, or over the capture limit.
        events: what happened, in order.
        radio: what was counted for each lane, where there was a radio; `hub` for all, `radio_events` is the hub's own log.
        radio_fault: why nothing could be delivered; empty where delivery works.
    """

    turns: tuple[PlayedTurn, ...]
    tree: str | None
    events: tuple[dict[str, Any], ...]
    radio: Mapping[str, LaneCounts] = field(default_factory=dict)
    hub: HubCounts | None = None
    radio_events: bytes = b""
    radio_fault: str = ""

    def infrastructure(self) -> str:
        """Why the cell says nothing about the agents; empty when it does."""
        reasons = [
            f"lane {one.lane}, turn {one.number}: {one.turn.reason}"
            for one in self.turns
            if one.turn.ended is Ended.INFRASTRUCTURE
        ]
        return "; ".join([*reasons, self.radio_fault] if self.radio_fault else reasons)


class _Log:
    """The cell's events, appended by the lanes' threads under one lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.events: list[dict[str, Any]] = []

    def append(self, **event: Any) -> None:
        with self._lock:
            self.events.append(event)


@dataclass(frozen=True)
class Draw:
    """What chance decides in a cell: the seed of its schedule, and the side that comes first where order is free."""

    seed: str
    first_side: str

    @classmethod
    def of(cls, seed: int, instance: str, scenario: str, repeat: int) -> "Draw":
        """The draw of a cell. From one repeat to the next the first side alternates, alike in every scenario."""
        start = hashlib.sha256(f"{seed}/{instance}".encode()).digest()[0]
        return cls(f"{seed}/{instance}/{scenario}/{repeat}", "ab"[(start + repeat) % 2])


def play(instance: Instance, scenario: Scenario, harness: Harness, draw: Draw, stage: Stage, scratch: Path) -> Played:
    """Play one cell in the empty folder `scratch`.

    Raises:
        HarnessError, SandboxError: the program or the machine broke; nothing is said about the agents.
    """
    player = _Player(instance, scenario, harness, draw, stage, scratch)
    if scenario.schedule is Schedule.PARALLEL:
        radio = open_radio(scenario, draw.seed, scratch, harness)
        return player.parallel() if radio is None else player.with_radio(radio)
    turns = player.serial(scenario.order or scenario.lanes)
    tree = None if any(one.capture.over_limit for one in turns) else turns[-1].capture.tree
    return Played(tuple(turns), tree, tuple(player.log.events))


class _Player:
    def __init__(self, instance: Instance, scenario: Scenario, harness: Harness, draw: Draw, stage: Stage, scratch: Path) -> None:
        self.instance, self.scenario, self.harness = instance, scenario, harness
        self.draw, self.stage, self.scratch = draw, stage, scratch
        self.log = _Log()
        self.radio: RadioLink | None = None
        self.schedule: StepSchedule | None = None
        self.private: dict[str, Path] = {}

    def serial(self, order: Sequence[str]) -> list[PlayedTurn]:
        """Turns after one another, each on the tree that the one before left."""
        played: list[PlayedTurn] = []
        history = [self.stage.base]
        sessions: dict[str, str | None] = {}
        for lane in order:
            number = 1 + sum(one.lane == lane for one in played)
            seen = history if self.scenario.history is History.DIFFS else history[-1:]
            session = sessions.get(lane) if self.scenario.resume_session else None
            one = self._turn(lane, number, seen, session, lambda step: None)
            played.append(one)
            sessions[lane] = one.turn.session
            if one.turn.ended is Ended.INFRASTRUCTURE or one.capture.tree is None:
                break
            history.append(one.capture.tree)
        return played

    def with_radio(self, radio: RadioLink) -> Played:
        """Parallel lanes with a radio, and what it counted."""
        with radio:
            self.radio = radio
            radio.watch_trees(self.stage.store, self.stage.base)
            played = self.parallel()
            steps = {
                lane: [event["tree"] for event in played.events if event["lane"] == lane and event["kind"] == "step"]
                for lane in self.scenario.lanes
            }
            ends = {one.lane: one.capture.tree for one in played.turns}
            radio.verify(self.stage.store, self.stage.base, steps, ends)
            counts, hub = radio.counts(), radio.hub_counts()
            return replace(played, radio=counts, hub=hub, radio_fault=radio.fault(), radio_events=radio.events())

    def parallel(self) -> Played:
        """One turn a lane, at the same time; scripted lanes move one step at a time, in a seeded order."""
        lanes = self.scenario.lanes
        self.schedule = schedule = StepSchedule(lanes, self.draw.seed) if self.harness.stepwise else None

        def one_lane(lane: str) -> PlayedTurn:
            if schedule is None:
                return self._turn(lane, 1, [self.stage.base], None, lambda step: None)
            try:
                schedule.enter(lane)
                return self._turn(lane, 1, [self.stage.base], None, lambda step: schedule.next(lane))
            finally:
                schedule.leave(lane)

        with ThreadPoolExecutor(len(lanes), thread_name_prefix="lane") as pool:
            turns = tuple(pool.map(one_lane, lanes))
        return Played(turns, None, tuple(self.log.events))

    def _turn(
        self, lane: str, number: int, history: Sequence[str], session: str | None, after_step: Callable[[Step], None]
    ) -> PlayedTurn:
        folder = self.scratch / secrets.token_hex(4)
        workspace = folder / "workspace"
        folder.mkdir()
        self.stage.store.prepare_workspace(workspace, history)
        recorder = Recorder(self.stage.store, workspace, history[-1], self.stage.capture_limits)

        def boundary(step: Step) -> str:
            tree = recorder.snapshot().tree
            self.log.append(kind="step", lane=lane, turn=number, step=step.number, tool=step.tool, tree=tree)
            after_step(step)
            return self.radio.boundary(lane, step.number, tree) if self.radio else ""

        prompt = build_prompt(self.scenario, PromptContext(self.instance, lane, self.draw.first_side, number))
        self.log.append(kind="turn-started", lane=lane, turn=number, tree=history[-1])
        with closing(self.stage.sandboxes.open(self._spec(workspace, folder, lane))) as sandbox:
            context = self._lane(lane, number, workspace, sandbox, boundary)
            turn = self.harness.run(context, prompt, self.stage.limits, session)
        if self.radio:
            self.radio.finish(lane, turn.ended)
        capture = recorder.capture()
        self.log.append(kind="turn-ended", lane=lane, turn=number, ended=turn.ended, tree=capture.tree)
        return PlayedTurn(lane, number, prompt, history[-1], turn, capture)

    def _lane(self, lane: str, number: int, workspace: Path, sandbox: Sandbox, boundary: Callable[[Step], str]) -> Lane:
        radio = self.radio
        hooked = radio is not None and self.scenario.listening is Listening.HOOK
        return Lane(
            name=lane,
            workspace=workspace,
            sandbox=sandbox,
            boundary=boundary,
            replay=self._replay_source(lane),
            listening=self.scenario.listening,
            stopping=lambda step: radio.stopping(lane, step) if radio else "",
            pause=lambda: self._pause(lane),
            turn=number,
            company=Company(str(self.scratch), len(self.scenario.lanes)) if self.scenario.schedule is Schedule.PARALLEL else None,
            hook=f"{sandbox.path_inside(f'{INSIDE}/bin')}/radio-hook" if hooked else _SILENT_HOOK,
        )

    def _pause(self, lane: str) -> bool:
        """Let the others move until one has; false when none of them will."""
        return self.schedule.pause(lane) if self.schedule else False

    def _spec(self, workspace: Path, folder: Path, lane: str) -> SandboxSpec:
        environment = self.stage.environment
        if lane not in self.private:
            self.private[lane] = self.scratch / secrets.token_hex(4)
            self.private[lane].mkdir()
        fitting = self.harness.fitting(self.private[lane])
        mounts = [*environment.mounts, *fitting.mounts]
        variables, path = dict(NO_LITTER), f"{environment.executable.parent}:{SYSTEM_PATH}"
        if self.scenario.gold_tests is not GoldTests.NONE:
            gold = folder / "gold"
            suites = ("a", "b", "joint") if self.scenario.gold_tests is GoldTests.ALL else (lane,)
            _lay_out_gold_tests(self.instance, [suite for suite in suites if suite in self.instance.tests], gold)
            mounts.append(Mount(gold, GOLD_FOLDER))
        if self.radio:
            mounts += self.radio.mounts(lane)
            more, commands = self.radio.variables(lane, self.stage.sandboxes.isolated)
            variables, path = {**variables, **more}, f"{commands}:{path}"
        owner = f"{self.instance.id} {self.scenario.name} {lane}"
        return SandboxSpec(workspace, tuple(mounts), {"PATH": path, **variables}, fitting.network, owner, environment.image)

    def _replay_source(self, lane: str) -> ReplaySource:
        scenario = self.scenario
        reference = "references/joint" if lane == "both" else f"references/{lane}"
        return ReplaySource(
            self.instance.replay / f"{script_name(lane, scenario.protocol)}.json",
            self.instance.patch,
            reference,
            channel=scenario.channel,
            listening=scenario.listening,
            envelope=scenario.envelope,
            dispositions=scenario.dispositions,
            delegates=scenario.delegate,
        )


def _lay_out_gold_tests(instance: Instance, suites: Sequence[str], gold: Path) -> None:
    for suite in suites:
        for name, source in instance.tests[suite].overlay_files():
            target = gold / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
