"""`crosstalk export ...`: a run in other tools' forms."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eval.exporters.common import Export

app = typer.Typer(no_args_is_help=True, help="Write a run in the forms of other tools.")

Run = Annotated[Path, typer.Argument(help="A run's results folder.")]
Out = Annotated[Path, typer.Argument(help="The folder to make.")]


@app.command()
def atif(run: Run, out: Out) -> None:
    """Write each graded cell as a trajectory in ATIF.

    Example: crosstalk export atif results/first exported/trajectories
    """
    from eval.exporters.atif import export_atif

    _tell(export_atif(run, out), out)


@app.command()
def swebench(run: Run, out: Out) -> None:
    """Write what each scenario ended with as SWE-bench predictions.

    Example: crosstalk export swebench results/first exported/predictions
    """
    from eval.exporters.swebench import export_swebench

    _tell(export_swebench(run, out), out)


@app.command()
def harbor(run: Run, out: Out) -> None:
    """Write each Python pair of a run as a Harbor task: one agent, both requests, the held-out tests in tests/.

    Example: crosstalk export harbor results/first exported/tasks
    """
    from eval.exporters.harbor import export_harbor

    _tell(export_harbor(run, out), out)


def _tell(export: "Export", out: Path) -> None:
    for line in export.left_out:
        typer.echo(f"left out  {line}")
    typer.echo(f"{export.files} written: {out}")
    if not export.files:
        raise typer.Exit(1)
