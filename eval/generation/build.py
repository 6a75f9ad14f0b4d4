"""A proposal as an instance on disk, and what is wrong with it by soundness and lint."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.generation.answer import Proposal
from eval.generation.source import Source, with_canary
from eval.importing.measuring import passed, write_files
from eval.lint_command import lint_findings
from eval.soundness import check
from instances.dataset import CANARY
from instances.errors import InstanceError
from instances.importers.rejects import RejectedError
from instances.lint import Finding
from instances.load import load
from instances.model import Family
from sandboxes.base import SandboxFactory
from sandboxes.errors import SandboxError

_OWN = "the base's own tests"


def build(source: Source, proposal: Proposal, family: Family, folder: Path, generated: Mapping[str, Any]) -> list[str]:
    """Write a proposal's folder; what keeps it from being a pair at all, in words.

    Raises:
        SandboxError, SetupError: the machine, or the environment, broke; nothing is said about the proposal.
    """
    bench = source.bench
    trees: dict[str, str] = {}
    for name, files in proposal.designs.items():
        try:
            trees[name] = bench.store.overlay(bench.base, [(path, content, False) for path, content in files.items()])
        except SandboxError as error:
            return [f"{name}: {error}"]
        if trees[name] == bench.base:
            return [f"{name} changes nothing"]
    tests = {name.partition("/")[2]: with_canary(files) for name, files in proposal.tests.items()}
    faults, suites = [], {}
    for suite, reference in (("b", "references/b"), ("joint", "references/joint")):
        try:
            # The name is another for each attempt, for a suite is known by it.
            command = bench.command_for((), tests[suite], f"tests/{suite}")
            found, _ = bench.suite(f"tests.{suite} of {folder.name}", tests[suite], command, trees[reference])
        except RejectedError as error:
            faults.append(f"tests/{suite}, {error}")
            continue
        suites[suite] = {
            "overlay": f"tests/{suite}",
            "command": list(found.command),
            "fail_to_pass": list(found.fail_to_pass),
            "pass_to_pass": list(found.pass_to_pass),
        }
    if faults:
        return faults
    own = passed(bench.verdict(trees["references/joint"], f"{_OWN} {folder.name}", *_own_tests(source)))
    source.lay_out(folder)
    (folder / "requirement_b.md").write_text(proposal.requirement + "\n", encoding="utf-8")
    for suite, files in tests.items():
        write_files(folder / "tests" / suite, files)
    for name, tree in {"references/a": source.tree, **trees}.items():
        path = folder / f"{name}.patch"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bench.store.patch(bench.base, tree))
    base = {**source.data["tests"]["base"], "pass_to_pass": sorted(own)}
    data = {
        **source.data,
        "id": folder.name,
        "family": family,
        "title": proposal.title,
        "canary": CANARY,
        "conflict_kind": proposal.conflict_kind,
        "principals": {**source.data["principals"], "b": proposal.principal},
        "tests": {**source.data["tests"], **suites, "base": base},
        "generated": dict(generated),
        **({"controls": {"divergent_side": proposal.divergent_side}} if family is Family.COMPLEMENTARY else {}),
    }
    (folder / "instance.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return []


def faults_of(folder: Path, sandboxes: SandboxFactory) -> list[str]:
    """What soundness and lint find wrong with a pair, in words; empty where nothing is.

    Raises:
        SandboxError, SetupError: the machine, or the environment, broke.
    """
    try:
        instance = load(folder)
        found = [one for one in lint_findings(instance) if one.level == "error" and not _is_the_source_s(one)]
        wrong = [f"{one.place}: {one.what} ({one.fix})" for one in found]
        return wrong + [f"{one.check}: NO. {one.detail}" for one in check(instance, sandboxes).problems]
    except InstanceError as error:
        return [str(error).replace(str(folder), "the pair")]


def _is_the_source_s(finding: Finding) -> bool:
    """Whether a finding is about what was given, which no proposal can mend; what it gives away depends on both sides."""
    return finding.rule != "leak" and finding.file.startswith(("requirement_a", "references/a", "tests/a/", "base/"))


def _own_tests(source: Source) -> tuple[dict[str, bytes], tuple[str, ...]]:
    overlay = source.data["tests"]["base"].get("overlay")
    root = source.folder / overlay if overlay else None
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()} if root else {}
    return files, source.base_command
