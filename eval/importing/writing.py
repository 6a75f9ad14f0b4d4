"""An imported pair as an instance on disk, with what was measured and what it lacks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.importing.measuring import Suite, TaskBench, write_files
from eval.importing.pairing import Joint, PairOutcome
from instances.dataset import CANARY
from instances.model import SIDES

CONFLICT_KIND = "imported"


def write_instance(bench: TaskBench, outcome: PairOutcome, lock: bytes | None, revision: str, folder: Path) -> None:
    """Write an accepted pair's folder.

    Args:
        lock: of its environment; `None` where it is an image's.
        revision: of the data set, as the caller says.
        folder: is made; its name is the instance's id.
    """
    task, joint = bench.task, outcome.joint
    if joint is None or outcome.family is None:
        raise ValueError(f"{outcome.pair.label} was not accepted")
    folder.mkdir(parents=True)
    tests: dict[str, Any] = {}
    for side in SIDES:
        measured = outcome.sides[side]
        (folder / f"requirement_{side}.md").write_text(measured.raw.requirement + "\n", encoding="utf-8")
        tests[side] = _suite(folder, side, measured.suite)
    if outcome.joint_suite is not None:
        tests["joint"] = _suite(folder, "joint", outcome.joint_suite)
    if outcome.base_suite is not None:
        own = outcome.base_suite
        tests["base"] = {
            "command": list(own.command),
            "pass_to_pass": list(own.pass_to_pass),
            "timeout_seconds": own.timeout_seconds,
        }
    _write_references(bench, outcome, joint, folder / "references")
    if lock is not None:
        (folder / "environment.lock").write_bytes(lock)
    data = {
        "schema_version": 1,
        "id": folder.name,
        "family": outcome.family,
        "title": outcome.pair.title,
        "canary": CANARY,
        "language": task.base.language,
        "conflict_kind": CONFLICT_KIND,
        "principals": dict(outcome.pair.principals),
        "base": dict(task.base.entry),
        "environment": _environment(bench),
        "tests": tests,
        "protected": _protected(outcome),
        "imported": {
            "format": task.format,
            "source": outcome.pair.label,
            "revision": revision,
            "joint_suite": "derived" if outcome.joint_suite is None else "supplied",
            "joint_reference": joint.scope,
            "mechanical": outcome.mechanical,
            "files": dict(task.files),
            "notes": [*task.notes, *outcome.notes],
        },
    }
    (folder / "instance.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _suite(folder: Path, name: str, suite: Suite) -> dict[str, Any]:
    write_files(folder / "tests" / name, suite.overlay)
    return {
        "overlay": f"tests/{name}",
        "command": list(suite.command),
        "fail_to_pass": list(suite.fail_to_pass),
        "pass_to_pass": list(suite.pass_to_pass),
        "timeout_seconds": suite.timeout_seconds,
    }


def _write_references(bench: TaskBench, outcome: PairOutcome, joint: Joint, folder: Path) -> None:
    folder.mkdir()
    trees: Mapping[str, str] = {**{side: outcome.sides[side].tree for side in SIDES}, "joint": joint.tree}
    for name, tree in trees.items():
        (folder / f"{name}.patch").write_bytes(bench.store.patch(bench.base, tree))


def _environment(bench: TaskBench) -> dict[str, Any]:
    if bench.task.base.environment is not None:
        return {**bench.task.base.environment, "source_roots": list(bench.environment.source_roots)}
    found: dict[str, Any] = {"interpreter": bench.environment.interpreter, "lock": "environment.lock"}
    if bench.environment.interpreter == "python":
        found["source_roots"] = list(bench.environment.source_roots)
        found["import_check"] = list(bench.environment.import_check)
    return found


def _protected(outcome: PairOutcome) -> list[str]:
    """The tests that the commands name: a folder with all that is in it."""
    suites = [*(one.suite for one in outcome.sides.values()), *([outcome.base_suite] if outcome.base_suite else [])]
    found: dict[str, None] = {}
    for suite in suites:
        for path in suite.command[1:]:
            found[path] = None
            if "." not in path.rpartition("/")[2]:
                found[f"{path}/**"] = None
    return sorted(found)
