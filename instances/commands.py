"""`crosstalk instances ...`: what pairs there are, one pair in full, and edit scripts for authors."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="The data set of instance pairs.")


@app.command("list")
def list_instances(
    term: Annotated[list[str] | None, typer.Argument(help="Families, ids, globs of ids, or paths; all by default.")] = None,
) -> None:
    """List instances, with what `check` counted in each: the joint reference's code files and hunks, lines of the base where the
    references meet, whether git merges them, how many of the two sides each half passes; `?` where this state was not checked.

    Example: crosstalk instances list contradictory
    """
    from tabulate import tabulate

    from instances.ledger import difficulty_of
    from instances.load import select

    rows = []
    for one in select(term or []):
        counted = difficulty_of(one)
        numbers = ["?"] * 3 if counted is None else [counted.label, f"{counted.files}/{counted.hunks}", str(counted.overlap)]
        merges = "?" if counted is None else "yes" if counted.merges else "no"
        halves = "?" if counted is None else "/".join("?" if n is None else str(n) for n in (counted.half_a, counted.half_b))
        rows.append(
            [one.family, one.id, one.language, one.base.describe(), one.conflict_kind, *numbers, merges, halves, one.title]
        )
    columns = ["family", "id", "language", "base", "kind", "difficulty", "files/hunks", "overlap", "merges", "halves", "title"]
    typer.echo(tabulate(rows, headers=columns, disable_numparse=True))


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


@app.command()
def similar(
    term: Annotated[list[str] | None, typer.Argument(help="Whose nearest: families, ids, globs, paths; all by default.")] = None,
) -> None:
    """Show the nearest to each instance by requirements, tests and references, whatever names they use; mark possible twins.

    Example: crosstalk instances similar ./my-pair
    """
    from tabulate import tabulate

    from instances.load import load_all, select
    from instances.similar import likenesses, nearest

    chosen = select(term or [])
    own = {one.id for one in chosen}
    found = likenesses([*chosen, *(one for one in load_all() if one.id not in own)])
    rows = []
    for one in chosen:
        best = nearest(one.id, found)
        if best is not None:
            numbers = [f"{number:.2f}" for number in (best.overall, best.requirements, best.tests, best.references)]
            rows.append([one.id, best.other if best.one == one.id else best.one, *numbers])
    columns = ["id", "nearest", "overall", "requirements", "tests", "references"]
    typer.echo(tabulate(rows, headers=columns, disable_numparse=True))
    twins = [one for one in found if one.possible_twins and own & {one.one, one.other}]
    for pair in twins:
        typer.echo(f"POSSIBLE TWINS: {pair.one} and {pair.other}: compare them by eye")
    typer.echo(f"{len(twins)} possible twin(s)")


Pair = Annotated[str, typer.Argument(help="An instance's id or path.")]


@app.command()
def checkout(
    pair: Pair,
    folder: Annotated[Path, typer.Argument(help="Is made, as a git repository.")],
    patch: Annotated[str | None, typer.Option("--with", help="A patch of the pair to start from, such as references/a.")] = None,
) -> None:
    """Lay a pair's base out as a git repository, to work in.

    Example: crosstalk instances checkout ./my-pair work --with references/a
    """
    from instances.load import one_of
    from instances.workcopy import checkout as lay_out

    lay_out(one_of(pair), folder, patch)


@app.command()
def save(
    pair: Pair,
    name: Annotated[str, typer.Argument(help="references/a, b or joint; controls/half_a, half_b, alternative or divergent.")],
    folder: Annotated[Path, typer.Argument(help="What `checkout` made, with the change in it.")],
) -> None:
    """Save what was changed in a checkout as a pair's reference or control: a patch, or an edit script against a fetched base.

    Example: crosstalk instances save ./my-pair references/a work
    """
    from instances.load import one_of
    from instances.workcopy import save as save_patch

    typer.echo(save_patch(one_of(pair), name, folder))


@app.command("datasheet")
def datasheet_command(
    write: Annotated[Path | None, typer.Option(help="A page to write the counts into, between its two marks.")] = None,
) -> None:
    """Count the shipped pairs by family, language, kind, base and difficulty, with the bases' licences.

    Example: crosstalk instances datasheet --write docs/dataset.md
    """
    from instances.datasheet import datasheet, written_into
    from instances.errors import InstanceError
    from instances.load import load_all

    part = datasheet(load_all())
    if write is None:
        typer.echo(part, nl=False)
        return
    try:
        write.write_text(written_into(write.read_text(encoding="utf-8"), part), encoding="utf-8")
    except OSError as error:
        raise InstanceError(f"{write}: {error.strerror}") from error


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
