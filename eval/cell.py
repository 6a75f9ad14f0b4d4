"""The main flow, one cell from top to bottom: load, play, combine, grade, record."""

import time
import traceback

from eval.bench import Bench, InstanceBench
from eval.grade import SuiteVerdict
from eval.outcome import Outcome
from eval.recording import build_record, write_cell
from eval.records import CellEntry, CellRecord, timing_since
from eval.storage import is_full_or_read_only
from instances.errors import InstanceError
from reconcilers.base import Combined, CombineStatus, Edit
from reconcilers.transport import TransportError
from sandboxes.errors import BenchError, HarnessError, SandboxError
from scenarios.engine import Draw, Played, play
from scenarios.model import Scenario, Schedule

JOINT_SUCCESS = ("a", "b", "joint", "base")
FINAL = "final"


def run_cell(cell: CellEntry, bench: Bench) -> CellRecord:
    """Run one cell and write its record.

    What breaks the machine or the program is recorded as infrastructure, never as the agents' failure.

    Raises:
        InstanceError, SetupError: the instance or the results folder is not usable; nothing was recorded.
    """
    timing = timing_since(time.time(), time.monotonic())
    scenario = bench.scenarios[cell.scenario]
    draw = Draw.of(bench.manifest.seed, cell.instance, cell.scenario, cell.repeat)
    outcome = Outcome()
    with bench.results.cell_folder(cell.cell) as folder, bench.scratch() as scratch:
        try:
            pair = bench.instance(cell.instance)
            outcome.played = play(pair.instance, scenario, bench.harness, draw, pair.stage, scratch)
            outcome.problem = outcome.played.infrastructure()
            if not outcome.problem:
                outcome.combined = combine(outcome.played, pair, bench, scenario)
                outcome.verdicts = {name: grade(one, pair) for name, one in outcome.combined.items()}
                outcome.own_sides = grade_own_sides(outcome.played, pair, scenario)
        except TransportError as error:
            outcome.unanswered(error)
        except (SandboxError, HarnessError) as error:
            outcome.problem = f"{type(error).__name__}: {error}"
        except (BenchError, InstanceError):
            raise
        except Exception as error:  # one cell's surprise must not end the campaign
            if is_full_or_read_only(error):
                raise
            outcome.problem = f"unexpected {type(error).__name__}: {error}"
            (folder / "traceback.txt").write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
        record = build_record(cell, bench, draw, outcome, timing())
        write_cell(record, outcome, folder, bench.secrets)
    return record


def combine(played: Played, pair: InstanceBench, bench: Bench, scenario: Scenario) -> dict[str, Combined]:
    """The tree that a single or serial schedule ends with, else what each reconciler makes of the lanes' edits."""
    over = "; ".join(f"lane {one.lane}: {one.capture.over_limit}" for one in played.turns if one.capture.over_limit)
    status = CombineStatus.CONFLICT if over else CombineStatus.CLEAN
    if scenario.schedule is not Schedule.PARALLEL:
        return {FINAL: Combined(FINAL, status, played.tree, over)}
    if over:
        return {one.name: Combined(one.name, status, None, over) for one in bench.reconcilers}
    first, second = (
        Edit(one.lane, str(one.capture.tree), one.capture.patch, pair.instance.requirement(one.lane), one.turn.summary)
        for one in played.turns
    )
    return {one.name: one.combine(pair.stage.store, pair.stage.base, first, second) for one in bench.reconcilers}


def grade(combined: Combined, pair: InstanceBench) -> dict[str, SuiteVerdict]:
    """Every suite of joint success on a combined tree; none where the edits did not combine."""
    if combined.tree is None:
        return {}
    return {suite: pair.grade(combined.tree, suite) for suite in JOINT_SUCCESS if suite in pair.instance.tests}


def grade_own_sides(played: Played, pair: InstanceBench, scenario: Scenario) -> dict[str, SuiteVerdict]:
    """Of parallel lanes, each one's own side's tests on its own tree."""
    if scenario.schedule is not Schedule.PARALLEL:
        return {}
    trees = {one.lane: one.capture.tree for one in played.turns}
    return {lane: pair.grade(tree, lane) for lane, tree in trees.items() if tree is not None}
