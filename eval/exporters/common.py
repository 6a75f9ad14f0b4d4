"""What every export starts from: a run's finished cells, without those whose agents could read held-out tests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.plan import SHIPPED
from eval.records import CellEntry, CellRecord, RunManifest, Status
from eval.storage import ResultsFolder
from instances.dataset import CANARY
from instances.load import PAIRS, load
from instances.model import Instance
from sandboxes.errors import SetupError
from sandboxes.folders import remove_tree
from scenarios.model import GoldTests
from scenarios.own import scenario_of_record

MASK = "[held-out tests are left out of this export]"


@dataclass
class Export:
    """What came of an export.

    Attributes:
        files: how many were written.
        left_out: what was not, and why.
    """

    files: int = 0
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Finished:
    """One graded cell."""

    entry: CellEntry
    record: CellRecord
    folder: Path


def finished(results: ResultsFolder, manifest: RunManifest, export: Export) -> Iterator[Finished]:
    """The graded cells in the plan's order; of a cell whose agents were given held-out tests, why not."""
    gold = {one.fields["name"] for one in manifest.scenarios if scenario_of_record(one.fields).gold_tests is not GoldTests.NONE}
    for entry in manifest.cells:
        record = results.record(entry)
        if record is None or record.status is Status.INFRASTRUCTURE:
            export.left_out.append(f"{entry.cell}: not graded")
        elif entry.scenario in gold:
            export.left_out.append(f"{entry.cell}: its agents were given held-out tests")
        else:
            yield Finished(entry, record, results.cells / entry.cell)


def instances_in(manifest: RunManifest) -> list[Instance]:
    """The instances of a run, which must be as they were; no others are read.

    Raises:
        InstanceError: one cannot be read.
        SetupError: one is gone, or has changed.
    """
    found = []
    for entry in manifest.instances:
        folder = Path(entry.source) if entry.source != SHIPPED else next(PAIRS.glob(f"*/{entry.id}"), None)
        if folder is None:
            raise SetupError(f"{entry.id}: is not in the data set any more")
        instance = load(folder)
        if instance.digest != entry.digest:
            raise SetupError(f"{folder}: has changed since the run; put it back to export what needs it")
        found.append(instance)
    return found


def masked_text(text: str) -> str:
    """A text, unless it holds held-out tests: each of our files of them bears the canary."""
    return MASK if CANARY in text else text


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder beside, renamed into place when all is written.

    Raises:
        SetupError: there is something at its place already.
    """
    out = out.absolute()
    if out.exists():
        raise SetupError(f"{out}: is there already; an export makes a new folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_name(f".{out.name}.exporting")
    remove_tree(beside)
    beside.mkdir()
    try:
        yield beside
        beside.rename(out)
    finally:
        remove_tree(beside)


def write_json(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="backslashreplace")
