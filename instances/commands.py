"""`crosstalk instances ...`: what pairs there are, one pair in full, and edit scripts for authors."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="The data set of instance pairs.")


@app.command("list")
def list_instances(
    term: Annotated[list[str] | None, typer.Argument(help="Families, ids, globs of ids, or paths; all by default.")] = None,
) -> None:
    """List instances.

    Example: crosstalk instances list contradictory
    """
    from tabulate import tabulate

    from instances.load import select

    rows = [[one.family, one.id, one.language, one.base.describe(), one.conflict_kind, one.title] for one in select(term or [])]
    typer.echo(tabulate(rows, headers=["family", "id", "language", "base", "kind", "title"], disable_numparse=True))


@app.command()
def show(name: Annotated[str, typer.Argument(help="An instance's id or path.")]) -> None:
    """Show one instance: both requirements, the base, the tests.

    Example: crosstalk instances show signoff-deputies
    """
    from instances.load import select

    for one in select([name]):
        typer.echo(f"{one.id}: {one.title}\n{one.family}, {one.language}, {one.base.describe()}; digest {one.digest[:16]}")
        typer.echo(f"folder: {one.folder}")
        for side in ("a", "b"):
            typer.echo(f"\n--- requirement {side}, asked by the {one.principals[side]}\n\n{one.requirement(side)}")
        typer.echo("")
        for suite in one.tests.values():
            counts = f"{len(suite.fail_to_pass)} fail to pass, {len(suite.pass_to_pass)} pass to pass"
            typer.echo(f"tests.{suite.name}: {' '.join(suite.command)} ({counts})")


@app.command("to-ed")
def to_ed(patch: Annotated[Path, typer.Argument(help="A git patch against a fetched base.")]) -> None:
    """Print the edit script that says the same as a patch, in our lines only.

    Example: crosstalk instances to-ed a.patch > references/a.ed
    """
    from instances.edscript import from_patch
    from instances.errors import InstanceError

    try:
        content = patch.read_bytes()
    except OSError as error:
        raise InstanceError(f"{patch}: {error.strerror}") from error
    typer.echo(from_patch(content), nl=False)
