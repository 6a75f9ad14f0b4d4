"""What a generated pair starts from: a base, and one side that is known to be good."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.environment import environment_of
from eval.importing.importer import Request, open_task
from eval.importing.measuring import TaskBench, write_files
from instances.dataset import CANARY
from instances.errors import InstanceError
from instances.importers.raw import RawBase, RawPair, RawSide, RawTask
from instances.importers.rejects import RejectedError
from instances.importers.rows import FieldMap, slug_of
from instances.importers.swebench_pro import Place, base_of, first_side
from instances.model import Instance
from sandboxes.base import SandboxFactory
from sandboxes.errors import SetupError

_SIDE = "a"
_COMMENT = {".py": "#", **dict.fromkeys((".go", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"), "//")}


@dataclass(frozen=True)
class Source:
    """Where a proposal stands on.

    Attributes:
        name: of the instance or row that it is.
        bench: the base in a store, and what runs tests on it.
        data: the start of an `instance.json`: what the base, its environment and side A say.
        requirement: A's.
        tree: A's reference applied to the base.
        tests: A's held-out files.
        base_command: of the base's own tests.
        folder: with what else belongs to an instance's folder, such as `base/` and its locks; laid out by `lay_out`.
    """

    name: str
    bench: TaskBench
    data: Mapping[str, Any]
    requirement: str
    tree: str
    tests: Mapping[str, bytes]
    base_command: tuple[str, ...]
    folder: Path

    @property
    def patch(self) -> bytes:
        """A's reference."""
        return self.bench.store.patch(self.bench.base, self.tree)

    def lay_out(self, target: Path) -> None:
        """Write all that is the source's into a new instance's folder."""
        shutil.copytree(self.folder, target)
        (target / "requirement_a.md").write_text(self.requirement + "\n", encoding="utf-8")
        write_files(target / "tests" / _SIDE, with_canary(self.tests))


def with_canary(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Held-out files, with the canary in a comment at the top of those that are code and lack it."""
    return {
        path: content if CANARY.encode() in content or Path(path).suffix not in _COMMENT else _mark(path) + content
        for path, content in files.items()
    }


def _mark(path: str) -> bytes:
    return f"{_COMMENT[Path(path).suffix]} {CANARY}\n".encode()


def source_of_instance(instance: Instance, sandboxes: SandboxFactory, work: Path) -> Source:
    """Side A of an instance.

    Raises:
        InstanceError: a file of it cannot be read.
        SetupError: its environment cannot be made.
    """
    if "base" not in instance.tests:
        raise SetupError(f"{instance.id}: has no tests of the base's own, which a pair needs; generate from another")
    data = json.loads((instance.folder / "instance.json").read_bytes())
    kept = {key: data[key] for key in ("schema_version", "canary", "language", "base", "environment", "protected") if key in data}
    kept["tests"] = {_SIDE: data["tests"][_SIDE], "base": data["tests"]["base"]}
    kept["principals"] = {_SIDE: data["principals"][_SIDE]}
    environment_of(instance.environment, sandboxes.name)
    overlay = {path: file.read_bytes() for path, file in instance.tests[_SIDE].overlay_files()}
    raw = RawSide(_SIDE, instance.requirement(_SIDE), instance.patch("references/a"), overlay, instance.tests[_SIDE].command)
    base = RawBase(data["base"], instance.environment.interpreter, instance.language)
    task = RawTask("instance", instance.id, base, {_SIDE: raw}, ())
    bench = TaskBench(task, instance.base_directory(), instance.environment, sandboxes, work / "bench")
    applied = bench.store.apply(bench.base, raw.reference)
    if applied.tree is None:
        raise InstanceError(f"{instance.id}: reference A does not apply: {applied.message.splitlines()[0]}")
    folder = work / "source"
    folder.mkdir()
    for path in (instance.environment.lock, instance.environment.npm_lock):
        if path is not None:
            (folder / path.relative_to(instance.folder)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / path.relative_to(instance.folder))
    if instance.environment.image and instance.environment.image.build:
        build = instance.environment.image.build
        shutil.copytree(build, folder / build.relative_to(instance.folder))
    if instance.base.kind == "directory":
        shutil.copytree(instance.base_directory(), folder / "base", symlinks=True)
    own = instance.tests["base"]
    if own.overlay is not None:
        shutil.copytree(own.overlay, folder / own.overlay.relative_to(instance.folder))
    return Source(instance.id, bench, kept, raw.requirement, applied.tree, overlay, own.command, folder)


def source_of_row(row: FieldMap, place: Place, request: Request, work: Path) -> Source:
    """A SWE-bench Pro row, whose requirement, reference and tests become side A.

    Raises:
        SetupError: it cannot be taken over; the text begins with the reject code.
    """
    name = str(row.get("instance_id") or "row")
    try:
        side = first_side(row, place)
        pair = RawPair(name, slug_of("pro", name), _SIDE, _SIDE, name, {})
        task = RawTask("swebench-pro", name, base_of(row, place), {_SIDE: side}, (pair,))
        bench, lock = open_task(task, request, work / "bench")
        measured = bench.side(_SIDE)
        own = bench.kept_tests(pair, [measured], measured.tree)
    except RejectedError as error:
        raise SetupError(f"{name}: {error}") from error
    if own is None:
        raise SetupError(f"{name}: the base has no tests of its own that A keeps, which a pair needs")
    folder = work / "source"
    folder.mkdir()
    environment: dict[str, Any] = dict(bench.task.base.environment or {"interpreter": bench.environment.interpreter})
    if lock is not None:
        (folder / "environment.lock").write_bytes(lock)
        environment["lock"] = "environment.lock"
    if bench.environment.interpreter == "python":
        environment["source_roots"] = list(bench.environment.source_roots)
        environment["import_check"] = list(bench.environment.import_check)
    suite = measured.suite
    tests = {
        "overlay": "tests/a",
        "command": list(suite.command),
        "fail_to_pass": list(suite.fail_to_pass),
        "pass_to_pass": list(suite.pass_to_pass),
    }
    data = {
        "schema_version": 1,
        "language": bench.task.base.language,
        "base": dict(bench.task.base.entry),
        "environment": environment,
        "protected": sorted({*suite.command[1:], *suite.overlay}),
        "principals": {_SIDE: "first principal"},
        "tests": {_SIDE: tests, "base": {"command": list(own.command), "pass_to_pass": list(own.pass_to_pass)}},
    }
    return Source(name, bench, data, side.requirement, measured.tree, suite.overlay, own.command, folder)
