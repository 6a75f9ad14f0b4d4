"""What attempts cost, in effective tokens and in US dollars, and when a run has used what it may."""

from collections.abc import Iterable
from dataclasses import dataclass

from eval.records import BudgetRecord, CellRecord, Status
from eval.storage import ResultsFolder


def cell_cost(cell: CellRecord) -> float | None:
    """Effective tokens of the lanes and of all reconcilers; `None` is unknown."""
    lanes, reconcilers = cell.usage.effective_tokens, cell.reconciler_usage.effective_tokens
    return None if lanes is None or reconcilers is None else lanes + reconcilers


def cell_dollars(cell: CellRecord) -> float | None:
    """US dollars of the lanes and of all reconcilers; `None` is unknown. Scripted lanes call no model and cost nothing."""
    if cell.scripted:
        return cell.reconciler_cost_usd
    if cell.cost_usd is None or cell.reconciler_cost_usd is None:
        return None
    return cell.cost_usd + cell.reconciler_cost_usd


@dataclass
class Tally:
    """A sum over attempts, of which some may be unknown: those count as the dearest that is known."""

    known: float = 0.0
    dearest: float = 0.0
    unknown: int = 0
    graded_unknown: int = 0

    def add(self, value: float | None, *, graded: bool) -> None:
        if value is None:
            self.unknown += 1
            self.graded_unknown += graded
        else:
            self.known += value
            self.dearest = max(self.dearest, value)

    def reached(self, limit: float | None, unit: str) -> str:
        """Why no more may be used, in words; empty while it may."""
        if limit is None:
            return ""
        if self.graded_unknown and not self.dearest:
            return f"the {unit} of {self.unknown} attempt(s) are unknown, so that a budget of {limit:,g} cannot be kept"
        used = self.known + self.unknown * self.dearest
        if used < limit:
            return ""
        note = f", {self.unknown} attempt(s) of unknown cost taken for the dearest known one" if self.unknown else ""
        return f"the budget of {limit:,g} {unit} is used up ({used:,.10g}{note})"


class Spending:
    """What a run has used: finished cells, infrastructure attempts, discarded and cut off ones. Not for several threads."""

    def __init__(self, budget: BudgetRecord) -> None:
        self._budget = budget
        self._tokens, self._dollars = Tally(), Tally()

    @classmethod
    def so_far(cls, budget: BudgetRecord, results: ResultsFolder) -> "Spending":
        """From what is on disk."""
        spending = cls(budget)
        spending.add(results.records())
        spending.add(results.discarded_records())
        for _ in range(results.lost_attempts()):
            spending._add(None, None, graded=False)
        return spending

    def add(self, records: Iterable[CellRecord]) -> None:
        for one in records:
            self._add(cell_cost(one), cell_dollars(one), graded=one.status is not Status.INFRASTRUCTURE)

    def _add(self, tokens: float | None, money: float | None, *, graded: bool) -> None:
        self._tokens.add(tokens, graded=graded)
        self._dollars.add(money, graded=graded)

    def reached(self) -> str:
        """Why no cell is to be started any more, in words; empty while one may."""
        tokens = self._tokens.reached(self._budget.max_effective_tokens, "effective tokens")
        return tokens or self._dollars.reached(self._budget.max_cost_usd, "US dollars")
