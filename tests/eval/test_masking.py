"""A key of the operator's that a lane got hold of all the same: it is in no file of the results, and the cell says so."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from small_pair import write_scripts

from eval.masking import STRUCK_OUT, operators_secrets
from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[2]
KEY = "sk-operators-4e1f70b2c9d35a68"


@pytest.mark.needs("bwrap")
def test_a_key_is_struck_out_of_all_that_is_kept_and_the_cell_says_so(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    say = {"to": "b", "thread": "keys", "text": f"I found {KEY} lying about.", "kind": "observation", "claim": KEY}
    leak = {"write": {"path": "found.txt", "text": f"the key is {KEY}\n"}}
    answer = {"say": {"to": "a", "thread": "keys", "text": "Leave it there."}}
    steps = [{"say": say}, leak, {"run": f"echo {KEY}"}], [answer, {"listen": "for the other"}, {"run": "true"}]
    pair = write_scripts(make_pair(), *steps)
    out = tmp_path / "results"
    command = [sys.executable, "-m", "eval.main", "run", "-i", str(pair.folder), "-s", "radio-passive", "--unsound"]
    done = subprocess.run(
        [*command, "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, "OPERATORS_API_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cell = out / "cells" / f"{pair.id}.radio-passive.1"
    kept = {path.relative_to(cell).as_posix(): path.read_bytes() for path in cell.rglob("*") if path.is_file()}
    with_it = sorted(name for name, content in kept.items() if b"[secret]" in content)
    assert with_it == ["a-1.patch", "a-1.transcript.jsonl", "b-1.transcript.jsonl", "radio/events.jsonl"]
    assert b"+the key is [secret]" in kept["a-1.patch"]
    assert [json.loads(line) for line in kept["radio/events.jsonl"].splitlines()]
    assert [path for path in out.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
    (record,) = ResultsFolder(out).records()
    assert {turn.lane: turn.labels for turn in record.turns} == {"a": [STRUCK_OUT], "b": []}


def test_what_is_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SOME_API_KEY", KEY)
    monkeypatch.setenv("SOME_TOKEN", "an-ordinary-word")
    monkeypatch.setenv("OTHER_TOKEN", "ordinary-word")
    monkeypatch.setenv("NAMED", "short-key")
    monkeypatch.setenv("PLAIN", KEY[::-1])
    assert sorted(operators_secrets("NAMED", None)) == sorted([KEY, "an-ordinary-word", "short-key"])
