"""A run whose lanes' edits a model combines: its verdict has a row of its own, and every token of every attempt is counted."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from canned_model import KEY, Canned, Endpoint, serving
from small_pair import JOINT

from eval.records import CellRecord, Status
from eval.report import build_report
from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")
ONE_ANSWER = 100 + 5 * 10  # what the endpoint reports of each


def play(pair: Instance, out: Path, answers: list[Canned], status: int = 0, *options: str) -> tuple[CellRecord, int]:
    record, endpoint = play_and_listen(pair, out, answers, status, *options)
    return record, len(endpoint.requests)


def play_and_listen(
    pair: Instance, out: Path, answers: list[Canned], status: int = 0, *options: str
) -> tuple[CellRecord, Endpoint]:
    with serving(answers) as endpoint:
        command = [
            sys.executable,
            "-m",
            "eval.main",
            "run",
            "-i",
            str(pair.folder),
            "-s",
            "parallel-unaware",
            "--unsound",
            "--yes",
        ]
        command += ["--reconciler-model", "canned", "--reconciler-url", endpoint.url, "--out", str(out), *options]
        environment = {**os.environ, "CANNED_KEY": KEY}
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, env=environment)
        assert done.returncode == status, done.stderr
        return next(ResultsFolder(out).records()), endpoint


def test_a_useless_model_is_a_conflict_and_is_paid_for(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    record, requests = play(make_pair(), tmp_path / "out", [Canned("I would rather not.")] * 3)
    assert requests == 3
    assert (record.status, record.candidates["model"].clean, record.deployable) == (Status.FAILED, False, False)
    assert record.candidates["model"].usage.effective_tokens == 3 * ONE_ANSWER
    assert record.reconciler_usage.effective_tokens == 3 * ONE_ANSWER
    row = build_report(ResultsFolder(tmp_path / "out")).rows[0]
    assert row.mean_reconciler_tokens == 3 * ONE_ANSWER
    lanes = record.usage.effective_tokens
    assert lanes is not None
    assert row.by_reconciler["model"].mean_effective_tokens == pytest.approx(lanes + 3 * ONE_ANSWER)
    assert row.by_reconciler["git-merge"].mean_effective_tokens == pytest.approx(lanes)


def test_a_good_answer_is_deployable_where_git_conflicts(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    good = f"@@@ FILE shop/price.py\n{JOINT['shop/price.py']}@@@ END\n"
    good += '@@@ DROPPED A shop/price.py\n+    return f"{cents / 100:.2f} {currency}"\n@@@ END\n'
    good += '@@@ DROPPED B shop/price.py\n+    text = f"{abs(cents) / 100:.2f}"\n@@@ END\n@@@ DONE\n'
    record, requests = play(make_pair(), tmp_path / "out", [Canned(good)] * 3)
    assert requests == 1
    model = record.candidates["model"]
    assert (model.clean, model.solved, record.deployable, record.solved) == (True, True, True, True)
    assert not record.candidates["git-merge"].clean


def test_no_answer_is_infrastructure_and_what_it_used_is_known(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    refusal = Canned("no such key", status=401)
    record, requests = play(make_pair(), tmp_path / "out", [refusal] * 4, status=2)
    assert requests == 1  # a key that is refused once is refused again
    assert (record.status, record.failure) == (Status.INFRASTRUCTURE, "auth")
    assert "TransportError" in record.reason or "401" in record.reason


def test_a_provider_s_own_wait_is_kept_and_its_fault_tried_again(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    record, requests = play(make_pair(), tmp_path / "out", [Canned("slow down", status=429)] * 40, 1, "--retry-wait", "0")
    assert (record.failure, record.retry_after) == ("rate-limit", 0.0)
    # Each of the cell's four attempts asks five times.
    assert requests == 20


def test_what_the_model_was_asked_and_answered_is_kept_without_the_key(
    make_pair: Callable[..., Instance], tmp_path: Path
) -> None:
    useless = [Canned(f"I was given {KEY}."), Canned("I would rather not."), Canned("No.")]
    record, _ = play(make_pair(), tmp_path / "out", useless, 0, "--reconciler-key", "CANNED_KEY")
    path = tmp_path / "out" / "cells" / record.cell / "reconciler-model.transcript.jsonl"
    said = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one["role"] for one in said] == ["system", "user", "assistant", "user", "assistant", "user", "assistant"]
    assert said[2]["text"] == "I was given [secret]."
    assert said[4]["text"] == "I would rather not."
    assert not any(KEY.encode() in file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file())


@pytest.mark.parametrize("shown", ["nothing", "requirements", "summaries"])
def test_the_model_sees_what_it_is_to_see_and_no_more(make_pair: Callable[..., Instance], tmp_path: Path, shown: str) -> None:
    pair = make_pair()
    _, endpoint = play_and_listen(pair, tmp_path / "out", [Canned("No.")] * 3, 0, "--reconciler-shown", shown)
    asked = endpoint.requests[0]["messages"][1]["content"]
    for side in ("a", "b"):
        assert (pair.requirement(side).strip() in asked) == (shown == "requirements")
        assert (f"What its author says of edit {side.upper()}:\n\nDone." in asked) == (shown == "summaries")
    asks = ResultsFolder(tmp_path / "out").manifest().reconciler_model
    assert asks is not None
    assert asks["shown"] == shown


def test_its_dollars_stand_apart_from_the_lanes(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    """The later of two `--reconciler-model` is the one that counts; this one has a price."""
    record, _ = play(make_pair(), tmp_path / "out", [Canned("No.")] * 3, 0, "--reconciler-model", "claude-haiku-4-5")
    assert record.cost_usd is None
    assert record.reconciler_cost_usd == pytest.approx(3 * (100 * 1e-6 + 10 * 5e-6))
    assert record.candidates["model"].cost_usd == record.reconciler_cost_usd
    row = build_report(ResultsFolder(tmp_path / "out")).rows[0]
    assert (row.mean_cost_usd, row.mean_reconciler_cost_usd) == (None, record.reconciler_cost_usd)
