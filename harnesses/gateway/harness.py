"""A program behind the gateway: each turn has an account there, and what the account says is what the turn used."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from harnesses.base import Demands, Fitting, Harness, Lane, Limits, Metering, Turn, Wire
from harnesses.endpoint import Endpoint, EndpointSource
from harnesses.gateway.process import Account, Gateway
from harnesses.preflight import why_litellm_cannot_reach
from harnesses.streams.base import difference
from sandboxes.usage import Usage, longest_prompt

_CLASSES = ("input", "cache write", "cache read", "output")


class Gatewayed:
    """See `Harness`."""

    scripted = False

    def __init__(self, made: Callable[[EndpointSource], Harness], gateway: Gateway, key_variable: str) -> None:
        """Put a program behind a gateway.

        Args:
            made: the program's harness, given where its lanes find their model.
            gateway: runs as long as this is used.
            key_variable: the variable by which the program takes its key.
        """
        self._made, self._gateway, self._key_variable = made, gateway, key_variable
        self._any = made(self._no_turn)
        self.name, self.stepwise = self._any.name, self._any.stepwise

    def refuses(self, scenario: Demands) -> str | None:
        """See `Harness.refuses`."""
        return self._any.refuses(scenario)

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        """See `Harness.lacks`."""
        return self._any.lacks(scenario, replay)

    def versions(self) -> dict[str, str]:
        """The program's, and LiteLLM's: it decides what reaches the model."""
        return {**self._any.versions(), "litellm": version("litellm")}

    def fitting(self, private: Path) -> Fitting:
        """See `Harness.fitting`."""
        return self._any.fitting(private)

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """See `Harness.run`."""
        account = self._gateway.open(lane.name, lane.turn)
        try:
            turn = self._made(lambda _: self._endpoint(account)).run(lane, prompt, limits, session)
        finally:
            wire = self._gateway.settle(account)
        return metered_by(turn, wire, self._gateway.address.model)

    def unreachable(self) -> str:
        """See `AsksAProvider`."""
        return why_litellm_cannot_reach(self._gateway.providers_address)

    def _endpoint(self, account: Account) -> Endpoint:
        return Endpoint(account.key, self._key_variable, account.url, counts=True)

    def _no_turn(self, lane: Lane) -> Endpoint:
        raise AssertionError("unreachable: each turn has an endpoint of its own")


def metered_by(turn: Turn, wire: Wire, by_model: Mapping[str, Usage] | str, counter: str = "gateway") -> Turn:
    """A turn with the count of the wire, which is of what the provider said and so of all models, subagents and retries.

    The program's own count stays beside it, and a note tells where the two differ. Where the provider's answers cannot be read,
    the program's count stands.

    Args:
        turn: as the program counts.
        wire: the count of the wire.
        by_model: whose usage it is, or the one model's name.
        counter: who counted.
    """
    metering = turn.metering or Metering(turn.usage)
    more = difference(turn.usage, wire.usage)
    notes = [*metering.notes, *(problem for problem in wire.problems if problem not in metering.notes)]
    beyond = difference(turn.usage + metering.held, wire.usage)
    told = ", ".join(f"{name} {number:+}" for name, number in zip(_CLASSES, beyond, strict=True) if number)
    if told:
        notes.append(f"the program's own count differs from the {counter}'s: {told}")
    usage = wire.usage if wire.readable else turn.usage
    metering = replace(
        metering,
        by_model={by_model: usage} if isinstance(by_model, str) else by_model,
        lower_bound=wire.lower_bound or (metering.lower_bound and not wire.readable),
        notes=tuple(notes),
        wire=replace(wire, difference=Usage(*more)),
        longest_prompt=_longest_prompt(wire) if wire.readable else metering.longest_prompt,
    )
    return replace(turn, usage=usage, metering=metering)


def _longest_prompt(wire: Wire) -> int | None:
    """Of the requests that something came of; one that LiteLLM repeated counts as one."""
    told = [line["usage"] for line in wire.exchanges if "usage" in line]
    return longest_prompt(Usage(*(one[name] for name in ("input", "cache_write", "cache_read", "output"))) for one in told)
