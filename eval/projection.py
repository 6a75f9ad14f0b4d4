"""What a run may use, from what earlier runs under the same folder have used with the same harness and model."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.records import CellRecord, RunManifest, Status
from eval.statistics import mean
from eval.storage import MANIFEST, ResultsFolder
from reconcilers.registry import MODEL
from sandboxes.errors import SetupError
from scenarios.model import Schedule

_Value = Callable[[CellRecord], float | None]


def projection(manifest: RunManifest, folder: Path) -> str:
    """What the planned cells would use if they were like earlier ones: a line for the agents, one for the reconciler's model."""
    earlier = [(other, list(results.records())) for other, results in _earlier_runs(folder)]
    lines = []
    if not manifest.scripted:
        wanted = _agents(manifest.configuration)
        records = [
            one for other, all_of in earlier if _agents(other.configuration) == wanted and not other.scripted for one in all_of
        ]
        lines.append(_line("agents", _cells(manifest), records, lambda one: one.usage.effective_tokens, lambda one: one.cost_usd))
    if asks := manifest.reconciler_model:
        records = [
            one
            for other, all_of in earlier
            if other.reconciler_model and other.reconciler_model["model"] == asks["model"]
            for one in all_of
            if MODEL in one.candidates
        ]
        lines.append(
            _line(
                "the reconciler's model",
                _cells(manifest, Schedule.PARALLEL),
                records,
                lambda one: one.reconciler_usage.effective_tokens,
                lambda one: one.reconciler_cost_usd,
            )
        )
    return "\n".join(lines)


def _line(who: str, cells: Sequence[tuple[str, str]], records: Sequence[CellRecord], tokens: _Value, money: _Value) -> str:
    graded = [one for one in records if one.status is not Status.INFRASTRUCTURE]
    projected = _projected(cells, graded, tokens)
    if projected is None:
        return f"projection, {who}: {len(cells)} cells; no earlier records that say what one uses"
    cost = _projected(cells, graded, money)
    dollars = "US dollars unknown" if cost is None else f"{cost.total:,.2f} US dollars"
    general = f"; {projected.general} of these scenarios and families were not, and are taken for the mean of all" * bool(
        projected.general
    )
    return (
        f"projection, {who}: {len(cells)} cells, {projected.total:,.0f} effective tokens, {dollars}, "
        f"by {projected.records} earlier cells with the same harness and model{general}"
    )


@dataclass(frozen=True)
class _Projected:
    """The sum over the planned cells, from how many earlier ones, and for how many kinds of cells from the mean of all."""

    total: float
    records: int
    general: int


def _projected(cells: Sequence[tuple[str, str]], records: Sequence[CellRecord], value: _Value) -> _Projected | None:
    """Each planned cell at the mean of its scenario and family, else of all; `None` where no earlier value is known."""
    by_kind: dict[tuple[str, str], list[float]] = {}
    for one in records:
        if (known := value(one)) is not None:
            by_kind.setdefault((one.scenario, one.family), []).append(known)
    everything = [known for values in by_kind.values() for known in values]
    if not everything:
        return None
    total = sum(mean(by_kind.get(kind, everything)) for kind in cells)
    return _Projected(total, len(everything), len(set(cells) - by_kind.keys()))


def _cells(manifest: RunManifest, schedule: str | None = None) -> list[tuple[str, str]]:
    """Scenario and family of each planned cell, of one schedule or of all."""
    family = {one.id: one.family for one in manifest.instances}
    fitting = {str(one.fields["name"]) for one in manifest.scenarios if schedule in (None, one.fields["schedule"])}
    return [(one.scenario, family[one.instance]) for one in manifest.cells if one.scenario in fitting]


def _agents(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    return configuration["harness"], configuration["model"]


def _earlier_runs(folder: Path) -> Iterator[tuple[RunManifest, ResultsFolder]]:
    """The readable runs beside this one."""
    for path in sorted(folder.absolute().parent.glob(f"*/{MANIFEST}")):
        if path.parent != folder.absolute():
            results = ResultsFolder(path.parent)
            with contextlib.suppress(SetupError):
                yield results.manifest(), results
