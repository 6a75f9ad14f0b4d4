"""Running a plan: cells on a pool of threads, a record each; a killed or interrupted run is resumed from its folder."""

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Protocol

from eval.bench import Bench
from eval.cell import run_cell
from eval.plan import SHIPPED, crosstalk_version
from eval.records import CellEntry, CellRecord, InstanceEntry, RunManifest, Status
from eval.storage import explained
from harnesses.base import Failure
from instances.load import load, load_all
from instances.model import Instance
from sandboxes.errors import SetupError
from sandboxes.stopping import no_programs

MAX_ATTEMPTS = 2


class Watcher(Protocol):
    """What is told of a run's progress."""

    def started(self, cell: CellEntry) -> None: ...
    def ended(self, cell: CellEntry, record: CellRecord) -> None: ...
    def stand(self, cells: int) -> None: ...
    def expect(self, cells: int) -> None: ...
    def stopping(self) -> None: ...


def run_cells(bench: Bench, jobs: int, watcher: Watcher) -> None:
    """Run the plan's cells that have no record yet, `jobs` at a time; a cell that met an infrastructure fault is tried once more.

    Raises:
        KeyboardInterrupt: after every program of the run was ended; the folder can be resumed.
        InstanceError, SetupError: an instance or the results folder is not usable.
    """
    with bench.results.in_use():
        _run_pending(bench, jobs, watcher)


def _run_pending(bench: Bench, jobs: int, watcher: Watcher) -> None:
    results = bench.results
    results.clear_leftovers()
    with explained(results.path):
        results.cells.mkdir(exist_ok=True)
        results.work.mkdir(exist_ok=True)
    pending: list[CellEntry] = []
    for cell in bench.manifest.cells:
        record = results.record(cell)
        if results.damaged(cell) or (record is not None and record.status is Status.INFRASTRUCTURE):
            results.discard(cell.cell)
            record = None
        if record is None:
            pending.append(cell)
    watcher.stand(len(bench.manifest.cells) - len(pending))
    for attempt in range(1, MAX_ATTEMPTS + 1):
        watcher.expect(len(pending))
        faulty = _run_once(pending, bench, jobs, watcher)
        pending = [cell for cell in bench.manifest.cells if cell in faulty]
        if not pending or attempt == MAX_ATTEMPTS:
            break
        for cell in pending:
            results.discard(cell.cell)
    results.clear_leftovers()


def _run_once(cells: Sequence[CellEntry], bench: Bench, jobs: int, watcher: Watcher) -> list[CellEntry]:
    """Run cells; gives back those that met an infrastructure fault."""
    faulty: list[CellEntry] = []

    def one(cell: CellEntry) -> None:
        watcher.started(cell)
        record = run_cell(cell, bench)
        watcher.ended(cell, record)
        if any(turn.failure == Failure.AUTH for turn in record.turns):
            # The next cells would fare no better: the campaign pauses until the operator has mended it.
            raise SetupError(f"the provider refused the key ({record.reason}); mend it, then resume {bench.results.path}")
        if record.status is Status.INFRASTRUCTURE:
            faulty.append(cell)

    pool = ThreadPoolExecutor(jobs, thread_name_prefix="cell")
    futures: list[Future[None]] = [pool.submit(one, cell) for cell in cells]
    try:
        outstanding = set(futures)
        while outstanding:
            done, outstanding = wait(outstanding, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
    except BaseException:
        # An interrupt or a broken results folder: nothing new starts, and what runs is ended, before the error goes on.
        watcher.stopping()
        with no_programs():
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return faulty


def instances_of(manifest: RunManifest) -> list[Instance]:
    """The instances of a run as they are now, which must be as they were.

    Raises:
        InstanceError: one cannot be read.
        SetupError: one has changed, or Crosstalk itself has.
    """
    if manifest.crosstalk_version != crosstalk_version():
        raise SetupError(
            f"the run was begun by crosstalk {manifest.crosstalk_version}, this is {crosstalk_version()}; use that version"
        )
    shipped = {one.id: one for one in load_all()}
    return [_unchanged(entry, shipped) for entry in manifest.instances]


def _unchanged(entry: InstanceEntry, shipped: dict[str, Instance]) -> Instance:
    if entry.source == SHIPPED and entry.id not in shipped:
        raise SetupError(f"{entry.id}: is not in the data set any more; start a new run")
    instance = shipped[entry.id] if entry.source == SHIPPED else load(Path(entry.source))
    if instance.digest != entry.digest:
        raise SetupError(f"{instance.folder}: has changed since the run began; start a new run, or put it back")
    return instance
