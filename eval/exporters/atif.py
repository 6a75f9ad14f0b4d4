"""Trajectories in ATIF: a file a cell, whose root is the cell as a whole and whose subagents are its turns."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.exporters.common import Export, Finished, finished, masked_text, new_folder, write_json
from eval.exporters.moves import Move, moves_of
from eval.plan import crosstalk_version
from eval.records import CandidateRecord, RunManifest, TurnRecord, UsageRecord
from eval.storage import ResultsFolder

VERSION = "ATIF-v1.7"
_NAME = "crosstalk"


def export_atif(folder: Path, out: Path) -> Export:
    """Write a run's cells as trajectories.

    Raises:
        SetupError: there is no run, or `out` is there already.
    """
    results, export = ResultsFolder(folder), Export()
    manifest = results.manifest()
    with new_folder(out) as beside:
        for cell in finished(results, manifest, export):
            write_json(beside / f"{cell.entry.cell}.json", _trajectory(cell, manifest))
            export.files += 1
    return export


def _trajectory(cell: Finished, manifest: RunManifest) -> dict[str, Any]:
    record = cell.record
    turns = [_turn(cell, turn, manifest) for turn in record.turns]
    reconciler = cell.folder / "reconciler-model.transcript.jsonl"
    if reconciler.is_file():
        model = str((manifest.reconciler_model or {}).get("model") or "")
        agent = {"name": "reconciler", "version": crosstalk_version(), **({"model_name": model} if model else {})}
        usage = record.candidates["model"].usage if "model" in record.candidates else record.reconciler_usage
        steps, unread = _steps(reconciler)
        turns.append(_document(cell, "reconciler-model", agent, steps, (usage, record.reconciler_cost_usd, unread)))
    return {
        "schema_version": VERSION,
        "session_id": record.cell,
        "trajectory_id": record.cell,
        "agent": {"name": _NAME, "version": crosstalk_version(), "extra": {"configuration": record.configuration}},
        "steps": _root_steps(cell, [str(one["trajectory_id"]) for one in turns]),
        "final_metrics": _metrics([record.usage, record.reconciler_usage], _sum([record.cost_usd, record.reconciler_cost_usd])),
        "subagent_trajectories": turns,
        "extra": {
            "instance": record.instance,
            "family": record.family,
            "scenario": record.scenario,
            "repeat": record.repeat,
            "scripted": record.scripted,
            "provenance": next((one.provenance for one in manifest.instances if one.id == record.instance), ""),
            "status": record.status,
            "solved": record.solved,
            "deployable": record.deployable,
            "paper": record.paper,
            "budget": record.budget,
            "effective_tokens": record.usage.effective_tokens,
        },
    }


def _root_steps(cell: Finished, turns: Sequence[str]) -> list[dict[str, Any]]:
    """What the bench did: laid out the scenario, had the turns played, combined them. No model was called for any of it."""
    record = cell.record
    said = f"Scenario {record.scenario} on {record.instance}, repeat {record.repeat}."
    steps: list[dict[str, Any]] = [{"source": "system", "message": said, "timestamp": record.timing.started}]
    for name in turns:
        result = {"subagent_trajectory_ref": [{"trajectory_id": name}]}
        steps.append({"source": "agent", "message": f"Played: {name}", "llm_call_count": 0, "observation": {"results": [result]}})
    for name, one in record.candidates.items():
        steps.append({"source": "agent", "message": _told(name, one), "llm_call_count": 0})
    return [{"step_id": number, **step} for number, step in enumerate(steps, start=1)]


def _told(name: str, one: CandidateRecord) -> str:
    combined = "clean" if one.clean else f"not clean ({one.reason})"
    return f"Combined by {name}: {combined}; {'solved' if one.solved else 'not solved'}."


def _turn(cell: Finished, turn: TurnRecord, manifest: RunManifest) -> dict[str, Any]:
    harness = str(manifest.configuration.get("harness") or _NAME)
    model = manifest.configuration.get("model")
    agent: dict[str, Any] = {"name": harness, "version": manifest.versions.get(harness, crosstalk_version())}
    if model and not cell.record.scripted:
        agent["model_name"] = str(model)
    agent["extra"] = {"lane": turn.lane, "turn": turn.number, "ended": turn.ended, "scripted": cell.record.scripted}
    steps, unread = _steps(cell.folder / turn.transcript)
    return _document(cell, f"{turn.lane}-{turn.number}", agent, steps, (turn.usage, turn.cost_usd, unread))


def _document(
    cell: Finished,
    name: str,
    agent: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    figures: tuple[UsageRecord, float | None, int],
) -> dict[str, Any]:
    usage, cost, unread = figures
    return {
        "schema_version": VERSION,
        "session_id": cell.record.cell,
        "trajectory_id": name,
        "agent": dict(agent),
        "steps": [dict(step) for step in steps],
        "final_metrics": {**_metrics([usage], cost), "total_steps": len(steps)},
        "extra": {"lines_without_a_step": unread, "effective_tokens": usage.effective_tokens},
    }


def _steps(path: Path) -> tuple[list[dict[str, Any]], int]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    moves, unread = moves_of([line for line in lines if isinstance(line, dict)])
    steps: list[dict[str, Any]] = []
    where: dict[str, dict[str, Any]] = {}
    newest = ""
    for move in moves:
        if move.results and not move.message:
            for result in move.results:
                at = where.get(result.identity or newest)
                if at is not None:
                    entry = {"source_call_id": result.identity or newest, "content": masked_text(result.content)}
                    at.setdefault("observation", {"results": []})["results"].append(entry)
                else:
                    steps.append({"source": "user", "message": masked_text(result.content)})
            continue
        step = _step(move, len(steps))
        for call in step.get("tool_calls", ()):
            newest = call["tool_call_id"]
            where[newest] = step
        steps.append(step)
    return [{"step_id": number, **step} for number, step in enumerate(steps, start=1)], unread


def _step(move: Move, number: int) -> dict[str, Any]:
    step: dict[str, Any] = {"source": move.source, "message": masked_text(move.message)}
    if move.reasoning:
        step["reasoning_content"] = masked_text(move.reasoning)
    if move.calls:
        step["tool_calls"] = [
            {
                "tool_call_id": call.identity or f"call-{number + 1}-{index}",
                "function_name": call.name,
                "arguments": json.loads(masked_json(call.arguments)),
            }
            for index, call in enumerate(move.calls)
        ]
    return step


def masked_json(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON, with each text that holds held-out tests masked."""
    return json.dumps({key: masked_text(value) if isinstance(value, str) else _masked(value) for key, value in arguments.items()})


def _masked(value: Any) -> Any:
    text = json.dumps(value)
    return value if masked_text(text) == text else masked_text(text)


def _metrics(usages: Iterable[UsageRecord], cost: float | None) -> dict[str, Any]:
    """Totals; a count that is unknown is left out, never 0."""
    given = list(usages)
    prompt = _sum(value for one in given for value in (one.input, one.cache_write, one.cache_read))
    figures = {
        "total_prompt_tokens": prompt,
        "total_completion_tokens": _sum(one.output for one in given),
        "total_cached_tokens": _sum(one.cache_read for one in given),
        "total_cost_usd": cost,
    }
    return {key: value for key, value in figures.items() if value is not None}


def _sum(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if any(value is None for value in known) else sum(value for value in known if value is not None)
