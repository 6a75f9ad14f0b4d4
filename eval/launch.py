"""From what the user asks for to a run and its report: choose, prove, freeze the plan, run, report."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from eval.backoff import Patience
from eval.bench import Bench
from eval.campaign import Halt, Why
from eval.plan import make_manifest
from eval.prices import calls_a_model, models_of, why_unpriced
from eval.progress import progress
from eval.projection import projection
from eval.records import BudgetRecord, RunManifest
from eval.report import build_report
from eval.report_formats import Format, render
from eval.request import RunRequest, SandboxName, sandboxes_named
from eval.run import instances_of, run_cells
from eval.soundness import known_sound
from eval.storage import ResultsFolder
from harnesses.base import Harness
from harnesses.preflight import require_reachable
from harnesses.registry import ModelWay, open_harness
from instances.load import PAIRS, select
from instances.model import Instance
from reconcilers.base import Reconciler
from reconcilers.registry import reconciler_named, transport_for
from sandboxes.errors import SetupError
from scenarios.own import scenario_of_record

HALTED = 3


def begin(request: RunRequest) -> None:
    """Begin a run and carry it to its report; nothing is written before the whole request has proved to be possible.

    Raises:
        InstanceError, SetupError: what is asked for cannot be run as it was asked.
        KeyboardInterrupt: see `run_cells`.
    """
    instances = select(request.instance_terms())
    results = ResultsFolder(request.folder())
    with open_harness(request.harness, request.model, request.model_way()) as program:
        choice = request.choice(instances, program)
        reconcilers = _reconcilers(choice.reconcilers, choice.reconciler_model)
        choice.sandboxes.prove()
        if not request.unsound:
            _refuse_unsound(instances)
        manifest = make_manifest(choice, results.path.name)
        results.refuse_taken()
        _announce(manifest)
        require_reachable(program, manifest.reconciler_model)
        if calls_a_model(manifest):
            typer.echo(projection(manifest, results.path), err=True)
            if not request.yes:
                _ask()
        results.create(manifest)
        bench = _bench(manifest, results, instances, program, reconcilers)
        _run_and_report(bench, request.jobs, Patience(first_wait=request.retry_wait))


def go_on(folder: Path, jobs: int, raised: BudgetRecord, patience: Patience) -> None:
    """Go on with a run that was begun, to its report.

    Args:
        folder: its results folder.
        jobs: cells at a time.
        raised: what is to stand in its budget from now on; `None` leaves what stands there.
        patience: with a provider that fails.

    Raises:
        InstanceError, SetupError: there is no run, or something that it was begun with has changed.
        KeyboardInterrupt: see `run_cells`.
    """
    results = ResultsFolder(folder)
    manifest = results.manifest()
    instances = instances_of(manifest)
    given = manifest.configuration["parameters"]
    way = ModelWay(given["url"], given["key_variable"]) if given else None
    with open_harness(str(manifest.configuration["harness"]), manifest.configuration["model"], way) as program:
        _refuse_other_versions(manifest, program)
        reconcilers = _reconcilers(manifest.reconcilers, manifest.reconciler_model)
        manifest = _with_budget(results, manifest, raised)
        _announce(manifest)
        _run_and_report(_bench(manifest, results, instances, program, reconcilers), jobs, patience)


def _with_budget(results: ResultsFolder, manifest: RunManifest, raised: BudgetRecord) -> RunManifest:
    """The plan with another budget, on disk too."""
    given = raised.model_dump(exclude_none=True)
    if not given:
        return manifest
    if "max_cost_usd" in given and (reason := why_unpriced(manifest.prices, models_of(manifest))):
        raise SetupError(f"--max-cost-usd cannot be kept: {reason}")
    changed = manifest.model_copy(update={"budget": manifest.budget.model_copy(update=given)})
    with results.in_use():
        results.replace_manifest(changed)
    return changed


def _ask() -> None:
    """Whether to start; only a person can say so.

    Raises:
        SetupError: there is nobody to ask.
        Abort: they said no.
    """
    if not sys.stdin.isatty():
        raise SetupError("a model is to be called, and there is no terminal to ask on: give --yes to start all the same")
    if not typer.confirm("Start?", err=True):
        typer.echo("nothing was started", err=True)
        raise typer.Abort


def _reconcilers(names: Sequence[str], asks: Mapping[str, str | None] | None) -> list[Reconciler]:
    """The run's reconcilers, the one that asks a model with the way to it."""
    transport = None
    if asks:
        transport = transport_for(str(asks["model"]), url=asks["url"], key_variable=asks["key_variable"])
    return [reconciler_named(name, transport, (asks or {}).get("shown")) for name in names]


def _refuse_unsound(instances: Sequence[Instance]) -> None:
    unknown = [_address(one) for one in instances if not known_sound(one)]
    if unknown:
        names = " ".join(unknown[:5]) + (" ..." if len(unknown) > 5 else "")
        raise SetupError(
            f"not known to be sound as they are now: {names}; run `crosstalk check {names}` first, or give --unsound"
        )


def _address(instance: Instance) -> str:
    """What names an instance on the command line: its id where it is shipped, else its folder."""
    return instance.id if PAIRS in instance.folder.parents else str(instance.folder)


def _refuse_other_versions(manifest: RunManifest, program: Harness) -> None:
    sandboxes = sandboxes_named(SandboxName(manifest.sandbox))
    changed = [
        f"{name} {manifest.versions.get(name)} -> {now}"
        for name, now in (program.versions() | sandboxes.versions()).items()
        if manifest.versions.get(name) != now
    ]
    if changed:
        raise SetupError(f"the run was begun with other versions ({', '.join(changed)}); put them back, or start a new run")


def _announce(manifest: RunManifest) -> None:
    typer.echo(
        f"{len(manifest.cells)} cells: {len(manifest.instances)} instances, {len(manifest.scenarios)} scenarios, "
        f"{manifest.repeats} repeat(s), {manifest.configuration_label}, sandbox {manifest.sandbox}",
        err=True,
    )
    if manifest.scripted:
        typer.echo("agents are scripted: none calls a model", err=True)
    for one in manifest.skipped:
        typer.echo(f"skipped {one.scenario} on {one.instances} instance(s): {one.reason}", err=True)


def _bench(
    manifest: RunManifest,
    results: ResultsFolder,
    instances: Sequence[Instance],
    program: Harness,
    reconcilers: Sequence[Reconciler],
) -> Bench:
    scenarios = [scenario_of_record(one.fields) for one in manifest.scenarios]
    sandboxes = sandboxes_named(SandboxName(manifest.sandbox), results.path)
    return Bench(manifest, results, instances, scenarios, program, sandboxes, reconcilers)


def _run_and_report(bench: Bench, jobs: int, patience: Patience) -> None:
    results = bench.results
    try:
        with progress() as watcher:
            halt = run_cells(bench, jobs, watcher, patience)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; go on with: crosstalk resume {results.path}", err=True)
        raise
    found = build_report(results)
    typer.echo(render(found, Format.TABLE), nl=False)
    typer.echo(f"records: {results.path}", err=True)
    if halt:
        typer.echo(f"crosstalk: {halt.reason}; {halt.left} cell(s) are left; {_how_to_go_on(halt, bench)}", err=True)
        sys.exit(HALTED)
    if found.run.infrastructure:
        sys.exit(1)


def _how_to_go_on(halt: Halt, bench: Bench) -> str:
    command = f"crosstalk resume {bench.results.path}"
    if halt.why is not Why.BUDGET:
        return f"when the provider answers again: {command}"
    budget = bench.manifest.budget
    options = [f" --max-cost-usd MORE-THAN-{budget.max_cost_usd:g}"] if budget.max_cost_usd is not None else []
    if budget.max_effective_tokens is not None:
        options.append(f" --max-effective-tokens MORE-THAN-{budget.max_effective_tokens:g}")
    return f"with a higher budget: {command}{''.join(options)}"
