"""`crosstalk instances lint`, with what only grading knows: how globs are read, and which files it puts back."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from instances.lint import Finding
    from instances.model import Instance

app = typer.Typer()


def lint_findings(instance: "Instance") -> "list[Finding]":
    """The findings of one pair, errors first.

    Raises:
        InstanceError: see `instances.lint.lint`.
    """
    from eval.runners import CONTROL_GLOBS
    from instances.lint import Scope, lint
    from sandboxes.globs import compile_globs

    return lint(instance, Scope(compile_globs, compile_globs(CONTROL_GLOBS)))


@app.command("lint")
def lint_command(
    term: Annotated[list[str] | None, typer.Argument(help="Families, ids, globs of ids, or paths; all by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list of findings instead of lines.")] = False,
) -> None:
    """Find faults of pairs without running anything: leaks, private names, missing pins and ids, globs that cover too much.

    Example: crosstalk instances lint signoff-deputies
    """
    from dataclasses import asdict

    from instances.load import select

    instances = select(term or [])
    found = [(one, finding) for one in instances for finding in lint_findings(one)]
    errors = sum(finding.level == "error" for _, finding in found)
    if as_json:
        typer.echo(json.dumps([{"instance": one.id, **asdict(finding)} for one, finding in found], indent=1, ensure_ascii=False))
    else:
        for one, finding in found:
            typer.echo(f"{finding.level:7}  {one.id}/{finding.place}: {finding.what} ({finding.rule})\n         {finding.fix}")
        typer.echo(f"{len(instances)} instance(s): {errors} error(s), {len(found) - errors} warning(s)")
    if errors:
        raise typer.Exit(1)
