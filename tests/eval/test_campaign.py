"""A provider that fails: what is tried again, when it is everybody's, and that nothing of it is lost."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paid_harness import LOST
from paid_run import PaidRun

from eval.backoff import PROVIDERS, Fault, Patience, Streak
from eval.report import build_report
from harnesses.base import Failure
from instances.model import Family, Instance

ROOT = Path(__file__).parents[2]
Make = Callable[..., Instance]
bwrap = pytest.mark.needs("bwrap")


@pytest.fixture
def pairs(make_pair: Make) -> list[Instance]:
    return [make_pair(Family.CONTRADICTORY, name) for name in ("price-one", "price-two")]


@bwrap
def test_a_fault_of_the_provider_is_tried_again_and_what_it_used_stands_apart(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs[:1])
    run.play("rate-limit overloaded", 0)
    assert run.begun() == ["price-one.oracle.1"] * 3
    info = build_report(run.results).run
    assert (info.discarded_attempts, info.lost_attempts) == (2, 0)
    assert info.discarded_effective_tokens == 2 * (LOST.effective_tokens or 0)
    assert info.discarded_cost_usd == pytest.approx(2 * (1000 * 1e-6 + 100 * 5e-6))
    assert [one.failure for one in run.results.discarded_records()] == ["rate-limit", "overloaded"]


@bwrap
def test_a_cell_is_given_up_after_so_many_attempts_and_a_program_s_fault_sooner(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs[:1])
    run.play("rate-limit*", 1)
    assert len(run.begun()) == Patience().provider_attempts
    other = PaidRun(tmp_path / "other", pairs[:1])
    other.play("crash*", 1)
    assert len(other.begun()) == Patience().other_attempts


@bwrap
def test_a_fault_that_is_everybody_s_pauses_the_campaign_and_one_cell_asks_again(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs)
    said = run.play("provider " * 3, 0, "--repeats", "2")
    begun = run.begun()
    # Two cells of one instance are no sign of everybody's, a third of the other is. It is the first that asks again, alone.
    assert [one.partition(".")[0] for one in begun[:3]] == [begun[0].partition(".")[0]] * 2 + [begun[2].partition(".")[0]]
    assert begun[0].partition(".")[0] != begun[2].partition(".")[0]
    assert begun[3] == begun[2]
    assert said.count("paused for 0 s") == 1
    assert said.index("paused for 0 s") < said.index(f"asking again with {begun[2]}") < said.index("the provider answers again")
    assert not build_report(run.results).run.infrastructure


@bwrap
def test_an_outage_ends_the_run_in_one_line_and_it_is_resumed_to_the_same_records(pairs: list[Instance], tmp_path: Path) -> None:
    calm = PaidRun(tmp_path / "calm", pairs)
    calm.play("", 0)
    run = PaidRun(tmp_path, pairs)
    said = run.play("overloaded*", 3)
    line = said.strip().splitlines()[-1]
    assert line.startswith("crosstalk: lane both, turn 1: the provider says overloaded")
    assert "2 cell(s) are left" in line
    assert f"crosstalk resume {run.results.path}" in line
    # Two cells made it everybody's, then one cell asked again so many times.
    assert len(run.begun()) == 2 + Patience().probes
    assert len(set(run.begun()[2:])) == 1
    run.play("", 0, resume=True)
    assert run.kept() == calm.kept()
    info = build_report(run.results).run
    assert info.discarded_attempts == 2 + Patience().probes
    assert info.discarded_effective_tokens == info.discarded_attempts * (LOST.effective_tokens or 0)


@bwrap
def test_a_refused_key_ends_the_run_at_once(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs)
    said = run.play("auth*", 2)
    assert "refused the key" in said.strip().splitlines()[-1]
    assert len(run.begun()) == 1
    run.play("", 0, resume=True)
    assert build_report(run.results).run.discarded_attempts == 1


@bwrap
def test_an_interrupt_ends_a_pause(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs)
    with run.start("overloaded*", wait="100000") as process:
        assert process.stderr is not None
        assert any("paused for" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "crosstalk resume" in said
    run.play("", 0, resume=True)
    assert len(run.kept()) == 2


@bwrap
def test_an_attempt_that_was_cut_off_is_not_forgotten(pairs: list[Instance], tmp_path: Path) -> None:
    run = PaidRun(tmp_path, pairs[:1])
    run.play("", 0)
    assert run.results.lost_attempts() == 0
    with run.results.in_use():
        run.results.begin("price-one.oracle.1")
    assert run.results.lost_attempts() == 1
    (run.results.cells / "price-one.oracle.1" / "record.json").write_text("{", encoding="utf-8")
    assert run.results.lost_attempts() == 2
    run.play("", 0, resume=True)
    assert run.results.lost_attempts() == 2
    report = subprocess.run(
        [sys.executable, "-m", "eval.main", "report", str(run.results.path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "2 attempt(s) were cut off" in report.stdout


failures = st.sampled_from([*Failure, None])
seconds = st.floats(0, 1e5)


@given(failures, st.integers(1, 10_000), st.one_of(st.none(), seconds), seconds, seconds, st.text())
def test_no_wait_is_beyond_its_bound_nor_shorter_than_the_provider_asks(
    failure: Failure | None, number: int, asked: float | None, first: float, longest: float, seed: str
) -> None:
    patience = Patience(first_wait=first, longest_wait=longest, longest_asked=3600)
    wait = patience.wait(failure, number, asked, seed)
    assert wait == patience.wait(failure, number, asked, seed)
    if failure not in PROVIDERS:
        assert wait == 0
        return
    wanted = min(asked or 0, 3600)
    assert wanted <= wait <= max(wanted, longest)
    assert wait >= min(first, longest)
    assert patience.wait(failure, number + 1, asked, seed) >= min(wait, first * 2.0 ** min(number, 60), longest)


@pytest.mark.parametrize(
    ("faults", "everybodys"),
    [
        ([("overloaded", "x.1", "x"), ("overloaded", "x.2", "x")], True),
        ([("overloaded", "x.1", "x"), ("overloaded", "x.1", "x")], False),
        ([("provider", "x.1", "x"), ("provider", "x.2", "x")], False),
        ([("provider", "x.1", "x"), ("provider", "y.1", "y")], True),
        ([("rate-limit", "x.1", "x"), ("overloaded", "y.1", "y")], False),
        ([("rate-limit", "x.1", "x"), ("overloaded", "y.1", "y"), ("overloaded", "z.1", "z")], True),
    ],
)
def test_when_a_fault_is_everybody_s(faults: list[tuple[str, str, str]], everybodys: bool) -> None:
    streak = Streak(2)
    assert [streak.met(Fault(*one)) for one in faults][-1] is everybodys
    streak.clear()
    assert not streak.met(Fault("overloaded", "last.1", "last"))
