"""What the cells of one run share: the frozen plan, and for each instance its store, environment and grader."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from eval.environment import environment_of
from eval.grade import Grader, SuiteVerdict
from eval.masking import operators_secrets
from eval.records import RunManifest
from eval.storage import ResultsFolder
from harnesses.base import Harness, Limits
from instances.model import Instance
from reconcilers.base import Reconciler
from sandboxes.base import SandboxFactory
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree
from sandboxes.gitstore import GitStore
from sandboxes.space import require_space
from scenarios.engine import Stage
from scenarios.model import Scenario


@dataclass(frozen=True)
class InstanceBench:
    """One instance, ready to be played and graded."""

    instance: Instance
    stage: Stage
    grader: Grader

    def grade(self, tree: str, suite: str) -> SuiteVerdict:
        return self.grader.grade(tree, suite, self.stage.base)


def open_instance(instance: Instance, sandboxes: SandboxFactory, work: Path, evidence: Path, limits: Limits) -> InstanceBench:
    """Bring an instance's base into a store of its own, and make sure of its environment.

    Raises:
        InstanceError: the base cannot be had.
        SetupError: the environment cannot be built.
    """
    store = GitStore(work / "stores" / instance.id)
    base = store.import_directory(instance.base_directory())
    environment = environment_of(instance.environment, sandboxes.name)
    stage = Stage(store, base, environment, sandboxes, limits)
    return InstanceBench(instance, stage, Grader(store, instance, sandboxes, evidence / instance.id))


class Bench:
    """The shared parts of one run. Instances are opened on first use, each under a lock of its own."""

    def __init__(  # noqa: PLR0913 - the parts of a run, put together once
        self,
        manifest: RunManifest,
        results: ResultsFolder,
        instances: Sequence[Instance],
        scenarios: Sequence[Scenario],
        harness: Harness,
        sandboxes: SandboxFactory,
        reconcilers: Sequence[Reconciler],
    ) -> None:
        self.manifest = manifest
        self.results = results
        self.scenarios = {scenario.name: scenario for scenario in scenarios}
        self.harness = harness
        self.sandboxes = sandboxes
        self.reconcilers = tuple(reconcilers)
        self.secrets = operators_secrets(
            (manifest.reconciler_model or {}).get("key_variable"), manifest.configuration["parameters"].get("key_variable")
        )
        self._instances = {instance.id: instance for instance in instances}
        self._locks = {instance.id: Lock() for instance in instances}
        self._open: dict[str, InstanceBench] = {}

    def instance(self, name: str) -> InstanceBench:
        """An instance's part of the bench.

        Raises:
            InstanceError, SetupError: see `open_instance`.
        """
        with self._locks[name]:
            if name not in self._open:
                limits = Limits(int(self.manifest.limits["max_steps"]), self.manifest.limits["max_minutes"])
                self._open[name] = open_instance(
                    self._instances[name], self.sandboxes, self.results.work, self.results.gradings, limits
                )
            return self._open[name]

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for a cell's workspaces, gone when the cell ends. Its name tells a lane that sees it nothing.

        Raises:
            SetupError: the disk is nearly full.
        """
        require_space(self.results.work)
        path = self.results.work / secrets.token_hex(6)
        path.mkdir(parents=True)
        try:
            yield path
        finally:
            with suppress(SandboxError):  # what cannot be removed now is removed with `work` at the run's end
                remove_tree(path)
