"""Playing rounds as one cell, by the same steps as any other: plan, cell, combination, grading, record."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.bench import Bench, InstanceBench
from eval.cell import run_cell
from eval.plan import Choice, make_manifest
from eval.records import CellRecord
from eval.selftest.hostile import HostileHarness, Round
from eval.storage import ResultsFolder
from harnesses.base import Configuration
from instances.model import Instance
from reconcilers import RECONCILERS
from reconcilers.registry import reconciler_named
from sandboxes.base import ExecResult, SandboxFactory
from scenarios.catalog import by_name


@dataclass(frozen=True)
class PlayedCell:
    """What a cell of attacks came to.

    Attributes:
        folder: the cell's own, below the results.
        heard: what each round's command gave.
        trees: the attacker's tree after each round; `None` where it was over the limit of a capture.
        pair: grades further trees of it.
    """

    record: CellRecord
    folder: Path
    heard: Mapping[str, ExecResult]
    trees: Mapping[str, str | None]
    pair: InstanceBench


def play_rounds(
    instance: Instance, scenario: str, rounds: Sequence[Round], sandboxes: SandboxFactory, results: ResultsFolder
) -> PlayedCell:
    """Play rounds in one cell of a scenario with one lane, or two, of which `a` is the attacker's.

    Raises:
        SetupError: the instance's environment cannot be had.
    """
    harness = HostileHarness(rounds)
    chosen = [by_name(scenario)]
    manifest = make_manifest(
        Choice([instance], chosen, Configuration(harness.name), harness, sandboxes, list(RECONCILERS)), results.path.name
    )
    results.create(manifest)
    bench = Bench(manifest, results, [instance], chosen, harness, sandboxes, [reconciler_named(name) for name in RECONCILERS])
    results.work.mkdir(parents=True, exist_ok=True)
    with results.in_use():
        record = run_cell(manifest.cells[0], bench)
    folder = results.cells / manifest.cells[0].cell
    return PlayedCell(record, folder, harness.heard, _trees(folder, rounds), bench.instance(instance.id))


def _trees(folder: Path, rounds: Sequence[Round]) -> dict[str, str | None]:
    trees: dict[str, str | None] = {}
    for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["kind"] == "step" and event["lane"] != "b":
            trees[rounds[event["step"] - 1].name] = event["tree"]
    return trees
