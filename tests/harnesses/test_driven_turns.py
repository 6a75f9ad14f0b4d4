"""What holds for every real program in a sealed lane, against the scripted model server: what it did, and what it cost."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from driven import TALKING_HOOK, WITH_A_PROVIDER, Driven, Scripted, run

from harnesses.base import Ended, Failure, Limits
from harnesses.endpoint import Endpoint, scripted_endpoint
from harnesses.follower import Patience
from harnesses.script import Delegate, ScriptStep, Tool, WhenHeard
from harnesses.scripted_model.faults import FOREVER, Fault, FaultKind
from sandboxes.usage import UNKNOWN_USAGE, Usage

pytestmark = pytest.mark.needs("bwrap")
PATCH = b"diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-one\n+two\n"


def test_a_script_is_played_through_the_programs_own_tools(scripted: Scripted, bed: Any) -> None:
    (bed.workspace / "x.txt").write_text("one\n")
    turn = scripted(
        ScriptStep(Tool.WRITE, "new dir/it's.txt", "ü 'quoted' $HOME\n".encode()),
        ScriptStep(Tool.APPLY, "references/a", PATCH),
        run("cat x.txt; exit 3"),
    )
    assert (turn.ended, turn.reason, turn.steps) == (Ended.COMPLETED, "", 3)
    assert (bed.workspace / "x.txt").read_text() == "two\n"
    assert (bed.workspace / "new dir" / "it's.txt").read_text() == "ü 'quoted' $HOME\n"
    assert [step.number for step in bed.steps] == [1, 2, 3]
    assert bed.trees[0] == ["new dir", "x.txt"]
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert (turn.metering.notes, turn.metering.lower_bound) == ((), False)
    assert scripted.key not in json.dumps(turn.transcript)


# What an agent can find of the keys that its program was given: in its own environment, and in that of all that it sees run.
LOOK = "{ env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; } >found; cat found"
PROVIDERS_KEY = "sk-provider-2b7d93c0e1f4"


@pytest.mark.parametrize(
    "driven", [pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in WITH_A_PROVIDER]
)
def test_an_agent_finds_no_key_of_the_providers(scripted: Scripted, driven: Driven) -> None:
    scripted.server.add_lane("a", (run(LOOK),), key=PROVIDERS_KEY)
    endpoint = Endpoint(PROVIDERS_KEY, driven.key_variable, scripted.server.url)
    harness = driven.made("scripted", endpoint=lambda _: endpoint, retries=1)
    turn = harness.run(scripted.bed.lane(harness.fitting), "Please do it.", Limits(max_minutes=2), None)
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 1)
    found = (scripted.bed.workspace / "found").read_text()
    lanes = set(re.findall(r"sk-lane-[0-9a-f]{64}", found))
    assert len(lanes) == 1
    assert PROVIDERS_KEY not in found
    assert not any(key in json.dumps(turn.transcript) for key in (PROVIDERS_KEY, *lanes))
    assert PROVIDERS_KEY not in json.dumps(scripted.server.requests(PROVIDERS_KEY))
    assert turn.usage == scripted.server.ledger.total(PROVIDERS_KEY)


def test_a_resumed_turn_knows_the_earlier_one_and_is_metered_alone(scripted: Scripted) -> None:
    first = scripted(run("echo one"))
    second = scripted(run("echo two"), session=first.session)
    assert second.session == first.session
    assert "echo one" in scripted.said_to_the_model()
    assert second.usage == scripted.ledger
    assert first.usage != second.usage


def test_a_turn_ended_at_its_step_limit_is_metered_to_the_token(scripted: Scripted, bed: Any) -> None:
    turn = scripted(run("echo 1 >>log"), run("echo 2 >>log"), run("sleep 60; echo 3 >>log"), limits=Limits(2, 2))
    assert (turn.ended, turn.reason, turn.steps) == (Ended.LIMIT, "2 steps", 2)
    assert (bed.workspace / "log").read_text() == "1\n2\n"
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert (turn.metering.closing, turn.metering.lower_bound) == (None, False)


def test_a_turn_ended_in_the_middle_of_an_answer_is_metered_to_what_was_reported(scripted: Scripted) -> None:
    turn = scripted(run("echo one"), run("echo two"), faults=(Fault(FaultKind.HANG_AFTER, 2),), patience=Patience(model=5.0))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert turn.metering.lower_bound


def test_a_limit_that_is_not_exceeded_is_none(scripted: Scripted) -> None:
    assert scripted(run("echo 1"), run("echo 2"), limits=Limits(2, 2)).ended is Ended.COMPLETED


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        (FaultKind.RATE_LIMIT, Failure.RATE_LIMIT),
        (FaultKind.OVERLOADED, Failure.OVERLOADED),
        (FaultKind.UNAUTHORIZED, Failure.AUTH),
        (FaultKind.FORBIDDEN, Failure.AUTH),
    ],
)
def test_a_provider_that_keeps_failing_is_infrastructure(scripted: Scripted, kind: FaultKind, failure: Failure) -> None:
    turn = scripted(run("echo one"), run("echo two"), faults=(Fault(kind, 2, FOREVER),))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, failure)
    assert turn.reason
    assert turn.usage == scripted.ledger


def test_a_model_that_never_answers_is_a_hang(scripted: Scripted) -> None:
    turn = scripted(run("echo one"), faults=(Fault(FaultKind.HANG_BEFORE, 2, FOREVER),), patience=Patience(model=5.0))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    assert turn.usage == scripted.ledger


def test_usage_that_the_provider_leaves_out_is_unknown(scripted: Scripted) -> None:
    turn = scripted(run("echo one"), faults=(Fault(FaultKind.NO_USAGE, 2),))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, UNKNOWN_USAGE)


def test_each_turn_of_a_lane_plays_its_own_part_of_the_lanes_script(scripted: Scripted, bed: Any) -> None:
    turns = [{"steps": [{"run": "echo one >>log"}]}, {"steps": [{"run": "echo two >>log"}]}]
    (bed.folder / "none.json").write_text(json.dumps({"schema_version": 1, "turns": turns}))
    harness = scripted.driven.made("scripted", endpoint=scripted_endpoint(scripted.server, scripted.driven.key_variable))
    lane = bed.lane(harness.fitting)
    first = harness.run(lane, "Please do it.", Limits(), None)
    second = harness.run(replace(lane, turn=2), "And again.", Limits(), first.session)
    assert (first.ended, second.ended) == (Ended.COMPLETED, Ended.COMPLETED)
    assert (bed.workspace / "log").read_text() == "one\ntwo\n"


def test_the_version_is_told(driven: Driven) -> None:
    assert driven.made().versions()[driven.name].split(".")[0].isdigit()


def test_a_turn_that_resumes_a_killed_one_is_metered_alone(scripted: Scripted) -> None:
    # A session is written to disk a little behind what happens in it.
    first = scripted(run("echo one"), run("sleep 1"), run("sleep 60"), limits=Limits(2, 2))
    assert (first.ended, first.usage) == (Ended.LIMIT, scripted.ledger)
    second = scripted(run("echo two"), session=first.session)
    assert (second.ended, second.usage) == (Ended.COMPLETED, scripted.ledger)
    assert "echo one" in scripted.said_to_the_model()
    assert second.metering
    assert second.metering.notes == ()


def test_a_new_session_is_metered_alone_too(scripted: Scripted) -> None:
    first, second = scripted(run("echo one")), scripted(run("echo two"))
    assert first.session != second.session
    assert (second.steps, second.usage) == (1, scripted.ledger)


def test_a_session_with_a_retry_subagents_a_resumed_and_a_killed_turn_is_metered_to_the_token(scripted: Scripted) -> None:
    inside = Delegate("Look around.", (run("echo inside"), run("echo more")))
    first = scripted(
        run("echo one"), inside, run("echo two"), faults=(Fault(FaultKind.OVERLOADED, 2), Fault(FaultKind.BROKEN, 4))
    )
    killed = scripted(run("echo three"), run("sleep 60"), session=first.session, limits=Limits(1, 2))
    last = scripted(inside, run("echo four"), session=killed.session, faults=(Fault(FaultKind.RATE_LIMIT, 1),))
    assert [turn.ended for turn in (first, killed, last)] == [Ended.COMPLETED, Ended.LIMIT, Ended.COMPLETED]
    assert [turn.subagents for turn in (first, killed, last)] == [1, 0, 1]
    assert [turn.usage for turn in (first, killed, last)] == [scripted.server.ledger.total(key) for key in scripted.keys]
    assert [turn.metering.notes for turn in (first, killed, last) if turn.metering] == [(), (), ()]
    assert not any(turn.metering.lower_bound for turn in (first, killed, last) if turn.metering)


def test_a_subagent_is_metered_too_and_is_given_its_task_only(scripted: Scripted) -> None:
    tasks = [Delegate(f"Meet request {name}.", (run(f"echo inside {name} >>log"),)) for name in "AB"]
    turn = scripted(run("echo one"), *tasks, run("echo two"))
    assert (turn.ended, turn.subagents) == (Ended.COMPLETED, 2)
    assert (scripted.bed.workspace / "log").read_text() == "inside A\ninside B\n"
    assert turn.usage == scripted.ledger
    assert turn.metering
    assert (turn.metering.notes, turn.metering.lower_bound) == ((), False)
    told = [json.dumps(body) for body in scripted.server.requests(scripted.key)]
    asked = [(f"Meet request {name}." in body, "Please do it." in body) for body in told for name in "AB"]
    assert {(True, False), (False, True), (True, True)} <= set(asked)
    subagents = [body for body in told if "Please do it." not in body and "Meet request" in body]
    assert subagents
    assert not any("Meet request A." in body and "Meet request B." in body for body in subagents)


def test_a_turn_ended_while_a_subagent_works_is_known_to_the_token_or_told_to_be_a_lower_bound(scripted: Scripted) -> None:
    inside = Delegate("Look around.", (run("echo at''work"), run("sleep 600")))
    for minutes in (0.15, 0.5, 2.0):
        turn = scripted(inside, limits=Limits(max_minutes=minutes))
        if "atwork" in scripted.said_to_the_model():
            break
        # A busy machine: the time was over before the subagent was at work.
    assert (turn.ended, turn.reason) == (Ended.LIMIT, f"{minutes:g} minutes")
    assert turn.metering
    assert turn.metering.lower_bound or turn.usage == scripted.ledger
    assert all(ours is not None and theirs is not None and ours <= theirs for ours, theirs in pairs(turn.usage, scripted.ledger))


def pairs(one: Usage, other: Usage) -> list[tuple[int | None, int | None]]:
    names = ("input", "cache_write", "cache_read", "output")
    return [(getattr(one, name), getattr(other, name)) for name in names]


def test_the_model_is_offered_no_search_of_the_web(scripted: Scripted) -> None:
    scripted(Delegate("Look around.", (run("echo inside"),)))
    offered = [json.dumps(body.get("tools")) for body in scripted.server.requests(scripted.key)]
    assert len([tools for tools in offered if tools != "null"]) >= 4
    assert re.findall(r'(?i)"(?:name|type)": "[^"]*web.?(?:search|fetch)', "".join(offered)) == []


@pytest.mark.parametrize(
    ("command", "heard"),
    [("true", "after PostToolUse$"), ("false", "after PostToolUse(Failure)?$"), ("true", "at the end")],
)
def test_a_hook_puts_a_message_before_the_model(scripted: Scripted, bed: Any, command: str, heard: str) -> None:
    hook = bed.folder / "hook"
    hook.write_text(TALKING_HOOK)
    hook.chmod(0o755)
    choice = WhenHeard(re.compile(f"the peer says hello {heard}", re.MULTILINE), (run("touch joint"),), ())
    deaf = scripted(run(command), choice)
    assert (deaf.ended, deaf.steps, (bed.workspace / "joint").exists()) == (Ended.COMPLETED, 1, False)
    hearing = scripted(run(command), choice, hook=hook)
    assert (hearing.ended, hearing.steps, (bed.workspace / "joint").exists()) == (Ended.COMPLETED, 2, True)
    assert hearing.usage == scripted.ledger
