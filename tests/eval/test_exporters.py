"""A run in other tools' forms: what they ask of a document, lossless patches, and no held-out test where none may be."""

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import crosstalk
from small_pair import SAY_A, SAY_B, write_scripts

from eval.exporters.atif import export_atif
from eval.exporters.moves import Call, Move, Result, moves_of
from instances.dataset import CANARY
from instances.model import Family, Instance
from sandboxes.environments import ensure_environment
from sandboxes.gitstore import GitStore

SCENARIOS = "oracle,sequential-ab-repo,parallel-unaware,parallel-gold,radio-passive"
TRAJECTORY = {
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "final_metrics",
    "extra",
    "subagent_trajectories",
}
STEP = {"step_id", "timestamp", "source", "message", "reasoning_content", "tool_calls", "observation", "llm_call_count"}
TOTALS = {"total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd", "total_steps"}


@pytest.fixture
def run(make_pair: Callable[..., Instance], tmp_path: Path) -> tuple[Instance, Path]:
    """A pair and a finished run of it."""
    pair = write_scripts(make_pair(), [SAY_A, {"apply": "references/a"}], [SAY_B, {"apply": "references/b"}])
    folder = tmp_path / "run"
    done = crosstalk("run", "-i", pair.folder, "-s", SCENARIOS, "--unsound", "--out", folder)
    assert done.returncode == 0, done.stderr
    return pair, folder


def held_out(pair: Instance) -> list[str]:
    return [path.read_text(encoding="utf-8") for suite in pair.tests.values() for _, path in suite.overlay_files()]


def documents(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield data
    for one in data.get("subagent_trajectories", ()):
        yield from documents(one)


def check_document(data: dict[str, Any]) -> None:
    """What ATIF demands of a trajectory."""
    assert set(data) <= TRAJECTORY
    assert data["schema_version"] == "ATIF-v1.7"
    assert {"name", "version"} <= set(data["agent"]) <= {"name", "version", "model_name", "extra"}
    assert set(data["final_metrics"]) <= TOTALS
    assert [step["step_id"] for step in data["steps"]] == list(range(1, len(data["steps"]) + 1))
    assert data["steps"]
    names = [one["trajectory_id"] for one in data.get("subagent_trajectories", ())]
    assert len(names) == len(set(names))
    for step in data["steps"]:
        assert set(step) <= STEP
        assert isinstance(step["message"], str)
        if step["source"] != "agent":
            assert not {"tool_calls", "reasoning_content"} & set(step)
        calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
        assert all(set(call) == {"tool_call_id", "function_name", "arguments"} for call in step.get("tool_calls", ()))
        for result in step.get("observation", {}).get("results", ()):
            assert result.get("source_call_id") in (None, *calls)
            assert all(one["trajectory_id"] in names for one in result.get("subagent_trajectory_ref", ()))


@pytest.mark.needs("bwrap")
def test_a_run_as_trajectories_predictions_and_tasks(run: tuple[Instance, Path], tmp_path: Path) -> None:
    pair, folder = run
    records = {path.parent.name: json.loads(path.read_bytes()) for path in folder.glob("cells/*/record.json")}

    done = crosstalk("export", "atif", folder, tmp_path / "atif")
    assert "parallel-gold.1: its agents were given held-out tests" in done.stdout
    written = {path.stem: json.loads(path.read_bytes()) for path in (tmp_path / "atif").iterdir()}
    assert set(written) == {name for name in records if "gold" not in name}
    for name, data in written.items():
        for document in documents(data):
            check_document(document)
        usage = records[name]["usage"]
        counted = data["final_metrics"]
        assert counted["total_completion_tokens"] == usage["output"]
        assert counted["total_prompt_tokens"] == usage["input"] + usage["cache_write"] + usage["cache_read"]
        assert data["extra"]["scripted"] is True
        assert len(data["subagent_trajectories"]) == len(records[name]["turns"])

    done = crosstalk("export", "swebench", folder, tmp_path / "swebench")
    assert done.returncode == 0, done.stderr
    lines = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "swebench").glob("*.jsonl")}
    assert {"oracle.1.final.jsonl", "sequential-ab-repo.1.final.jsonl", "parallel-unaware.1.lane-a.jsonl"} <= set(lines)
    assert not any("gold" in name for name in lines)
    store = GitStore(tmp_path / "store")
    base = store.import_directory(pair.base_directory())
    for name, line in lines.items():
        assert set(line) == {"instance_id", "model_name_or_path", "model_patch"}
        assert line["instance_id"] == pair.id
        scenario, _, candidate = name.removesuffix(".jsonl").partition(".1.")
        record = records[f"{pair.id}.{scenario}.1"]
        trees = {turn["lane"]: turn["tree"] for turn in record["turns"]}
        wanted = trees[candidate[5:]] if candidate.startswith("lane-") else record["candidates"][candidate]["tree"]
        if wanted is None:  # what did not combine is a failure: an empty patch, and not a missing line
            assert line["model_patch"] == ""
        else:
            assert store.apply(base, line["model_patch"].encode()).tree == wanted

    done = crosstalk("export", "harbor", folder, tmp_path / "harbor")
    assert done.returncode == 0, done.stderr
    task = tmp_path / "harbor" / pair.id
    assert tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))["task"]["name"] == f"crosstalk/{pair.id}"
    assert pair.requirement("a") in (task / "instruction.md").read_text(encoding="utf-8")
    for text in held_out(pair):
        outside = [path for path in tmp_path.rglob("*") if path.is_file() and {"atif", "swebench", "harbor"} & set(path.parts)]
        holders = [path for path in outside if text in path.read_text(encoding="utf-8", errors="replace")]
        assert holders
        assert all(task / "tests" in path.parents for path in holders)


@pytest.mark.needs("bwrap")
def test_a_task_s_verifier_tells_the_reference_from_a_half(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pair = make_pair(Family.CONTRADICTORY)
    crosstalk("run", "-i", pair.folder, "-s", "oracle", "--unsound", "--out", tmp_path / "run")
    assert crosstalk("export", "harbor", tmp_path / "run", tmp_path / "harbor").returncode == 0
    tests = tmp_path / "harbor" / pair.id / "tests"
    python = ensure_environment("python", *pair.environment.read_locks()).executable
    found = {}
    for name in ("references/joint", "references/a", "controls/half_a", "controls/alternative"):
        app = tmp_path / name.replace("/", "-")
        shutil.copytree(tmp_path / "harbor" / pair.id / "environment" / "repository", app)
        subprocess.run(["git", "apply"], input=pair.patch(name), cwd=app, check=True)
        (app / "conftest.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
        reward = tmp_path / f"{app.name}.json"
        subprocess.run([python, "-I", "-B", tests / "verify.py", app, reward], check=True, capture_output=True)
        found[name] = json.loads(reward.read_bytes())["reward"]
    assert found == {"references/joint": 1, "references/a": 0, "controls/half_a": 0, "controls/alternative": 1}


@pytest.mark.needs("bwrap")
def test_what_an_agent_copied_of_held_out_tests_is_masked(run: tuple[Instance, Path], tmp_path: Path) -> None:
    _, folder = run
    (path,) = folder.glob("cells/*.oracle.1/both-1.transcript.jsonl")
    stolen = {"role": "assistant", "tool": "run", "text": f"cat <<'E'\n# {CANARY}\ndef test_secret(): ...\nE"}
    path.write_text(path.read_text(encoding="utf-8") + json.dumps(stolen) + "\n", encoding="utf-8")
    export_atif(folder, tmp_path / "atif")
    written = next((tmp_path / "atif").glob("*.oracle.1.json")).read_text(encoding="utf-8")
    assert "test_secret" not in written
    assert "held-out tests are left out" in written


def test_no_run_or_a_folder_that_is_there_is_one_line(tmp_path: Path) -> None:
    for form in ("atif", "swebench", "harbor"):
        done = crosstalk("export", form, tmp_path, tmp_path / "out")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (tmp_path / "out").exists()


CALLED = Call("1", "bash", {"command": "ls"})
FORMS: dict[str, list[dict[str, Any]]] = {
    "chat messages": [
        {"role": "user", "content": "do it"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "a b"},
    ],
    "claude code": [
        {"role": "prompt", "text": "do it"},
        {"type": "system", "subtype": "init"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look."}]}},
        {
            "type": "assistant",
            "message": {"content": [{"type": "tool_use", "id": "1", "name": "bash", "input": {"command": "ls"}}]},
        },
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "1", "content": "a b"}]}},
    ],
    "codex": [
        {"role": "prompt", "text": "do it"},
        {"type": "item.completed", "item": {"id": "0", "type": "agent_message", "text": "I look."}},
        {"type": "item.completed", "item": {"id": "1", "type": "bash", "command": "ls", "aggregated_output": "a b"}},
        {"type": "turn.completed", "usage": {}},
    ],
    "opencode": [
        {"role": "prompt", "text": "do it"},
        {"type": "text", "part": {"text": "I look."}},
        {"type": "tool_use", "part": {"callID": "1", "tool": "bash", "state": {"input": {"command": "ls"}, "output": "a b"}}},
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_program_s_transcript_gives_the_same_moves(form: str) -> None:
    moves, _ = moves_of(FORMS[form])
    assert moves[0] == Move("user", "do it")
    assert [move.message for move in moves if move.source == "agent" and move.message] == ["I look."]
    assert [call for move in moves for call in move.calls] == [CALLED]
    assert [result for move in moves for result in move.results] == [Result("1", "a b")]


def test_lines_of_no_known_form_are_counted() -> None:
    odd: list[dict[str, Any]] = [{}, {"type": "assistant"}, {"type": "user", "message": 7}, {"role": "stranger"}, {"part": 1}]
    assert moves_of(odd) == ([], len(odd))
