"""`crosstalk new`: a pair's folder, ready to be written in."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


class FamilyName(StrEnum):
    CONTRADICTORY = "contradictory"
    COMPLEMENTARY = "complementary"
    NON_INTERACTING = "non-interacting"


class LanguageName(StrEnum):
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    GO = "go"


@app.command("new")
def new_command(
    name: Annotated[str, typer.Argument(metavar="ID", help="The pair's id, which is also its folder's name.")],
    family: Annotated[FamilyName, typer.Option(help="How the two requests are to each other.")],
    base: Annotated[str, typer.Option(help="A directory, NAME==VERSION (sdist), NAME@VERSION (npm), or URL@COMMIT (git).")],
    language: Annotated[LanguageName | None, typer.Option(help="By default what most of the base's sources are in.")] = None,
    parent: Annotated[Path, typer.Option("--in", help="The folder that the pair's folder is made in.")] = Path(),
) -> None:
    """Make a pair's folder: the base fetched and pinned, and guidance wherever something is to be written.

    Example: crosstalk new click-choices --family contradictory --base click==8.1.7
    """
    from instances.model import Family
    from instances.scaffold.write import NewPair, write_new

    made = write_new(NewPair(name, Family(family.value), base, language.value if language else "", parent), _python_environment)
    typer.echo(f"{made.folder}: {made.family}, {made.language}, {made.base.describe()}")
    if made.base.kind != "directory":
        typer.echo(f"pinned by {made.base.pin}")
    typer.echo(f"what is to be written: {made.folder / 'AUTHORING.md'}\nthen: crosstalk check {made.folder} --watch")


def _python_environment(tree: Path) -> tuple[bytes | None, tuple[str, ...], tuple[str, ...]]:
    """The lock of a base that needs more than pytest, `None` for one that does not; its import roots, its modules."""
    from eval.importing.locks import lock_for, own_modules, source_roots
    from instances.importers.raw import RawBase
    from instances.scaffold.write import PYTHON_LOCK
    from sandboxes.errors import SetupError

    lock: bytes | None = None
    try:
        lock = lock_for(RawBase({}, "python", "python"), tree, ())
    except SetupError as error:
        typer.echo(f"NOT LOCKED: {error}. Add what the base needs to environment.lock, with hashes", err=True)
    if lock and _names(lock) == _names(PYTHON_LOCK.read_bytes()):
        lock = None  # nothing but pytest: the environment that is there for other pairs will do
    return lock, source_roots(tree), own_modules(tree)


def _names(lock: bytes) -> set[str]:
    return {line.partition("==")[0].strip() for line in lock.decode().splitlines() if "==" in line}
