"""From what a cell gave to the files that are kept of it."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from eval.bench import Bench
from eval.grade import SuiteVerdict
from eval.masking import STRUCK_OUT, mask_files
from eval.outcome import Outcome
from eval.prices import Money, total
from eval.records import (
    CandidateRecord,
    CellEntry,
    CellRecord,
    ConflictRecord,
    HubRecord,
    MeteringRecord,
    RadioCounts,
    Status,
    TimingRecord,
    TurnRecord,
    UsageRecord,
    VerdictRecord,
    WireRecord,
)
from eval.storage import RECORD, json_lines
from harnesses.base import Ended, Failure, Metering, Wire
from harnesses.endpoint import masked
from instances.model import SIDES
from reconcilers.base import Combined, CombineStatus
from sandboxes.usage import UNKNOWN_USAGE, Usage
from scenarios.engine import Draw, PlayedTurn


def build_record(cell: CellEntry, bench: Bench, draw: Draw, outcome: Outcome, timing: TimingRecord) -> CellRecord:
    """The record of one cell."""
    money = Money.of(bench.manifest)
    candidates = {
        name: _candidate(one, outcome.verdicts.get(name, {}), cell.instance, money)
        for name, one in outcome.combined.items()
        if not outcome.problem
    }
    turns = [_turn(one, outcome.own_sides.get(one.lane), cell.instance, money, bench.secrets) for one in outcome.played.turns]
    reconcilers = sum((one.usage for one in outcome.combined.values()), outcome.lost)
    entry = next(one for one in bench.manifest.instances if one.id == cell.instance)
    solved = any(one.solved for one in candidates.values())
    return CellRecord(
        cell=cell.cell,
        instance=cell.instance,
        family=entry.family,
        base=entry.base,
        scenario=cell.scenario,
        configuration=bench.manifest.configuration_label,
        repeat=cell.repeat,
        seed=draw.seed,
        first_side=draw.first_side,
        scripted=bench.harness.scripted,
        status=Status.INFRASTRUCTURE if outcome.problem else Status.SOLVED if solved else Status.FAILED,
        reason=_printable(outcome.problem),
        budget=any(one.turn.ended is Ended.LIMIT for one in outcome.played.turns),
        solved=solved,
        deployable=_deployable(candidates),
        paper=any(one.paper for one in candidates.values()),
        # Without turns the play broke off: what the lanes used until then is not known.
        usage=_total(one.turn.usage for one in outcome.played.turns) if outcome.played.turns else _usage(UNKNOWN_USAGE),
        reconciler_usage=_usage(reconcilers),
        turns=turns,
        candidates=candidates,
        radio={lane: RadioCounts(**asdict(one)) for lane, one in outcome.played.radio.items()} or None,
        hub=HubRecord(**asdict(outcome.played.hub)) if outcome.played.hub else None,
        cost_usd=total(one.cost_usd for one in turns) if turns else None,
        reconciler_cost_usd=money.of_reconciler(reconcilers),
        failure=_failure(outcome),
        retry_after=outcome.retry_after,
        timing=timing,
    )


def write_cell(record: CellRecord, outcome: Outcome, folder: Path, secrets: Sequence[str]) -> None:
    """Write the record, the events, each turn's patch and transcript, and what a model was asked into the cell's folder.

    The folder is not the results' yet: a secret that stands in one of these is struck out before it is.
    """
    played = outcome.played
    for one in played.turns:
        name = _turn_name(one)
        (folder / f"{name}.patch").write_bytes(one.capture.patch)
        if one.turn.metering and one.turn.metering.wire:
            exchanges = json_lines(one.turn.metering.wire.exchanges)
            (folder / f"{name}.wire.jsonl").write_text(exchanges, encoding="utf-8")
        lines = [{"role": "prompt", "text": one.prompt}, *one.turn.transcript]
        (folder / f"{name}.transcript.jsonl").write_text(json_lines(lines), encoding="utf-8")
    for name, combined in outcome.combined.items():
        if combined.transcript:
            text = json_lines(combined.transcript)
            (folder / f"reconciler-{name}.transcript.jsonl").write_text(text, encoding="utf-8")
    (folder / "events.jsonl").write_text(json_lines(played.events), encoding="utf-8")
    if played.radio_events:
        (folder / "radio").mkdir()
        (folder / "radio" / "events.jsonl").write_bytes(played.radio_events)
    (folder / RECORD).write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")
    mask_files(folder, secrets)


def _failure(outcome: Outcome) -> str | None:
    """What broke: the key's refusal before all else, because it ends the campaign."""
    found = [one.turn.failure for one in outcome.played.turns if one.turn.failure]
    return outcome.failure or (Failure.AUTH if Failure.AUTH in found else next(iter(found), None))


def _candidate(combined: Combined, verdicts: Mapping[str, SuiteVerdict], instance: str, money: Money) -> CandidateRecord:
    return CandidateRecord(
        clean=combined.status is CombineStatus.CLEAN,
        reason=_printable(combined.reason),
        detail=_printable(combined.detail),
        tree=combined.tree,
        conflicts=[
            ConflictRecord(path=_printable(one.path), line=one.line, text=_printable(one.text)) for one in combined.conflicts
        ],
        usage=_usage(combined.usage),
        verdicts={suite: _verdict(one, instance) for suite, one in verdicts.items()},
        solved=bool(verdicts) and all(one.passed for one in verdicts.values()),
        paper=bool(verdicts) and all(verdicts[suite].passed for suite in (["joint"] if "joint" in verdicts else SIDES)),
        cost_usd=money.of_reconciler(combined.usage),
    )


def _deployable(candidates: Mapping[str, CandidateRecord]) -> bool:
    """What could be done without the held-out tests: git merge, and the model where that conflicts."""
    chosen = candidates.get("final") or candidates.get("git-merge")
    if chosen and not chosen.clean:
        chosen = candidates.get("model")
    return bool(chosen and chosen.solved)


def _turn(one: PlayedTurn, own_side: SuiteVerdict | None, instance: str, money: Money, secrets: Sequence[str]) -> TurnRecord:
    struck_out = [STRUCK_OUT] if masked(one.capture.patch, secrets) != one.capture.patch else []
    return TurnRecord(
        lane=one.lane,
        number=one.number,
        ended=one.turn.ended.value,
        reason=_printable(one.turn.reason),
        steps=one.turn.steps,
        usage=_usage(one.turn.usage),
        prompt_sha256=hashlib.sha256(one.prompt.encode()).hexdigest(),
        start_tree=one.start,
        tree=one.capture.tree,
        patch=f"{_turn_name(one)}.patch",
        patch_bytes=len(one.capture.patch),
        changed=[_printable(path) for path in one.capture.changed],
        ignored_new=[(_printable(file.path), file.size) for file in one.capture.ignored_new],
        skipped=[(_printable(skipped.path), _printable(skipped.reason)) for skipped in one.capture.skipped],
        over_limit=one.capture.over_limit,
        transcript=f"{_turn_name(one)}.transcript.jsonl",
        failure=one.turn.failure,
        metering=_metering(one, one.turn.metering) if one.turn.metering else None,
        labels=[*one.turn.labels, *struck_out],
        subagents=one.turn.subagents,
        own_side=_verdict(own_side, instance) if own_side else None,
        cost_usd=money.of_turn(one.turn),
    )


def _metering(one: PlayedTurn, metering: Metering) -> MeteringRecord:
    return MeteringRecord(
        responses=_usage(metering.responses),
        closing=_usage(metering.closing) if metering.closing else None,
        abandoned=_usage(metering.abandoned),
        by_model={name: _usage(usage) for name, usage in metering.by_model.items()},
        program_cost_usd=metering.cost_usd,
        lower_bound=metering.lower_bound,
        notes=list(metering.notes),
        wire=_wire(one, metering.wire) if metering.wire else None,
        longest_prompt=metering.longest_prompt,
    )


def _wire(one: PlayedTurn, wire: Wire) -> WireRecord:
    return WireRecord(
        usage=_usage(wire.usage),
        difference=_usage(wire.difference) if wire.difference else None,
        requests=len({line["request"] for line in wire.exchanges}),
        lower_bound=wire.lower_bound,
        readable=wire.readable,
        exchanges=f"{_turn_name(one)}.wire.jsonl",
    )


def _printable(text: str) -> str:
    """A text that any reader can decode: bytes of a name that are no UTF-8 are written as `\\xNN`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _turn_name(one: PlayedTurn) -> str:
    return f"{one.lane}-{one.number}"


def _verdict(verdict: SuiteVerdict, instance: str) -> VerdictRecord:
    return VerdictRecord(
        passed=verdict.passed,
        reason=_printable(verdict.reason),
        evidence=f"gradings/{instance}/{verdict.evidence}",
        control_files=[_printable(path) for path in verdict.control_files],
    )


def _usage(usage: Usage) -> UsageRecord:
    return UsageRecord.model_validate(usage.as_record())


def _total(usages: Iterable[Usage]) -> UsageRecord:
    return _usage(sum(usages, Usage()))
