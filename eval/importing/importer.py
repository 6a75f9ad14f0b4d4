"""From what was read of other data sets to a folder of instances and a list of what became of each row; all of it, or nothing."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from eval.importing.images import pinned, spec_of
from eval.importing.locks import lock_for, own_modules, source_roots
from eval.importing.measuring import TaskBench
from eval.importing.pairing import PairOutcome, measure_pair
from eval.importing.writing import write_instance
from eval.plan import crosstalk_version
from instances.bases import BaseSpec, base_directory
from instances.errors import InstanceError
from instances.importers.raw import RawTask
from instances.importers.rejects import Code, RejectedError, Rejection
from instances.load import load
from instances.model import EnvironmentSpec
from sandboxes.base import SandboxFactory
from sandboxes.errors import SetupError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.stopping import no_programs

ROWS_FILE = "import.json"


@dataclass(frozen=True)
class Request:
    """How to import.

    Attributes:
        out: a folder that is made, and is not there before.
        sandboxes: where tests run.
        lock: the environment's; `None` to have pip resolve one.
        packages: more that it needs, as pip takes them.
        revision: of the data set.
        jobs: pairs at a time.
    """

    out: Path
    sandboxes: SandboxFactory
    lock: bytes | None = None
    packages: tuple[str, ...] = ()
    revision: str = ""
    jobs: int = 1


@dataclass(frozen=True)
class Row:
    """What became of one row or pair."""

    label: str
    instance: str = ""
    family: str = ""
    mechanical: dict[str, str] | None = None
    rejection: Rejection | None = None
    notes: tuple[str, ...] = ()

    def as_record(self) -> dict[str, object]:
        return {
            "row": self.label,
            "instance": self.instance or None,
            "family": self.family or None,
            "mechanical": self.mechanical or None,
            "code": self.rejection.code if self.rejection else None,
            "reason": self.rejection.reason if self.rejection else None,
            "notes": list(self.notes),
        }


def import_tasks(tasks: Sequence[RawTask], before: Sequence[Row], request: Request, tell: Callable[[Row], None]) -> list[Row]:
    """Measure every pair, write those that stand, and put the whole folder in place at the end.

    Args:
        before: rows that were rejected when they were read.
        tell: hears of each row in turn.

    Raises:
        SetupError: the folder is there already, or an environment cannot be made; nothing was written.
        InstanceError: an instance is none by the schema; nothing was written.
        SandboxError: the machine or the sandbox broke; nothing was written.
    """
    out = request.out.absolute()
    if out.exists():
        raise SetupError(f"{out}: is there already; an import makes a new folder")
    request.sandboxes.prove()
    rows = list(before)
    for row in rows:
        tell(row)
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_name(f".{out.name}.importing")
    remove_tree(beside)
    beside.mkdir()
    try:
        for task in tasks:
            rows += _import(task, request, beside, tell)
        record = {
            "schema_version": 1,
            "crosstalk": crosstalk_version(),
            "revision": request.revision,
            "sandbox": request.sandboxes.name,
            "rows": [row.as_record() for row in rows],
        }
        (beside / ROWS_FILE).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        beside.rename(out)
    finally:
        remove_tree(beside)
    return rows


def _import(task: RawTask, request: Request, out: Path, tell: Callable[[Row], None]) -> list[Row]:
    work = scratch_folder("import")
    try:
        try:
            bench, lock = open_task(task, request, work)
        except RejectedError as error:
            rows = [Row(pair.label, rejection=error.rejection) for pair in task.pairs]
            for row in rows:
                tell(row)
            return rows
        rows = []
        for outcome in _measured(bench, request.jobs):
            row = _row(outcome)
            if outcome.rejection is None:
                write_instance(bench, outcome, lock, request.revision, out / row.family / row.instance)
                load(out / row.family / row.instance)  # what could not be read again is not imported at all
            tell(row)
            rows.append(row)
        return rows
    finally:
        remove_tree(work)


def open_task(task: RawTask, request: Request, work: Path) -> tuple[TaskBench, bytes | None]:
    """A task's base fetched and its environment made; and the lock, where there is one.

    Raises:
        RejectedError: the base cannot be had, or no environment can be pinned.
    """
    if task.base.environment is not None:
        task = replace(task, base=pinned(task.base, request.sandboxes))
    fields = {key: value for key, value in task.base.entry.items() if key != "exclude"}
    spec = BaseSpec(**fields, exclude=tuple(task.base.entry.get("exclude", ())))  # type: ignore[arg-type]
    try:
        base = base_directory(spec, work)
    except InstanceError as error:
        raise RejectedError(Code.BAD_BASE, str(error)) from error
    if task.base.environment is not None:
        return TaskBench(task, base, spec_of(task.base, source_roots(base)), request.sandboxes, work), None
    lock = request.lock if request.lock is not None else lock_for(task.base, base, request.packages)
    work.mkdir(exist_ok=True)
    (work / "environment.lock").write_bytes(lock)
    python = task.base.interpreter == "python"
    environment = EnvironmentSpec(
        interpreter=task.base.interpreter,
        lock=work / "environment.lock",
        source_roots=source_roots(base) if python else (".",),
        import_check=own_modules(base) if python else (),
    )
    return TaskBench(task, base, environment, request.sandboxes, work), lock


def _measured(bench: TaskBench, jobs: int) -> list[PairOutcome]:
    """Every pair's outcome, in order; the sides first, each once."""
    task = bench.task
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="import")
    try:
        list(pool.map(lambda key: _tried(bench, key), task.sides))
        outcomes = list(pool.map(lambda pair: measure_pair(bench, pair), task.pairs))
    except BaseException:
        with no_programs():
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return outcomes


def _tried(bench: TaskBench, key: str) -> None:
    try:
        bench.side(key)
    except RejectedError:
        return  # every pair with it says so


def _row(outcome: PairOutcome) -> Row:
    accepted = outcome.rejection is None
    return Row(
        outcome.pair.label,
        outcome.pair.slug if accepted else "",
        outcome.family or "",
        outcome.mechanical,
        outcome.rejection,
        tuple(outcome.notes),
    )
