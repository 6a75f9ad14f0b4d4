"""Comparing scenarios of one run on the same instances: pass rates, costs, and best of k at equal cost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eval.costs import cell_cost
from eval.records import CellRecord, Status
from eval.report import ORACLE, per_instance
from eval.statistics import Interval, Observation, PairedTest, best_of, bootstrap, holm, mean, paired_test
from eval.storage import ResultsFolder
from instances.model import Family
from sandboxes.errors import SetupError

ALL_FAMILIES = "all families"


@dataclass(frozen=True)
class CostRatio:
    """Mean tokens of the second over the first's, on the instances known in both; `None` is unknown.

    `nothing` says that neither used any, which has no ratio but is no unknown.
    """

    n: int
    ratio: float | None
    interval: Interval | None
    nothing: bool = False


@dataclass(frozen=True)
class Comparison:
    """The second scenario against the first, in one family or in all.

    Attributes:
        test: of pass rates, second minus first, on the same instances.
        adjusted_p: Holm's, over all comparisons that were asked for together.
        lanes, reconcilers, total: cost ratios, the agents' tokens and the reconcilers' apart.
        first_rate, second_rate: on the common instances.
    """

    family: str
    first: str
    second: str
    first_rate: float | None
    second_rate: float | None
    test: PairedTest
    adjusted_p: float | None
    lanes: CostRatio
    reconcilers: CostRatio
    total: CostRatio
    scripted: bool


@dataclass(frozen=True)
class BestOfK:
    """The oracle given as many tries as a scenario's cost would buy, and the best of them taken.

    Attributes:
        k: the whole tries that the scenario's mean cost pays for, at least 1; `None` where a cost is unknown.
        rate: the mean over instances of the chance that one of k tries is solved; `None` where `reason` says why.
    """

    family: str
    scenario: str
    k: int | None
    n: int
    rate: float | None
    reason: str


def compare(results: ResultsFolder, scenarios: Sequence[str]) -> tuple[list[Comparison], list[BestOfK]]:
    """Compare each later scenario with the first, by family and over all.

    Raises:
        SetupError: a scenario is not in the run, or fewer than two different ones are named.
    """
    manifest = results.manifest()
    present = [str(one.fields["name"]) for one in manifest.scenarios]
    for name in scenarios:
        if name not in present:
            raise SetupError(f"{name!r} was not played in this run; it has {', '.join(present)}")
    if len(set(scenarios)) < 2 or len(set(scenarios)) != len(scenarios):
        raise SetupError("name at least two different scenarios")
    records = [one for one in results.records() if one.status is not Status.INFRASTRUCTURE]
    families = [family for family in Family if any(one.family == family for one in records)]
    groups: list[tuple[str, list[CellRecord]]] = [
        (family, [one for one in records if one.family == family]) for family in families
    ]
    if len(families) > 1:
        groups.append((ALL_FAMILIES, records))
    rows = [
        _comparison(name, cells, scenarios[0], second, f"{manifest.seed}/{name}/{scenarios[0]}/{second}")
        for second in scenarios[1:]
        for name, cells in groups
    ]
    best = [_best_of_k(name, cells, scenario) for scenario in scenarios if scenario != ORACLE for name, cells in groups]
    return _adjusted(rows), best


def left_out(results: ResultsFolder, scenarios: Sequence[str]) -> int:
    """How many planned cells of some scenarios are in no comparison: without a record, or infrastructure."""
    planned = [cell for cell in results.manifest().cells if cell.scenario in scenarios]
    records = [results.record(cell) for cell in planned]
    return sum(record is None or record.status is Status.INFRASTRUCTURE for record in records)


def _comparison(family: str, cells: Sequence[CellRecord], first: str, second: str, seed: str) -> Comparison:
    one = [cell for cell in cells if cell.scenario == first]
    other = [cell for cell in cells if cell.scenario == second]
    pairs = _pairs(one, other, lambda cell: float(cell.solved))
    differences = [
        Observation(before.instance, before.base, after.value - before.value, max(before.repeats, after.repeats))
        for before, after in pairs
    ]
    return Comparison(
        family=family,
        first=first,
        second=second,
        first_rate=mean([before.value for before, _ in pairs]) if pairs else None,
        second_rate=mean([after.value for _, after in pairs]) if pairs else None,
        test=paired_test(differences, seed),
        adjusted_p=None,
        lanes=_ratio(one, other, lambda cell: cell.usage.effective_tokens, seed),
        reconcilers=_ratio(one, other, lambda cell: cell.reconciler_usage.effective_tokens, seed),
        total=_ratio(one, other, cell_cost, seed),
        scripted=any(cell.scripted for cell in (*one, *other)),
    )


def _pairs(
    one: Sequence[CellRecord], other: Sequence[CellRecord], value: Callable[[CellRecord], float | None]
) -> list[tuple[Observation, Observation]]:
    after = {each.instance: each for each in per_instance(other, value)}
    return [(each, after[each.instance]) for each in per_instance(one, value) if each.instance in after]


def _ratio(
    one: Sequence[CellRecord], other: Sequence[CellRecord], value: Callable[[CellRecord], float | None], seed: str
) -> CostRatio:
    pairs = _pairs(one, other, value)
    second = {after.instance: after.value for _, after in pairs}
    before = [each for each, _ in pairs]

    def ratio(sample: Sequence[Observation]) -> float | None:
        denominator = math.fsum(each.value for each in sample)
        return math.fsum(second[each.instance] for each in sample) / denominator if denominator else None

    nothing = bool(pairs) and all(each.value == 0 for pair in pairs for each in pair)
    return CostRatio(len(pairs), ratio(before) if pairs else None, bootstrap(before, ratio, f"{seed}/cost"), nothing)


def _best_of_k(family: str, cells: Sequence[CellRecord], scenario: str) -> BestOfK:
    oracle = [cell for cell in cells if cell.scenario == ORACLE]
    own = [cell for cell in cells if cell.scenario == scenario]
    if not oracle:
        return BestOfK(family, scenario, None, 0, None, "the oracle was not played")
    ratio = _ratio(oracle, own, cell_cost, "").ratio
    if ratio is None:
        return BestOfK(family, scenario, None, 0, None, "a cost is unknown")
    k = max(1, math.floor(ratio + 1e-9))
    chances = []
    for instance in sorted({cell.instance for cell in own} & {cell.instance for cell in oracle}):
        runs = [cell for cell in oracle if cell.instance == instance]
        chance = best_of(k, sum(cell.solved for cell in runs), len(runs))
        if chance is None:
            return BestOfK(family, scenario, k, 0, None, f"needs {k} repeats of the oracle, {instance} has {len(runs)}")
        chances.append(chance)
    return BestOfK(family, scenario, k, len(chances), mean(chances) if chances else None, "")


def _adjusted(rows: Sequence[Comparison]) -> list[Comparison]:
    from dataclasses import replace

    known = {str(index): row.test.p_value for index, row in enumerate(rows) if row.test.p_value is not None}
    adjusted = holm(known)
    return [replace(row, adjusted_p=adjusted.get(str(index))) for index, row in enumerate(rows)]


def render_comparison(rows: Sequence[Comparison], best: Sequence[BestOfK]) -> str:
    """Both tables as text."""
    from tabulate import tabulate

    table = [
        [
            row.family,
            f"{row.second} - {row.first}",
            row.test.n,
            f"{_percent(row.second_rate)} - {_percent(row.first_rate)}",
            _points(row.test.difference),
            _interval(row.test.interval, 100),
            _p(row.test.p_value),
            _p(row.adjusted_p),
            _points(row.test.least_detectable),
            row.test.method,
        ]
        for row in rows
    ]
    headers = ["family", "scenarios", "n", "pass %", "difference", "95 %", "p", "p (Holm)", "least detectable", "test"]
    costs = [
        [
            row.family,
            f"{row.second} / {row.first}",
            *(_cost_cell(one) for one in (row.lanes, row.reconcilers, row.total)),
        ]
        for row in rows
    ]
    tries = [[one.family, one.scenario, _count(one.k), one.n, _percent(one.rate), one.reason] for one in best]
    parts = [
        tabulate(table, headers=headers, disable_numparse=True),
        tabulate(costs, headers=["family", "cost ratio", "agents", "reconcilers", "together"], disable_numparse=True),
        tabulate(
            tries,
            headers=["family", "oracle, best of k at the cost of", "k", "n", "pass %", "note"],
            disable_numparse=True,
        ),
    ]
    if any(row.scripted for row in rows):
        parts.insert(0, "SCRIPTED: every agent was played from a script, and none called a model.")
    return "\n\n".join(parts) + "\n"


def _percent(rate: float | None) -> str:
    return "unknown" if rate is None else f"{100 * rate:.0f}"


def _points(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:+.0f} pt"


def _interval(interval: Interval | None, scale: float) -> str:
    return "-" if interval is None else f"{scale * interval.low:.0f} to {scale * interval.high:.0f}"


def _cost_cell(cost: CostRatio) -> str:
    if cost.nothing:
        return "none used"
    if cost.ratio is None:
        return "unknown"
    bounds = f" [{cost.interval.low:.2f}, {cost.interval.high:.2f}]" if cost.interval else ""
    return f"{cost.ratio:.2f}{bounds} (n={cost.n})"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _count(value: int | None) -> str:
    return "unknown" if value is None else str(value)
