"""A cell counts as orchestrated only where its record proves that subagents were used."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.report import build_report
from eval.report_formats import Format, render
from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")


def play(pair: Instance, out: Path, *options: str) -> ResultsFolder:
    command = [sys.executable, "-m", "eval.main", "run", "-i", str(pair.folder), "-s", "orchestrator", "--unsound", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(
        [*command, "--out", str(out)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return ResultsFolder(out)


def test_an_agent_that_does_all_by_itself_is_not_counted_as_orchestrated(
    make_pair: Callable[..., Instance], tmp_path: Path
) -> None:
    report = build_report(play(make_pair(), tmp_path / "results", "--harness", "lone_harness.Lone"))
    assert [(row.n, row.solved, row.orchestrated) for row in report.rows] == [(1, 1, 0)]
    assert "1 NOT ORCHESTRATED" in render(report, Format.TABLE)


@pytest.mark.parametrize(
    "harness",
    [pytest.param("claude-code", marks=pytest.mark.needs("claude")), pytest.param("codex", marks=pytest.mark.needs("codex"))],
)
def test_a_program_with_subagents_is_counted(make_pair: Callable[..., Instance], tmp_path: Path, harness: str) -> None:
    report = build_report(play(make_pair(), tmp_path / "results", "--harness", harness, "--model", "scripted"))
    assert [(row.n, row.solved, row.orchestrated) for row in report.rows] == [(1, 1, 1)]
    assert "NOT ORCHESTRATED" not in render(report, Format.TABLE)
