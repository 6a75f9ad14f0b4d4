"""The commands of the main job, and what looks after the machine. Heavy imports are where they are used."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eval.request import (
    PROCESSORS,
    Jobs,
    MaxCost,
    MaxTokens,
    RetryWait,
    RunRequest,
    SandboxName,
    sandboxes_named,
    takes,
)

if TYPE_CHECKING:
    from eval.soundness import Soundness

app = typer.Typer()
INTERRUPTED = 130


class SealedName(StrEnum):
    """The sandboxes that promise something."""

    LOCAL = "local"
    DOCKER = "docker"


class ReportFormat(StrEnum):
    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


Folder = Annotated[Path, typer.Argument(help="A run's results folder.")]


@app.command()
@takes(RunRequest)
def run(request: RunRequest) -> None:
    """Play instances under scenarios, combine, grade, and report.

    Example: crosstalk run --instances contradictory --scenarios oracle,parallel-unaware --out results/first
    """
    from eval.launch import begin

    begin(request)


@app.command()
def resume(
    folder: Folder,
    jobs: Jobs = PROCESSORS,
    max_cost_usd: MaxCost = None,
    max_effective_tokens: MaxTokens = None,
    retry_wait: RetryWait = 30.0,
) -> None:
    """Go on with a run that was interrupted or came to its budget: finished cells stand, the others start over.

    Example: crosstalk resume results/first
    """
    from eval.backoff import Patience
    from eval.launch import go_on
    from eval.records import BudgetRecord

    raised = BudgetRecord(max_cost_usd=max_cost_usd, max_effective_tokens=max_effective_tokens)
    go_on(folder, jobs, raised, Patience(first_wait=retry_wait))


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
    jobs: Annotated[int, typer.Option(min=1, help="Instances at a time.", show_default="processors")] = PROCESSORS,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds whose verdicts must be equal; a run asks for 3.")] = 3,
    record: Annotated[bool, typer.Option("--record", help="Note the result in the data set's ledger.")] = False,
    sandbox: Annotated[SandboxName, typer.Option(help="Where tests run.")] = SandboxName.LOCAL,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again at one pair whenever it is saved; say what to fix next.")
    ] = False,
) -> None:
    """Check that pairs are sound; say in words what is not.

    Example: crosstalk check signoff-deputies
    """
    if watch:
        _watch(term or [], record, sandbox)
    from eval.soundness import check_all, record_in_ledger
    from instances.load import select

    found = check_all(select(term or []), sandboxes_named(sandbox), jobs, rounds, _say_soundness)
    if record:
        record_in_ledger(found)
    sound = sum(one.sound for one in found)
    typer.echo(f"{sound} of {len(found)} sound")
    if sound < len(found):
        raise typer.Exit(1)


@app.command()
def clean(
    folder: Annotated[Path | None, typer.Argument(help="A run's results folder; all that no process runs by default.")] = None,
) -> None:
    """Remove what a killed run left: containers, scratch folders, cells that were half written. Finished cells stand.

    Example: crosstalk clean results/first
    """
    from eval.cleaning import clean as clean_up

    done = list(clean_up(folder))
    for line in done:
        typer.echo(line)
    if not done:
        typer.echo("nothing was left")
    if any(line.startswith("NOT") for line in done):
        raise typer.Exit(1)


@app.command()
def selftest(
    hostile: Annotated[bool, typer.Option("--hostile", help="Play the cheat suite; there is no other self-test yet.")] = False,
    sandbox: Annotated[SealedName, typer.Option(help="Where the hostile agents' lanes and the tests run.")] = SealedName.LOCAL,
) -> None:
    """Play hostile agents on this machine: each attack is shown to work unprotected first, then that it gains nothing here.

    Example: crosstalk selftest --hostile --sandbox docker
    """
    from eval.selftest.suite import arenas, got_through, play_all
    from eval.selftest.table import render
    from sandboxes.errors import SetupError

    if not hostile:
        raise SetupError("say what to test: crosstalk selftest --hostile plays the attacks of hostile agents")
    results = play_all(arenas(), sandboxes_named(SandboxName(sandbox.value)), lambda text: typer.echo(text, err=True))
    typer.echo(render(results, sandbox), nl=False)
    if got_through(results):
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


def _watch(terms: list[str], record: bool, sandbox: SandboxName) -> None:
    """Until Ctrl-C; the exit status says what was known of the pair then."""
    from eval.soundness_watch import watch, watched_folder
    from sandboxes.errors import SetupError

    if len(terms) != 1 or record:
        raise SetupError("--watch looks at one pair, which is to be named, and records nothing: leave out --record")
    folder = watched_folder(terms[0])
    status = watch(folder, sandboxes_named(sandbox), typer.echo)
    place = f"{status.where}: " if status.where else ""
    typer.echo(f"\nstopped; {folder.name}: {place}{status.what}")
    raise typer.Exit(INTERRUPTED if status.sound is None else 0 if status.sound else 1)


def _say_soundness(found: "Soundness") -> None:
    facts = ", ".join(f"{name} {how}" for name, how in found.mechanical.items())
    typer.echo(f"{'sound  ' if found.sound else 'UNSOUND'}  {found.instance}  ({facts})")
    if found.difficulty:
        typer.echo(f"         {found.difficulty.describe()}")
    if found.provenance:
        typer.echo(f"         NOT MADE BY HAND: {found.provenance}")
    for one in found.problems:
        typer.echo(f"         {one.check}: NO. {one.detail}")
