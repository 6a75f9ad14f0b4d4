"""Running a plan, from its beginning or from where it was broken off: finished cells stand, the others are run."""

import tempfile
from pathlib import Path

from eval.backoff import USUAL_PATIENCE, Patience
from eval.bench import Bench
from eval.campaign import Campaign, Halt, Watcher, Why
from eval.costs import Spending
from eval.plan import SHIPPED, crosstalk_version
from eval.records import CellEntry, InstanceEntry, RunManifest, Status
from eval.storage import explained
from harnesses.preflight import require_reachable
from instances.load import load, load_all
from instances.model import Instance
from sandboxes.errors import SetupError
from sandboxes.space import require_space


def run_cells(bench: Bench, jobs: int, watcher: Watcher, patience: Patience = USUAL_PATIENCE) -> Halt | None:
    """Run the plan's cells that have no record yet, `jobs` at a time; `None` unless the run is ended before its plan is.

    Raises:
        KeyboardInterrupt: after every program of the run was ended; the folder can be resumed.
        InstanceError, SetupError: an instance or the results folder is not usable, or the provider refuses the key.
    """
    with bench.results.in_use():
        halt = _run_pending(bench, jobs, watcher, patience)
    if halt and halt.why is Why.AUTH:
        raise SetupError(f"the provider refused the key ({halt.reason}); mend it, then resume {bench.results.path}")
    return halt


def _run_pending(bench: Bench, jobs: int, watcher: Watcher, patience: Patience) -> Halt | None:
    results = bench.results
    results.clear_leftovers()
    require_space(results.path, Path(tempfile.gettempdir()))
    with explained(results.path):
        results.cells.mkdir(exist_ok=True)
        results.work.mkdir(exist_ok=True)
    pending: list[CellEntry] = []
    for cell in bench.manifest.cells:
        record = results.record(cell)
        if record is None or record.status is Status.INFRASTRUCTURE:
            pending.append(cell)
    if pending:
        require_reachable(bench.harness, bench.manifest.reconciler_model)
    watcher.stand(len(bench.manifest.cells) - len(pending))
    watcher.expect(len(pending))
    spending = Spending.so_far(bench.manifest.budget, results)
    halt = Campaign(bench, jobs, watcher, spending, patience).run(pending)
    results.clear_leftovers()
    return halt


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
