"""A run whose lanes' edits a model combines: its verdict has a row of its own, and every token of every attempt is counted."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from canned_model import Canned, serving
from small_pair import JOINT

from eval.records import CellRecord, Status
from eval.report import build_report
from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")
ONE_ANSWER = 100 + 5 * 10  # what the endpoint reports of each


def play(pair: Instance, out: Path, answers: list[Canned], status: int = 0) -> tuple[CellRecord, int]:
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
        command += ["--reconciler-model", "canned", "--reconciler-url", endpoint.url, "--out", str(out)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == status, done.stderr
        return next(ResultsFolder(out).records()), len(endpoint.requests)


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
