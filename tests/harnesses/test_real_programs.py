"""The real programs through the whole engine, with the scripted model server: what surfaced in them decides the route."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from small_pair import talking

from eval.records import CellRecord
from eval.storage import ResultsFolder
from harnesses.mini_swe_agent_parts import GET, installed_version
from instances.model import Instance

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.needs("curl")]

SCENARIOS = (
    "oracle",
    "sequential-ab-hist",
    "reentrant-abab-repo",
    "parallel-unaware",
    "parallel-message-file",
    "radio-blocking",
    "radio-passive",
    "radio-governed",
    "radio-radar",
)


def play(harness: str, pair: Instance, out: Path) -> dict[str, CellRecord]:
    command = [sys.executable, "-m", "eval.main", "run", "--harness", harness, "--model", "scripted", "-i", str(pair.folder)]
    command += ["-s", ",".join(SCENARIOS), "--unsound", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return {record.scenario: record for record in ResultsFolder(out).records()}


@pytest.mark.parametrize(
    "harness",
    [
        pytest.param("claude-code", marks=pytest.mark.needs("claude")),
        pytest.param("codex", marks=pytest.mark.needs("codex")),
        pytest.param("mini-swe-agent", marks=pytest.mark.skipif(not installed_version(), reason=f"missing: {GET}")),
    ],
)
def test_the_joint_route_is_taken_only_where_the_program_surfaced_the_message(
    make_pair: Callable[..., Instance], tmp_path: Path, harness: str
) -> None:
    records = play(harness, talking(make_pair()), tmp_path / "results")
    unsolved = {"sequential-ab-hist", "reentrant-abab-repo", "parallel-unaware"}
    assert {name: record.solved for name, record in records.items()} == {name: name not in unsolved for name in SCENARIOS}
    listening = {
        name: sum(lane.listening_steps for lane in record.radio.values()) for name, record in records.items() if record.radio
    }
    assert [listening[name] for name in ("radio-passive", "radio-governed", "radio-radar")] == [0, 0, 0]
    assert listening["radio-blocking"] >= 2
    assert listening["parallel-message-file"] >= 2
    for record in records.values():
        assert record.scripted
        assert record.usage.effective_tokens
        assert all(turn.metering is not None and turn.metering.notes == [] for turn in record.turns)
    passive = records["radio-passive"].radio
    assert passive is not None
    assert {lane: (one.sent, one.shown, one.unread) for lane, one in passive.items()} == {"a": (1, 1, 0), "b": (1, 1, 0)}
    assert len(records["reentrant-abab-repo"].turns) == 4
