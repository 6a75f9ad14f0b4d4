"""The replay harness plays a script in a real sandbox; its usage is computed as documented and its scripts are checked."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harnesses.base import Ended, Lane, Limits, ReplaySource, Step, Turn
from harnesses.replay import ReplayHarness
from harnesses.script import Tool, load_script
from sandboxes.base import SandboxSpec
from sandboxes.errors import SetupError
from sandboxes.local import UnisolatedSandboxFactory
from sandboxes.usage import Usage
from scenarios.catalog import by_name

PATCH = b"diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-one\n+two\n"


def source(tmp_path: Path, script: object | None = None, text: str | None = None) -> ReplaySource:
    path = tmp_path / "replay" / "a.json"
    if script is not None or text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text if text is not None else json.dumps(script), encoding="utf-8")

    def patch(name: str) -> bytes:
        assert name == "references/a"
        return PATCH

    return ReplaySource(path, patch, "references/a")


def play(tmp_path: Path, script: object | None, boundary: Callable[[Step], str] = lambda step: "", steps: int = 9) -> Turn:
    workspace = tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    if not (workspace / "x.txt").exists():
        (workspace / "x.txt").write_text("one\n")
    with closing(UnisolatedSandboxFactory().open(SandboxSpec(workspace))) as sandbox:
        lane = Lane("a", workspace, sandbox, boundary, source(tmp_path, script))
        return ReplayHarness().run(lane, "do it", Limits(max_steps=steps), None)


def test_without_a_script_the_reference_is_applied(tmp_path: Path) -> None:
    turn = play(tmp_path, None)
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 1)
    assert (tmp_path / "workspace" / "x.txt").read_text() == "two\n"


def test_a_reference_that_no_longer_applies_changes_nothing_and_completes(tmp_path: Path) -> None:
    play(tmp_path, None)
    turn = play(tmp_path, None)
    assert turn.ended is Ended.COMPLETED
    assert (tmp_path / "workspace" / "x.txt").read_text() == "two\n"


def test_a_scripts_steps_in_order_each_with_its_boundary(tmp_path: Path) -> None:
    seen: list[Step] = []
    script = {
        "schema_version": 1,
        "turns": [
            {"steps": [{"write": {"path": "new/é.txt", "text": "ü\n"}}, {"run": "cat new/*; exit 3"}, {"apply": "references/a"}]}
        ],
    }

    def boundary(step: Step) -> str:
        seen.append(step)
        return "heard" if step.number == 2 else ""

    turn = play(tmp_path, script, boundary)
    assert [step.tool for step in seen] == [Tool.WRITE, Tool.RUN, Tool.APPLY]
    roles = [line["role"] for line in turn.transcript]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "radio", "assistant", "tool", "assistant"]
    assert turn.transcript[4] == {"role": "tool", "returncode": 3, "text": "ü\n"}


def test_usage_is_a_token_for_four_bytes_with_everything_cached(tmp_path: Path) -> None:
    script = {"schema_version": 1, "turns": [{"steps": [{"run": "printf 12345678"}]}]}
    turn = play(tmp_path, script)
    prompt, call, output, closing_words = 2, 4, 2, 2  # "do it", "printf 12345678\n", "12345678", "Done."
    assert turn.usage == Usage(input=0, cache_write=prompt + call + output, cache_read=prompt, output=call + closing_words)
    assert turn.usage.effective_tokens == pytest.approx(8 + 0.2 + 30)


def test_a_limit_ends_the_turn_and_keeps_what_was_done(tmp_path: Path) -> None:
    script = {"schema_version": 1, "turns": [{"steps": [{"run": "echo 1 >>log"}] * 5}]}
    turn = play(tmp_path, script, steps=3)
    assert (turn.ended, turn.steps) == (Ended.LIMIT, 3)
    assert (tmp_path / "workspace" / "log").read_text() == "1\n1\n1\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([], "schema_version 1 and turns"),
        ({"schema_version": 1, "turns": []}, "at least one turn"),
        ({"schema_version": 2, "turns": [{"steps": []}]}, "schema_version 1"),
        ({"schema_version": 1, "turns": [{"steps": [{"dance": 1}]}]}, "turn 1, step 1: a step is one of"),
        ({"schema_version": 1, "turns": [{"steps": [{"run": 1}]}]}, "run holds a text"),
        ({"schema_version": 1, "turns": [{"steps": [{"write": {"path": "x"}}]}]}, "write holds path and text"),
        ({"schema_version": 1, "turns": [{"step": []}]}, "a list of steps"),
    ],
)
def test_a_wrong_script_is_named(tmp_path: Path, script: object, said: str) -> None:
    with pytest.raises(SetupError, match=said):
        load_script(source(tmp_path, script))


def test_what_is_not_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="not readable as JSON"):
        load_script(source(tmp_path, text="{"))


def test_refusals() -> None:
    harness = ReplayHarness()
    assert harness.refuses(by_name("oracle")) is None
    assert harness.refuses(by_name("orchestrator"))
