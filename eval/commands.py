"""The commands of the main job: run, resume, report, compare, check, doctor. Heavy imports are made where they are used."""

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandboxes.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eval.records import RunManifest
    from eval.soundness import Soundness
    from eval.storage import ResultsFolder
    from harnesses.base import Harness
    from instances.model import Instance
    from reconcilers.base import Reconciler
    from sandboxes.base import SandboxFactory

app = typer.Typer()


class ReportFormat(StrEnum):
    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


class SandboxName(StrEnum):
    LOCAL = "local"
    UNISOLATED = "unisolated"


Jobs = Annotated[int, typer.Option(min=1, help="Cells at a time; the number of processors by default.")]
Folder = Annotated[Path, typer.Argument(help="A run's results folder.")]


def _processors() -> int:
    import os

    return os.cpu_count() or 1


@app.command()
def run(  # noqa: PLR0913 - each is an option of the command line
    instances: Annotated[
        list[str] | None,
        typer.Option("--instances", "-i", help="A family, an id, a glob of ids, or a path; repeatable. All by default."),
    ] = None,
    scenarios: Annotated[
        list[str] | None,
        typer.Option("--scenarios", "-s", help="Names, groups, or a YAML file, comma-separated or repeated. All by default."),
    ] = None,
    harness: Annotated[str, typer.Option(help="The agent program: replay, claude-code, codex, or module.Class.")] = "replay",
    model: Annotated[
        str | None, typer.Option(help="As the program takes it; `scripted` drives a real program by the scripted model server.")
    ] = None,
    reconciler_model: Annotated[
        str | None, typer.Option(help="Combine by this model too, as LiteLLM takes it, or as the endpoint names it.")
    ] = None,
    reconciler_url: Annotated[str | None, typer.Option(help="Its endpoint with OpenAI's chat completions.")] = None,
    reconciler_key: Annotated[str | None, typer.Option(help="The environment variable that holds its key.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Cells for each instance and scenario.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Cells at a time.", show_default="processors")] = _processors(),
    seed: Annotated[int, typer.Option(help="Of the schedule of scripted lanes, of orders, of resampling.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The results folder; results/<time> by default.")] = None,
    sandbox: Annotated[SandboxName, typer.Option(help="Where lanes and tests run.")] = SandboxName.LOCAL,
    max_steps: Annotated[int, typer.Option(min=1, help="Tool calls of one turn.")] = 200,
    max_minutes: Annotated[float, typer.Option(min=0.01, help="Minutes of one turn.")] = 30.0,
    unsound: Annotated[bool, typer.Option("--unsound", help="Run instances too that were not checked, or not sound.")] = False,
) -> None:
    """Play instances under scenarios, combine, grade, and report.

    Example: crosstalk run --instances contradictory --scenarios oracle,parallel-unaware --out results/first
    """
    from eval.plan import Choice, make_manifest
    from eval.storage import ResultsFolder
    from harnesses.base import Configuration, Limits
    from harnesses.registry import open_harness
    from instances.load import select
    from reconcilers import RECONCILERS
    from reconcilers.registry import MODEL
    from scenarios.catalog import select as select_scenarios

    chosen = select(_terms(instances, "--instances"))
    folder = out or Path("results") / datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    asks = {"model": reconciler_model, "url": reconciler_url, "key_variable": reconciler_key} if reconciler_model else None
    if not asks and (reconciler_url or reconciler_key):
        raise SetupError("--reconciler-url and --reconciler-key go with --reconciler-model")
    _reconcilers([*RECONCILERS], asks)
    with open_harness(harness, model) as program:
        choice = Choice(
            instances=chosen,
            scenarios=select_scenarios(_terms(scenarios, "--scenarios")),
            configuration=Configuration(harness, model),
            harness=program,
            sandboxes=_sandboxes(sandbox),
            reconcilers=[*RECONCILERS, *([MODEL] if reconciler_model else [])],
            reconciler_model=asks,
            repeats=repeats,
            seed=seed,
            limits=Limits(max_steps, max_minutes),
        )
        choice.sandboxes.prove()
        if not unsound:
            _refuse_unsound(chosen)
        manifest = make_manifest(choice, folder.name)
        results = ResultsFolder(folder)
        results.create(manifest)
        _announce(manifest)
        _run_and_report(results, chosen, program, jobs)


@app.command()
def resume(
    folder: Folder,
    jobs: Annotated[int, typer.Option(min=1, help="Cells at a time.", show_default="processors")] = _processors(),
) -> None:
    """Go on with a run that was interrupted: finished cells stand, the others start over.

    Example: crosstalk resume results/first
    """
    from eval.run import instances_of
    from eval.storage import ResultsFolder
    from harnesses.registry import open_harness

    results = ResultsFolder(folder)
    manifest = results.manifest()
    chosen = instances_of(manifest)
    with open_harness(str(manifest.configuration["harness"]), manifest.configuration["model"]) as program:
        _refuse_other_versions(manifest, program)
        _announce(manifest)
        _run_and_report(results, chosen, program, jobs)


@app.command()
def report(
    folder: Folder,
    form: Annotated[ReportFormat, typer.Option("--format", help="How to write it.")] = ReportFormat.TABLE,
) -> None:
    """Report a run, as far as it has come: pass rates, intervals, tokens, cost against the oracle.

    Example: crosstalk report results/first --format markdown
    """
    from eval.report import build_report
    from eval.report_formats import Format, render
    from eval.storage import ResultsFolder

    typer.echo(render(build_report(ResultsFolder(folder)), Format(form.value)), nl=False)


@app.command()
def compare(
    folder: Folder,
    scenarios: Annotated[list[str], typer.Argument(help="Two scenarios, or more to compare with the first.")],
) -> None:
    """Compare scenarios on the same instances: pass rates, costs, and the oracle's best of k at equal cost.

    Example: crosstalk compare results/first oracle parallel-unaware
    """
    from eval.compare import compare as compare_scenarios
    from eval.compare import left_out, render_comparison
    from eval.storage import ResultsFolder

    results = ResultsFolder(folder)
    typer.echo(render_comparison(*compare_scenarios(results, scenarios)), nl=False)
    if out := left_out(results, scenarios):
        typer.echo(f"INCOMPLETE: {out} planned cell(s) of these scenarios have no verdict yet and are left out")


@app.command()
def check(
    term: Annotated[list[str] | None, typer.Argument(help="Families, ids, globs, or paths; all by default.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Instances at a time.", show_default="processors")] = _processors(),
    rounds: Annotated[int, typer.Option(min=1, help="Rounds whose verdicts must be equal; a run asks for 3.")] = 3,
    record: Annotated[bool, typer.Option("--record", help="Note the result in the data set's ledger.")] = False,
    sandbox: Annotated[SandboxName, typer.Option(help="Where tests run.")] = SandboxName.LOCAL,
) -> None:
    """Check that pairs are sound; say in words what is not.

    Example: crosstalk check signoff-deputies
    """
    from eval.soundness import check_all, record_in_ledger
    from instances.load import select

    found = check_all(select(term or []), _sandboxes(sandbox), jobs, rounds, _say_soundness)
    if record:
        record_in_ledger(found)
    sound = sum(one.sound for one in found)
    typer.echo(f"{sound} of {len(found)} sound")
    if sound < len(found):
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Say what is installed, what each missing thing would enable, and how to get it.

    Example: crosstalk doctor
    """
    from eval.doctor import examine

    missing = False
    for one in examine():
        typer.echo(f"{'ok     ' if one.found else 'missing'}  {one.name}: {one.found or one.enables}")
        if not one.found:
            typer.echo(f"         get it: {one.get}")
            missing = missing or one.required
    if missing:
        raise typer.Exit(1)


def _terms(values: list[str] | None, option: str) -> list[str]:
    terms = [term.strip() for value in values or [] for term in value.split(",")]
    if values is not None and not all(terms):
        raise SetupError(f"{option} holds an empty name; leave the option out for all")
    return terms


def _sandboxes(name: SandboxName) -> "SandboxFactory":
    from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory

    return LocalSandboxFactory() if name is SandboxName.LOCAL else UnisolatedSandboxFactory()


def _reconcilers(names: "Sequence[str]", asks: "Mapping[str, str | None] | None") -> "list[Reconciler]":
    """The run's reconcilers, the one that asks a model with the way to it."""
    from reconcilers.registry import reconciler_named, transport_for

    transport = None
    if asks:
        transport = transport_for(str(asks["model"]), url=asks["url"], key_variable=asks["key_variable"])
    return [reconciler_named(name, transport) for name in names]


def _refuse_unsound(chosen: "Sequence[Instance]") -> None:
    from eval.soundness import known_sound

    unknown = [_address(one) for one in chosen if not known_sound(one)]
    if unknown:
        names = " ".join(unknown[:5]) + (" ..." if len(unknown) > 5 else "")
        raise SetupError(
            f"not known to be sound as they are now: {names}; run `crosstalk check {names}` first, or give --unsound"
        )


def _address(instance: "Instance") -> str:
    """What names an instance on the command line: its id where it is shipped, else its folder."""
    from instances.load import PAIRS

    return instance.id if PAIRS in instance.folder.parents else str(instance.folder)


def _announce(manifest: "RunManifest") -> None:
    typer.echo(
        f"{len(manifest.cells)} cells: {len(manifest.instances)} instances, {len(manifest.scenarios)} scenarios, "
        f"{manifest.repeats} repeat(s), {manifest.configuration_label}, sandbox {manifest.sandbox}",
        err=True,
    )
    if manifest.scripted:
        typer.echo("agents are scripted: none calls a model", err=True)
    for one in manifest.skipped:
        typer.echo(f"skipped {one.scenario} on {one.instances} instance(s): {one.reason}", err=True)


def _refuse_other_versions(manifest: "RunManifest", program: "Harness") -> None:
    changed = [
        f"{name} {manifest.versions.get(name)} -> {now}"
        for name, now in program.versions().items()
        if manifest.versions.get(name) != now
    ]
    if changed:
        raise SetupError(f"the run was begun with other versions ({', '.join(changed)}); put them back, or start a new run")


def _run_and_report(results: "ResultsFolder", chosen: "Sequence[Instance]", program: "Harness", jobs: int) -> None:
    from eval.bench import Bench
    from eval.progress import progress
    from eval.report import build_report
    from eval.report_formats import Format, render
    from eval.run import run_cells
    from scenarios.own import scenario_of_record

    manifest = results.manifest()
    bench = Bench(
        manifest,
        results,
        chosen,
        [scenario_of_record(one.fields) for one in manifest.scenarios],
        program,
        _sandboxes(SandboxName(manifest.sandbox)),
        _reconcilers(manifest.reconcilers, manifest.reconciler_model),
    )
    try:
        with progress() as watcher:
            run_cells(bench, jobs, watcher)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; go on with: crosstalk resume {results.path}", err=True)
        raise
    found = build_report(results)
    typer.echo(render(found, Format.TABLE), nl=False)
    typer.echo(f"records: {results.path}", err=True)
    if found.run.infrastructure:
        sys.exit(1)


def _say_soundness(found: "Soundness") -> None:
    facts = ", ".join(f"{name} {how}" for name, how in found.mechanical.items())
    typer.echo(f"{'sound  ' if found.sound else 'UNSOUND'}  {found.instance}  ({facts})")
    for one in found.problems:
        typer.echo(f"         {one.check}: NO. {one.detail}")
