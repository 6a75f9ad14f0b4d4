"""Claude Code's streams, played by a stand-in on PATH: usage counted once, verdicts, and waits that have an end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnesses.base import Ended, Failure, Lane, Limits, Turn
from harnesses.claude_code import ClaudeCode
from harnesses.endpoint import Endpoint
from harnesses.follower import Patience
from harnesses.streams.lines import Lines
from sandboxes.base import SandboxFactory
from sandboxes.usage import UNKNOWN_USAGE, Usage

KEY = "sk-secret-of-the-operator"
INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
StandIn = Callable[[str, str], SandboxFactory]


def endpoint(lane: Lane) -> Endpoint:
    return Endpoint(KEY, "ANTHROPIC_API_KEY", "http://127.0.0.1:9")


def usage(tokens_in: int, tokens_out: int, written: int = 0, read: int = 0) -> dict[str, int]:
    return {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
    }


def assistant(identity: str, counts: dict[str, int], *blocks: dict[str, Any], parent: str | None = None) -> dict[str, Any]:
    message = {"id": identity, "model": "m", "content": list(blocks), "stop_reason": None, "usage": counts}
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, "session_id": "s-1"}


def call(identity: str, name: str = "Bash", **arguments: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def result_of(identity: str, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": identity, "content": "ok", "is_error": failed}]
    return {"type": "user", "message": {"role": "user", "content": content}, "session_id": "s-1"}


def closing(counts: dict[str, int], models: dict[str, dict[str, int]] | None = None, **more: Any) -> dict[str, Any]:
    table = {
        name: {
            "inputTokens": of["input_tokens"],
            "outputTokens": of["output_tokens"],
            "cacheReadInputTokens": of["cache_read_input_tokens"],
            "cacheCreationInputTokens": of["cache_creation_input_tokens"],
        }
        for name, of in (models or {}).items()
    }
    said = {"subtype": "success", "is_error": False, "api_error_status": None, "terminal_reason": "completed", "result": "Done."}
    return {"type": "result", **said, "usage": counts, "modelUsage": table, "session_id": "s-1", **more}


class Player:
    """Plays streams through the stand-in."""

    def __init__(self, bed: Any, stand_in: StandIn, folder: Path) -> None:
        self.bed, self.stand_in, self.folder = bed, stand_in, folder

    def __call__(
        self,
        *events: dict[str, Any] | bytes,
        after: str = "",
        before: str = "",
        limits: Limits | None = None,
        patience: Patience | None = None,
    ) -> Turn:
        lines = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
        stream = self.folder / "stream"
        stream.write_bytes(b"".join(line + b"\n" for line in lines))
        factory = self.stand_in("claude", f"{before}\ncat {stream}\n{after}")
        harness = ClaudeCode("m", endpoint=endpoint, patience=patience)
        lane = self.bed.lane(harness.fitting, factory=factory)
        return harness.run(lane, "do it", limits or Limits(), None)


@pytest.fixture
def played(bed: Any, stand_in: StandIn, tmp_path: Path) -> Player:
    return Player(bed, stand_in, tmp_path)


def test_a_response_on_several_lines_counts_once_with_its_largest_output(played: Player) -> None:
    one = [assistant("X", usage(10, out), {"type": "text", "text": "."}) for out in (1, 1, 90)]
    turn = played(INIT, *one, closing(usage(10, 90), {"m": usage(10, 90)}))
    assert turn.usage == Usage(input=10, output=90)
    assert turn.metering
    assert turn.metering.responses == turn.metering.closing == Usage(input=10, output=90)
    assert turn.metering.notes == ()


def test_responses_count_when_the_program_was_ended_before_its_total(played: Player) -> None:
    one = [assistant("X", usage(10, out, 4, 6), call("c")) for out in (1, 90, 1)]
    turn = played(INIT, *one, assistant("Y", usage(1, 2), {"type": "text", "text": "."}), after="exit 1")
    assert turn.usage == Usage(input=11, cache_write=4, cache_read=6, output=92)
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.CRASH)


def test_totals_that_do_not_fit_are_reported(played: Player) -> None:
    turn = played(INIT, assistant("X", usage(10, 90)), closing(usage(7, 95), {"m": usage(7, 95)}))
    assert turn.metering
    assert turn.metering.notes == ("the program's closing total differs from the sum of its responses: input -3, output +5",)
    assert turn.metering.responses == Usage(input=10, output=90)
    assert turn.metering.closing == Usage(input=7, output=95)


def test_the_table_of_all_models_wins_over_the_headline(played: Player) -> None:
    table = {"main": usage(100, 10), "side": usage(300, 30)}
    turn = played(INIT, assistant("X", usage(100, 10)), closing(usage(100, 10), table))
    assert turn.usage == Usage(input=400, output=40)
    assert turn.metering
    assert turn.metering.by_model["side"] == Usage(input=300, output=30)
    assert not turn.metering.lower_bound


@pytest.mark.parametrize("counts", [usage(0, 0), {}])
def test_a_subagent_without_usage_makes_the_cost_a_lower_bound(played: Player, counts: dict[str, int]) -> None:
    turn = played(
        INIT,
        assistant("X", usage(100, 10), call("c", "Agent", description="look")),
        assistant("S", counts, {"type": "text", "text": "."}, parent="c"),
        result_of("c"),
        closing(usage(100, 10), {"m": usage(100, 10)}),
    )
    assert turn.metering
    assert turn.metering.lower_bound
    assert turn.usage == Usage(input=100, output=10)


def test_a_subagent_in_the_total_is_no_lower_bound(played: Player) -> None:
    turn = played(
        INIT,
        assistant("X", usage(100, 10), call("c", "Agent", description="look")),
        assistant("S", usage(50, 1), parent="c"),
        result_of("c"),
        closing(usage(100, 10), {"m": usage(150, 40)}),
    )
    assert turn.metering
    assert not turn.metering.lower_bound
    assert turn.usage == Usage(input=150, output=40)
    assert turn.metering.notes == ()


def test_only_a_subagent_that_did_its_work_is_one(played: Player) -> None:
    asked = [assistant(name, usage(1, 1), call(name, "Agent")) for name in "xy"]
    turn = played(INIT, asked[0], result_of("x", failed=True), asked[1], result_of("y"), closing(usage(2, 2)))
    assert (turn.steps, turn.subagents) == (2, 1)


def refusal(name: str) -> dict[str, Any]:
    message = {"id": "x", "model": "<synthetic>", "content": [{"type": "text", "text": "refused"}], "usage": usage(0, 0)}
    return {"type": "assistant", "message": message, "error": name}


@pytest.mark.parametrize(
    ("end", "ended", "failure"),
    [
        ([closing(usage(1, 1), is_error=True, api_error_status=429)], Ended.INFRASTRUCTURE, Failure.RATE_LIMIT),
        ([closing(usage(1, 1), is_error=True, api_error_status=529)], Ended.INFRASTRUCTURE, Failure.OVERLOADED),
        ([closing(usage(1, 1), is_error=True, api_error_status=401)], Ended.INFRASTRUCTURE, Failure.AUTH),
        ([closing(usage(1, 1), is_error=True, api_error_status=403)], Ended.INFRASTRUCTURE, Failure.AUTH),
        ([closing(usage(1, 1), is_error=True, api_error_status=404)], Ended.INFRASTRUCTURE, Failure.PROVIDER),
        ([closing(usage(1, 1), is_error=True, subtype="error_during_execution")], Ended.INFRASTRUCTURE, Failure.CRASH),
        # A limit of the account that the closing event calls a success.
        ([refusal("rate_limit"), closing(usage(1, 1))], Ended.INFRASTRUCTURE, Failure.RATE_LIMIT),
        ([refusal("billing_error"), closing(usage(1, 1), is_error=True)], Ended.INFRASTRUCTURE, Failure.AUTH),
        ([closing(usage(1, 1), subtype="error_max_turns", terminal_reason="max_turns", is_error=True)], Ended.LIMIT, None),
        ([closing(usage(1, 1), terminal_reason="prompt_too_long", is_error=True)], Ended.LIMIT, None),
        ([closing(usage(1, 1))], Ended.COMPLETED, None),
    ],
)
def test_verdicts_are_not_read_from_subtype_or_status(
    played: Player, end: list[dict[str, Any]], ended: Ended, failure: Failure | None
) -> None:
    turns: list[dict[str, Any]] = []
    for number in range(40):
        turns += [assistant(f"m{number}", usage(1, 1), call(f"c{number}")), result_of(f"c{number}")]
    turn = played(INIT, *turns, *end)
    assert (turn.ended, turn.failure, turn.steps) == (ended, failure, 40)
    assert bool(turn.reason) == (ended is not Ended.COMPLETED)


def test_a_program_that_crashes_says_why(played: Player) -> None:
    turn = played(INIT, after=f"echo 'out of memory, key {KEY}' >&2; exit 134")
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.CRASH)
    assert "status 134" in turn.reason
    assert "out of memory" in turn.reason
    assert KEY not in turn.reason


def test_secrets_are_masked_in_transcripts(played: Player) -> None:
    turn = played(INIT, assistant("X", usage(1, 1), {"type": "text", "text": f"my key is {KEY}"}), closing(usage(1, 1)))
    assert KEY not in json.dumps(turn.transcript)
    assert "my key is [secret]" in json.dumps(turn.transcript)


def test_the_key_is_on_no_command_line(played: Player, bed: Any) -> None:
    turn = played(INIT, closing(usage(1, 1)), before='for one; do printf "%s\\n" "$one"; done >arguments; env >variables')
    assert turn.ended is Ended.COMPLETED
    arguments = (bed.workspace / "arguments").read_text()
    assert "--model\nm\n" in arguments
    assert KEY not in arguments
    variables = (bed.workspace / "variables").read_text()
    assert "ANTHROPIC_API_KEY=sk-lane-" in variables
    assert KEY not in variables


@pytest.mark.parametrize(("address", "told"), [(None, True), ("http://127.0.0.1:9", False)])
def test_the_program_is_at_its_vendors_where_the_relay_leads_there(
    stand_in: StandIn, bed: Any, address: str | None, told: bool
) -> None:
    factory = stand_in("claude", "env >variables; echo '{}'")
    harness = ClaudeCode("m", endpoint=lambda _: Endpoint(KEY, "ANTHROPIC_API_KEY", address))
    harness.run(bed.lane(harness.fitting, factory=factory), "p", Limits(), None)
    variables = (bed.workspace / "variables").read_text()
    assert ("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1" in variables) is told
    assert "ANTHROPIC_BASE_URL=http://127.0.0.1:" in variables


def test_the_operators_environment_does_not_reach_the_program(played: Player, bed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_MODEL", "the operator's")
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    played(INIT, closing(usage(1, 1)), before="env >variables")
    variables = (bed.workspace / "variables").read_text()
    assert "ANTHROPIC_MODEL" not in variables
    assert "BEDROCK" not in variables


def test_a_program_that_lives_on_after_its_closing_event_has_completed(played: Player) -> None:
    turn = played(INIT, closing(usage(1, 1)), after="sleep 600", patience=Patience(after_closing=0.2), limits=Limits(9, 0.5))
    assert turn.ended is Ended.COMPLETED
    assert turn.labels == ("the program did not end by itself after its closing event",)


def test_a_grandchild_that_lives_on_is_ended_and_does_not_hold_the_turn(played: Player, bed: Any) -> None:
    turn = played(
        INIT,
        closing(usage(1, 1)),
        after="(trap '' TERM HUP; while :; do echo >>growing; sleep 0.01; done) & until [ -s growing ]; do sleep 0.01; done",
        limits=Limits(9, 0.5),
    )
    assert turn.ended is Ended.COMPLETED
    size = (bed.workspace / "growing").stat().st_size
    assert size > 0
    played(INIT, closing(usage(1, 1)))
    assert (bed.workspace / "growing").stat().st_size == size


def test_background_tasks_that_were_alive_at_the_end_are_named(played: Player) -> None:
    started = {"type": "system", "subtype": "task_started", "task_id": "t", "task_type": "local_bash"}
    ended = {"type": "system", "subtype": "task_notification", "task_id": "t", "status": "stopped"}
    assert played(INIT, started, closing(usage(1, 1)), ended).labels == ("1 background tasks were alive at the end",)
    assert played(INIT, started, ended, closing(usage(1, 1))).labels == ()


def test_a_program_that_reads_stdin_to_its_end_gets_there(played: Player, bed: Any) -> None:
    turn = played(INIT, closing(usage(1, 1)), before="cat >heard", limits=Limits(9, 0.5))
    assert turn.ended is Ended.COMPLETED
    assert (bed.workspace / "heard").read_text() == "do it"


def test_no_first_event_is_a_status_of_its_own(played: Player) -> None:
    turn = played(before="sleep 600", patience=Patience(first_event=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.NO_FIRST_EVENT)
    assert turn.usage == UNKNOWN_USAGE


def test_a_model_that_never_answers_is_a_hang(played: Player) -> None:
    turn = played(INIT, after="sleep 600", patience=Patience(model=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)


def test_a_turn_whose_latter_half_only_waits_for_the_model_is_a_hang_however_few_minutes_it_has(played: Player) -> None:
    turn = played(INIT, after="sleep 600", limits=Limits(9, 0.01))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    late = played(INIT, before="sleep 2.8", after="sleep 600", limits=Limits(9, 0.07))
    assert (late.ended, late.reason) == (Ended.LIMIT, "0.07 minutes")


def test_a_tool_that_takes_long_is_no_hang_but_may_meet_the_limit(played: Player) -> None:
    asked = assistant("X", usage(3, 4), call("c"))
    turn = played(INIT, asked, after="sleep 600", patience=Patience(model=0.1), limits=Limits(9, 0.01))
    assert (turn.ended, turn.reason, turn.failure) == (Ended.LIMIT, "0.01 minutes", None)
    assert turn.usage == Usage(input=3, output=4)


def test_time_lost_to_a_failing_provider_is_not_the_agents(played: Player) -> None:
    again = {"type": "system", "subtype": "api_retry", "attempt": 6, "error_status": 429, "error": "rate_limit"}
    turn = played(INIT, again, after="sleep 600", limits=Limits(9, 0.01))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.RATE_LIMIT)


def test_a_key_that_is_refused_is_not_tried_ten_times(played: Player) -> None:
    again = {"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 401, "error": "authentication_failed"}
    turn = played(INIT, again, after="sleep 600")
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.AUTH)


def test_each_tool_result_is_a_step_boundary(played: Player, bed: Any) -> None:
    turn = played(
        INIT,
        assistant("X", usage(1, 1), call("c", command="ls")),
        result_of("c"),
        assistant("Y", usage(1, 1), call("d", "Write", file_path="x.py"), call("e")),
        result_of("d"),
        result_of("e"),
        closing(usage(2, 2)),
    )
    assert [(step.number, step.tool, step.detail) for step in bed.steps] == [
        (1, "Bash", "ls"),
        (2, "Write", "x.py"),
        (3, "Bash", ""),
    ]
    assert turn.steps == 3


def test_what_is_no_event_is_passed_over_and_told(played: Player) -> None:
    odd = [
        b"not json",
        b"[1]",
        b'"text"',
        b"\xff\xfe{",
        b'{"type": "assistant"}',
        b'{"type": "user", "message": 7}',
        b'{"type": "new"}',
    ]
    turn = played(INIT, *odd, assistant("X", usage(1, 1)), closing(usage(1, 1), {"m": usage(1, 1)}))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, Usage(input=1, output=1))
    assert turn.labels == ("4 lines of the program's output were no events",)


def test_a_very_long_line_is_an_event_like_any_other(played: Player) -> None:
    turn = played(INIT, assistant("X", usage(1, 5), {"type": "text", "text": "x" * 3_000_000}), closing(usage(1, 5)))
    assert (turn.ended, turn.usage, turn.labels) == (Ended.COMPLETED, Usage(input=1, output=5), ())


@given(st.lists(st.binary(max_size=20)), st.integers(1, 12))
def test_lines_are_the_same_however_they_are_cut(pieces: list[bytes], size: int) -> None:
    content = b"\n".join(pieces)
    lines = Lines(limit=12)
    got = [line for start in range(0, len(content), size) for line in lines.feed(content[start : start + size])]
    got += lines.end()
    whole = content.split(b"\n")
    assert got == [line.strip() for line in whole if len(line) <= 12 and line.strip()]
    assert lines.left_out == sum(len(line) > 12 for line in whole)
