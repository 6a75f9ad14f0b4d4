"""`crosstalk run` with a program at its own provider, whose agent looks for the key and writes down what it finds."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from driven import WITH_A_PROVIDER, Driven, run

from eval.masking import STRUCK_OUT
from eval.storage import ResultsFolder
from harnesses.scripted_model.server import ScriptedModelServer
from instances.model import Instance

ROOT = Path(__file__).parents[2]
KEY = "sk-operators-81b0c4d7e2f95a36"
# Its own environment, and that of all that it sees run: without walls, the bench's too.
LOOK = "{ env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; } >found.txt; cat found.txt"


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("sandbox", ["local", "unisolated"])
@pytest.mark.parametrize(
    "driven", [pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in WITH_A_PROVIDER]
)
def test_the_operators_key_is_in_nothing_that_is_kept(
    driven: Driven, sandbox: str, make_pair: Callable[..., Instance], tmp_path: Path
) -> None:
    out = tmp_path / "results"
    command = [sys.executable, "-m", "eval.main", "run", "--harness", driven.name, "--model", "m", "-i", str(make_pair().folder)]
    command += ["-s", "oracle", "--unsound", "--yes", "--sandbox", sandbox, "--jobs", "1", "--out", str(out)]
    environment = {**os.environ, driven.key_variable: KEY}
    with ScriptedModelServer(uncached=3) as server:
        server.add_lane("both", (run(LOOK),), key=KEY)
        environment[driven.address_variable] = server.url
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        (record,) = ResultsFolder(out).records()
        (turn,) = record.turns
        assert turn.usage.effective_tokens == server.ledger.total(KEY).effective_tokens
    patch = (out / "cells" / record.cell / turn.patch).read_bytes()
    assert b"+++ b/found.txt" in patch
    assert b"sk-lane-" in patch
    assert [path for path in out.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
    assert KEY not in done.stdout + done.stderr
    # Behind walls it was not to be found at all.
    assert (b"[secret]" in patch, turn.labels) == ((False, []) if sandbox == "local" else (True, [STRUCK_OUT]))
