"""A provider or a program that fails, through the whole of `crosstalk run`: what it is called, how the run ends, and that
`crosstalk resume` carries it to its end once the fault is gone.

The provider is the scripted model server at the operator's own address: to the bench it is a provider like any other.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from driven import WITH_A_PROVIDER, Driven, run
from small_pair import write_pair

from eval.records import CellRecord, UsageRecord
from eval.storage import ResultsFolder
from harnesses.base import Failure
from harnesses.programs import find_file
from harnesses.script import ScriptStep, Tool
from harnesses.scripted_model.faults import parse_fault
from harnesses.scripted_model.server import ScriptedModelServer
from instances.load import load
from instances.model import Family
from sandboxes.usage import Usage

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")

INCOMPLETE, KEY_REFUSED = 1, 2


@dataclass(frozen=True)
class Case:
    """A fault of the provider, or what befalls the program; what it is called, the exit status of the run, and its options.

    Where something hangs, `waits` says how long what is waited for, in seconds (see `impatient`).
    """

    fault: str
    failure: Failure | None
    status: int = INCOMPLETE
    befalls: str = ""
    options: tuple[str, ...] = ()
    waits: tuple[tuple[str, float], ...] = ()


BROKEN = {
    "rate-limit": Case("429@2x*", Failure.RATE_LIMIT),
    "overload": Case("529@2x*", Failure.OVERLOADED),
    "refused-key": Case("401@2x*", Failure.AUTH, KEY_REFUSED),
    "cut-stream": Case("cut@2x*", None),
    "hang": Case("hang-before@2x*", Failure.HANG, waits=(("model", 8.0),)),
    "hang-in-an-answer": Case("hang-after@2x*", Failure.HANG, waits=(("model", 8.0),)),
    "killed-program": Case("hang-before@2x*", Failure.CRASH, befalls="killed"),
    "hang-before-the-first-event": Case("", Failure.NO_FIRST_EVENT, befalls="hangs-at-first", waits=(("first_event", 4.0),)),
}
ODD = {
    "no-usage": Case("no-usage@2", None, 0),
    "odd-usage": Case("odd-usage@2", None, 0),
    "long-line": Case("long-line@2", None, 0),
    "hang-after-the-last-event": Case("", None, 0, befalls="hangs-at-last", waits=(("after_closing", 0.5),)),
}
LIMITS = {"step-limit": Case("", None, 0, options=("--max-steps", "1"))}
CASES = {**BROKEN, **ODD, **LIMITS}
# A cut stream is a lost connection to one program, and a provider's fault to another.
CUT = {Failure.OVERLOADED, Failure.PROVIDER}
WRAPPER = """#!/bin/sh
[ "$1" != --version ] || exec {program} --version
while [ -e {folder}/hangs-at-first ]; do sleep 0.2; done
{program} "$@"
status=$?
while [ -e {folder}/hangs-at-last ]; do sleep 0.2; done
exit $status
"""


@dataclass
class Told:
    """What one run told, and what it left behind."""

    status: int
    said: str
    records: list[CellRecord]
    attempts: list[CellRecord]
    ledger: Usage


class FailingRun:
    """A run of one oracle cell, at a provider that plays a script and fails."""

    def __init__(self, driven: Driven, case: Case, server: ScriptedModelServer, folder: Path) -> None:
        self.driven, self.case, self.server, self.folder = driven, case, server, folder
        self.results = ResultsFolder(folder / "results")
        write_pair(folder / "price-label", Family.CONTRADICTORY)
        self.pair = load(folder / "price-label")
        self.key = self.provider(case.fault)
        self.running: subprocess.Popen[str] | None = None

    def provider(self, fault: str, key: str | None = None) -> str:
        joint = "references/joint"
        actions = (run("ls"), ScriptStep(Tool.APPLY, joint, self.pair.patch(joint)))
        return self.server.add_lane("both", actions, [parse_fault(fault)] if fault else (), key=key)

    def begin(self) -> Told:
        arguments = ["run", "--harness", self.driven.impatient, "--model", "stand-in", "-i", str(self.pair.folder)]
        arguments += ["-s", "oracle", "--unsound", "--yes", "--out", str(self.results.path), *self.case.options]
        arguments += ["--sandbox", "unisolated" if self.case.befalls.startswith("hangs") else "local"]
        with self.befallen():
            return self.crosstalk(*arguments, waits={f"IMPATIENT_{name.upper()}": str(value) for name, value in self.case.waits})

    def resume(self) -> Told:
        """Go on, after the fault is gone."""
        self.provider("", self.key)
        return self.crosstalk("resume", str(self.results.path))

    def crosstalk(self, *arguments: str, waits: Mapping[str, str] | None = None) -> Told:
        environment = {**os.environ, **(waits or {}), "PYTHONPATH": str(ROOT / "tests")}
        environment |= {self.driven.key_variable: self.key, self.driven.address_variable: self.server.url}
        if self.case.befalls.startswith("hangs"):
            environment["PATH"] = f"{self.wrapped()}{os.pathsep}{environment['PATH']}"
        command = [sys.executable, "-m", "eval.main", *arguments, "--jobs", "1", "--retry-wait", "0"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=pipe, text=True) as running:
            self.running = running
            try:
                said = running.communicate(timeout=500)[1]
            finally:
                running.kill()
        assert "Traceback" not in said, said
        assert (self.results.path / "run.json").is_file(), said
        results = self.results
        ledger = self.server.ledger.total(self.key)
        return Told(running.returncode, said, list(results.records()), list(results.discarded_records()), ledger)

    def wrapped(self) -> Path:
        """The folder of a program that hangs while a file is there."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / self.driven.program
        program.write_text(WRAPPER.format(program=find_file(self.driven.program), folder=self.folder))
        program.chmod(0o755)
        return folder

    @contextmanager
    def befallen(self) -> Iterator[None]:
        """What befalls the program as long as this lasts."""
        if self.case.befalls == "killed":
            over = Event()
            killer = Thread(target=self.kill, args=(over,))
            killer.start()
            yield
            over.set()
            killer.join()
        elif self.case.befalls:
            mark = self.folder / self.case.befalls
            mark.touch()
            yield
            mark.unlink()
        else:
            yield

    def kill(self, over: Event) -> None:
        """Kill each process of the program that waits for its second answer, or a later one."""
        while not over.wait(0.05):
            if self.running and len(self.server.requests(self.key)) >= 2:
                for pid in processes(self.driven.program, self.running.pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.2)


def processes(program: str, ancestor: int) -> list[int]:
    """The processes of a program that descend from one."""
    parents, named = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        try:
            parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if (folder / "exe").readlink().stem == program:
                named.append(pid)
        except OSError:
            continue
    return [pid for pid in named if ancestor in lineage(pid, parents)]


def lineage(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    while pid := parents.get(pid, 0):
        yield pid


Play = Callable[[Driven, str], tuple[Told, Told | None]]


@pytest.fixture(scope="module")
def play(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    """What a case's run and its resumption told; the cases are played side by side, for they wait most of the time."""

    def one(driven: Driven, name: str) -> tuple[Told, Told | None]:
        case = CASES[name]
        failing = FailingRun(driven, case, server, tmp_path_factory.mktemp("failing"))
        first = failing.begin()
        return first, failing.resume() if case.status else None

    with ScriptedModelServer(uncached=3) as server, ThreadPoolExecutor(4) as pool:
        wanted = [item for item in request.session.items if item.path == request.node.path and isinstance(item, pytest.Function)]
        params: list[dict[str, Any]] = [dict(item.callspec.params) for item in wanted]
        asked = [(one["driven"], one["name"]) for one in params]
        played = {case: pool.submit(one, *case) for case in asked if find_file(case[0].program)}
        yield lambda driven, name: played[driven, name].result()
        pool.shutdown(cancel_futures=True)


programs = pytest.mark.parametrize(
    "driven", [pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in WITH_A_PROVIDER]
)


def used(records: list[CellRecord]) -> Usage:
    """All that attempts used."""
    return sum((usage_of(turn.usage) for one in records for turn in one.turns), Usage())


def usage_of(record: UsageRecord) -> Usage:
    return Usage(record.input, record.cache_write, record.cache_read, record.output)


@programs
@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_has_its_class_and_the_run_is_resumed_when_it_is_gone(driven: Driven, name: str, play: Play) -> None:
    case = BROKEN[name]
    failed, resumed = play(driven, name)
    assert failed.status == case.status, failed.said
    assert len(failed.said.strip().splitlines()[-1]) > 20
    for record in [*failed.records, *failed.attempts]:
        assert record.status == "infrastructure"
        assert {record.failure} <= ({case.failure} if case.failure else CUT), record.reason
        assert record.reason
    known = [one for one in [*failed.records, *failed.attempts] if used([one]).output is not None]
    assert used(known) == failed.ledger
    assert resumed
    assert resumed.status == 0, resumed.said
    assert [record.status for record in resumed.records] == ["solved"]
    assert len(resumed.attempts) == len(failed.attempts) + len(failed.records)
    assert used(known) + used(resumed.records) == resumed.ledger


@programs
@pytest.mark.parametrize("name", ODD)
def test_what_is_only_odd_does_not_count_against_anyone(driven: Driven, name: str, play: Play) -> None:
    told, _ = play(driven, name)
    assert told.status == 0, told.said
    assert [(record.status, record.failure, record.budget) for record in told.records] == [("solved", None, False)]
    assert told.attempts == []
    assert used(told.records) == told.ledger
    labels = [label for record in told.records for turn in record.turns for label in turn.labels]
    assert labels == (["the program did not end by itself after its closing event"] if "last" in name else [])


@programs
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_a_flag_on_a_graded_cell(driven: Driven, name: str, play: Play) -> None:
    told, _ = play(driven, name)
    assert told.status == 0, told.said
    assert [(record.failure, record.budget) for record in told.records] == [(None, True)]
    # The step that would have solved it is the one too many.
    assert told.records[0].status == "failed"
    turns = [turn for record in told.records for turn in record.turns]
    assert [(turn.ended, turn.reason, turn.steps) for turn in turns] == [("limit", "1 steps", 1)]
    assert [turn.patch_bytes for turn in turns] == [0]
    assert [turn.metering.lower_bound for turn in turns if turn.metering] == [False]
    assert used(told.records) == told.ledger
