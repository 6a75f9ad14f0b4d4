"""`crosstalk scenarios ...`: the catalogue, one scenario with its prompts, and what two differ in."""

from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="The scenarios, and your own from a YAML file.")

Instance = Annotated[str | None, typer.Option("--instance", help="Show the exact prompts for this instance.")]
LaneName = Annotated[str | None, typer.Option("--lane", help="a, b or both; every lane by default.")]


@app.command("list")
def list_scenarios() -> None:
    """List the catalogue.

    Example: crosstalk scenarios list
    """
    from tabulate import tabulate

    from scenarios.catalog import CATALOG

    rows = [
        [
            one.group,
            one.name,
            one.schedule + (f" {''.join(one.order)}" if one.order else ""),
            one.channel if one.store == "none" else f"{one.channel} on {one.store}",
            one.listening,
            one.protocol,
            "upper bound" if one.upper_bound else "deployable",
        ]
        for one in CATALOG
    ]
    headers = ["group", "name", "schedule", "channel", "listening", "protocol", "bound"]
    typer.echo(tabulate(rows, headers=headers, disable_numparse=True))


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A scenario's name, or a YAML file with one.")],
    instance: Instance = None,
    lane: LaneName = None,
) -> None:
    """Show a scenario's fields and its prompts.

    Example: crosstalk scenarios show parallel-aware --instance signoff-deputies --lane a
    """
    from scenarios.catalog import by_name

    scenario = by_name(name)
    for field, value in scenario.as_record().items():
        typer.echo(f"{field}: {', '.join(value) if isinstance(value, list) else value}")
    for title, prompt in _prompts(name, instance, lane):
        typer.echo(f"\n--- {title}\n\n{prompt}")


@app.command()
def diff(
    one: Annotated[str, typer.Argument(help="A scenario.")],
    other: Annotated[str, typer.Argument(help="Another.")],
    instance: Instance = None,
    lane: LaneName = None,
) -> None:
    """Show the fields and the lines of the prompts in which two scenarios differ.

    Example: crosstalk scenarios diff parallel-unaware parallel-aware --instance signoff-deputies --lane a
    """
    import difflib

    from scenarios.catalog import by_name
    from scenarios.model import differing_fields

    before_prompts, after_prompts = dict(_prompts(one, instance, lane)), dict(_prompts(other, instance, lane))
    for field, before, after in differing_fields(by_name(one), by_name(other)):
        typer.echo(f"{field}: {_value(before)} -> {_value(after)}")
    for title in sorted(before_prompts.keys() | after_prompts.keys()):
        lines = difflib.unified_diff(
            before_prompts.get(title, "").splitlines(),
            after_prompts.get(title, "").splitlines(),
            one,
            other,
            lineterm="",
            n=1,
        )
        text = "\n".join(lines)
        typer.echo(f"\n--- {title}: {'prompts are equal' if not text else ''}\n{text}".rstrip())


def _value(value: object) -> object:
    return ",".join(value) or "none" if isinstance(value, tuple) else value


def _prompts(name: str, instance: str | None, lane: str | None) -> list[tuple[str, str]]:
    """Titles and texts of the prompts: of each lane's first turn, and of later turns where these differ."""
    from instances.load import load_all, select
    from sandboxes.errors import SetupError
    from scenarios.catalog import by_name
    from scenarios.prompts import PromptContext, build_prompt

    scenario = by_name(name)
    if lane is not None and lane not in scenario.lanes:
        raise SetupError(f"{scenario.name} has no lane {lane!r}; it has {' and '.join(scenario.lanes)}")
    pair = select([instance])[0] if instance else load_all()[0]
    prompts = []
    for each in [lane] if lane else scenario.lanes:
        turns = max(1, scenario.order.count(each))
        for turn in range(1, turns + 1):
            prompt = build_prompt(scenario, PromptContext(pair, each, turn=turn))
            prompts.append((f"{pair.id}, lane {each}, turn {turn}", prompt))
    return prompts
