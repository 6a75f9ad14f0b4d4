"""`crosstalk generate`: a model proposes the other side of a pair."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eval.request import SandboxName, sandboxes_named
from sandboxes.errors import SetupError

if TYPE_CHECKING:
    from eval.generation.source import Source
    from eval.importing.importer import Request
    from sandboxes.base import SandboxFactory

app = typer.Typer()


class FamilyName(StrEnum):
    CONTRADICTORY = "contradictory"
    COMPLEMENTARY = "complementary"
    NON_INTERACTING = "non-interacting"


@app.command()
def generate(  # noqa: PLR0913 - each is an option of the command line
    source: Annotated[str, typer.Option("--from", help="An instance (id or path), or a file of SWE-bench Pro rows with --row.")],
    model: Annotated[str, typer.Option(help="The model's name, as LiteLLM takes it, or at --model-url.")],
    out: Annotated[Path, typer.Option(help="The folder of generated pairs.")] = Path("generated"),
    family: Annotated[FamilyName, typer.Option(help="Of the pair.")] = FamilyName.CONTRADICTORY,
    attempts: Annotated[int, typer.Option(min=1, max=20, help="How many proposals the model may make.")] = 4,
    examples: Annotated[int, typer.Option(min=0, max=5, help="Shipped pairs that it is shown.")] = 2,
    model_url: Annotated[str | None, typer.Option(help="An endpoint with OpenAI's chat completions.")] = None,
    model_key: Annotated[str | None, typer.Option(help="The environment variable that holds the key.")] = None,
    row: Annotated[str, typer.Option(help="Of a file of rows: the instance_id.")] = "",
    run_scripts: Annotated[Path | None, typer.Option(help="The folder run_scripts, where the rows hold none.")] = None,
    repositories: Annotated[Path | None, typer.Option(help="A folder of clones, owner__name, in place of GitHub's.")] = None,
    lock: Annotated[Path | None, typer.Option(help="Of a row: a pip requirements file with hashes.")] = None,
    sandbox: Annotated[SandboxName, typer.Option(help="Where tests run.")] = SandboxName.LOCAL,
) -> None:
    """Have a model propose the other requirement of a pair with references, controls and tests, until one is sound.

    Example: crosstalk generate --from signoff-deputies --model openai/gpt-5 --family contradictory --out generated
    """
    from eval.generation.generate import Order
    from eval.generation.generate import generate as propose
    from eval.generation.prompt import examples_of
    from eval.importing.importer import Request
    from instances.model import Family
    from reconcilers.registry import transport_for
    from sandboxes.folders import remove_tree, scratch_folder

    sandboxes = sandboxes_named(sandbox)
    transport = transport_for(model, url=model_url, key_variable=model_key)
    sandboxes.prove()
    work = scratch_folder("generate")
    try:
        if row:
            request = Request(out, sandboxes, _content(lock))
            found = _of_row(Path(source), row, (run_scripts, repositories, sandbox is SandboxName.DOCKER), request, work)
        else:
            found = _of_instance(source, sandboxes, work)
        shown = examples_of(Family(family.value), str(found.data["language"]), examples, found.name) if examples else []
        done = propose(found, Order(Family(family.value), attempts, shown, out), transport, sandboxes, typer.echo)
    finally:
        remove_tree(work)
    effective = done.talk.usage.as_record()["effective_tokens"]
    typer.echo(f"{done.talk.attempts} attempt(s), {'unknown' if effective is None else f'{effective:,.0f}'} effective tokens")
    if done.folder is None:
        typer.echo(f"given up; what was said, and the last faults: {done.kept}")
        raise typer.Exit(1)
    typer.echo(f"sound, marked generated: {done.folder}")


def _of_instance(term: str, sandboxes: "SandboxFactory", work: Path) -> "Source":
    from eval.generation.source import source_of_instance
    from instances.load import select

    found = select([term])
    if len(found) != 1:
        raise SetupError(f"--from {term}: names {len(found)} instances; give one")
    return source_of_instance(found[0], sandboxes, work)


def _of_row(file: Path, name: str, places: tuple[Path | None, Path | None, bool], request: "Request", work: Path) -> "Source":
    from eval.generation.source import source_of_row
    from instances.importers.rows import read_rows
    from instances.importers.swebench_pro import Place

    for row in read_rows(file):
        if row.get("instance_id") == name:
            return source_of_row(row, Place(*places), request, work)
    raise SetupError(f"{file}: no row {name}")


def _content(lock: Path | None) -> bytes | None:
    try:
        return None if lock is None else lock.read_bytes()
    except OSError as error:
        raise SetupError(f"{lock}: {error.strerror}") from error
