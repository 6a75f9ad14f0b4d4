"""Every harness through the whole engine, on the scripted pairs.

Each scenario is played by one of them at least, and each of them in each schedule, listening mode and other field that it can
honour, pairwise. What surfaced in a program decides its route, which is the replay harness's.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from eval.records import CellRecord
from eval.storage import ResultsFolder
from harnesses.registry import HARNESSES, SCRIPTED_MODEL, open_harness
from instances.load import select
from instances.model import Instance
from sandboxes.errors import SetupError
from scenarios.catalog import CATALOG, by_name
from scenarios.model import Channel, Listening, Protocol, Scenario, Schedule
from scenarios.radio_link import lacking

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.needs("curl"), pytest.mark.needs("redis-server")]

REPLAY = "replay"
PROGRAMS = [name for name in HARNESSES if name != REPLAY]
# What scenarios are made of; who they are told by, and their names, aside.
FIELDS = (
    *("schedule", "requirement", "history", "gold_tests", "radar", "delegate", "channel"),
    *("store", "listening", "protocol", "envelope", "resume_session"),
)


@cache
def pairs() -> tuple[Instance, ...]:
    return tuple(select(["signoff-deputies", "nightshift-run-times"]))


@cache
def playable(harness: str) -> dict[str, tuple[Scenario, ...]]:
    """What a harness can play, by pair."""
    with open_harness(harness, None if harness == REPLAY else SCRIPTED_MODEL) as program:
        return {
            pair.id: tuple(
                one
                for one in CATALOG
                if not (one.contradictory_only and pair.family != "contradictory")
                and not (program.refuses(one) or program.lacks(one, pair.replay) or lacking(one))
            )
            for pair in pairs()
        }


def values(scenario: Scenario) -> set[tuple[str, object]]:
    both = ("listening and protocol", (scenario.listening, scenario.protocol))
    return {both, *((name, getattr(scenario, name)) for name in FIELDS)}


def pairwise(harness: str) -> dict[str, list[str]]:
    """By pair, few scenarios in which a harness meets each value of each field that it meets in any; the pairs take turns."""
    left = set().union(*(values(one) for group in playable(harness).values() for one in group))
    chosen: dict[str, list[str]] = {pair.id: [] for pair in pairs()}
    groups = list(chosen)
    while left:
        group = groups[0]
        found = max(playable(harness)[group], key=lambda one: len(values(one) & left))
        if values(found) & left:
            chosen[group].append(found.name)
            left -= values(found)
        groups = groups[1:] + groups[:1]
    return chosen


def play(harness: str, scenarios: Mapping[str, Sequence[str]], folder: Path) -> dict[tuple[str, str], CellRecord]:
    records = {}
    for pair, names in scenarios.items():
        out = folder / f"{harness}-{pair}"
        command = [sys.executable, "-m", "eval.main", "run", "--harness", harness, "-i", pair, "-s", ",".join(names)]
        command += ["--unsound", "--jobs", "2", "--out", str(out)] + ([] if harness == REPLAY else ["--model", SCRIPTED_MODEL])
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        records.update({(pair, record.scenario): record for record in ResultsFolder(out).records()})
    return records


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], CellRecord]:
    """Every scenario that the replay harness can play, on both pairs."""
    scenarios = {pair: [one.name for one in group] for pair, group in playable(REPLAY).items()}
    return play(REPLAY, scenarios, tmp_path_factory.mktemp("replayed"))


Replayed = dict[tuple[str, str], CellRecord]


def test_every_scenario_is_played_by_some_harness(replayed: Replayed) -> None:
    played = {name for _, name in replayed} | {name for one in PROGRAMS for group in pairwise(one).values() for name in group}
    assert played == {one.name for one in CATALOG}


def test_what_surfaced_decides_the_route_of_a_scripted_agent(replayed: Replayed) -> None:
    """Lanes that cannot hear each other go ways that do not fit together."""
    for (pair, name), record in replayed.items():
        scenario = by_name(name)
        if scenario.schedule is Schedule.PARALLEL:
            assert record.solved == (scenario.channel is not Channel.NONE), (pair, name)


@pytest.mark.parametrize("harness", PROGRAMS)
def test_a_program_goes_the_route_of_the_replay_in_each_mode_that_it_has(
    harness: str, replayed: Replayed, tmp_path: Path
) -> None:
    try:
        with open_harness(harness, SCRIPTED_MODEL) as program:
            program.versions()
    except SetupError as error:
        pytest.skip(str(error))
    records = play(harness, pairwise(harness), tmp_path)
    for cell, record in records.items():
        assert record.solved == (cell not in replayed or replayed[cell].solved), (cell, record.reason)
        assert record.scripted
        assert record.usage.effective_tokens
        for turn in record.turns:
            assert turn.metering is not None
            assert (turn.metering.notes, turn.metering.lower_bound) == ([], False)
        check_listening(by_name(record.scenario), record)
        if by_name(record.scenario).delegate:
            assert [turn.subagents for turn in record.turns] == [2]
        if by_name(record.scenario).dispositions:
            assert sum(lane.accepted for lane in (record.radio or {}).values()) >= 1


def check_listening(scenario: Scenario, record: CellRecord) -> None:
    """Steps spent on listening: none with hooks, at least one a message with a watcher, one a lane where one must look."""
    lanes = (record.radio or {}).values()
    steps, shown = sum(lane.listening_steps for lane in lanes), sum(lane.shown for lane in lanes)
    if scenario.channel is not Channel.NONE:
        assert shown >= 2
        # The radar, and who approves a draft, may go on talking to a lane that is about to end.
        assert scenario.radar or scenario.protocol is not Protocol.NONE or not any(lane.unread for lane in lanes)
    if scenario.listening is Listening.WATCHER:
        assert steps >= shown
    elif scenario.listening is Listening.HOOK and scenario.protocol is Protocol.NONE:
        assert steps == 0
    elif scenario.listening in (Listening.PULL, Listening.FOREGROUND):
        assert steps >= 2
