"""From the records of a run to the rows of its report. Nothing is shown that is not computed here from records on disk."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eval.costs import cell_cost, cell_dollars
from eval.prices import calls_a_model, total
from eval.records import BudgetRecord, CellRecord, PriceTable, RunManifest, Status, UsageRecord
from eval.statistics import Observation, mean, rate_interval
from eval.storage import ResultsFolder
from instances.model import Family

ORACLE = "oracle"
SIDES = ("a", "b")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReconcilerRow(_Model):
    """One reconciler alone, as if it had been the only one."""

    n: int = Field(description="graded cells")
    solved: int = Field(description="cells that its own tree solves")
    mean_effective_tokens: float | None = Field(description="the lanes' and its own, mean over instances; null: unknown")


class RadioRow(_Model):
    """Sums over the row's graded cells and both lanes."""

    sent: int
    shown: int
    unread: int = Field(description="mentions that never came before the receiver's model; expired ones among them")
    expired: int
    refused: int
    listening_steps: int = Field(description="steps spent on waiting for or reading messages")
    accepted: int = Field(description="messages that a lane says it has acted on")
    borne_out: int = Field(description="those of them for which its files show it")
    bytes_shown: int = Field(description="of all that was put before the lanes' models")
    snapshot_bytes: int = Field(description="how much of it were snapshots of a lane's threads")
    hub_restarts: int = Field(description="how often a cell's hub died unasked and was brought back")


class Row(_Model):
    """One scenario in one family. Rates are fractions of 1, averaged per instance first; null is unknown."""

    family: str
    scenario: str
    configuration: str
    group: str
    upper_bound: bool = Field(description="uses what separate principals would not give")
    n: int = Field(description="graded cells: infrastructure faults are not among them")
    instances: int = Field(description="instances with a graded cell")
    n_matched: int = Field(description="instances whose cost is known both here and under the oracle")
    solved: int = Field(description="cells that any reconciler's tree solves")
    budget: int = Field(description="cells in which a lane met a limit; graded like any other")
    orchestrated: int | None = Field(description="cells in which two subagents worked; null where the scenario asks for none")
    pass_rate: float | None
    deployable_rate: float | None = Field(description="git merge, and the model reconciler where that conflicts")
    paper_rate: float | None = Field(description="the joint suite alone, any reconciler")
    ci_low: float | None = Field(description="of pass_rate, 95 %")
    ci_high: float | None
    ci_method: str | None
    mean_effective_tokens: float | None = Field(description="lanes and all reconcilers, over instances where it is known")
    mean_lane_tokens: float | None
    mean_reconciler_tokens: float | None
    mean_cost_usd: float | None = Field(
        description="US dollars, lanes and all reconcilers, over instances where it is known; null where agents were scripted"
    )
    mean_lane_cost_usd: float | None
    mean_reconciler_cost_usd: float | None
    relative_cost: float | None = Field(description="to the oracle's mean over the n_matched instances")
    by_reconciler: dict[str, ReconcilerRow]
    radio: RadioRow | None = Field(description="null without a channel")
    infrastructure: int = Field(description="cells that say nothing yet; while there are any the row is incomplete")
    missing: int = Field(description="planned cells without a record")
    incomplete: bool
    scripted: bool = Field(description="played from a script: no model was called")


class RunInfo(_Model):
    run: str
    created: str
    crosstalk_version: str
    dataset_version: str
    configuration: str
    versions: dict[str, str]
    seed: int
    repeats: int
    sandbox: str
    isolated: bool
    scripted: bool
    reconcilers: list[str]
    reconciler_model: str | None
    cells_planned: int
    cells_recorded: int
    infrastructure: list[dict[str, str]]
    skipped: list[dict[str, Any]]
    prices: PriceTable | None = Field(description="what the dollars are computed with; null: no model was called")
    budget: BudgetRecord
    discarded_attempts: int = Field(description="attempts that met an infrastructure fault and were run again")
    discarded_effective_tokens: float | None
    discarded_cost_usd: float | None
    lost_attempts: int = Field(description="attempts that were cut off, or whose record is damaged: what they used is unknown")
    provenance: dict[str, str] = Field(description="by imported or generated instance: what must be known of its results")


class Report(_Model):
    """The JSON form of a report; published as `report.schema.json`."""

    run: RunInfo
    rows: list[Row]


def build_report(results: ResultsFolder) -> Report:
    """The report of a run as far as it has come.

    Raises:
        SetupError: the folder holds no readable run.
    """
    manifest = results.manifest()
    records = list(results.records())
    return Report(run=_run_info(manifest, records, results), rows=_rows(manifest, records))


def _run_info(manifest: RunManifest, records: Sequence[CellRecord], results: ResultsFolder) -> RunInfo:
    discarded = list(results.discarded_records())
    return RunInfo(
        run=manifest.run,
        created=manifest.created,
        crosstalk_version=manifest.crosstalk_version,
        dataset_version=manifest.dataset_version,
        configuration=manifest.configuration_label,
        versions=manifest.versions,
        seed=manifest.seed,
        repeats=manifest.repeats,
        sandbox=manifest.sandbox,
        isolated=manifest.isolated,
        scripted=manifest.scripted,
        reconcilers=manifest.reconcilers,
        reconciler_model=(manifest.reconciler_model or {}).get("model"),
        cells_planned=len(manifest.cells),
        cells_recorded=len(records),
        infrastructure=[{"cell": one.cell, "reason": one.reason} for one in records if one.status is Status.INFRASTRUCTURE],
        skipped=[one.model_dump() for one in manifest.skipped],
        discarded_attempts=len(discarded),
        prices=manifest.prices,
        budget=manifest.budget,
        discarded_effective_tokens=total(cell_cost(one) for one in discarded),
        discarded_cost_usd=total(cell_dollars(one) for one in discarded) if calls_a_model(manifest) else None,
        lost_attempts=results.lost_attempts(),
        provenance={one.id: one.provenance for one in manifest.instances if one.provenance},
    )


def _rows(manifest: RunManifest, records: Sequence[CellRecord]) -> list[Row]:
    family_of = {one.id: one.family for one in manifest.instances}
    rows = []
    for family in Family:
        oracle = [one for one in records if one.family == family and one.scenario == ORACLE]
        for entry in manifest.scenarios:
            name = str(entry.fields["name"])
            planned = [one for one in manifest.cells if one.scenario == name and family_of[one.instance] == family]
            if planned:
                cells = [one for one in records if one.family == family and one.scenario == name]
                rows.append(_row(manifest, entry.fields, family, cells, oracle, len(planned)))
    return rows


def _row(
    manifest: RunManifest,
    scenario: dict[str, Any],
    family: str,
    cells: Sequence[CellRecord],
    oracle: Sequence[CellRecord],
    planned: int,
) -> Row:
    graded = [one for one in cells if one.status is not Status.INFRASTRUCTURE]
    passes = per_instance(graded, lambda one: float(one.solved))
    interval = rate_interval(passes, f"{manifest.seed}/{family}/{scenario['name']}")
    costs = per_instance(graded, cell_cost)
    infrastructure, missing = len(cells) - len(graded), planned - len(cells)
    ratio, matched = relative_cost(graded, oracle)
    return Row(
        family=family,
        scenario=str(scenario["name"]),
        configuration=manifest.configuration_label,
        group=str(scenario["group"]),
        upper_bound=bool(scenario["upper_bound"]),
        n=len(graded),
        instances=len(passes),
        n_matched=matched,
        solved=sum(one.solved for one in graded),
        budget=sum(one.budget for one in graded),
        orchestrated=sum(map(orchestrated, graded)) if scenario["delegate"] else None,
        pass_rate=_mean(passes),
        deployable_rate=_mean(per_instance(graded, lambda one: float(one.deployable))),
        paper_rate=_mean(per_instance(graded, lambda one: float(one.paper))),
        ci_low=interval.low if interval else None,
        ci_high=interval.high if interval else None,
        ci_method=interval.method if interval else None,
        mean_effective_tokens=_mean(costs),
        mean_lane_tokens=_mean(per_instance(graded, lambda one: one.usage.effective_tokens)),
        mean_reconciler_tokens=_mean(per_instance(graded, lambda one: one.reconciler_usage.effective_tokens)),
        mean_cost_usd=None if manifest.scripted else _mean(per_instance(graded, cell_dollars)),
        mean_lane_cost_usd=_mean(per_instance(graded, lambda one: one.cost_usd)),
        mean_reconciler_cost_usd=_mean(per_instance(graded, lambda one: one.reconciler_cost_usd)),
        relative_cost=ratio,
        by_reconciler={
            name: _reconciler_row(name, graded) for name in manifest.reconcilers if any(name in one.candidates for one in graded)
        },
        radio=_radio_row(graded),
        infrastructure=infrastructure,
        missing=missing,
        incomplete=bool(infrastructure or missing),
        scripted=manifest.scripted,
    )


def per_instance(cells: Iterable[CellRecord], value: Callable[[CellRecord], float | None]) -> list[Observation]:
    """Each instance's mean over its repeats; an instance with an unknown value is left out, never counted as 0."""
    by_instance: dict[str, list[CellRecord]] = {}
    for cell in cells:
        by_instance.setdefault(cell.instance, []).append(cell)
    observations = []
    for instance, repeats in sorted(by_instance.items()):
        values = [value(one) for one in repeats]
        known = [one for one in values if one is not None]
        if len(known) == len(values):
            observations.append(Observation(instance, repeats[0].base, mean(known), len(known)))
    return observations


def orchestrated(cell: CellRecord) -> bool:
    """Whether subagents of the program's own worked for both requirements, by what the program itself told."""
    return sum(turn.subagents for turn in cell.turns) >= len(SIDES)


def relative_cost(cells: Sequence[CellRecord], oracle: Sequence[CellRecord]) -> tuple[float | None, int]:
    """Mean effective tokens over the oracle's, over the instances known in both; and how many these are."""
    own = {one.instance: one.value for one in per_instance(_graded(cells), cell_cost)}
    other = {one.instance: one.value for one in per_instance(_graded(oracle), cell_cost)}
    common = sorted(own.keys() & other.keys())
    denominator = sum(other[name] for name in common)
    if not common or denominator == 0:
        return None, len(common)
    return sum(own[name] for name in common) / denominator, len(common)


def _graded(cells: Iterable[CellRecord]) -> list[CellRecord]:
    return [one for one in cells if one.status is not Status.INFRASTRUCTURE]


def _reconciler_row(name: str, graded: Sequence[CellRecord]) -> ReconcilerRow:
    own = [one for one in graded if name in one.candidates]

    def cost(one: CellRecord) -> float | None:
        return _plus(one.usage, one.candidates[name].usage)

    return ReconcilerRow(
        n=len(own),
        solved=sum(one.candidates[name].solved for one in own),
        mean_effective_tokens=_mean(per_instance(own, cost)),
    )


def _radio_row(graded: Sequence[CellRecord]) -> RadioRow | None:
    lanes = [lane for one in graded if one.radio for lane in one.radio.values()]
    if not lanes:
        return None
    return RadioRow(
        sent=sum(lane.sent for lane in lanes),
        shown=sum(lane.shown for lane in lanes),
        unread=sum(lane.unread for lane in lanes),
        expired=sum(lane.expired for lane in lanes),
        refused=sum(lane.refused for lane in lanes),
        listening_steps=sum(lane.listening_steps for lane in lanes),
        accepted=sum(lane.accepted for lane in lanes),
        borne_out=sum(lane.borne_out for lane in lanes),
        bytes_shown=sum(lane.bytes_shown for lane in lanes),
        snapshot_bytes=sum(lane.snapshot_bytes for lane in lanes),
        hub_restarts=sum(one.hub.restarts for one in graded if one.hub),
    )


def _plus(one: UsageRecord, other: UsageRecord) -> float | None:
    if one.effective_tokens is None or other.effective_tokens is None:
        return None
    return one.effective_tokens + other.effective_tokens


def _mean(observations: Sequence[Observation]) -> float | None:
    return mean([one.value for one in observations]) if observations else None
