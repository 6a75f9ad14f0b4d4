"""A report as a table, as Markdown, as CSV, as JSON."""

import csv
import io
from collections.abc import Iterator, Sequence
from enum import StrEnum

from eval.report import RadioRow, Report, Row
from instances.model import Family

UNKNOWN = "unknown"
NO_MODEL = "no model"


class Format(StrEnum):
    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


def render(report: Report, form: Format) -> str:
    """The report's text in a format, ended by a newline."""
    if form is Format.JSON:
        return report.model_dump_json(indent=1) + "\n"
    if form is Format.CSV:
        return _csv(report)
    return _tables(report, "github" if form is Format.MARKDOWN else "simple")


def _tables(report: Report, style: str) -> str:
    from tabulate import tabulate

    run = report.run
    heading = "## " if style == "github" else ""
    parts = [
        f"Run {run.run}: {run.configuration}, {run.repeats} repeat(s), seed {run.seed}, sandbox {run.sandbox}"
        f"{'' if run.isolated else ' (UNISOLATED)'}, crosstalk {run.crosstalk_version}, data set {run.dataset_version}"
    ]
    if run.scripted and "model" in run.reconcilers:
        parts.append("SCRIPTED: every agent was played from a script; only the reconciler asked a model.")
    elif run.scripted:
        parts.append(
            "SCRIPTED: every agent was played from a script and no model was called; tokens are computed from the scripts."
        )
    for family in Family:
        rows = [row for row in report.rows if row.family == family]
        if not rows:
            continue
        parts.append(f"{heading}{family}")
        for title, upper_bound in (("upper bounds", True), ("deployable", False)):
            group = [row for row in rows if row.upper_bound is upper_bound]
            if group:
                marks = best_two(group)
                table = [_cells(row, marks.get(row.scenario, "")) for row in group]
                parts.append(tabulate(table, headers=[title, *_HEADERS], tablefmt=style, disable_numparse=True))
    if talking := [row for row in report.rows if row.radio]:
        parts.append(f"{heading}messages")
        parts.append(tabulate([_radio_cells(row) for row in talking], headers=_RADIO_HEADERS, tablefmt=style))
    parts.append("\n".join(_footnotes(report)))
    return "\n\n".join(parts) + "\n"


_HEADERS = (
    "n",
    "pass",
    "95 % interval",
    "deployable",
    "paper",
    "eff. tokens",
    "US dollars",
    "x oracle",
    "per reconciler: solved/n @ tokens",
    "",
)


def _cells(row: Row, mark: str) -> list[str]:
    interval = "-" if row.ci_low is None or row.ci_high is None else f"{100 * row.ci_low:.0f}-{100 * row.ci_high:.0f}"
    reconcilers = ", ".join(
        f"{name} {one.solved}/{one.n} @ {_tokens(one.mean_effective_tokens)}" for name, one in row.by_reconciler.items()
    )
    notes = []
    if row.incomplete:
        notes.append("INCOMPLETE")
    if row.budget:
        notes.append(f"{row.budget} met a limit")
    if row.orchestrated is not None and row.orchestrated < row.n:
        notes.append(f"{row.n - row.orchestrated} NOT ORCHESTRATED")
    return [
        f"{row.scenario}{mark}",
        str(row.n),
        _percent(row.pass_rate),
        interval,
        _percent(row.deployable_rate),
        _percent(row.paper_rate),
        _tokens(row.mean_effective_tokens),
        NO_MODEL if row.scripted else _money(row.mean_cost_usd),
        UNKNOWN if row.relative_cost is None else f"{row.relative_cost:.2f}",
        reconcilers or "-",
        ", ".join(notes),
    ]


_RADIO_HEADERS = (
    "family",
    "scenario",
    "n",
    "sent",
    "shown",
    "never shown",
    "of them expired",
    "refused",
    "steps spent on listening",
    "accepted, borne out",
    "hub restarts",
)


def _radio_cells(row: Row) -> list[str | int]:
    radio = row.radio
    assert radio is not None
    return [
        row.family,
        row.scenario,
        row.n,
        radio.sent,
        radio.shown,
        radio.unread,
        radio.expired,
        radio.refused,
        radio.listening_steps,
        f"{radio.accepted}, {radio.borne_out}",
        radio.hub_restarts,
    ]


def best_two(rows: Sequence[Row]) -> dict[str, str]:
    """Marks for the two best of a group: by pass rate, then by cost; an unknown cost is never the cheapest."""
    known = [row for row in rows if row.pass_rate]

    def order(row: Row) -> tuple[float, bool, float]:
        return (-(row.pass_rate or 0.0), row.relative_cost is None, row.relative_cost or 0.0)

    return {row.scenario: mark for row, mark in zip(sorted(known, key=order), (" **", " *"), strict=False)}


def _footnotes(report: Report) -> list[str]:
    run = report.run
    lines = [
        "** best, * second of its group. pass: any reconciler's tree passes A's, B's, the joint and the base's own tests. "
        "deployable: git merge, and the model where that conflicts. paper: the joint tests alone. "
        "x oracle: mean effective tokens over the oracle's, same family, same instances."
    ]
    lines.append(f"{run.cells_recorded} of {run.cells_planned} planned cells recorded.")
    if run.infrastructure:
        lines.append(f"{len(run.infrastructure)} cell(s) met an infrastructure fault, are in no rate, and will be run again:")
        lines.extend(f"  {one['cell']}: {one['reason']}" for one in run.infrastructure)
    if run.discarded_attempts:
        used = f"{_tokens(run.discarded_effective_tokens)} effective tokens"
        used += f", {_money(run.discarded_cost_usd)} US dollars" if run.prices else ""
        lines.append(f"{run.discarded_attempts} attempt(s) were discarded and run again; they used {used}.")
    if run.lost_attempts:
        lines.append(f"{run.lost_attempts} attempt(s) were cut off; what they used is unknown and in no figure.")
    lines.extend(_about_money(report))
    by_reason: dict[str, list[str]] = {}
    for one in run.skipped:
        by_reason.setdefault(str(one["reason"]), []).append(f"{one['scenario']} ({one['instances']} instances)")
    lines.extend(f"Skipped, {reason}: {', '.join(names)}." for reason, names in by_reason.items())
    by_mark: dict[str, list[str]] = {}
    for name, mark in run.provenance.items():
        by_mark.setdefault(mark, []).append(name)
    lines.extend(f"NOT MADE BY HAND, {mark}: {', '.join(names)}." for mark, names in by_mark.items())
    return lines


def _about_money(report: Report) -> Iterator[str]:
    """How the dollars are reckoned, where a model was called."""
    prices, run = report.run.prices, report.run
    if prices is None:
        return
    if prices.problem:
        yield f"US dollars: {prices.problem}."
        return
    yield f"US dollars: by the prices of {prices.source} when the run began (in run.json), lanes and reconcilers together."
    if run.scripted and any(row.mean_reconciler_cost_usd is not None for row in report.rows):
        told = [f"{row.scenario} {_money(row.mean_reconciler_cost_usd)}" for row in report.rows if row.mean_reconciler_cost_usd]
        yield f"The lanes called no model; the reconciler's model cost a cell, in US dollars: {', '.join(told)}."
    named = (run.configuration.partition("/")[2], run.reconciler_model)
    for name in (name for name in named if name in prices.models):
        if (above := prices.models[name].dearer_above) is not None:
            yield f"{name} asks more for a prompt of more than {above:,} tokens: what may have had one is of unknown cost."


def _csv(report: Report) -> str:
    reconcilers = report.run.reconcilers
    plain = [name for name in Row.model_fields if name not in {"by_reconciler", "radio"}]
    extra = [f"{name}_{part}" for name in reconcilers for part in ("n", "solved", "mean_effective_tokens")]
    extra += [f"radio_{part}" for part in RadioRow.model_fields]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*plain, *extra])
    for row in report.rows:
        values: list[object] = [getattr(row, name) for name in plain]
        for name in reconcilers:
            one = row.by_reconciler.get(name)
            values += [one.n, one.solved, one.mean_effective_tokens] if one else [None, None, None]
        values += [getattr(row.radio, part) if row.radio else None for part in RadioRow.model_fields]
        writer.writerow(["" if value is None else value for value in values])
    return out.getvalue()


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.0f} %"


def _money(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.2f}" if value >= 1 else f"{value:.4f}"


def _tokens(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.0f}"
