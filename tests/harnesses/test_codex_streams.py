"""Codex's streams and session files, played by a stand-in on PATH: usage counted once, verdicts, and waits that have an end."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harnesses.base import Ended, Failure, Lane, Limits, Turn
from harnesses.codex import Codex, toml
from harnesses.endpoint import Endpoint
from harnesses.follower import Patience
from sandboxes.base import SandboxFactory
from sandboxes.usage import UNKNOWN_USAGE, Usage

KEY = "sk-secret-of-the-operator"
THREAD = {"type": "thread.started", "thread_id": "main"}
BEGUN = {"type": "turn.started"}
StandIn = Callable[[str, str], SandboxFactory]


def endpoint(lane: Lane) -> Endpoint:
    return Endpoint(KEY, "OPENAI_API_KEY", "http://127.0.0.1:9")


def counts(given: int, output: int, cached: int = 0, written: int = 0, reasoning: int = 0) -> dict[str, int]:
    return {
        "input_tokens": given,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": written,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
    }


def item(kind: str, identity: str = "c", *, started: bool = False, **more: Any) -> dict[str, Any]:
    event = "item.started" if started else "item.completed"
    status = "in_progress" if started else "completed"
    return {"type": event, "item": {"id": identity, "type": kind, "status": status, **more}}


def error(message: str) -> dict[str, Any]:
    return {"type": "error", "message": message}


def failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


def closing(usage: dict[str, int]) -> dict[str, Any]:
    return {"type": "turn.completed", "usage": usage}


def noted(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": kind, "payload": payload}


def meta(thread: str = "main") -> dict[str, Any]:
    return noted("session_meta", id=thread)


def started(turn: str = "t1", root: str = "t1") -> dict[str, Any]:
    return noted("event_msg", type="task_started", turn_id=turn, root_turn_id=root)


def ended(turn: str = "t1") -> dict[str, Any]:
    return noted("event_msg", type="task_complete", turn_id=turn)


def said(kind: str = "function_call", **more: Any) -> dict[str, Any]:
    return noted("response_item", type=kind, **more)


def cost(usage: dict[str, int], response: str | None, root: str = "t1", thread: str = "main") -> dict[str, Any]:
    return noted("token_usage_record", thread_id=thread, root_turn_id=root, response_id=response, usage=usage)


def total(usage: dict[str, int]) -> dict[str, Any]:
    return noted("event_msg", type="token_count", info={"total_token_usage": usage})


class Player:
    """Plays streams through the stand-in, which writes session files too."""

    def __init__(self, bed: Any, stand_in: StandIn, folder: Path) -> None:
        self.bed, self.stand_in, self.folder = bed, stand_in, folder

    def __call__(
        self,
        *events: dict[str, Any] | bytes,
        logs: tuple[list[dict[str, Any]], ...] = (),
        after: str = "",
        before: str = "",
        limits: Limits | None = None,
        patience: Patience | None = None,
        session: str | None = None,
    ) -> Turn:
        lines = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
        stream = self.folder / "stream"
        stream.write_bytes(b"".join(line + b"\n" for line in lines))
        for number, log in enumerate(logs):
            text = "".join(json.dumps(line) + "\n" for line in log)
            (self.folder / f"rollout-{number}.jsonl").write_text(text)
        copied = f'mkdir -p "$CODEX_HOME/sessions/1" && cp {self.folder}/rollout-* "$CODEX_HOME/sessions/1"' if logs else ""
        factory = self.stand_in("codex", f"{before}\n{copied}\ncat {stream}\n{after}")
        harness = Codex("m", endpoint=endpoint, patience=patience)
        lane = self.bed.lane(harness.fitting, factory=factory)
        return harness.run(lane, "do it", limits or Limits(), session)


@pytest.fixture
def played(bed: Any, stand_in: StandIn, tmp_path: Path) -> Player:
    return Player(bed, stand_in, tmp_path)


def test_input_does_not_hold_what_was_cached(played: Player) -> None:
    turn = played(THREAD, BEGUN, closing(counts(26549, 1590, cached=22272)))
    assert turn.usage == Usage(input=4277, cache_read=22272, output=1590)
    assert turn.usage.effective_tokens == 14454.2


def test_input_does_not_hold_what_was_written_and_output_holds_the_reasoning_once(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(100, 30, cached=60, written=30, reasoning=25), "r1"), ended()]
    turn = played(THREAD, BEGUN, closing(counts(100, 30, cached=60, written=30, reasoning=25)), logs=(log,))
    assert turn.usage == Usage(input=10, cache_write=30, cache_read=60, output=30)
    assert turn.metering
    assert (turn.metering.closing, turn.metering.notes, turn.metering.lower_bound) == (turn.usage, (), False)


def test_counts_that_do_not_fit_together_are_unknown(played: Player) -> None:
    turn = played(THREAD, BEGUN, closing(counts(100, 30, cached=90, written=30)))
    assert turn.usage == UNKNOWN_USAGE
    assert turn.metering
    assert turn.metering.notes == ("the program's closing total does not fit together",)


def test_a_response_that_is_noted_twice_counts_once(played: Player) -> None:
    log = [meta(), started(), cost(counts(10, 5), "r1"), cost(counts(10, 5), "r1"), cost(counts(20, 7), "r2"), ended()]
    turn = played(THREAD, BEGUN, closing(counts(30, 12)), logs=(log,))
    assert turn.usage == Usage(input=30, output=12)


def test_responses_count_when_the_program_was_ended_before_its_total(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(10, 5), "r1"), said("function_call_output"), cost(counts(20, 7), None)]
    turn = played(THREAD, BEGUN, item("command_execution", started=True), logs=(log,), after="exit 1")
    assert turn.usage == Usage(input=30, output=12)
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.CRASH)
    assert turn.metering
    assert (turn.metering.closing, turn.metering.lower_bound) == (None, False)


def test_an_answer_that_was_under_way_makes_the_cost_a_lower_bound(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(10, 5), "r1"), said("reasoning")]
    turn = played(THREAD, BEGUN, item("command_execution", started=True), logs=(log,), after="exit 1")
    assert turn.usage == Usage(input=10, output=5)
    assert turn.metering
    assert turn.metering.lower_bound


def test_an_answer_that_broke_off_makes_the_cost_a_lower_bound(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(10, 5), "r1"), ended()]
    again = error("Reconnecting... 1/5 (stream disconnected before completion: Transport error)")
    turn = played(THREAD, BEGUN, again, closing(counts(10, 5)), logs=(log,))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, Usage(input=10, output=5))
    assert turn.metering
    assert turn.metering.lower_bound


@pytest.mark.parametrize("last", [[said(), said("function_call_output")], [said("message", role="assistant"), ended()]])
def test_an_answer_without_usage_is_unknown_and_not_free(played: Player, last: list[dict[str, Any]]) -> None:
    log = [meta(), started(), said(), cost(counts(10, 5), "r1"), said("function_call_output"), *last]
    turn = played(THREAD, BEGUN, closing(counts(10, 5)), logs=(log,))
    assert turn.usage == UNKNOWN_USAGE
    assert turn.metering
    assert turn.metering.notes == ("the provider left out a response's usage",)


def test_what_is_given_to_the_model_is_no_answer(played: Player) -> None:
    given = [said("message", role="user"), said("message", role="developer")]
    log = [meta(), started(), *given, said(), cost(counts(10, 5), "r1"), *given, said("function_call_output"), *given, ended()]
    assert played(THREAD, BEGUN, closing(counts(10, 5)), logs=(log,)).usage == Usage(input=10, output=5)


def test_totals_that_do_not_fit_are_reported(played: Player) -> None:
    log = [meta(), started(), cost(counts(10, 90), "r1"), ended()]
    turn = played(THREAD, BEGUN, closing(counts(7, 95)), logs=(log,))
    assert turn.metering
    assert turn.metering.notes == ("the program's closing total differs from the sum of its responses: input -3, output +5",)
    assert turn.metering.responses == turn.usage == Usage(input=10, output=90)
    assert turn.metering.closing == Usage(input=7, output=95)


def test_a_resumed_turn_is_the_difference_of_counters(played: Player) -> None:
    first = [meta(), started("t1", "t1"), cost(counts(10, 5), "r1"), total(counts(10, 5)), ended()]
    assert played(THREAD, BEGUN, closing(counts(10, 5)), logs=(first,)).usage == Usage(input=10, output=5)
    second = [started("t2", "t2"), cost(counts(20, 7, cached=9), "r2", "t2"), total(counts(30, 12, cached=9)), ended("t2")]
    turn = played(THREAD, BEGUN, closing(counts(30, 12, cached=9)), logs=([*first, *second],), session="main")
    assert turn.usage == Usage(input=11, cache_read=9, output=7)
    assert turn.metering
    assert (turn.metering.closing, turn.metering.notes) == (turn.usage, ())


def test_a_resumed_turn_of_which_nothing_is_noted_is_unknown(played: Player) -> None:
    turn = played(THREAD, BEGUN, closing(counts(30, 12)), session="main")
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, UNKNOWN_USAGE)


def spawned() -> list[dict[str, Any]]:
    begun = item("collab_tool_call", started=True, tool="spawn_agent", prompt="look")
    return [begun, item("collab_tool_call", tool="spawn_agent", prompt="look")]


@pytest.mark.parametrize("finished", [True, False])
def test_a_subagent_is_metered_and_its_steps_are_counted(played: Player, finished: bool) -> None:
    main = [meta(), started(), said(), cost(counts(100, 10), "r1"), said("function_call_output"), ended()]
    side = [meta("side"), started("t9", "t1"), said(), cost(counts(50, 30), "r2", "t1", "side"), said("function_call_output")]
    turn = played(THREAD, BEGUN, *spawned(), closing(counts(100, 10)), logs=(main, [*side, ended("t9")] if finished else side))
    assert turn.usage == Usage(input=150, output=40)
    assert (turn.subagents, turn.steps) == (1, 2)
    assert turn.metering
    assert (turn.metering.closing, turn.metering.notes) == (Usage(input=100, output=10), ())
    assert turn.metering.lower_bound is not finished


def test_a_subagent_without_a_session_file_makes_the_cost_a_lower_bound(played: Player) -> None:
    turn = played(THREAD, BEGUN, *spawned(), closing(counts(100, 10)))
    assert turn.usage == Usage(input=100, output=10)
    assert turn.metering
    assert turn.metering.lower_bound


@pytest.mark.parametrize(
    ("message", "verdict", "failure"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", Ended.INFRASTRUCTURE, Failure.RATE_LIMIT),
        ("You've hit your usage limit. Try again at 3 PM.", Ended.INFRASTRUCTURE, Failure.RATE_LIMIT),
        ("unexpected status 529 <unknown status code>: Overloaded, url: x", Ended.INFRASTRUCTURE, Failure.OVERLOADED),
        ("We're currently experiencing high demand, which may cause errors.", Ended.INFRASTRUCTURE, Failure.OVERLOADED),
        ("unexpected status 401 Unauthorized: invalid key, url: x", Ended.INFRASTRUCTURE, Failure.AUTH),
        ("unexpected status 403 Forbidden: not this model, url: x", Ended.INFRASTRUCTURE, Failure.AUTH),
        ("Quota exceeded. Check your plan and billing details.", Ended.INFRASTRUCTURE, Failure.AUTH),
        ("unexpected status 404 Not Found: no such model", Ended.INFRASTRUCTURE, Failure.PROVIDER),
        ("stream disconnected before completion: Transport error", Ended.INFRASTRUCTURE, Failure.PROVIDER),
        ("Codex ran out of room in the model's context window.", Ended.LIMIT, None),
    ],
)
def test_verdicts_are_read_from_the_closing_event(played: Player, message: str, verdict: Ended, failure: Failure | None) -> None:
    steps = [event for number in range(40) for event in (item("command_execution", f"i{number}", command="ls"),)]
    turn = played(THREAD, BEGUN, *steps, error("Reconnecting... 1/5 (x)"), error(message), failed(message), after="exit 1")
    assert (turn.ended, turn.failure, turn.steps) == (verdict, failure, 40)
    assert message[:20] in turn.reason


def test_a_failure_that_is_over_is_none(played: Player) -> None:
    again = error("Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)")
    turn = played(THREAD, BEGUN, again, item("agent_message", text="Done."), closing(counts(1, 1)))
    assert (turn.ended, turn.failure, turn.reason) == (Ended.COMPLETED, None, "")


def test_a_warning_is_no_failure(played: Player) -> None:
    turn = played(THREAD, item("error", message="unexpected status 401"), BEGUN, closing(counts(1, 1)))
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 0)


def test_a_program_that_crashes_says_why(played: Player) -> None:
    turn = played(THREAD, after=f"echo 'out of memory, key {KEY}' >&2; exit 134")
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.CRASH)
    assert "status 134" in turn.reason
    assert "out of memory" in turn.reason
    assert KEY not in turn.reason
    assert turn.usage == UNKNOWN_USAGE


def test_secrets_are_masked_in_transcripts(played: Player) -> None:
    turn = played(THREAD, BEGUN, item("agent_message", text=f"my key is {KEY}"), closing(counts(1, 1)))
    assert KEY not in json.dumps(turn.transcript)
    assert "my key is [secret]" in json.dumps(turn.transcript)


def test_the_key_is_on_no_command_line_and_in_no_file(played: Player, bed: Any) -> None:
    turn = played(
        THREAD, BEGUN, closing(counts(1, 1)), before='for one; do printf "%s\\n" "$one"; done >arguments; env >variables'
    )
    assert turn.ended is Ended.COMPLETED
    arguments = (bed.workspace / "arguments").read_text().splitlines()
    assert arguments[:2] == ["exec", "--json"]
    assert arguments[-1] == "-"
    assert "--dangerously-bypass-hook-trust" not in arguments
    assert KEY not in arguments
    variables = (bed.workspace / "variables").read_text()
    assert "OPENAI_API_KEY=sk-lane-" in variables
    assert KEY not in variables
    settings = tomllib.loads((bed.folder / "private" / "config.toml").read_text())
    assert settings["model"] == "m"
    provider = settings["model_providers"][settings["model_provider"]]
    assert provider["env_key"] == "OPENAI_API_KEY"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d{2,}", provider["base_url"])  # the relay's
    assert "OPENAI_API_KEY" in settings["shell_environment_policy"]["exclude"]
    assert all(KEY not in path.read_text() for path in (bed.folder / "private").glob("*.*"))


def test_a_session_is_resumed_by_its_name(played: Player, bed: Any) -> None:
    turn = played(BEGUN, closing(counts(1, 1)), before='echo "$*" >arguments', session="s-1")
    assert (bed.workspace / "arguments").read_text().split()[-3:] == ["resume", "s-1", "-"]
    assert turn.session == "s-1"


def test_settings_that_an_agent_has_put_in_place_are_replaced(played: Player, bed: Any) -> None:
    before = 'rm "$CODEX_HOME/hooks.json" && mkdir "$CODEX_HOME/hooks.json" && ln -sf /proc/version "$CODEX_HOME/config.toml"'
    played(THREAD, BEGUN, closing(counts(1, 1)), before=before)
    played(THREAD, BEGUN, closing(counts(1, 1)), before='cp "$CODEX_HOME/hooks.json" hooks; cp -P "$CODEX_HOME/config.toml" kept')
    assert (bed.workspace / "hooks").read_text() == "{}"
    assert 'model = "m"' in (bed.workspace / "kept").read_text().replace('"model"', "model")
    assert not (bed.workspace / "kept").is_symlink()


def test_settings_survive_any_text() -> None:
    settings = {"a b": 'quote " back \\ line\n ü', "list": [{"x y": True}, "z"], "number": 3, "table": {"deep.er": {}}}
    assert tomllib.loads(toml(settings)) == settings


def test_the_operators_environment_does_not_reach_the_program(played: Player, bed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_SQLITE_HOME", "/the/operators")
    monkeypatch.setenv("CODEX_ACCESS_TOKEN", "the-operators")
    played(THREAD, BEGUN, closing(counts(1, 1)), before="env >variables")
    variables = (bed.workspace / "variables").read_text()
    assert "the-operators" not in variables
    assert "CODEX_SQLITE_HOME" not in variables


def test_a_program_that_lives_on_after_its_closing_event_has_completed(played: Player) -> None:
    turn = played(THREAD, closing(counts(1, 1)), after="sleep 600", patience=Patience(after_closing=0.2), limits=Limits(9, 0.5))
    assert turn.ended is Ended.COMPLETED
    assert turn.labels == ("the program did not end by itself after its closing event",)


def test_a_grandchild_that_lives_on_is_ended_and_does_not_hold_the_turn(played: Player, bed: Any) -> None:
    turn = played(
        THREAD,
        closing(counts(1, 1)),
        after="(trap '' TERM HUP; while :; do echo >>growing; sleep 0.01; done) & until [ -s growing ]; do sleep 0.01; done",
        limits=Limits(9, 0.5),
    )
    assert turn.ended is Ended.COMPLETED
    size = (bed.workspace / "growing").stat().st_size
    assert size > 0
    played(THREAD, closing(counts(1, 1)))
    assert (bed.workspace / "growing").stat().st_size == size


def test_commands_that_were_alive_at_the_end_are_named(played: Player) -> None:
    begun, done = item("command_execution", started=True), item("command_execution")
    assert played(THREAD, begun, closing(counts(1, 1))).labels == ("1 background tasks were alive at the end",)
    assert played(THREAD, begun, done, closing(counts(1, 1))).labels == ()


def test_a_program_that_reads_stdin_to_its_end_gets_there(played: Player, bed: Any) -> None:
    for session in (None, "s-1"):
        turn = played(THREAD, closing(counts(1, 1)), before="cat >heard", limits=Limits(9, 0.5), session=session)
        assert turn.ended is Ended.COMPLETED
        assert (bed.workspace / "heard").read_text() == "do it"


def test_no_first_event_is_a_status_of_its_own(played: Player) -> None:
    turn = played(before="sleep 600", patience=Patience(first_event=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.NO_FIRST_EVENT)
    assert turn.usage == UNKNOWN_USAGE


def test_a_model_that_never_answers_is_a_hang(played: Player) -> None:
    events = [THREAD, BEGUN, item("command_execution", started=True), item("command_execution")]
    turn = played(*events, after="sleep 600", patience=Patience(model=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    assert turn.metering
    assert turn.metering.lower_bound


def test_a_tool_that_takes_long_is_no_hang_but_may_meet_the_limit(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(3, 4), "r1")]
    begun = item("command_execution", started=True)
    turn = played(THREAD, BEGUN, begun, logs=(log,), after="sleep 600", patience=Patience(model=0.1), limits=Limits(9, 0.01))
    assert (turn.ended, turn.reason, turn.failure) == (Ended.LIMIT, "0.01 minutes", None)
    assert turn.usage == Usage(input=3, output=4)


def test_time_lost_to_a_failing_provider_is_not_the_agents(played: Player) -> None:
    again = error("Reconnecting... 2/5 (exceeded retry limit, last status: 429 Too Many Requests)")
    turn = played(THREAD, BEGUN, again, after="sleep 600", limits=Limits(9, 0.01))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.RATE_LIMIT)


def test_a_key_that_is_refused_is_not_tried_ten_times(played: Player) -> None:
    again = error("Reconnecting... 1/5 (unexpected status 401 Unauthorized: invalid key)")
    turn = played(THREAD, BEGUN, again, after="sleep 600")
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.AUTH)


@pytest.mark.parametrize(
    ("seen", "answers"),
    [
        pytest.param(4, 2, id="before the answer with the call is noted"),
        pytest.param(6, 3, id="when the call is over and the model is asked again"),
    ],
)
def test_a_call_too_many_ends_the_turn_when_its_usage_is_noted(played: Player, bed: Any, seen: int, answers: int) -> None:
    lines = [line for number in (1, 2, 3) for line in (said(), cost(counts(10, 5), f"r{number}"), said("function_call_output"))]
    late = 'until [ -e go ]; do sleep 0.01; done; cp "$0.late" "$CODEX_HOME/sessions/1/rollout-0.jsonl"'
    whole = [meta(), started(), *lines[: 3 * answers - 1]]
    (played.folder / "bin").mkdir()
    (played.folder / "bin" / "codex.late").write_text("\n".join(json.dumps(line) for line in whole))
    events = [item("command_execution", "i1"), item("command_execution", "i2", started=True)]
    turn = played(
        THREAD,
        BEGUN,
        *events,
        logs=([meta(), started(), *lines[:seen]],),
        before=f"(sleep 0.3; : >go) & ({late}) &",
        after="sleep 600",
        limits=Limits(1, 1),
    )
    assert (turn.ended, turn.reason, turn.steps) == (Ended.LIMIT, "1 steps", 1)
    assert turn.usage == Usage(input=10 * answers, output=5 * answers)
    assert turn.metering
    assert not turn.metering.lower_bound


def test_a_turn_that_ends_while_the_model_is_asked_cost_at_least_what_is_noted(played: Player) -> None:
    log = [meta(), started(), said(), cost(counts(10, 5), "r1"), said("function_call_output")]
    events = [item("command_execution", "i1"), item("command_execution", "i2", started=True)]
    turn = played(THREAD, BEGUN, *events, logs=(log,), after="sleep 600", limits=Limits(1, 1))
    assert (turn.ended, turn.usage) == (Ended.LIMIT, Usage(input=10, output=5))
    assert turn.metering
    assert turn.metering.lower_bound


def test_each_tool_that_ends_is_a_step_boundary(played: Player, bed: Any) -> None:
    turn = played(
        THREAD,
        BEGUN,
        item("command_execution", "i1", started=True, command="ls"),
        item("command_execution", "i1", command="ls"),
        item("file_change", "i2", changes=[{"path": "x.py", "kind": "add"}, {"path": "y.py", "kind": "update"}]),
        item("mcp_tool_call", "i3", server="s", tool="look"),
        item("agent_message", "i4", text="."),
        item("todo_list", "i5", items=[]),
        closing(counts(2, 2)),
    )
    assert [(step.number, step.tool, step.detail) for step in bed.steps] == [
        (1, "command_execution", "ls"),
        (2, "file_change", "x.py, y.py"),
        (3, "look", "look"),
    ]
    assert turn.steps == 3


def test_what_is_no_event_is_passed_over_and_told(played: Player) -> None:
    odd = [b"not json", b"[1]", b'"text"', b"\xff\xfe{", b'{"type": "item.started"}', b'{"type": "turn.failed2"}', b'{"type": 7}']
    log = [{"type": "new"}, noted("event_msg"), meta(), started(), cost(counts(1, 1), "r")]
    turn = played(THREAD, *odd, closing(counts(1, 1)), logs=(log,))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, Usage(input=1, output=1))
    assert turn.labels == ("4 lines of the program's output were no events",)


def test_a_session_file_that_was_cut_off_does_not_hide_the_next_one(played: Player) -> None:
    main = [meta(), started(), said(), cost(counts(100, 10), "r1")]
    side = [meta("side"), started("t9", "t1"), said(), cost(counts(50, 30), "r2", "t1", "side"), ended("t9")]
    cut = 'for log in "$CODEX_HOME"/sessions/1/*; do printf %s \'{"type":"response_it\' >>"$log"; done'
    turn = played(THREAD, BEGUN, *spawned(), logs=(main, side), after=f"{cut}; exit 1")
    assert (turn.usage, turn.steps) == (Usage(input=150, output=40), 2)


def test_a_very_long_line_is_an_event_like_any_other(played: Player) -> None:
    turn = played(THREAD, BEGUN, item("agent_message", text="x" * 3_000_000), closing(counts(1, 5)))
    assert (turn.ended, turn.usage, turn.labels) == (Ended.COMPLETED, Usage(input=1, output=5), ())
