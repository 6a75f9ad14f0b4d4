"""How long to wait before a provider is asked again, and how often."""

import random
from dataclasses import dataclass

from harnesses.base import Failure

# What the provider did, and no program or machine of ours.
PROVIDERS = frozenset({Failure.RATE_LIMIT, Failure.OVERLOADED, Failure.PROVIDER})
# What no instance can be the cause of.
_NOBODYS = frozenset({Failure.RATE_LIMIT, Failure.OVERLOADED})


@dataclass(frozen=True)
class Patience:
    """Seconds, and numbers of times.

    Attributes:
        first_wait: before a cell is tried again after a provider's fault; then twice as long each time.
        longest_wait: no wait grows beyond it, but for one that the provider asks for.
        longest_asked: no wait that the provider asks for is longer.
        jitter: a wait is longer by up to this share of it, by a seeded draw, so that not all ask again at once.
        provider_attempts: of one cell, where a provider was at fault.
        other_attempts: of one cell, where a program or the machine was; there is nothing to wait for.
        in_a_row: so many cells that fail one after the other by the same fault of the provider make it everybody's.
        probes: while it is everybody's, so many cells are tried, one at a time, before the run is ended.
    """

    first_wait: float = 30.0
    longest_wait: float = 600.0
    longest_asked: float = 3600.0
    jitter: float = 0.5
    provider_attempts: int = 4
    other_attempts: int = 2
    in_a_row: int = 2
    probes: int = 6

    def attempts(self, failure: str | None) -> int:
        return self.provider_attempts if failure in PROVIDERS else self.other_attempts

    def wait(self, failure: str | None, number: int, asked: float | None, seed: str) -> float:
        """The seconds before the next attempt, after `number` that failed; never before the provider wants to be asked again."""
        if failure not in PROVIDERS:
            return 0.0
        grown = self.first_wait * 2.0 ** min(number - 1, 60) * (1 + self.jitter * random.Random(f"{seed}/{number}").random())
        return max(min(grown, self.longest_wait), min(asked or 0.0, self.longest_asked))


USUAL_PATIENCE = Patience()


@dataclass(frozen=True)
class Fault:
    """A cell that met a provider's fault."""

    failure: str
    cell: str
    instance: str


class Streak:
    """Whether a provider's fault is everybody's: cells in a row that met it, and no other cell in between."""

    def __init__(self, in_a_row: int) -> None:
        self._in_a_row = in_a_row
        self._faults: list[Fault] = []

    def clear(self) -> None:
        self._faults = []

    def met(self, fault: Fault) -> bool:
        """One more cell met a fault; true where that makes it everybody's.

        An instance may be the cause of what a provider refuses, but not of rate limits and overload: there each cell counts.
        """
        self._faults = [one for one in self._faults if one.failure == fault.failure] + [fault]
        counted = {one.cell if one.failure in _NOBODYS else one.instance for one in self._faults}
        return len(counted) >= self._in_a_row
