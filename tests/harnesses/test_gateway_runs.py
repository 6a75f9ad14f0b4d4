"""`crosstalk run` with another vendor's model: solved, counted on both sides, resumable, and the provider's key in no file."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from eval.records import CellRecord, Status
from eval.storage import ResultsFolder
from harnesses.base import ReplaySource
from harnesses.script import load_script
from harnesses.scripted_model.faults import FOREVER, Fault, FaultKind
from harnesses.scripted_model.server import ScriptedModelServer
from instances.model import Instance
from sandboxes.usage import Usage

ROOT = Path(__file__).parents[2]
PROVIDERS_KEY = "sk-provider-0d9f3b51aa"
pytestmark = [
    pytest.mark.needs("bwrap"),
    pytest.mark.skipif(not find_spec("litellm"), reason="litellm is missing: pip install 'crosstalk-bench[litellm]'"),
]
PROGRAMS = [
    pytest.param("claude-code", marks=pytest.mark.needs("claude")),
    pytest.param("codex", marks=pytest.mark.needs("codex")),
]
if find_spec("minisweagent"):
    PROGRAMS.append(pytest.param("mini-swe-agent"))


def crosstalk(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment["OWN_VARIABLE"] = PROVIDERS_KEY
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)


def provide(server: ScriptedModelServer, pair: Instance, faults: Sequence[Fault] = ()) -> None:
    """Whoever brings the provider's key is given the joint reference to apply."""
    source = ReplaySource(
        pair.folder / "none.json", lambda name: (pair.folder / f"{name}.patch").read_bytes(), "references/joint"
    )
    server.add_lane("both", load_script(source).actions(1), faults, key=PROVIDERS_KEY)


def counted(record: CellRecord) -> tuple[Usage, Usage]:
    """What the record says of its turns together, by the gateway, and the difference to the program's own count."""
    wires = [turn.metering.wire for turn in record.turns if turn.metering and turn.metering.wire]
    assert len(wires) == len(record.turns)

    def total(usages: Sequence[Any]) -> Usage:
        return sum((Usage(one.input, one.cache_write, one.cache_read, one.output) for one in usages), Usage())

    return total([one.usage for one in wires]), total([one.difference for one in wires])


@pytest.mark.parametrize("harness", PROGRAMS)
def test_a_run_on_another_vendors_model(make_pair: Callable[..., Instance], tmp_path: Path, harness: str) -> None:
    pair, out = make_pair(), tmp_path / "results"
    with ScriptedModelServer(uncached=3) as server:
        provide(server, pair)
        chosen: list[object] = ["run", "--harness", harness, "--model", "hosted_vllm/scripted", "--model-url", f"{server.url}/v1"]
        chosen += ["--model-key", "OWN_VARIABLE", "-i", pair.folder, "-s", "oracle,parallel-unaware", "--unsound", "--out", out]
        refused = crosstalk(*chosen)
        assert (refused.returncode, "give --yes" in refused.stderr) == (2, True)
        done = crosstalk(*chosen, "--yes")
        assert done.returncode == 0, done.stderr
        records = list(ResultsFolder(out).records())
        assert {record.scenario: len(record.turns) for record in records} == {"oracle": 1, "parallel-unaware": 2}
        assert next(record for record in records if record.scenario == "oracle").solved
        counts = [counted(record) for record in records]
        assert sum((count for count, _ in counts), Usage()) == server.ledger.total(PROVIDERS_KEY)
        assert [difference for _, difference in counts] == [Usage(), Usage()]
    for record in records:
        assert (record.scripted, record.usage.input, record.cost_usd) == (False, counted(record)[0].input, None)
        for turn in record.turns:
            assert turn.metering
            assert turn.metering.wire
            path = out / "cells" / record.cell / turn.metering.wire.exchanges
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            assert len([line for line in lines if "usage" in line]) == turn.metering.wire.requests > 0
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if PROVIDERS_KEY.encode() in path.read_bytes()] == []
    assert [path for path in files if b"sk-lane-" in path.read_bytes()] == []
    assert PROVIDERS_KEY not in done.stdout + done.stderr


@pytest.mark.needs("claude")
def test_a_run_whose_provider_refused_the_key_is_resumed(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pair, out = make_pair(), tmp_path / "results"
    with ScriptedModelServer() as server:
        provide(server, pair, [Fault(FaultKind.UNAUTHORIZED, 2, FOREVER)])
        chosen: list[object] = ["run", "--harness", "claude-code", "--model", "own-model", "--model-url", f"{server.url}/v1"]
        chosen += ["--model-key", "OWN_VARIABLE", "-i", pair.folder, "-s", "oracle", "--unsound", "--yes", "--out", out]
        broken = crosstalk(*chosen)
        assert broken.returncode == 2, broken.stderr
        assert "the provider refused the key" in broken.stderr
        assert [record.status for record in ResultsFolder(out).records()] == [Status.INFRASTRUCTURE]
        provide(server, pair)
        done = crosstalk("resume", out)
        assert done.returncode == 0, done.stderr
    (record,) = ResultsFolder(out).records()
    assert record.solved


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "x", "--model-url", "nowhere"], "is no http or https address"),
        (["--model", "scripted", "--model-url", "http://127.0.0.1:9/v1"], "go with --model"),
        (["--model", "x", "--model-url", "http://127.0.0.1:9/v1", "--max-cost-usd", "1", "--yes"], "cannot be kept"),
    ],
)
def test_what_does_not_go_together_is_refused(
    make_pair: Callable[..., Instance], tmp_path: Path, arguments: list[str], said: str
) -> None:
    chosen = ["run", "--harness", "codex", "-i", make_pair().folder, "-s", "oracle", "--unsound", "--out", tmp_path / "out"]
    refused = crosstalk(*chosen, *arguments)
    assert (refused.returncode, said in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "out").exists()
