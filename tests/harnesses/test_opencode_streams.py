"""OpenCode's streams: a recorded one, and ones made up, played by a stand-in on PATH: usage once, verdicts, waits that end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnesses.base import Ended, Failure, Lane, Limits, Turn
from harnesses.endpoint import Endpoint
from harnesses.follower import Patience
from harnesses.opencode import OpenCode
from harnesses.streams.opencode import OpenCodeStream
from sandboxes.base import SandboxFactory
from sandboxes.usage import UNKNOWN_USAGE, Usage

KEY = "sk-secret-of-the-operator"
RECORDED = Path(__file__).with_name("opencode-1.18.33.jsonl")
StandIn = Callable[[str, str], SandboxFactory]


def endpoint(lane: Lane) -> Endpoint:
    return Endpoint(KEY, "", "http://127.0.0.1:9")


def told(event: str, **more: Any) -> dict[str, Any]:
    return {"type": "lane", "event": event, **more}


def request(identity: int, state: str = "answered", given: int = 0, output: int = 0, cached: int = 0) -> dict[str, Any]:
    usage = {"prompt_tokens": given, "completion_tokens": output, "prompt_tokens_details": {"cached_tokens": cached}}
    return told("request", id=identity, state=state, usage=usage if given else None)


def refused(identity: int, status: int) -> dict[str, Any]:
    return told("request", id=identity, state="refused", status=status)


def tool(call: str, status: str = "completed", name: str = "bash", **given: str) -> dict[str, Any]:
    return told("tool", call=call, tool=name, status=status, side=False, input=given)


def step(identity: str, given: int, output: int, cached: int = 0, thought: int = 0) -> dict[str, Any]:
    tokens = {"input": given, "output": output, "reasoning": thought, "cache": {"read": cached, "write": 0}}
    return told("step", id=identity, side=False, tokens=tokens)


LOADED, IDLE = told("loaded"), told("idle")


class Player:
    def __init__(self, bed: Any, stand_in: StandIn, folder: Path) -> None:
        self.bed, self.stand_in, self.folder = bed, stand_in, folder

    def __call__(
        self,
        *events: dict[str, Any] | bytes,
        after: str = "",
        before: str = "",
        limits: Limits | None = None,
        patience: Patience | None = None,
        session: str | None = None,
    ) -> Turn:
        lines = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
        stream = self.folder / "stream"
        stream.write_bytes(b"".join(line + b"\n" for line in lines))
        factory = self.stand_in("opencode", f"{before}\ncat {stream}\n{after}")
        harness = OpenCode("vendor/m", endpoint=endpoint, patience=patience)
        lane = self.bed.lane(harness.fitting, factory=factory)
        return harness.run(lane, "do it", limits or Limits(), session)


@pytest.fixture
def played(bed: Any, stand_in: StandIn, tmp_path: Path) -> Player:
    return Player(bed, stand_in, tmp_path)


def test_a_recorded_stream_is_read_to_the_token(played: Player, bed: Any) -> None:
    """A refused request, a subagent, a command that exits with 3."""
    turn = played(*RECORDED.read_bytes().splitlines())
    assert (turn.ended, turn.reason, turn.summary) == (Ended.COMPLETED, "", "Done.")
    assert (turn.steps, turn.subagents) == (4, 1)
    assert turn.usage == Usage(input=90, cache_read=88, output=52)
    assert turn.metering
    assert (turn.metering.closing, turn.metering.notes, turn.metering.lower_bound) == (turn.usage, (), False)
    assert turn.session
    assert turn.session.startswith("ses_")
    details = [(one.tool, one.detail) for one in bed.steps]
    assert details == [("bash", "echo one"), ("bash", "echo inside"), ("task", "A part of the script"), ("bash", "exit 3")]


def test_an_answer_counts_once_however_often_it_is_told(played: Player) -> None:
    turn = played(
        LOADED, request(1, "asked"), request(1, given=10, output=5), request(1, given=10, output=5), step("s", 10, 5), IDLE
    )
    assert turn.usage == Usage(input=10, output=5)


def test_what_was_thought_is_output_and_what_the_cache_holds_is_no_input(played: Player) -> None:
    turn = played(LOADED, request(1, given=100, output=30, cached=60), step("s", 40, 10, 60, 20), IDLE)
    assert turn.usage == Usage(input=40, cache_read=60, output=30)
    assert turn.metering
    assert turn.metering.closing == turn.usage
    assert turn.metering.notes == ()


def test_totals_that_do_not_fit_are_reported(played: Player) -> None:
    turn = played(LOADED, request(1, given=10, output=90), step("s", 7, 95), IDLE)
    assert turn.metering
    assert turn.metering.notes == ("the program's closing total differs from the sum of its responses: input -3, output +5",)
    assert turn.usage == Usage(input=10, output=90)


def test_an_answer_without_usage_makes_the_count_unknown(played: Player) -> None:
    turn = played(LOADED, request(1), request(2, given=10, output=5), IDLE)
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, UNKNOWN_USAGE)
    assert turn.metering
    assert turn.metering.notes == ("the provider left out a response's usage",)


def test_an_answer_that_broke_off_counts_as_far_as_it_was_told(played: Player) -> None:
    turn = played(LOADED, request(1, "broken", 10, 5), request(2, "broken"), request(3, given=1, output=1), step("s", 1, 1), IDLE)
    assert turn.usage == Usage(input=11, output=6)
    assert turn.metering
    assert (turn.metering.abandoned, turn.metering.lower_bound) == (Usage(input=10, output=5), True)
    assert turn.metering.notes == ("1 answers broke off, whose usage nobody has told",)


@pytest.mark.parametrize(
    ("status", "name", "reason", "verdict", "failure"),
    [
        (429, "APIError", "Too many requests", Ended.INFRASTRUCTURE, Failure.RATE_LIMIT),
        (429, "APIError", "You exceeded your current quota", Ended.INFRASTRUCTURE, Failure.AUTH),
        (503, "APIError", "Service unavailable", Ended.INFRASTRUCTURE, Failure.OVERLOADED),
        (401, "APIError", "invalid key", Ended.INFRASTRUCTURE, Failure.AUTH),
        (None, "ProviderAuthError", "no key", Ended.INFRASTRUCTURE, Failure.AUTH),
        (400, "APIError", "no such model", Ended.INFRASTRUCTURE, Failure.PROVIDER),
        (None, "ContextOverflowError", "the conversation is too large", Ended.LIMIT, None),
        (None, "UnknownError", "", Ended.INFRASTRUCTURE, Failure.PROVIDER),
    ],
)
def test_what_the_program_says_last_is_the_verdict(
    played: Player, status: int | None, name: str, reason: str, verdict: Ended, failure: Failure | None
) -> None:
    failed = told("error", side=False, name=name, reason=reason, status=status)
    turn = played(LOADED, request(1, "asked"), failed, IDLE, after="exit 1")
    assert (turn.ended, turn.failure) == (verdict, failure)
    assert (reason or name) in turn.reason


def test_a_subagents_failure_and_one_that_is_over_are_none(played: Player) -> None:
    over = told("error", side=False, name="APIError", reason="x", status=500)
    side = told("error", side=True, name="APIError", reason="x", status=500)
    turn = played(LOADED, over, request(1, given=1, output=1), side, step("s", 1, 1), IDLE)
    assert (turn.ended, turn.failure, turn.reason) == (Ended.COMPLETED, None, "")


def test_time_lost_to_a_failing_provider_is_not_the_agents(played: Player) -> None:
    retry = told("retry", side=False, reason="Too many requests")
    turn = played(LOADED, request(1, "asked"), refused(1, 429), retry, after="sleep 600", limits=Limits(9, 0.02))
    assert (turn.ended, turn.failure, turn.usage) == (Ended.INFRASTRUCTURE, Failure.RATE_LIMIT, Usage())


def test_a_program_without_the_lanes_plugin_says_nothing_about_its_agent(played: Player) -> None:
    turn = played({"type": "step_start", "sessionID": "ses_1", "part": {}}, IDLE)
    assert (turn.ended, turn.failure, turn.usage) == (Ended.INFRASTRUCTURE, Failure.CRASH, UNKNOWN_USAGE)
    assert "plugin" in turn.reason


def test_a_program_that_crashes_says_why(played: Player) -> None:
    turn = played(LOADED, request(1, "asked"), after=f"echo 'out of memory, key {KEY}' >&2; exit 134")
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.CRASH)
    assert "out of memory" in turn.reason
    assert KEY not in turn.reason
    assert turn.metering
    assert turn.metering.lower_bound


def test_a_call_too_many_ends_the_turn_when_its_answer_is_told(played: Player) -> None:
    events = [request(1, "asked"), request(1, given=10, output=5), tool("c1", command="ls"), request(2, "asked")]
    turn = played(LOADED, *events, tool("c2", "running"), request(2, given=10, output=5), after="sleep 600", limits=Limits(1, 1))
    assert (turn.ended, turn.reason, turn.steps) == (Ended.LIMIT, "1 steps", 1)
    assert turn.usage == Usage(input=20, output=10)


def test_no_first_event_and_a_silent_model_are_told_apart(played: Player) -> None:
    turn = played(before="sleep 600", patience=Patience(first_event=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.NO_FIRST_EVENT)
    turn = played(LOADED, request(1, "asked"), after="sleep 600", patience=Patience(model=0.2))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)


def test_a_tool_that_takes_long_is_no_hang_but_may_meet_the_limit(played: Player) -> None:
    events = [request(1, "asked"), request(1, given=3, output=4), tool("c", "running")]
    turn = played(LOADED, *events, after="sleep 600", patience=Patience(model=0.1), limits=Limits(9, 0.02))
    assert (turn.ended, turn.reason, turn.usage) == (Ended.LIMIT, "0.02 minutes", Usage(input=3, output=4))


def test_the_key_is_on_no_command_line_and_in_no_file(played: Player, bed: Any) -> None:
    turn = played(LOADED, IDLE, before='for one; do printf "%s\\n" "$one"; done >arguments; env >variables; cat >heard')
    assert turn.ended is Ended.COMPLETED
    assert (bed.workspace / "arguments").read_text().splitlines() == [
        *("run", "--format", "json", "--auto", "--model", "lane/vendor/m", "--title", "lane")
    ]
    assert (bed.workspace / "heard").read_text() == "do it"
    variables = (bed.workspace / "variables").read_text()
    assert f"CROSSTALK_MODEL_KEY={KEY}" in variables
    assert variables.count(KEY) == 1
    files = [path for path in (bed.folder / "private").rglob("*") if path.is_file()]
    assert files
    assert all(KEY not in path.read_text() for path in files)


def test_a_session_is_resumed_by_its_name(played: Player, bed: Any) -> None:
    turn = played(LOADED, IDLE, before='echo "$*" >arguments', session="ses_7")
    assert (bed.workspace / "arguments").read_text().split()[-2:] == ["--session", "ses_7"]
    assert turn.session == "ses_7"


def test_what_is_no_event_is_passed_over_and_told(played: Player) -> None:
    turn = played(LOADED, b"not json", b"[1]", b"\xff\xfe{", told("new"), {"type": 7}, request(1, given=1, output=1), IDLE)
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, Usage(input=1, output=1))
    assert turn.labels == ("3 lines of the program's output were no events",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["lane", "text", "tool_use", "error"])},
    optional={
        "event": st.sampled_from(["loaded", "request", "tool", "step", "retry", "error", "idle", "session"]),
        "state": st.sampled_from(["asked", "answered", "broken", "refused", "unanswered"]) | JSON,
        **{name: JSON for name in ("usage", "tokens", "input", "call", "status", "reason", "part", "sessionID", "name")},
        "id": st.integers(0, 3) | JSON,
    },
)


@given(st.lists(EVENTS, max_size=12))
def test_no_event_breaks_the_reading_and_no_count_is_below_nothing(events: list[dict[str, Any]]) -> None:
    stream = OpenCodeStream()
    for event in events:
        list(stream.see(event))
    usage, metering = stream.usage()
    counts = (usage.input, usage.cache_write, usage.cache_read, usage.output)
    assert all(count is None or count >= 0 for count in counts)
    assert metering.responses == usage
    stream.verdict()
    stream.labels()


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=10))
def test_any_answers_sum_up_whatever_their_order(answers: list[tuple[int, int, int]]) -> None:
    stream, expected = OpenCodeStream(), Usage()
    stream.see(LOADED)
    for number, (plain, output, cached) in enumerate(answers):
        stream.see(request(number, "asked"))
        expected += Usage(input=plain, cache_read=cached, output=output)
    for number, (plain, output, cached) in reversed(list(enumerate(answers))):
        stream.see(request(number, given=plain + cached, output=output, cached=cached))
    assert stream.usage()[0] == expected
