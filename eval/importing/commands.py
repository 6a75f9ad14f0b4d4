"""`crosstalk import ...`: other data sets' tasks as instances. Heavy imports are where they are used."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eval.request import PROCESSORS, SandboxName, sandboxes_named
from sandboxes.errors import SetupError

if TYPE_CHECKING:
    from eval.importing.importer import Request, Row
    from instances.importers.raw import RawTask

app = typer.Typer(no_args_is_help=True, help="Make instances of other data sets' tasks; what they say is measured by running it.")

Out = Annotated[Path, typer.Option(help="The folder to make.")]
Lock = Annotated[Path | None, typer.Option(help="A pip requirements file with hashes; by default pip resolves one.")]
Needs = Annotated[list[str] | None, typer.Option("--needs", help="A further package that the tests need; repeatable.")]
Revision = Annotated[str, typer.Option(help="The data set's revision, kept in each instance.")]
Sandbox = Annotated[SandboxName, typer.Option(help="Where tests run.")]
Jobs = Annotated[int, typer.Option(min=1, help="Pairs at a time.", show_default="processors")]


@app.command()
def cooperbench(  # noqa: PLR0913 - each is an option of the command line
    folder: Annotated[Path, typer.Argument(help="A task's folder: Dockerfile, runner.sh, feature1/, feature2/, ...")],
    out: Out,
    pairs: Annotated[str, typer.Option(help="Which features to pair, as 1-2,1-3; every two by default.")] = "",
    repository: Annotated[str, typer.Option(help="Where the repository is, if not where the Dockerfile clones it from.")] = "",
    lock: Lock = None,
    needs: Needs = None,
    revision: Revision = "",
    sandbox: Sandbox = SandboxName.LOCAL,
    jobs: Jobs = PROCESSORS,
) -> None:
    """Make an instance of every pair of a CooperBench task's features.

    Example: crosstalk import cooperbench dataset/some_task/task43 --out imported/task43
    """
    from eval.importing.importer import Row, import_tasks
    from instances.importers.cooperbench import pair_problem, read_task
    from instances.importers.rejects import RejectedError

    request = _request(out, lock, needs, revision, (sandbox, jobs))
    try:
        task = read_task(folder, _place(repository), _numbers(pairs))
    except RejectedError as error:
        _finish(import_tasks([], [Row(str(folder), rejection=error.rejection)], request, _tell), request)
        return
    before, good = [], []
    for pair in task.pairs:
        problem = pair_problem(pair, task)
        if problem is None:
            good.append(pair)
        else:
            before.append(Row(pair.label, rejection=problem))
    from dataclasses import replace

    _finish(import_tasks([replace(task, pairs=tuple(good))] if good else [], before, request, _tell), request)


@app.command("swebench-pro")
def swebench_pro(  # noqa: PLR0913 - each is an option of the command line
    file: Annotated[Path, typer.Argument(help="Rows: .json, .jsonl or .parquet.")],
    out: Out,
    second: Annotated[Path | None, typer.Option(help="The other requirement of each row: see docs/import-export.md.")] = None,
    run_scripts: Annotated[Path | None, typer.Option(help="The folder run_scripts, where the rows hold none.")] = None,
    repositories: Annotated[Path | None, typer.Option(help="A folder of clones, owner__name, in place of GitHub's.")] = None,
    lock: Lock = None,
    needs: Needs = None,
    revision: Revision = "",
    sandbox: Sandbox = SandboxName.LOCAL,
    jobs: Jobs = PROCESSORS,
) -> None:
    """Make an instance of each SWE-bench Pro row for which a second requirement is given. With --sandbox docker, in its image.

    Example: crosstalk import swebench-pro rows.jsonl --second second.jsonl --run-scripts run_scripts --out imported/pro
    """
    from instances.importers.rows import read_rows
    from instances.importers.swebench_pro import Place, read_row, row_id

    place = Place(run_scripts, repositories, sandbox is SandboxName.DOCKER)
    others = {str(row.get("instance_id")): row for row in read_rows(second)} if second else {}
    rows = [
        (row_id(row, number), partial(read_row, row, others.get(row_id(row, number)), place))
        for number, row in enumerate(read_rows(file), start=1)
    ]
    _import_rows(rows, _request(out, lock, needs, revision, (sandbox, jobs)))


@app.command()
def pairs(  # noqa: PLR0913 - each is an option of the command line
    file: Annotated[Path, typer.Argument(help="Rows with two requirements each: .jsonl, .json or .parquet.")],
    out: Out,
    fields: Annotated[Path, typer.Option(help="A YAML or JSON file: our fields, each with theirs.")],
    lock: Lock = None,
    needs: Needs = None,
    revision: Revision = "",
    sandbox: Sandbox = SandboxName.LOCAL,
    jobs: Jobs = PROCESSORS,
) -> None:
    """Make an instance of each row that holds two requirements, references and tests, over a git or an image base.

    Example: crosstalk import pairs rows.jsonl --fields fields.yaml --out imported/rows
    """
    from instances.importers.pairs import read_map, read_row, row_id
    from instances.importers.rows import read_rows

    names = read_map(fields)
    rows = [(row_id(row, names, number), partial(read_row, row, names)) for number, row in enumerate(read_rows(file), start=1)]
    _import_rows(rows, _request(out, lock, needs, revision, (sandbox, jobs)))


def _import_rows(rows: "Sequence[tuple[str, Callable[[], RawTask]]]", request: "Request") -> None:
    from eval.importing.importer import Row, import_tasks
    from instances.importers.rejects import Code, RejectedError, Rejection

    tasks: dict[str, RawTask] = {}
    before = []
    for label, read in rows:
        try:
            task = read()
        except RejectedError as error:
            before.append(Row(label, rejection=error.rejection))
            continue
        if task.pairs[0].slug in tasks:
            before.append(Row(label, rejection=Rejection(Code.SAME_FEATURE, "there is a row of this id already")))
        else:
            tasks[task.pairs[0].slug] = task
    _finish(import_tasks(list(tasks.values()), before, request, _tell), request)


def _request(out: Path, lock: Path | None, needs: list[str] | None, revision: str, how: tuple[SandboxName, int]) -> "Request":
    from eval.importing.importer import Request

    try:
        content = None if lock is None else lock.read_bytes()
    except OSError as error:
        raise SetupError(f"{lock}: {error.strerror}") from error
    return Request(out, sandboxes_named(how[0]), content, tuple(needs or ()), revision, how[1])


def _place(repository: str) -> str:
    """An address as it is, a path as an absolute one."""
    return repository if not repository or "://" in repository else str(Path(repository).absolute())


def _numbers(text: str) -> list[tuple[int, int]]:
    found = []
    for one in filter(None, text.replace(" ", "").split(",")):
        numbers = re.fullmatch(r"(\d+)-(\d+)", one)
        if numbers is None:
            raise SetupError(f"--pairs {one!r}: write two features' numbers, as 1-2")
        found.append((int(numbers[1]), int(numbers[2])))
    return found


def _tell(row: "Row") -> None:
    if row.rejection is None:
        typer.echo(f"imported  {row.label}: {row.family}, {row.instance}")
    else:
        typer.echo(f"REJECTED  {row.label}: {row.rejection}")
    for name, how in (row.mechanical or {}).items():
        typer.echo(f"          {name}: {how}")


def _finish(rows: "list[Row]", request: "Request") -> None:
    imported = sum(row.rejection is None for row in rows)
    typer.echo(f"{imported} of {len(rows)} imported: {request.out}")
    if imported < len(rows):
        raise typer.Exit(1)
