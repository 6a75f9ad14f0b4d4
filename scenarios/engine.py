"""The engine: plays one cell's lanes under its scenario, and gives back what each turn left behind."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from harnesses.base import Ended, Harness, Lane, Limits, ReplaySource, Step, Turn
from instances.model import Instance
from sandboxes.base import Mount, SandboxFactory, SandboxSpec
from sandboxes.environments import Environment
from sandboxes.gitstore import GitStore
from sandboxes.recorder import Capture, CaptureLimits, Recorder
from scenarios.model import GoldTests, History, Scenario, Schedule
from scenarios.prompts import GOLD_FOLDER, PromptContext, build_prompt
from scenarios.schedule import StepSchedule

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# Caches that Python and pytest would leave in the tree are no part of anyone's change, and two lanes' caches would conflict.
NO_LITTER = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider"}


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
    """

    turns: tuple[PlayedTurn, ...]
    tree: str | None
    events: tuple[dict[str, Any], ...]

    def infrastructure(self) -> str:
        """Why the cell says nothing about the agents; empty when it does."""
        reasons = [
            f"lane {one.lane}, turn {one.number}: {one.turn.reason}"
            for one in self.turns
            if one.turn.ended is Ended.INFRASTRUCTURE
        ]
        return "; ".join(reasons)


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
        turns = player.parallel()
        tree = None
    else:
        order = scenario.order or scenario.lanes
        turns = player.serial(order)
        tree = None if any(one.capture.over_limit for one in turns) else turns[-1].capture.tree
    return Played(tuple(turns), tree, tuple(player.log.events))


class _Player:
    def __init__(self, instance: Instance, scenario: Scenario, harness: Harness, draw: Draw, stage: Stage, scratch: Path) -> None:
        self.instance, self.scenario, self.harness = instance, scenario, harness
        self.draw, self.stage, self.scratch = draw, stage, scratch
        self.log = _Log()

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

    def parallel(self) -> list[PlayedTurn]:
        """One turn a lane, at the same time; scripted lanes move one step at a time, in a seeded order."""
        lanes = self.scenario.lanes
        schedule = StepSchedule(lanes, self.draw.seed) if self.harness.scripted else None

        def one_lane(lane: str) -> PlayedTurn:
            if schedule is None:
                return self._turn(lane, 1, [self.stage.base], None, lambda step: None)
            try:
                schedule.enter(lane)
                return self._turn(lane, 1, [self.stage.base], None, lambda step: schedule.next(lane))
            finally:
                schedule.leave(lane)

        with ThreadPoolExecutor(len(lanes), thread_name_prefix="lane") as pool:
            return list(pool.map(one_lane, lanes))

    def _turn(
        self, lane: str, number: int, history: Sequence[str], session: str | None, after_step: Callable[[Step], None]
    ) -> PlayedTurn:
        folder = self.scratch / f"{lane}-{number}"
        workspace = folder / "workspace"
        folder.mkdir()
        self.stage.store.prepare_workspace(workspace, history)
        recorder = Recorder(self.stage.store, workspace, history[-1], self.stage.capture_limits)

        def boundary(step: Step) -> str:
            tree = recorder.snapshot().tree
            self.log.append(kind="step", lane=lane, turn=number, step=step.number, tool=step.tool, tree=tree)
            after_step(step)
            return ""

        context = PromptContext(self.instance, lane, self.draw.first_side, number)
        prompt = build_prompt(self.scenario, context)
        self.log.append(kind="turn-started", lane=lane, turn=number, tree=history[-1])
        with closing(self.stage.sandboxes.open(self._spec(workspace, folder, lane))) as sandbox:
            run_context = Lane(lane, workspace, sandbox, boundary, self._replay_source(lane))
            turn = self.harness.run(run_context, prompt, self.stage.limits, session)
        capture = recorder.capture()
        self.log.append(kind="turn-ended", lane=lane, turn=number, ended=turn.ended, tree=capture.tree)
        return PlayedTurn(lane, number, prompt, history[-1], turn, capture)

    def _spec(self, workspace: Path, folder: Path, lane: str) -> SandboxSpec:
        environment = self.stage.environment
        mounts = list(environment.mounts)
        if self.scenario.gold_tests is not GoldTests.NONE:
            gold = folder / "gold"
            suites = ("a", "b", "joint") if self.scenario.gold_tests is GoldTests.ALL else (lane,)
            _lay_out_gold_tests(self.instance, suites, gold)
            mounts.append(Mount(gold, GOLD_FOLDER))
        variables = {"PATH": f"{environment.executable.parent}:{SYSTEM_PATH}", **NO_LITTER}
        return SandboxSpec(workspace, tuple(mounts), variables)

    def _replay_source(self, lane: str) -> ReplaySource:
        reference = "references/joint" if lane == "both" else f"references/{lane}"
        return ReplaySource(self.instance.replay / f"{lane}.json", self.instance.patch, reference)


def _lay_out_gold_tests(instance: Instance, suites: Sequence[str], gold: Path) -> None:
    for suite in suites:
        overlay = instance.tests[suite].overlay
        if overlay is None:
            continue
        for source in sorted(overlay.rglob("*")):
            if source.is_file():
                target = gold / source.relative_to(overlay)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
