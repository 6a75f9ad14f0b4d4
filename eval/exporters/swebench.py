"""Prediction files as SWE-bench reads them: a line an instance, a file for each scenario, repeat and combined tree."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.exporters.common import Export, Finished, finished, instances_in, new_folder, write_json
from eval.records import RunManifest
from eval.storage import ResultsFolder
from instances.dataset import CANARY
from instances.model import Instance
from reconcilers import RECONCILERS
from reconcilers.base import Edit
from reconcilers.registry import reconciler_named
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.gitstore import GitStore

_FINAL = "final"
_PRO = "swebench-pro"


@dataclass
class _Base:
    """An instance's base in a store."""

    instance: Instance
    store: GitStore
    tree: str


@dataclass
class _Files:
    """Lines by file."""

    lines: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, name: str, line: Mapping[str, Any]) -> None:
        self.lines.setdefault(name, []).append(dict(line))


def export_swebench(folder: Path, out: Path) -> Export:
    """Write what each scenario ended with as predictions, and of pairs made of SWE-bench Pro rows also its list of patches.

    Raises:
        SetupError: there is no run, an instance has changed since, or `out` is there already.
        InstanceError: a base cannot be had.
        SandboxError: git broke.
    """
    results, export = ResultsFolder(folder), Export()
    manifest = results.manifest()
    work = scratch_folder("export")
    try:
        instances = {one.id: one for one in instances_in(manifest)}
        bases: dict[str, _Base] = {}
        predictions, patches = _Files(), _Files()
        for cell in finished(results, manifest, export):
            name = cell.entry.instance
            if name not in bases:
                store = GitStore(work / name)
                bases[name] = _Base(instances[name], store, store.import_directory(instances[name].base_directory()))
            _export_cell(cell, bases[name], manifest, (predictions, patches), export)
        with new_folder(out) as beside:
            for name, lines in predictions.lines.items():
                content = "".join(json.dumps(line) + "\n" for line in lines)
                (beside / f"{name}.jsonl").write_text(content, encoding="utf-8")
            for name, lines in patches.lines.items():
                write_json(beside / f"{name}.patches.json", lines)
    finally:
        remove_tree(work)
    export.files = len(predictions.lines) + len(patches.lines)
    return export


def _export_cell(cell: Finished, base: _Base, manifest: RunManifest, files: tuple[_Files, _Files], export: Export) -> None:
    imported = base.instance.imported
    pro = imported.source if imported and imported.format == _PRO else ""
    for name, patch in _patches(cell, base, export):
        what = f"{cell.entry.cell}, {name}"
        try:
            text = patch.decode()
        except UnicodeDecodeError:
            export.left_out.append(f"{what}: the patch is not UTF-8, which these files must be")
            continue
        if CANARY in text:
            export.left_out.append(f"{what}: the patch holds held-out tests")
            continue
        file = f"{cell.entry.scenario}.{cell.entry.repeat}.{name}"
        model = f"{manifest.configuration_label}+{cell.entry.scenario}+{name}"
        files[0].add(file, {"instance_id": pro or base.instance.id, "model_name_or_path": model, "model_patch": text})
        if pro:
            files[1].add(file, {"instance_id": pro, "patch": text, "prefix": file.replace("/", "-")})


def _patches(cell: Finished, base: _Base, export: Export) -> Iterator[tuple[str, bytes]]:
    """By name, the patch to each tree that was graded, made again and held against the record, and each parallel lane's own."""
    record = cell.record
    own = [(turn, (cell.folder / turn.patch).read_bytes()) for turn in record.turns]
    if _FINAL not in record.candidates:
        yield from ((f"lane-{turn.lane}", patch) for turn, patch in own)
    for name, candidate in record.candidates.items():
        if candidate.tree is None:
            yield name, b""  # a failure, and not one that was never tried: an empty patch is counted, a missing line is not
            continue
        tree = _in_turn(base, [patch for _, patch in own]) if name == _FINAL else _combined(name, base, own)
        if tree != candidate.tree:
            why = "a model combined it, and its tree is not kept" if name not in RECONCILERS else "it cannot be made again"
            export.left_out.append(f"{cell.entry.cell}, {name}: {why}" if name != _FINAL else f"{cell.entry.cell}: {why}")
            continue
        yield name, base.store.patch(base.tree, tree)


def _in_turn(base: _Base, patches: list[bytes]) -> str | None:
    tree: str | None = base.tree
    for patch in patches:
        tree = base.store.apply(tree, patch).tree if tree else None
    return tree


def _combined(name: str, base: _Base, own: list[tuple[Any, bytes]]) -> str | None:
    if name not in RECONCILERS or len(own) != 2:
        return None
    edits = []
    for turn, patch in own:
        tree = base.store.apply(base.tree, patch).tree
        if tree is None:
            return None
        edits.append(Edit(turn.lane, tree, patch))
    return reconciler_named(name).combine(base.store, base.tree, *edits).tree
