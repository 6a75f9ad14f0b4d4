"""What a cell gives on its way from play to record."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eval.grade import SuiteVerdict
from harnesses.base import Failure
from reconcilers.base import Combined
from reconcilers.transport import TransportError
from sandboxes.usage import Usage
from scenarios.engine import Played


@dataclass
class Outcome:
    """What a cell has given so far.

    Attributes:
        played: the lanes' turns.
        combined: the trees to grade, by reconciler, or by `final`.
        verdicts: by the same name, then by suite.
        own_sides: of parallel lanes, each one's own side's tests on its own tree.
        lost: what a reconciler's model used before it gave no answer.
        problem: why the cell says nothing about the agents; empty when it does.
        failure: what broke in that case, where it is known.
        retry_after: the seconds that the provider asks to wait before it is asked again.
    """

    played: Played = field(default_factory=lambda: Played((), None, ()))
    combined: Mapping[str, Combined] = field(default_factory=dict)
    verdicts: Mapping[str, Mapping[str, SuiteVerdict]] = field(default_factory=dict)
    own_sides: Mapping[str, SuiteVerdict] = field(default_factory=dict)
    lost: Usage = field(default_factory=Usage)
    problem: str = ""
    failure: Failure | None = None
    retry_after: float | None = None

    def unanswered(self, error: TransportError) -> None:
        """A reconciler's model gave no answer."""
        self.problem, self.lost = f"{type(error).__name__}: {error}", error.usage
        self.failure, self.retry_after = _failure_of(error.status), error.retry_after


def _failure_of(status: int | None) -> Failure:
    if status in (401, 402, 403):
        return Failure.AUTH
    if status == 429:
        return Failure.RATE_LIMIT
    return Failure.OVERLOADED if status is not None and status >= 500 else Failure.PROVIDER
