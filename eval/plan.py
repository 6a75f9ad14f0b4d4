"""Planning a run: which cells there are, which are skipped and why, frozen into the manifest."""

import hashlib
import platform
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from eval.environment import environment_of
from eval.records import BudgetRecord, CellEntry, InstanceEntry, PriceTable, RunManifest, ScenarioEntry, SkipEntry
from harnesses.base import Configuration, Harness, Limits
from instances.dataset import DATASET_VERSION
from instances.load import PAIRS
from instances.model import Family, Instance
from sandboxes.base import SandboxFactory
from sandboxes.errors import SetupError
from sandboxes.exec import run
from scenarios.engine import Draw
from scenarios.model import Scenario
from scenarios.prompts import PromptContext, build_prompt
from scenarios.radio_link import lacking

SHIPPED = "shipped"


@dataclass(frozen=True)
class Choice:
    """What the user chose to run."""

    instances: Sequence[Instance]
    scenarios: Sequence[Scenario]
    configuration: Configuration
    harness: Harness
    sandboxes: SandboxFactory
    reconcilers: Sequence[str]
    reconciler_model: Mapping[str, str | None] | None = None
    repeats: int = 1
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    prices: PriceTable | None = None
    budget: BudgetRecord = field(default_factory=BudgetRecord)


def make_manifest(choice: Choice, name: str) -> RunManifest:
    """Freeze a choice.

    Raises:
        SetupError: no cell is left to run, or an environment cannot be built.
    """
    playable, skipped = _playable(choice)
    cells = _cells(choice, playable)
    if not cells:
        reasons = "; ".join(f"{one.scenario}: {one.reason}" for one in skipped) or "no instances"
        raise SetupError(f"nothing to run: {reasons}")
    return RunManifest(
        run=name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        crosstalk_version=crosstalk_version(),
        dataset_version=DATASET_VERSION,
        seed=choice.seed,
        repeats=choice.repeats,
        configuration={
            "harness": choice.configuration.harness,
            "model": choice.configuration.model,
            "parameters": choice.configuration.parameters,
        },
        configuration_label=choice.configuration.label,
        versions=program_versions() | choice.harness.versions() | choice.sandboxes.versions(),
        scripted=choice.harness.scripted,
        sandbox=choice.sandboxes.name,
        isolated=choice.sandboxes.isolated,
        limits={"max_steps": choice.limits.max_steps, "max_minutes": choice.limits.max_minutes},
        reconcilers=list(choice.reconcilers),
        reconciler_model=dict(choice.reconciler_model) if choice.reconciler_model else None,
        prices=choice.prices,
        budget=choice.budget,
        instances=[_instance_entry(one, choice.sandboxes.name) for one in choice.instances],
        scenarios=[_scenario_entry(one, instances, choice.seed) for one, instances in playable.items()],
        skipped=skipped,
        cells=cells,
    )


def _playable(choice: Choice) -> tuple[dict[Scenario, list[Instance]], list[SkipEntry]]:
    playable: dict[Scenario, list[Instance]] = {}
    skipped = []
    for scenario in choice.scenarios:
        fitting = [one for one in choice.instances if one.family is Family.CONTRADICTORY or not scenario.contradictory_only]
        if left_out := len(choice.instances) - len(fitting):
            reason = "played on contradictory pairs only"
            skipped.append(SkipEntry(scenario=scenario.name, instances=left_out, reason=reason))
        refusal = choice.harness.refuses(scenario)
        if refusal and fitting:
            reason = f"harness {choice.harness.name}: {refusal}"
            skipped.append(SkipEntry(scenario=scenario.name, instances=len(fitting), reason=reason))
            continue
        for reason, group in _by_lack(choice.harness, scenario, fitting).items():
            if reason:
                skipped.append(SkipEntry(scenario=scenario.name, instances=len(group), reason=reason))
            else:
                playable[scenario] = group
    return playable, skipped


def _by_lack(harness: Harness, scenario: Scenario, instances: Sequence[Instance]) -> dict[str, list[Instance]]:
    """Instances by what is missing to play them; those that lack nothing under the empty text."""
    groups: dict[str, list[Instance]] = {}
    for one in instances:
        lack = lacking(scenario) or harness.lacks(scenario, one.replay)
        groups.setdefault(lack or "", []).append(one)
    return groups


def _cells(choice: Choice, playable: dict[Scenario, list[Instance]]) -> list[CellEntry]:
    """Seeded blocks by instance, so that drift over a long campaign falls on all scenarios of an instance alike."""
    generator = random.Random(f"{choice.seed}/order")
    blocks = list(choice.instances)
    generator.shuffle(blocks)
    cells = []
    for instance in blocks:
        block = [
            CellEntry(
                cell=cell_name(instance.id, scenario.name, repeat),
                instance=instance.id,
                scenario=scenario.name,
                repeat=repeat,
            )
            for scenario, instances in playable.items()
            if instance in instances
            for repeat in range(1, choice.repeats + 1)
        ]
        generator.shuffle(block)
        cells.extend(block)
    return cells


def cell_name(instance: str, scenario: str, repeat: int) -> str:
    return f"{instance}.{scenario}.{repeat}"


def _instance_entry(instance: Instance, sandbox: str) -> InstanceEntry:
    try:
        environment = environment_of(instance.environment, sandbox)
    except SetupError as error:
        raise SetupError(f"{instance.id}: {error}") from error
    return InstanceEntry(
        id=instance.id,
        family=instance.family,
        title=instance.title,
        digest=instance.digest,
        source=SHIPPED if PAIRS in instance.folder.parents else str(instance.folder),
        base=instance.base_key,
        environment=f"{environment.description}, lock {environment.digest[:16]}",
        provenance=instance.provenance,
    )


def _scenario_entry(scenario: Scenario, instances: Sequence[Instance], seed: int) -> ScenarioEntry:
    prompts = {}
    for instance in instances:
        for lane in scenario.lanes:
            draw = Draw.of(seed, instance.id, scenario.name, 1)
            prompt = build_prompt(scenario, PromptContext(instance, lane, draw.first_side))
            prompts[f"{instance.id}/{lane}"] = hashlib.sha256(prompt.encode()).hexdigest()
    return ScenarioEntry(fields=scenario.as_record(), prompts=prompts)


def crosstalk_version() -> str:
    try:
        return version("crosstalk-bench")
    except PackageNotFoundError:
        return "not installed"


def program_versions() -> dict[str, str]:
    """The programs that a result may depend on, beside the harness."""
    git = run(["git", "--version"], timeout=30).stdout.decode().strip().removeprefix("git version ")
    return {"python": platform.python_version(), "git": git, "system": f"{platform.system()} {platform.machine()}"}
