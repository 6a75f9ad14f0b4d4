"""What is kept of a run: the frozen plan in `run.json`, and one `record.json` a cell. Reports read nothing else.

The models are the published schemas (`record.schema.json`, `run.schema.json`). Times stand in `timing` and `created` only: all
else is the same whenever a scripted run with the same seed is played again.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Status(StrEnum):
    """What a cell counts as. `infrastructure` never enters a rate and is run again."""

    SOLVED = "solved"
    FAILED = "failed"
    INFRASTRUCTURE = "infrastructure"


class UsageRecord(_Model):
    """Tokens in four disjoint counts; `None` is unknown."""

    input: int | None
    cache_write: int | None
    cache_read: int | None
    output: int | None
    effective_tokens: float | None


class ModelPrice(_Model):
    """US dollars a token, of each class; `None` where the price map names none.

    `dearer_above`: with more tokens than this in one prompt it asks more, which is not in these prices; `None` for never.
    """

    input: float | None
    cache_write: float | None
    cache_read: float | None
    output: float | None
    dearer_above: int | None


class PriceTable(_Model):
    """The prices that a run's dollars are computed with, whatever the map says later.

    `source` is the price map and its version, `problem` why there is none, `models` by the name under which usage is recorded.
    """

    source: str
    problem: str
    models: dict[str, ModelPrice]


class BudgetRecord(_Model):
    """No cell is started once the run has used so much; `None` is no limit."""

    max_cost_usd: float | None = None
    max_effective_tokens: float | None = None


class VerdictRecord(_Model):
    """One suite on one tree; `evidence` is the folder, below the run's, with the JUnit report and the log."""

    passed: bool
    reason: str
    evidence: str
    control_files: list[str] = []


class WireRecord(_Model):
    """A second count of a turn, of what the provider itself reported to the gateway; `difference` is the program's minus this.

    Each request is a line of the file `exchanges`. Where this count is readable it is the turn's usage.
    """

    usage: UsageRecord
    difference: UsageRecord | None
    requests: int
    lower_bound: bool
    readable: bool
    exchanges: str


class MeteringRecord(_Model):
    """Where a real program's usage comes from; `notes` say what does not fit together, `wire` is the gateway's count.

    `longest_prompt` is the largest prompt of one request, in tokens; `None` where not all of them are known.
    """

    responses: UsageRecord
    closing: UsageRecord | None
    abandoned: UsageRecord
    by_model: dict[str, UsageRecord]
    program_cost_usd: float | None
    lower_bound: bool
    notes: list[str]
    wire: WireRecord | None = None
    longest_prompt: int | None = None


class TurnRecord(_Model):
    """One turn of a lane. The transcript's first line is the prompt.

    `cost_usd` is in US dollars by the run's price table; `None` is unknown, or (in a `scripted` cell) no model was called.
    """

    lane: str
    number: int
    ended: Literal["completed", "limit", "infrastructure"]
    reason: str
    steps: int
    usage: UsageRecord
    prompt_sha256: str
    start_tree: str
    tree: str | None
    patch: str
    patch_bytes: int
    changed: list[str]
    ignored_new: list[tuple[str, int]]
    skipped: list[tuple[str, str]]
    over_limit: str | None
    transcript: str
    failure: str | None
    metering: MeteringRecord | None
    labels: list[str]
    subagents: int
    own_side: VerdictRecord | None
    cost_usd: float | None = None


class ConflictRecord(_Model):
    path: str
    line: int | None
    text: str


class CandidateRecord(_Model):
    """One tree that is graded: a reconciler's, or (`final`) the one that a single or serial schedule ends with.

    `solved` is joint success; `paper` the paper's narrower criterion (the joint suite alone).
    """

    clean: bool
    reason: str
    detail: str
    tree: str | None
    conflicts: list[ConflictRecord]
    usage: UsageRecord
    verdicts: dict[str, VerdictRecord]
    solved: bool
    paper: bool
    cost_usd: float | None = None


class RadioCounts(_Model):
    """What the radio counted for one lane; `unread` mentions never came before its model."""

    sent: int
    received: int
    shown: int
    noticed: int
    unread: int
    expired: int
    refused: int
    listening_steps: int
    drains: int
    accepted: int
    borne_out: int
    bytes_shown: int
    snapshot_bytes: int


class HubRecord(_Model):
    """Of a cell's hub: how often it died unasked and came back, deadlocks that it ended, requests of strangers."""

    restarts: int
    deadlocks: int
    strangers: int


class TimingRecord(_Model):
    started: str
    seconds: float


class CellRecord(_Model):
    """One cell: one instance, scenario, configuration and repeat.

    `candidates` has one entry, `final`, for single and serial schedules, else one a reconciler; `solved` passes if any does.
    `radio` is by lane, `hub` for the whole cell; both are `None` without a channel. `usage` is the lanes' alone,
    `reconciler_usage` what all reconcilers used; so are `cost_usd` and `reconciler_cost_usd`, in US dollars by the run's
    price table (`None`: unknown, or no model was called). `failure` is what broke in an infrastructure cell, where that is
    known; `retry_after` the seconds that the provider asks for.
    """

    schema_version: Literal[1] = 1
    cell: str
    instance: str
    family: str
    base: str
    scenario: str
    configuration: str
    repeat: int
    seed: str
    first_side: str
    scripted: bool
    status: Status
    reason: str
    budget: bool
    solved: bool
    deployable: bool
    paper: bool
    usage: UsageRecord
    reconciler_usage: UsageRecord
    turns: list[TurnRecord]
    candidates: dict[str, CandidateRecord]
    radio: dict[str, RadioCounts] | None
    hub: HubRecord | None
    cost_usd: float | None = None
    reconciler_cost_usd: float | None = None
    failure: str | None = None
    retry_after: float | None = None
    timing: TimingRecord


class InstanceEntry(_Model):
    """An instance as it was when the run began; `source` is `shipped` or the folder it was read from.

    `provenance` says of an imported or generated one what must be known of its results; it is empty for one made by hand.
    """

    id: str
    family: str
    title: str
    digest: str
    source: str
    base: str
    environment: str
    provenance: str = ""


class ScenarioEntry(_Model):
    """A scenario's fields, and the SHA-256 of each lane's first prompt by `instance/lane`."""

    fields: dict[str, Any]
    prompts: dict[str, str]


class SkipEntry(_Model):
    scenario: str
    instances: int
    reason: str


class CellEntry(_Model):
    cell: str
    instance: str
    scenario: str
    repeat: int


class RunManifest(_Model):
    """`run.json`: what was run, frozen before the first cell; only `budget` may be raised when the run is gone on with."""

    schema_version: Literal[1] = 1
    run: str
    created: str
    crosstalk_version: str
    dataset_version: str
    seed: int
    repeats: int
    configuration: dict[str, Any]
    configuration_label: str
    versions: dict[str, str]
    scripted: bool
    sandbox: str
    isolated: bool
    limits: dict[str, float]
    reconcilers: list[str]
    reconciler_model: dict[str, str | None] | None = None
    prices: PriceTable | None = None
    budget: BudgetRecord = BudgetRecord()
    instances: list[InstanceEntry]
    scenarios: list[ScenarioEntry]
    skipped: list[SkipEntry]
    cells: list[CellEntry]


def timing_since(wall: float, clock: float) -> Callable[[], TimingRecord]:
    """What gives the timing when a cell ends: the start in UTC, and the seconds since."""
    started = datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds")
    return lambda: TimingRecord(started=started, seconds=round(time.monotonic() - clock, 3))
