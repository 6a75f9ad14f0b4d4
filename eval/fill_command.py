"""`crosstalk instances fill`: which tests there are and which fail on the base, found by running, into instance.json."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from eval.request import SandboxName, sandboxes_named

if TYPE_CHECKING:
    from instances.model import Instance
    from sandboxes.base import SandboxFactory

app = typer.Typer()


@app.command("fill")
def fill_command(
    pair: Annotated[str, typer.Argument(help="An instance's id or path.")],
    sandbox: Annotated[SandboxName, typer.Option(help="Where tests run.")] = SandboxName.LOCAL,
) -> None:
    """Run each suite on the base and on its own reference, and list its tests in instance.json. Read what it lists.

    Example: crosstalk instances fill ./my-pair
    """
    from eval.storage import write_text
    from instances.load import one_of
    from sandboxes.errors import SetupError

    instance = one_of(pair)
    path = instance.folder / "instance.json"
    before = path.read_bytes()
    lists = ids_of(instance, sandboxes_named(sandbox))
    data = json.loads(before)
    for suite, found in lists.items():
        data["tests"][suite] |= found
        typer.echo(f"tests.{suite}: " + ", ".join(f"{len(ids)} {name}" for name, ids in found.items()))
    if path.read_bytes() != before:
        raise SetupError(f"{path} was saved meanwhile, and is left as it is: run it again")
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def ids_of(instance: "Instance", sandboxes: "SandboxFactory") -> Mapping[str, Mapping[str, list[str]]]:
    """By suite, the ids for `fail_to_pass` and `pass_to_pass`.

    Raises:
        InstanceError: a reference is missing.
        SetupError: a reference does not apply, or a test does not pass on its suite's own reference.
    """
    from eval.bench import open_instance
    from harnesses.base import Limits
    from sandboxes.errors import SetupError
    from sandboxes.folders import remove_tree, scratch_folder

    folder = scratch_folder("fill")
    try:
        bench = open_instance(instance, sandboxes, folder / "work", folder / "evidence", Limits())
        base, found = bench.stage.base, {}
        for suite, name in (("a", "a"), ("b", "b"), ("joint", "joint"), ("base", "joint")):
            applied = bench.stage.store.apply(base, instance.patch(f"references/{name}"))
            if applied.tree is None:
                raise SetupError(f"references/{name} does not apply to the base: {applied.message}")
            verdict = bench.grade(applied.tree, suite)
            passed = [one for one, status in verdict.statuses.items() if status == "passed"]
            if suite == "base":
                found[suite] = {"pass_to_pass": passed}
                continue
            if others := sorted(set(verdict.statuses) - set(passed)):
                raise SetupError(
                    f"tests.{suite} do not all pass on references/{name}: {', '.join(others)}; mend one or the other"
                )
            if not passed:
                raise SetupError(f"tests.{suite} report no test on references/{name}: {verdict.reason}")
            early = bench.grade(base, suite).statuses
            kept = [one for one in passed if early.get(one) == "passed"]
            found[suite] = {"fail_to_pass": [one for one in passed if one not in kept], "pass_to_pass": kept}
    finally:
        remove_tree(folder)
    return found
