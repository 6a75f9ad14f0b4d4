"""The real programs on another vendor's model: through the gateway to a provider of chat completions, metered on both sides."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from driven import OPENCODE, PROGRAMS, TALKING_HOOK, Driven, run

from harnesses.base import Ended, Failure, Limits, Turn
from harnesses.follower import Patience
from harnesses.gateway.harness import Gatewayed
from harnesses.gateway.process import Gateway, ModelAddress, open_gateway
from harnesses.script import Action, Delegate, WhenHeard
from harnesses.scripted_model.faults import FOREVER, Fault, FaultKind
from harnesses.scripted_model.server import ScriptedModelServer
from sandboxes.usage import UNKNOWN_USAGE, Usage

pytestmark = [
    pytest.mark.needs("bwrap"),
    pytest.mark.skipif(not find_spec("litellm"), reason="litellm is missing: pip install 'crosstalk-bench[litellm]'"),
]
PROVIDERS_KEY = "sk-provider-5c1f0e6a9b"


@dataclass
class Rig:
    """A provider with one key, and the gateway that has it."""

    server: ScriptedModelServer
    gateway: Gateway
    bed: Any = None
    driven: Driven | None = None
    before: int = 0

    def play(
        self,
        *actions: Action,
        faults: tuple[Fault, ...] = (),
        limits: Limits | None = None,
        session: str | None = None,
        patience: Patience | None = None,
        hook: Path | None = None,
    ) -> Turn:
        assert self.driven is not None
        driven = self.driven
        self.before = len(self.server.ledger.entries())
        self.server.add_lane("a", actions, faults, key=PROVIDERS_KEY)

        def made(endpoint: Any) -> Any:
            return driven.made(self.gateway.address.model, endpoint=endpoint, patience=patience, retries=1)

        harness = Gatewayed(made, self.gateway, driven.key_variable)
        lane = self.bed.lane(harness.fitting, hook=hook)
        return harness.run(lane, "Please do it.", limits or Limits(max_minutes=2), session)

    @property
    def reported(self) -> Usage:
        """What the provider reported in the newest turn."""
        return sum((one.usage for one in self.server.ledger.entries()[self.before :]), Usage())


@contextmanager
def provider(model: str, path: str | None) -> Iterator[Rig]:
    """A provider at an endpoint of one's own; without a path, where LiteLLM's own variables say that OpenAI is."""
    with pytest.MonkeyPatch.context() as patch, ScriptedModelServer(uncached=3) as server:
        patch.setenv("PROVIDERS_KEY", PROVIDERS_KEY)
        patch.setenv("OPENAI_API_KEY", PROVIDERS_KEY)
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        address = ModelAddress(model) if path is None else ModelAddress(model, f"{server.url}{path}", "PROVIDERS_KEY")
        with open_gateway(address) as gateway:
            yield Rig(server, gateway)


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with provider("hosted_vllm/scripted", "/v1") as made:
        yield made


@pytest.fixture(params=[pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in PROGRAMS])
def play(request: pytest.FixtureRequest, rig: Rig, bed: Any) -> Rig:
    rig.bed, rig.driven = bed, request.param
    return rig


def test_a_script_is_played_and_both_counts_are_the_providers(play: Rig, bed: Any) -> None:
    turn = play.play(run("echo one >>log"), run("echo two >>log; exit 3"))
    assert (turn.ended, turn.reason, turn.steps) == (Ended.COMPLETED, "", 2)
    assert (bed.workspace / "log").read_text() == "one\ntwo\n"
    assert turn.usage == play.reported
    assert turn.usage.cache_read
    assert turn.metering
    assert turn.metering.wire
    assert (turn.metering.wire.usage, turn.metering.wire.difference) == (play.reported, Usage())
    assert (turn.metering.notes, turn.metering.lower_bound) == ((), False)
    assert turn.metering.by_model == {"hosted_vllm/scripted": play.reported}
    assert PROVIDERS_KEY not in str(turn)


def test_retries_a_broken_stream_and_odd_answers_are_counted_alike(play: Rig) -> None:
    faults = [Fault(FaultKind.RATE_LIMIT, 1), Fault(FaultKind.OVERLOADED, 3), Fault(FaultKind.ODD_USAGE, 5)]
    turn = play.play(run("echo one"), run("echo two"), faults=(*faults, Fault(FaultKind.LONG_LINE, 6)))
    assert (turn.ended, turn.reason, turn.steps) == (Ended.COMPLETED, "", 2)
    assert turn.usage == play.reported
    assert turn.metering
    assert turn.metering.wire
    assert (turn.metering.wire.difference, turn.metering.notes, turn.metering.lower_bound) == (Usage(), (), False)
    told = [line["status"] for line in turn.metering.wire.exchanges if "status" in line]
    assert {429, 529} <= set(told)


def test_a_stream_that_broke_off_is_not_taken_for_whole(play: Rig, bed: Any) -> None:
    turn = play.play(run("echo one >>log"), run("echo two >>log"), faults=(Fault(FaultKind.CUT, 2),))
    assert (turn.ended, turn.steps) == (Ended.COMPLETED, 2)
    assert (bed.workspace / "log").read_text() == "one\ntwo\n"
    assert turn.usage == play.reported
    assert turn.metering
    assert turn.metering.lower_bound  # what the broken answer cost, this provider tells at its end only


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        (FaultKind.RATE_LIMIT, Failure.RATE_LIMIT),
        (FaultKind.OVERLOADED, Failure.OVERLOADED),
        (FaultKind.BROKEN, Failure.OVERLOADED),
        (FaultKind.UNAUTHORIZED, Failure.AUTH),
        (FaultKind.FORBIDDEN, Failure.AUTH),
    ],
)
def test_a_provider_that_keeps_failing_is_of_the_same_class_as_without_a_gateway(
    play: Rig, kind: FaultKind, failure: Failure
) -> None:
    turn = play.play(run("echo one"), run("echo two"), faults=(Fault(kind, 2, FOREVER),))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, failure)
    assert turn.reason
    assert turn.usage == play.reported
    assert PROVIDERS_KEY not in str(turn)


@pytest.mark.parametrize("kind", [FaultKind.HANG_BEFORE, FaultKind.HANG_AFTER])
def test_a_model_that_falls_silent_is_a_hang(play: Rig, kind: FaultKind) -> None:
    turn = play.play(run("echo one"), faults=(Fault(kind, 2, FOREVER),), patience=Patience(model=2.0))
    assert (turn.ended, turn.failure) == (Ended.INFRASTRUCTURE, Failure.HANG)
    assert turn.usage == play.reported
    assert turn.metering
    assert turn.metering.lower_bound


def test_usage_that_the_provider_leaves_out_is_unknown_and_not_made_up(play: Rig) -> None:
    turn = play.play(run("echo one"), faults=(Fault(FaultKind.NO_USAGE, 2),))
    assert (turn.ended, turn.usage) == (Ended.COMPLETED, UNKNOWN_USAGE)
    assert turn.metering
    assert "the provider left out a response's usage" in turn.metering.notes


def test_subagents_a_resumed_and_a_killed_turn_are_counted_to_the_token(play: Rig) -> None:
    inside = Delegate("Look around.", (run("echo inside"), run("echo more")))
    session, turns = None, []
    for actions, limits in (
        ((run("echo one"), inside, run("echo two")), Limits(max_minutes=2)),
        ((run("echo three"), run("sleep 60")), Limits(1, 2)),
        ((run("echo four"),), Limits(max_minutes=2)),
    ):
        turn = play.play(*actions, limits=limits, session=session)
        assert turn.usage == play.reported
        session = turn.session
        turns.append(turn)
    assert [turn.ended for turn in turns] == [Ended.COMPLETED, Ended.LIMIT, Ended.COMPLETED]
    assert [turn.subagents for turn in turns] == [1, 0, 0]
    assert [turn.metering.notes for turn in turns if turn.metering] == [(), (), ()]
    assert not any(turn.metering.lower_bound for turn in turns if turn.metering)


@pytest.mark.parametrize(
    ("model", "path", "wire"),
    [("anthropic/scripted", "", "anthropic-messages"), ("openai/scripted", None, "openai-responses")],
)
def test_a_provider_of_another_protocol_is_counted_alike(play: Rig, model: str, path: str | None, wire: str) -> None:
    with provider(model, path) as other:
        other.bed, other.driven = play.bed, play.driven
        turn = other.play(run("echo one"), run("echo two"), faults=(Fault(FaultKind.RATE_LIMIT, 1),))
        assert (turn.ended, turn.steps, turn.usage) == (Ended.COMPLETED, 2, other.reported)
        if play.driven == OPENCODE and wire == "openai-responses":
            wire = "openai-chat"  # which it speaks itself, and OpenAI takes too
        assert {entry.wire for entry in other.server.ledger.entries()} == {wire}
        assert bool(turn.usage.cache_write) == (wire != "openai-chat")
        assert turn.metering
        assert turn.metering.notes == ()


def test_a_hook_puts_a_message_before_another_vendors_model_too(play: Rig, bed: Any) -> None:
    hook = bed.folder / "hook"
    hook.write_text(TALKING_HOOK)
    hook.chmod(0o755)
    choice = WhenHeard(re.compile("the peer says hello after PostToolUse"), (run("touch joint"),), ())
    turn = play.play(run("true"), choice, hook=hook)
    assert (turn.ended, (bed.workspace / "joint").exists(), turn.usage) == (Ended.COMPLETED, True, play.reported)
