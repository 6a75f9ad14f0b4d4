"""Task folders as Harbor reads them: one agent with both requests, the held-out tests where the format has its place for them."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.cell import JOINT_SUCCESS
from eval.exporters.common import Export, instances_in, new_folder, write_json
from eval.records import RunManifest
from eval.runners import CONTROL_GLOBS
from eval.storage import ResultsFolder
from instances.files import own_files, own_paths
from instances.model import SIDES, Instance
from sandboxes.globs import compile_globs
from scenarios.prompts import TASK

_VERIFIER = Path(__file__).parent / "harbor_files" / "verify.py"
_SCHEMA = "1.4"
_APP = "/app"
_BUILT_FROM = "python:{version}-slim"


def export_harbor(folder: Path, out: Path) -> Export:
    """Write a run's Python pairs as tasks.

    Raises:
        SetupError: there is no run, an instance has changed since, or `out` is there already.
        InstanceError: a base or a patch cannot be had.
    """
    results, export = ResultsFolder(folder), Export()
    manifest = results.manifest()
    instances = instances_in(manifest)
    with new_folder(out) as beside:
        for instance in instances:
            if instance.environment.interpreter != "python":
                export.left_out.append(f"{instance.id}: its tests need {instance.environment.interpreter}, the tasks run pytest")
                continue
            _write_task(instance, manifest, beside / instance.id)
            export.files += 1
    return export


def _write_task(instance: Instance, manifest: RunManifest, folder: Path) -> None:
    folder.mkdir()
    requests = "\n\n".join(f"# Request {number}\n\n{instance.requirement(side)}" for number, side in enumerate(SIDES, start=1))
    (folder / "instruction.md").write_text(f"{TASK}\n\n{requests}\n", encoding="utf-8")
    (folder / "task.toml").write_text(_toml(instance, manifest), encoding="utf-8")
    _write_environment(instance, manifest, folder / "environment")
    _script(folder / "solution" / "solve.sh", f"cd {_APP}\ngit apply --whitespace=nowarn /solution/joint.patch\n")
    (folder / "solution" / "joint.patch").write_bytes(instance.patch("references/joint"))
    _write_tests(instance, folder / "tests")


def _toml(instance: Instance, manifest: RunManifest) -> str:
    """`task.toml`; a text in JSON's quotes is one in TOML's."""
    seconds = sum(instance.tests[suite].timeout_seconds for suite in JOINT_SUCCESS if suite in instance.tests)
    metadata = {
        "family": instance.family,
        "title": instance.title,
        "provenance": instance.provenance,
        "digest": instance.digest,
        "canary": instance.canary,
    }
    lines = [f"schema_version = {json.dumps(_SCHEMA)}", "", "[task]", f"name = {json.dumps(f'crosstalk/{instance.id}')}"]
    lines += ["", "[metadata]", *(f"{key} = {json.dumps(str(value))}" for key, value in metadata.items())]
    lines += ["", "[verifier]", f"timeout_sec = {seconds + 60:.1f}"]
    lines += ["", "[agent]", f"timeout_sec = {60 * manifest.limits['max_minutes']:.1f}"]
    return "\n".join([*lines, "", "[environment]", "build_timeout_sec = 900.0", f"workdir = {json.dumps(_APP)}"]) + "\n"


def _write_environment(instance: Instance, manifest: RunManifest, folder: Path) -> None:
    shutil.copytree(instance.base_directory(), folder / "repository", symlinks=True)
    image, lock = instance.environment.image, instance.environment.lock
    version = ".".join(manifest.versions.get("python", "3.11").split(".")[:2])
    lines = [f"FROM {image.name if image and image.name else _BUILT_FROM.format(version=version)}"]
    if image and image.build:
        shutil.copytree(image.build, folder, dirs_exist_ok=True)
        lines = [(image.build / "Dockerfile").read_text(encoding="utf-8").rstrip("\n")]
    if lock is not None:
        shutil.copyfile(lock, folder / "environment.lock")
        lines += [
            "RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*",
            "COPY environment.lock /tmp/environment.lock",
            "RUN pip install --no-cache-dir --require-hashes --no-deps -r /tmp/environment.lock",
        ]
    lines += [f"COPY repository {_APP}", f"WORKDIR {_APP}", "ENTRYPOINT []"]
    (folder / "Dockerfile").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_tests(instance: Instance, folder: Path) -> None:
    suites = [_suite(instance, name, folder) for name in JOINT_SUCCESS if name in instance.tests]
    globs = (*instance.protected, *CONTROL_GLOBS)
    guarded, base = compile_globs(globs).fullmatch, instance.base_directory()
    (folder / "protected").mkdir(parents=True)
    for path in own_paths(base):
        name = path.relative_to(base).as_posix()
        if path.is_file() and not path.is_symlink() and guarded(name):
            _copy(path, folder / "protected" / name)
    executable = instance.environment.executable
    facts = {
        "protected": list(globs),
        "source_roots": list(instance.environment.source_roots),
        "python": executable,
        "suites": suites,
    }
    write_json(folder / "suites.json", facts)
    shutil.copyfile(_VERIFIER, folder / "verify.py")
    _script(folder / "test.sh", f"{executable or 'python3'} -I -B /tests/verify.py\n")


def _suite(instance: Instance, name: str, folder: Path) -> Mapping[str, Any]:
    spec = instance.tests[name]
    if spec.overlay is not None:
        for path, source in own_files(spec.overlay):
            _copy(source, folder / name / path)
    return {
        "name": name,
        "arguments": list(spec.command[1:]),
        "expected": list(spec.expected),
        "timeout_seconds": spec.timeout_seconds,
    }


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nset -e\n{body}", encoding="utf-8")
    path.chmod(path.stat().st_mode | 0o111)
