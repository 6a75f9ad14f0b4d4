"""What a cell gives on its way from play to record."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eval.grade import SuiteVerdict
from reconcilers.base import Combined
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
    """

    played: Played = field(default_factory=lambda: Played((), None, ()))
    combined: Mapping[str, Combined] = field(default_factory=dict)
    verdicts: Mapping[str, Mapping[str, SuiteVerdict]] = field(default_factory=dict)
    own_sides: Mapping[str, SuiteVerdict] = field(default_factory=dict)
    lost: Usage = field(default_factory=Usage)
    problem: str = ""
