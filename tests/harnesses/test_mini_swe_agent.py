"""The real mini-swe-agent, its commands in a sealed lane, against the scripted model server and against canned answers."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from canned_model import KEY, Canned, serving

from harnesses.base import Ended, Failure, Lane, Limits, Turn
from harnesses.endpoint import Endpoint, scripted_endpoint
from harnesses.follower import Patience
from harnesses.mini_swe_agent import MiniSweAgent
from harnesses.mini_swe_agent_parts import HAND_IN, installed_version
from harnesses.script import Action, ScriptStep, Tool, WhenHeard
from harnesses.scripted_model.faults import FOREVER, Fault, FaultKind
from harnesses.scripted_model.server import ScriptedModelServer
from sandboxes.errors import SetupError
from sandboxes.stopping import StoppedError, no_programs
from sandboxes.usage import UNKNOWN_USAGE, Usage
from scenarios.catalog import CATALOG, by_name

MISSING = "mini-swe-agent is missing: pip install 'crosstalk-bench[mini]'"
pytestmark = [
    pytest.mark.needs("bwrap"),
    pytest.mark.skipif(not installed_version(), reason=MISSING),
    pytest.mark.filterwarnings("ignore"),  # what LiteLLM brings along warns on import, of what is none of ours
]
PATCH = b"diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-one\n+two\n"


def run(command: str) -> ScriptStep:
    return ScriptStep(Tool.RUN, command)


class Scripted:
    """Turns of the agent, each with its own key on one server."""

    def __init__(self, server: ScriptedModelServer, bed: Any) -> None:
        self.server, self.bed = server, bed
        self.key = ""

    def __call__(
        self,
        *actions: Action,
        faults: tuple[Fault, ...] = (),
        limits: Limits | None = None,
        session: str | None = None,
        patience: Patience | None = None,
        hook: Path | None = None,
    ) -> Turn:
        self.key = self.server.add_lane("a", actions, faults)
        harness = MiniSweAgent("scripted", endpoint=self._endpoint, patience=patience, retries=1)
        lane = self.bed.lane(harness.fitting, hook=hook)
        return harness.run(lane, "Please do it.", limits or Limits(max_minutes=2), session)

    def _endpoint(self, lane: Lane) -> Endpoint:
        return Endpoint(self.key, "OPENAI_API_KEY", self.server.url)

    @property
    def ledger(self) -> Usage:
        return self.server.ledger.total(self.key)

    def said_to_the_model(self) -> str:
        return json.dumps(self.server.requests(self.key))


@pytest.fixture
def scripted(bed: Any) -> Iterator[Scripted]:
    with ScriptedModelServer(uncached=3) as server:
        yield Scripted(server, bed)


def test_a_script_is_played_through_the_agents_own_tool(scripted: Scripted, bed: Any) -> None:
    (bed.workspace / "x.txt").write_text("one\n")
    turn = scripted(
        ScriptStep(Tool.WRITE, "new dir/it's.txt", "ü 'quoted' $HOME\n".encode()),
        ScriptStep(Tool.APPLY, "references/a", PATCH),
        run("cat x.txt; echo to stderr >&2; exit 3"),
    )
    assert (turn.ended, turn.reason, turn.steps) == (Ended.COMPLETED, "", 3)
    assert (bed.workspace / "x.txt").read_text() == "two\n"
    assert (bed.workspace / "new dir" / "it's.txt").read_text() == "ü 'quoted' $HOME\n"
    assert [(step.number, step.tool) for step in bed.steps] == [(1, "bash"), (2, "bash"), (3, "bash")]
    assert bed.trees == [["new dir", "x.txt"]] * 3
    said = [line["content"] for line in turn.transcript if line["role"] == "tool"]
    assert json.loads(said[2]) == {"returncode": 3, "output": "two\nto stderr\n"}
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert (turn.metering.responses, turn.metering.notes, turn.metering.lower_bound) == (turn.usage, (), False)
    assert scripted.key not in json.dumps(turn.transcript)


def test_the_prompt_is_the_packages_own_with_the_task_in_it(scripted: Scripted) -> None:
    scripted(run("true"))
    system, task = scripted.server.requests(scripted.key)[0]["messages"]
    assert system["role"] == "system"
    assert "Please do it." in task["content"]
    assert HAND_IN in task["content"]


def test_a_command_of_any_length_runs_and_reads_nothing(scripted: Scripted, bed: Any) -> None:
    turn = scripted(ScriptStep(Tool.WRITE, "big", b"x" * 1_000_000), run("cat; printf %s $((1 + 1)) >sum"))
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 2)
    assert (bed.workspace / "big").stat().st_size == 1_000_000
    assert (bed.workspace / "sum").read_text() == "2"


def test_what_a_command_leaves_behind_ends_with_it(scripted: Scripted, bed: Any) -> None:
    turn = scripted(run("(while :; do echo >>growing; sleep 0.01; done) & until [ -s growing ]; do sleep 0.01; done"))
    assert turn.ended is Ended.COMPLETED
    size = (bed.workspace / "growing").stat().st_size
    scripted(run("true"))
    assert (bed.workspace / "growing").stat().st_size == size > 0


def test_a_resumed_turn_knows_the_earlier_one_and_is_metered_alone(scripted: Scripted) -> None:
    first = scripted(run("echo one"))
    second = scripted(run("echo two"), session=first.session)
    assert "echo one" in scripted.said_to_the_model()
    assert (second.steps, second.usage) == (1, scripted.ledger)
    assert first.usage != second.usage
    assert [line["role"] for line in second.transcript][:2] == ["user", "assistant"]


def test_a_turn_that_resumes_one_ended_at_its_limit_is_metered_alone(scripted: Scripted, bed: Any) -> None:
    first = scripted(run("echo 1 >>log"), run("echo 2 >>log"), limits=Limits(1, 2))
    assert (first.ended, first.reason, first.steps, first.usage) == (Ended.LIMIT, "1 steps", 1, scripted.ledger)
    second = scripted(run("echo 3 >>log"), session=first.session)
    assert (second.ended, second.usage) == (Ended.COMPLETED, scripted.ledger)
    assert (bed.workspace / "log").read_text() == "1\n3\n"
    messages = scripted.server.requests(scripted.key)[-1]["messages"]
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    assert calls == [message["tool_call_id"] for message in messages if message["role"] == "tool"]


def test_a_retried_request_and_an_answer_that_broke_off_are_metered_to_the_token(scripted: Scripted) -> None:
    faults = (Fault(FaultKind.RATE_LIMIT, 1), Fault(FaultKind.CUT, 3), Fault(FaultKind.OVERLOADED, 5))
    turn = scripted(run("echo one"), run("echo two"), faults=faults)
    assert turn.ended is Ended.COMPLETED
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert turn.metering.lower_bound
    assert turn.metering.notes == ("1 answers broke off, whose usage nobody has told",)


def test_a_limit_that_is_not_exceeded_is_none(scripted: Scripted) -> None:
    turn = scripted(run("echo 1"), run("echo 2"), limits=Limits(2, 2))
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 2)


def test_a_turn_ended_by_the_clock_in_a_command_is_metered_to_the_token(scripted: Scripted) -> None:
    turn = scripted(run("sleep 600"), limits=Limits(9, 0.05))
    assert (turn.ended, turn.reason, turn.failure, turn.steps) == (Ended.LIMIT, "0.05 minutes", None, 1)
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert not turn.metering.lower_bound


def test_a_turn_ended_by_the_clock_in_an_answer_is_metered_to_what_was_reported(scripted: Scripted) -> None:
    turn = scripted(run("sleep 4"), faults=(Fault(FaultKind.HANG_AFTER, 2),), limits=Limits(9, 0.1))
    assert (turn.ended, turn.reason) == (Ended.LIMIT, "0.1 minutes")
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert turn.metering.lower_bound


@pytest.mark.parametrize(
    ("kind", "failure", "requests"),
    [
        (FaultKind.RATE_LIMIT, Failure.RATE_LIMIT, 3),
        (FaultKind.OVERLOADED, Failure.OVERLOADED, 3),
        (FaultKind.BROKEN, Failure.OVERLOADED, 3),
        (FaultKind.UNAUTHORIZED, Failure.AUTH, 2),
        (FaultKind.FORBIDDEN, Failure.AUTH, 2),
        (FaultKind.CUT, Failure.PROVIDER, 3),
    ],
)
def test_a_provider_that_keeps_failing_is_infrastructure(
    scripted: Scripted, kind: FaultKind, failure: Failure, requests: int
) -> None:
    turn = scripted(run("echo one"), run("echo two"), faults=(Fault(kind, 2, FOREVER),))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, failure)
    assert turn.reason
    assert turn.usage == scripted.ledger
    assert len(scripted.server.requests(scripted.key)) == requests


@pytest.mark.parametrize("kind", [FaultKind.HANG_BEFORE, FaultKind.HANG_AFTER])
def test_a_model_that_never_answers_is_a_hang(scripted: Scripted, kind: FaultKind) -> None:
    turn = scripted(run("echo one"), faults=(Fault(kind, 2, FOREVER),), patience=Patience(model=1.0))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert turn.metering.lower_bound


def test_a_turn_whose_latter_half_only_waits_for_its_model_is_a_hang(scripted: Scripted) -> None:
    turn = scripted(run("echo one"), faults=(Fault(FaultKind.HANG_BEFORE, 2),), limits=Limits(9, 0.05))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)


def test_time_lost_to_a_failing_provider_is_not_the_agents(scripted: Scripted) -> None:
    harness_faults = (Fault(FaultKind.CUT, 1), Fault(FaultKind.HANG_BEFORE, 2))
    turn = scripted(run("echo one"), faults=harness_faults, limits=Limits(9, 0.06))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.PROVIDER)


def test_usage_that_the_provider_leaves_out_is_unknown(scripted: Scripted) -> None:
    turn = scripted(run("echo one"), faults=(Fault(FaultKind.NO_USAGE, 2),))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, UNKNOWN_USAGE)
    assert turn.metering
    assert turn.metering.notes == ("the provider left out a response's usage",)


def test_nobody_at_the_address_has_used_nothing(bed: Any) -> None:
    harness = MiniSweAgent("m", endpoint=lambda lane: Endpoint(KEY, "OPENAI_API_KEY", "http://127.0.0.1:9"), retries=0)
    turn = harness.run(bed.lane(harness.fitting), "Please do it.", Limits(), None)
    assert (turn.ended, turn.failure, turn.usage) == (Ended.INFRASTRUCTURE, Failure.PROVIDER, Usage())
    assert turn.metering
    assert not turn.metering.lower_bound


HOOK = """#!/bin/sh
cat >/dev/null
case $1 in
Stop) [ -e .stopped ] || printf '{"decision":"block","reason":"the peer says hello at the end"}'; : >.stopped ;;
*) printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"the peer says hello after %s"}}' "$1" "$1" ;;
esac
"""


def hook_of(bed: Any, text: str = HOOK) -> Path:
    hook: Path = bed.folder / "hook"
    hook.write_text(text)
    hook.chmod(0o755)
    return hook


@pytest.mark.parametrize(
    ("command", "heard"),
    [("true", "after PostToolUse$"), ("false", "after PostToolUse$"), ("true", "at the end$")],
)
def test_a_hook_puts_a_message_before_the_model(scripted: Scripted, bed: Any, command: str, heard: str) -> None:
    choice = WhenHeard(re.compile(f"the peer says hello {heard}", re.MULTILINE), (run("touch joint"),), ())
    deaf = scripted(run(command), choice)
    assert (deaf.ended, deaf.steps, (bed.workspace / "joint").exists()) == (Ended.COMPLETED, 1, False)
    hearing = scripted(run(command), choice, hook=hook_of(bed))
    assert (hearing.ended, hearing.steps, (bed.workspace / "joint").exists()) == (Ended.COMPLETED, 2, True)
    assert hearing.usage == scripted.ledger


def test_a_hook_that_fails_or_prints_no_json_puts_nothing_before_the_model(scripted: Scripted, bed: Any) -> None:
    for text in ('printf \'{"decision":"block","reason":"EVIL"}\'; exit 1', "echo EVIL", "echo '[\"EVIL\"]'"):
        turn = scripted(run("true"), hook=hook_of(bed, f"#!/bin/sh\n{text}\n"))
        assert (turn.ended, turn.steps) == (Ended.COMPLETED, 1)
        assert "EVIL" not in scripted.said_to_the_model()


def test_a_hook_that_never_lets_the_agent_stop_is_bounded(scripted: Scripted, bed: Any) -> None:
    always = hook_of(bed, '#!/bin/sh\n[ "$1" != Stop ] || printf \'{"decision":"block","reason":"stay"}\'\n')
    turn = scripted(run("true"), hook=always)
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 1)


def asks_for(*commands: str, text: str = "") -> Canned:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for number, command in enumerate(commands)
    ]
    choice = {"index": 0, "message": {"role": "assistant", "content": text, "tool_calls": calls}, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "canned", "choices": [choice], "usage": usage}
    return Canned(json.dumps(body), how="raw")


def canned(bed: Any, *answers: Canned, limits: Limits | None = None, hook: Path | None = None) -> tuple[Turn, Any]:
    with serving(answers) as endpoint:
        harness = MiniSweAgent("m", endpoint=lambda lane: Endpoint(KEY, "OPENAI_API_KEY", endpoint.url), retries=0)
        return harness.run(bed.lane(harness.fitting, hook=hook), "Do it.", limits or Limits(), None), endpoint


def test_each_command_of_an_answer_is_a_step(bed: Any) -> None:
    turn, endpoint = canned(bed, asks_for("echo 1 >>log", "echo 2 >>log"), asks_for(HAND_IN))
    assert (turn.ended, turn.steps, turn.usage) == (Ended.COMPLETED, 2, Usage(input=200, output=20))
    assert [step.number for step in bed.steps] == [1, 2]
    assert [message["role"] for message in endpoint.requests[1]["messages"]][-2:] == ["tool", "tool"]


def test_a_limit_in_the_middle_of_an_answer_ends_the_turn_there(bed: Any) -> None:
    turn, _ = canned(bed, asks_for("echo 1 >>log", "echo 2 >>log", "echo 3 >>log"), limits=Limits(2, 1))
    assert (turn.ended, turn.reason, turn.steps) == (Ended.LIMIT, "2 steps", 2)
    assert (bed.workspace / "log").read_text() == "1\n2\n"


def test_what_surfaces_beside_the_handing_in_is_seen_before_it_counts(bed: Any) -> None:
    once = hook_of(bed, HOOK.replace("*) ", "*) [ -e .told ] || ").replace('"$1" "$1" ;;\nesac', '"$1" "$1"; : >.told ;;\nesac'))
    (bed.workspace / ".stopped").touch()
    turn, endpoint = canned(bed, asks_for("true", HAND_IN), asks_for(HAND_IN), hook=once)
    assert (turn.ended, turn.steps, len(endpoint.requests)) == (Ended.COMPLETED, 1, 2)
    assert endpoint.requests[1]["messages"][-1] == {"role": "user", "content": "the peer says hello after PostToolUse"}


def test_a_command_that_hands_in_what_it_does_is_a_step(bed: Any) -> None:
    turn, _ = canned(bed, asks_for(f"touch done; {HAND_IN}"))
    assert (turn.ended, turn.steps, (bed.workspace / "done").exists()) == (Ended.COMPLETED, 1, True)


def test_the_sentinel_of_a_command_that_fails_hands_in_nothing(bed: Any) -> None:
    turn, _ = canned(bed, asks_for(f"{HAND_IN}; exit 1"), asks_for(HAND_IN))
    assert (turn.ended, turn.steps, turn.usage.output) == (Ended.COMPLETED, 1, 20)


def test_answers_without_a_command_are_sent_back_and_bounded(bed: Any) -> None:
    turn, endpoint = canned(bed, *[Canned("I think.", how="whole")] * 4)
    assert (turn.ended, turn.steps, len(endpoint.requests)) == (Ended.COMPLETED, 0, 3)
    assert turn.usage == Usage(input=300, output=30)
    assert turn.labels == ("ended by 3 answers in a row without a usable command",)
    assert [line["content"] for line in turn.transcript if line.get("unusable")] == ["I think."] * 3
    assert turn.summary == "I think."


def test_a_conversation_that_is_too_long_is_a_limit(bed: Any) -> None:
    said = "This model's maximum context length is 10 tokens, however you requested more"
    turn, _ = canned(bed, asks_for("true"), Canned(said, status=400))
    assert (turn.ended, turn.failure, turn.steps) == (Ended.LIMIT, None, 1)
    assert "maximum context length" in turn.reason


def test_an_account_without_money_is_everybodys_trouble(bed: Any) -> None:
    turn, endpoint = canned(bed, Canned("You exceeded your current quota, insufficient_quota", status=429))
    assert (turn.ended, turn.failure, len(endpoint.requests)) == (Ended.INFRASTRUCTURE, Failure.AUTH, 1)


def test_a_key_in_what_the_provider_says_is_masked(bed: Any) -> None:
    turn, _ = canned(bed, Canned(f"no such model for {KEY}", status=400))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.PROVIDER)
    assert KEY not in turn.reason
    assert "[secret]" in turn.reason


def test_an_interrupt_ends_the_wait_for_the_model_at_once(bed: Any) -> None:
    with serving([Canned("", how="hang")]) as endpoint:
        harness = MiniSweAgent("m", endpoint=lambda lane: Endpoint(KEY, "OPENAI_API_KEY", endpoint.url))
        lane, raised = bed.lane(harness.fitting), []

        def play() -> None:
            try:
                harness.run(lane, "Do it.", Limits(), None)
            except StoppedError as error:
                raised.append(error)

        thread = threading.Thread(target=play)
        thread.start()
        assert endpoint.hung.wait(60)
        with no_programs():
            thread.join(30)
        assert len(raised) == 1


def test_neither_the_key_nor_the_operators_environment_is_in_the_lane(
    scripted: Scripted, bed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-the-operators")
    port = scripted.server.url.rpartition(":")[2]
    turn = scripted(run(f"env >variables; (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && touch reached"))
    assert turn.ended is Ended.COMPLETED
    variables = (bed.workspace / "variables").read_text()
    assert "PAGER=cat" in variables
    assert not (bed.workspace / "reached").exists()
    assert scripted.key not in variables
    assert "sk-the-operators" not in variables
    assert "sk-the-operators" not in scripted.said_to_the_model()


def test_each_turn_of_a_lane_plays_its_own_part_of_the_lanes_script(scripted: Scripted, bed: Any) -> None:
    turns = [{"steps": [{"run": "echo one >>log"}]}, {"steps": [{"run": "echo two >>log"}]}]
    (bed.folder / "none.json").write_text(json.dumps({"schema_version": 1, "turns": turns}))
    harness = MiniSweAgent("scripted", endpoint=scripted_endpoint(scripted.server, "OPENAI_API_KEY"))
    lane = bed.lane(harness.fitting)
    first = harness.run(lane, "Please do it.", Limits(), None)
    second = harness.run(replace(lane, turn=2), "And again.", Limits(), first.session)
    assert (first.ended, second.ended) == (Ended.COMPLETED, Ended.COMPLETED)
    assert (bed.workspace / "log").read_text() == "one\ntwo\n"


def test_a_model_of_ones_own_is_found_by_litellms_names(bed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([asks_for(HAND_IN)]) as endpoint:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", endpoint.url)
        harness = MiniSweAgent("hosted_vllm/mine", retries=0)
        turn = harness.run(bed.lane(harness.fitting), "Do it.", Limits(), None)
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, Usage(input=100, output=10))
    assert endpoint.requests[0]["model"] == "mine"


@pytest.mark.parametrize(
    ("model", "said"),
    [("nonsense", "knows no provider of 'nonsense'"), ("deepseek/deepseek-chat", "set DEEPSEEK_API_KEY")],
)
def test_a_model_that_cannot_be_reached_is_told_in_one_line(
    bed: Any, monkeypatch: pytest.MonkeyPatch, model: str, said: str
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    harness = MiniSweAgent(model)
    with pytest.raises(SetupError, match=said):
        harness.versions()
    with pytest.raises(SetupError, match=said):
        harness.run(bed.lane(harness.fitting), "Do it.", Limits(), None)


def test_a_model_is_to_be_named() -> None:
    with pytest.raises(SetupError, match="--model"):
        MiniSweAgent()


def test_what_it_cannot_honour_it_refuses_with_the_reason() -> None:
    harness = MiniSweAgent("scripted")
    refused = {scenario.name for scenario in CATALOG if harness.refuses(scenario)}
    assert refused == {"orchestrator", "radio-watcher", "radio-protocol-watcher"}
    assert "no subagents" in str(harness.refuses(by_name("orchestrator")))


def test_the_version_is_told() -> None:
    versions = MiniSweAgent("m", endpoint=lambda lane: Endpoint(KEY, "OPENAI_API_KEY")).versions()
    assert versions["mini-swe-agent"] == installed_version()
    assert set(versions) == {"mini-swe-agent", "litellm"}
