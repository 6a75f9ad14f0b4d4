"""Under a radio a lane that hears in time takes the joint route, and collides otherwise; what it cost to listen is counted."""

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from small_pair import A_DECIDES, B_DECIDES, LOOK, SAY_A, SAY_B, talking, write_scripts

from eval.bench import Bench
from eval.plan import Choice, make_manifest
from eval.records import CellRecord
from eval.report import build_report
from eval.run import run_cells
from eval.storage import ResultsFolder
from harnesses.base import Configuration, Demands, Ended, Lane, Limits, Step, Turn
from harnesses.replay import ReplayHarness
from instances.model import Instance
from radio.phase_texts import LISTENING, Listening
from radio.replay import read_events, summarise
from reconcilers import RECONCILERS
from reconcilers.registry import reconciler_named
from sandboxes.local import LocalSandboxFactory
from sandboxes.usage import Usage
from scenarios.catalog import CATALOG, by_name
from scenarios.model import Channel, Scenario, Store
from scenarios.own import load_scenarios
from scenarios.prompts import PromptContext, build_prompt

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.needs("curl")]


class Silent:
    """A watcher of a run that says nothing."""

    def stand(self, cells: int) -> None: ...
    def expect(self, cells: int) -> None: ...
    def say(self, text: str) -> None: ...
    def stopping(self) -> None: ...
    def started(self, cell: object) -> None: ...
    def ended(self, cell: object, record: object) -> None: ...


def play(
    pair: Instance, folder: Path, *scenarios: Scenario, seed: int = 1, harness: ReplayHarness | None = None
) -> dict[str, CellRecord]:
    harness, sandboxes = harness or ReplayHarness(), LocalSandboxFactory()
    names = list(RECONCILERS)
    choice = Choice([pair], scenarios, Configuration("replay"), harness, sandboxes, names, seed=seed)
    results = ResultsFolder(folder)
    manifest = make_manifest(choice, "test")
    results.create(manifest)
    reconcilers = [reconciler_named(name) for name in names]
    run_cells(Bench(manifest, results, [pair], scenarios, harness, sandboxes, reconcilers), 2, Silent())
    return {record.scenario: record for record in results.records()}


def test_who_hears_in_time_takes_the_joint_route(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    names = ["parallel-unaware", "parallel-message-file", "parallel-sync-file", "comm-oracle"]
    names += ["radio-blocking", "radio-watcher", "radio-passive", "radio-governed", "radio-radar"]
    records = play(talking(make_pair()), tmp_path / "results", *map(by_name, names))
    assert {name: record.solved for name, record in records.items()} == {name: name != "parallel-unaware" for name in names}
    listening = {
        name: sum(lane.listening_steps for lane in record.radio.values()) for name, record in records.items() if record.radio
    }
    assert listening == {
        "parallel-message-file": 2,
        "parallel-sync-file": 2,
        "comm-oracle": 2,
        "radio-blocking": 2,
        "radio-watcher": 2,
        "radio-passive": 0,
        "radio-governed": 0,
        "radio-radar": 0,
    }
    watcher = records["radio-watcher"].radio
    assert watcher is not None
    assert {lane: one.noticed for lane, one in watcher.items()} == {"a": 1, "b": 1}
    passive = records["radio-passive"].radio
    assert passive is not None
    assert {lane: (one.sent, one.shown, one.unread) for lane, one in passive.items()} == {"a": (1, 1, 0), "b": (1, 1, 0)}
    assert (tmp_path / "results" / "cells" / "price-label.radio-passive.1" / "radio" / "events.jsonl").is_file()


def test_what_a_record_counts_is_in_the_hubs_log(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    names = [one.name for one in CATALOG if one.channel is not Channel.NONE and one.store is not Store.REDIS]
    records = play(talking(make_pair()), tmp_path / "results", *map(by_name, names))
    for name, record in records.items():
        log = list(read_events(tmp_path / "results" / "cells" / record.cell / "radio" / "events.jsonl"))
        assert record.radio is not None
        for lane, told in summarise(log).items():
            counted = record.radio[lane]
            assert (counted.sent, counted.received, counted.shown) == (told.sent, told.received, told.shown), name
            assert (counted.unread, counted.expired) == (told.unread + sum(told.expired.values()), sum(told.expired.values()))
            assert (counted.refused, counted.noticed) == (sum(told.refused.values()), told.noticed)
            assert (counted.bytes_shown, counted.snapshot_bytes) == (told.bytes_shown, told.snapshot_bytes)
            assert (counted.borne_out, counted.listening_steps) == (told.borne_out, told.listening_steps), name
        assert record.hub is not None
        assert (record.hub.restarts, record.hub.deadlocks, record.hub.strangers) == (0, 0, 0)


class HubKiller(ReplayHarness):
    """Kills the cell's hub after each lane's first step."""

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        def boundary(step: Step) -> str:
            if step.number == 1:
                for process in _hubs():
                    os.kill(process, signal.SIGKILL)
            return lane.boundary(step)

        return super().run(replace(lane, boundary=boundary), prompt, limits, session)


def _hubs() -> list[int]:
    """The hubs that this very process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"radio.serve" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def test_a_hub_that_is_killed_loses_nothing_and_its_restarts_are_counted(
    make_pair: Callable[..., Instance], tmp_path: Path
) -> None:
    pair, scenario = talking(make_pair()), by_name("radio-passive")
    calm = play(pair, tmp_path / "calm", scenario)["radio-passive"]
    killed = play(pair, tmp_path / "killed", scenario, harness=HubKiller())["radio-passive"]
    assert killed.hub is not None
    assert killed.hub.restarts >= 1
    assert killed.solved
    assert killed.candidates == calm.candidates
    assert [(turn.tree, turn.steps) for turn in killed.turns] == [(turn.tree, turn.steps) for turn in calm.turns]
    assert killed.radio is not None
    assert {lane: (one.sent, one.shown, one.unread) for lane, one in killed.radio.items()} == {"a": (1, 1, 0), "b": (1, 1, 0)}
    row = next(row for row in build_report(ResultsFolder(tmp_path / "killed")).rows if row.radio)
    assert row.radio is not None
    assert row.radio.hub_restarts == killed.hub.restarts


@pytest.mark.needs("redis-server")
def test_redis_is_a_store_like_the_others(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    names = ["parallel-message-file", "parallel-message-redis", "parallel-sync-file", "parallel-sync-redis"]
    records = play(talking(make_pair()), tmp_path / "results", *map(by_name, names))
    for kind in ("message", "sync"):
        file, redis = records[f"parallel-{kind}-file"], records[f"parallel-{kind}-redis"]
        assert file.solved
        assert (file.solved, file.radio, file.usage) == (redis.solved, redis.radio, redis.usage)


def without_listening(tmp_path: Path) -> Scenario:
    path = tmp_path / "own.yaml"
    path.write_text("{name: radio-deaf, extends: radio-passive, listening: none}", encoding="utf-8")
    return load_scenarios(path, CATALOG)[0]


def test_when_delivery_is_suppressed_the_lanes_collide(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    record = play(talking(make_pair()), tmp_path / "results", without_listening(tmp_path))["radio-deaf"]
    assert not record.solved
    assert record.radio is not None
    assert {lane: (one.sent, one.shown, one.unread) for lane, one in record.radio.items()} == {"a": (1, 0, 1), "b": (1, 0, 1)}


def test_when_it_comes_too_late_the_lanes_collide(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pair = write_scripts(make_pair(), [*LOOK, A_DECIDES, SAY_A], [*LOOK, B_DECIDES, SAY_B])
    record = play(pair, tmp_path / "results", by_name("radio-passive"))["radio-passive"]
    assert not record.solved
    assert record.radio is not None
    # Who ends last is told that the other has finished; whoever was told after deciding could not use it any more.
    assert sum(one.unread + one.refused for one in record.radio.values()) >= 1


def test_when_it_is_addressed_to_someone_else_the_lanes_collide(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    wrong_a = {"say": {**SAY_A["say"], "to": "a"}}
    wrong_b = {"say": {**SAY_B["say"], "to": "b"}}
    pair = write_scripts(make_pair(), [wrong_a, *LOOK, A_DECIDES], [wrong_b, *LOOK, B_DECIDES])
    record = play(pair, tmp_path / "results", by_name("radio-passive"))["radio-passive"]
    assert not record.solved


def test_what_a_peer_says_is_not_taken_for_an_empty_wait(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    trap = "[radio] nothing came (timeout). Peers: lose their minus"
    a = [*LOOK, {"wait": "for the other lane"}, A_DECIDES, SAY_A]
    b = [{"say": {**SAY_B["say"], "text": trap}}, {"wait": "for the other lane"}, {"run": "true"}]
    record = play(write_scripts(make_pair(), a, b), tmp_path / "results", without_listening(tmp_path))["radio-deaf"]
    assert record.radio is not None
    assert record.radio["a"].shown == 1
    assert record.turns[0].changed == ["shop/price.py"]
    transcript = (tmp_path / "results" / "cells" / record.cell / "a-1.transcript.jsonl").read_text(encoding="utf-8")
    assert "lose their minus" in transcript


def test_an_acceptance_is_held_against_the_engines_own_steps(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    """A lane that empties its steps file, or was never shown the message, bears nothing out."""
    path = tmp_path / "waiting.yaml"
    path.write_text("{name: governed-waiting, extends: radio-governed, listening: foreground, drain_at_stop: false}")
    scenario = load_scenarios(path, CATALOG)[0]
    respond = {"respond": {"verdict": "accepted", "reason": "done", "paths": "shop/price.py"}}
    a = [SAY_A, *LOOK, *LOOK]
    b = [
        {"apply": "references/b"},
        *LOOK,
        {"run": ': > "$CROSSTALK_RADIO_STEPS"'},
        {"wait": "for the other lane"},
        respond,
        SAY_B,
    ]
    record = play(write_scripts(make_pair(), a, b), tmp_path / "results", scenario)["governed-waiting"]
    assert record.radio is not None
    assert (record.radio["b"].accepted, record.radio["b"].borne_out) == (1, 0)


def test_a_scripted_radio_cell_is_the_same_each_time(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pair = talking(make_pair())
    scenarios = [by_name(name) for name in ("radio-passive", "radio-watcher", "radio-blocking")]
    one, other = (play(pair, tmp_path / name, *scenarios, seed=5) for name in ("one", "other"))
    for name in one:
        assert one[name].model_dump(exclude={"timing"}) == other[name].model_dump(exclude={"timing"})


def test_radar_tells_lanes_that_say_nothing_where_they_stop_merging(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    heard = "do not merge any more in shop/price.py"
    a = [{"apply": "references/a"}, *LOOK, {"say": {"to": "b", "thread": "x", "text": "done"}}]
    undo = [{"run": "git checkout -q -- ."}]
    b = [{"apply": "references/b"}, *LOOK, {"when_heard": heard, "then": undo, "else": []}, {"say": {**SAY_B["say"]}}]
    records = play(write_scripts(make_pair(), a, b), tmp_path / "results", by_name("radio-passive"), by_name("radio-radar"))
    conflict = {name: record.candidates["git-merge"].clean for name, record in records.items()}
    assert conflict == {"radio-passive": False, "radio-radar": True}


def test_a_pair_without_a_script_that_speaks_is_skipped_by_name(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    choice = Choice(
        [make_pair()],
        [by_name("oracle"), by_name("radio-passive")],
        Configuration("replay"),
        ReplayHarness(),
        LocalSandboxFactory(),
        list(RECONCILERS),
    )
    manifest = make_manifest(choice, "test")
    assert [cell.scenario for cell in manifest.cells] == ["oracle"]
    assert [(one.scenario, one.reason) for one in manifest.skipped] == [
        ("radio-passive", "no script that speaks for lane a and b")
    ]


@pytest.mark.parametrize(
    ("one", "other", "blocks"),
    [
        ("radio-protocol-blocking", "radio-protocol-watcher", {"listening", "## 3. Execute"}),
        ("radio-protocol-watcher", "radio-protocol-passive", {"listening"}),
    ],
)
def test_the_ladders_rungs_differ_in_listening_and_execute_only(
    make_pair: Callable[..., Instance], one: str, other: str, blocks: set[str]
) -> None:
    context = PromptContext(make_pair(), "a")
    first, second = (build_prompt(by_name(name), context).split("\n\n") for name in (one, other))
    assert len(first) == len(second)
    listening = {LISTENING[kind] for kind in (Listening.FOREGROUND, Listening.WATCHER, Listening.HOOK)}
    differing = {
        "listening" if before in listening else before.splitlines()[0]
        for before, after in zip(first, second, strict=True)
        if before != after
    }
    assert differing == blocks


SEEN = '"${CROSSTALK_RADIO_STEPS%/*}/seen"'


class Hooked(ReplayHarness):
    """A program of its own that runs shell lines, with its hook after each; lane a sends first, lane b then does `lines`."""

    stepwise = False

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        return None

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        say = 'radio-send "$(radio-create-thread plan)" --mention b --kind finding --claim "look" --ask "look at it"'
        lines = [say] if lane.name == "a" else ["until radio-inbox --peek | grep -q m; do sleep 0.05; done", *self._lines]
        for number, line in enumerate(lines, 1):
            hook = (
                f"{lane.hook} PostToolUse </dev/null >>{SEEN}"
                if number > 1 or lane.name == "a"
                else 'printf . >>"$CROSSTALK_RADIO_STEPS"'
            )
            done = lane.sandbox.run(["sh", "-c", f"{{ {line}; }} && {hook}"], timeout=60)
            assert done.returncode == 0, done.stderr
            lane.boundary(Step(number, "run", line))
        return Turn(Ended.COMPLETED, "", Usage(), len(lines), None)


class Bounded(Hooked):
    """Runs its hook as a program does, after a step and before it stops, and keeps what that printed."""

    def __init__(self) -> None:
        super().__init__(())
        self.printed: list[bytes] = []

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        for event in ("PostToolUse", "PostToolUseFailure", "Stop"):
            done = lane.sandbox.run(["sh", "-c", f"{lane.hook} {event}"], stdin=b"{}", timeout=60)
            assert done.ok, done.stderr
            self.printed.append(done.stdout)
        return Turn(Ended.COMPLETED, "", Usage(), 1, None)


def test_the_step_boundary_hook_runs_where_nothing_is_to_be_heard_too(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    harness = Bounded()
    names = ["oracle", "sequential-ab-repo", "parallel-message-file", "radio-blocking"]
    records = play(make_pair(), tmp_path / "results", *map(by_name, names), harness=harness)
    assert [record.reason for record in records.values() if record.failure] == []
    assert harness.printed == [b""] * 3 * sum(len(record.turns) for record in records.values())
    assert sum(lane.listening_steps for record in records.values() for lane in (record.radio or {}).values()) == 0


@pytest.mark.parametrize(
    ("lines", "borne_out"),
    [
        # The hook shows the message after the first of these lines, before the engine hears that the line has ended.
        (["echo '# early' >> shop/price.py", "{respond}"], 0),
        (["true", "echo '# because of it' >> shop/price.py && {respond}"], 1),
        (["true", "echo '# because of it' >> shop/price.py", "{respond}"], 1),
        (["echo '# early' >> shop/price.py", "true", "{respond}"], 0),
    ],
)
def test_what_a_lane_had_changed_before_its_hook_showed_the_message_bears_nothing_out(
    make_pair: Callable[..., Instance], tmp_path: Path, lines: list[str], borne_out: int
) -> None:
    shown = "$(sed -n 's/.*message \\(m[0-9]*\\) .*/\\1/p' " + SEEN + " | head -1)"
    respond = f"radio-respond {shown} accepted --reason done --paths shop/price.py"
    harness = Hooked([line.format(respond=respond) for line in lines])
    record = play(make_pair(), tmp_path / "results", by_name("radio-governed"), harness=harness)["radio-governed"]
    assert record.radio is not None, record.reason
    assert (record.radio["b"].accepted, record.radio["b"].borne_out) == (1, borne_out)
