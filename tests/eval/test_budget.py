"""Budgets: no cell is started once what was used has reached them; and the question before a run that costs."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from paid_harness import LOST
from paid_run import ROOT, PaidRun

from eval.costs import Spending
from eval.records import BudgetRecord
from instances.model import Family, Instance

bwrap = pytest.mark.needs("bwrap")


@pytest.fixture
def pairs(make_pair: Callable[..., Instance]) -> list[Instance]:
    return [make_pair(Family.CONTRADICTORY, name) for name in ("price-one", "price-two", "price-three")]


@bwrap
@pytest.mark.parametrize("option", ["--max-effective-tokens", "--max-cost-usd"])
def test_a_run_ends_at_its_budget_and_goes_on_with_a_higher_one(pairs: list[Instance], tmp_path: Path, option: str) -> None:
    calm = PaidRun(tmp_path / "calm", pairs)
    calm.play("", 0)
    run = PaidRun(tmp_path / "paid", pairs)
    line = run.play("", 3, option, "0.0001").strip().splitlines()[-1]
    assert "the budget of 0.0001" in line
    assert "2 cell(s) are left" in line
    assert f"crosstalk resume {run.results.path} {option} MORE-THAN-0.0001" in line
    assert len(run.kept()) == 1
    assert "2 cell(s)" in run.play("", 3, resume=True)
    assert len(run.begun()) == 1
    run.play("", 0, option, "1e9", resume=True)
    assert run.kept() == calm.kept()
    assert run.results.manifest().budget.model_dump()[option[2:].replace("-", "_")] == 1e9


@bwrap
def test_what_failed_attempts_used_counts(pairs: list[Instance], tmp_path: Path) -> None:
    """One infrastructure attempt is all that the budget allows; resumed, it still counts."""
    run = PaidRun(tmp_path / "paid", pairs)
    run.play("crash", 3, "--max-effective-tokens", str(LOST.effective_tokens))
    assert len(run.begun()) == 1
    run.play("", 3, "--max-effective-tokens", str(LOST.effective_tokens), resume=True)
    assert len(run.begun()) == 1
    run.play("", 0, "--max-effective-tokens", "1e9", resume=True)
    assert [one.usage.effective_tokens for one in run.results.discarded_records()] == [LOST.effective_tokens]
    used = sum(one.usage.effective_tokens or 0 for one in run.results.records()) + (LOST.effective_tokens or 0)
    for limit, reached in ((used, True), (used + 1, False)):
        assert bool(Spending.so_far(BudgetRecord(max_effective_tokens=limit), run.results).reached()) is reached


@bwrap
@pytest.mark.parametrize(
    ("model", "said"), [("nobody/nothing", "has no price for 'nobody/nothing'"), (None, "no model is called, so that there are")]
)
def test_a_budget_in_dollars_is_refused_where_they_are_unknown(
    pairs: list[Instance], tmp_path: Path, model: str | None, said: str
) -> None:
    run = PaidRun(tmp_path / "paid", pairs[:1], model=model or "")
    if model is None:
        run.command[run.command.index("paid_harness.Paid")] = "replay"
        del run.command[run.command.index("--model") : run.command.index("--model") + 2]
    line = run.play("", 2, "--max-cost-usd", "1").strip().splitlines()[-1]
    assert line.startswith("crosstalk: --max-cost-usd cannot be kept: ")
    assert said in line
    assert not run.results.path.exists()
    run.play("", 0)
    assert said in run.play("", 2, "--max-cost-usd", "1", resume=True)
    assert run.results.manifest().budget.max_cost_usd is None


@bwrap
def test_without_a_terminal_nothing_that_costs_is_started_unasked(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path / "paid", pairs[:1])
    command = [sys.executable, "-m", "eval.main", *run.command]
    done = subprocess.run(
        command, cwd=ROOT, env=run.environment(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert "--yes" in done.stderr.strip().splitlines()[-1]
    assert not run.results.path.exists()


@bwrap
def test_on_a_terminal_it_is_asked(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path / "paid", pairs[:1])
    run.faults.write_text("", encoding="utf-8")
    assert answer(run, b"n\n") == 130
    assert not run.results.path.exists()
    assert answer(run, b"y\n") == 0
    assert len(run.kept()) == 1


def answer(run: PaidRun, text: bytes) -> int:
    """The status of the run when a person at a terminal says this."""
    command = [sys.executable, "-m", "eval.main", *run.command]
    master, terminal = pty.openpty()
    try:
        process = subprocess.Popen(
            command, cwd=ROOT, env=run.environment(), stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.write(master, text)
        return process.wait(timeout=300)
    finally:
        os.close(master)
        os.close(terminal)


@bwrap
def test_the_projection_is_the_mean_of_earlier_cells(pairs: list[Instance], tmp_path: Path) -> None:
    first = PaidRun(tmp_path / "paid", pairs[:2])
    assert "no earlier records" in first.play("", 0)
    used = [one.usage.effective_tokens or 0 for one in first.results.records()]
    second = PaidRun(tmp_path / "paid", pairs, "oracle,sequential-ab-repo")
    second.results.path = first.results.path.parent / "second"
    second.command[-1] = str(second.results.path)
    said = second.play("", 0)
    found = re.search(r"projection, agents: 6 cells, ([\d,]+) effective tokens, ([\d.]+) US dollars, by 2 earlier cells", said)
    assert found is not None, said
    assert float(found[1].replace(",", "")) == pytest.approx(6 * sum(used) / 2, abs=1)
    assert "1 of these scenarios and families" in said
    other = PaidRun(tmp_path / "paid", pairs[:1], model="claude-opus-4-5")
    other.command[-1] = str(tmp_path / "paid" / "third")
    assert "no earlier records" in other.play("", 0)
