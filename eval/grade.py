"""Grading one suite on one tree: the tree is put right, held-out tests laid over it, and the report is weighed."""

import hashlib
import json
import secrets
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

from eval.environment import environment_of
from eval.graded_tree import GradedTree, OverlayFile, prepare_tree, read_overlay
from eval.junit import REPORT_LIMIT, Status, UnreadableReportError, own_lines, parse_report
from eval.runners import FILES_TARGET, RUNNER_FILES, Runner, runner_of
from eval.sentinels import is_plain, plant
from eval.verdict import Judgement, SuiteVerdict, judge
from instances.model import EnvironmentSpec, SuiteSpec
from sandboxes.base import ExecResult, Mount, SandboxFactory, SandboxSpec
from sandboxes.environments import Environment
from sandboxes.errors import SandboxError, SetupError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.gitstore import GitStore
from sandboxes.node_packages import PACKAGES_TARGET

__all__ = ["GradedInstance", "Grader", "SuiteVerdict"]

# Part of each verdict's key: raised when grading changes what it may say.
_FORMAT = 4
_OUTPUT_KEPT = 1 << 20
_SECRET_BYTES = 32
_locks_lock = threading.Lock()
_locks: WeakValueDictionary[str, "_Lock"] = WeakValueDictionary()  # one per grading; guarded by _locks_lock


class GradedInstance(Protocol):
    """What grading needs of an instance."""

    @property
    def id(self) -> str: ...
    @property
    def tests(self) -> Mapping[str, SuiteSpec]: ...
    @property
    def protected(self) -> tuple[str, ...]: ...
    @property
    def environment(self) -> EnvironmentSpec: ...


@dataclass(frozen=True)
class _Run:
    """One run of a suite, weighed."""

    result: ExecResult
    report: bytes
    judgement: Judgement
    sentinels: frozenset[str]
    expected: tuple[str, ...]

    @property
    def nothing_reached(self) -> bool:
        """Whether the report is whole and no expected test is in it."""
        return bool(self.judgement.statuses) and set(self.judgement.missing) == set(self.expected)


class Grader:
    """Grades trees of one instance. Equal trees are graded once per suite and evidence folder.

    Safe for several threads; several processes may share an evidence folder.

    Args:
        store: holds the trees.
        instance: says which tests there are.
        sandbox: where they run, each time in a fresh one without network.
        evidence: the folder for reports, outputs and verdicts; one folder for each instance.
    """

    def __init__(self, store: GitStore, instance: GradedInstance, sandbox: SandboxFactory, evidence: Path) -> None:
        self._store = store
        self._instance = instance
        self._sandbox = sandbox
        self._evidence = evidence.absolute()

    def grade(self, tree: str, suite: str, base_tree: str) -> SuiteVerdict:
        """The verdict on one suite on one tree.

        Raises:
            SetupError: the suite's description, or its environment, can't be used.
            SandboxError: the sandbox or the machine broke, so that there is no verdict.
        """
        spec = self._instance.tests.get(suite)
        if spec is None:
            raise SetupError(f"{self._instance.id}: no suite {suite!r}")
        overlay = read_overlay(spec.overlay)
        environment = self._environment()
        key = self._key(spec, overlay, environment, base_tree)
        name = f"{tree}-{suite}"
        with _lock_of(f"{self._evidence}/{name}"):
            stored = _stored(self._evidence / name, key)
            if stored is not None:
                return stored
            roots = self._instance.environment.source_roots
            graded = prepare_tree(self._store, (base_tree, tree), self._instance.protected, overlay, roots)
            run = self._run(spec, graded, environment, {path: content for path, content, _ in overlay})
            verdict = SuiteVerdict(
                suite=suite,
                tree=tree,
                passed=run.judgement.passed,
                reason=run.judgement.reason,
                statuses=run.judgement.statuses,
                missing=run.judgement.missing,
                control_files=graded.control_files,
                environment_error=run.nothing_reached,
                duration_seconds=run.result.duration_seconds,
                evidence=name,
            )
            return self._file(verdict, key, run)

    def _environment(self) -> Environment:
        return environment_of(self._instance.environment, self._sandbox.name)

    def _key(self, spec: SuiteSpec, overlay: tuple[OverlayFile, ...], environment: Environment, base_tree: str) -> str:
        """Names all that a verdict depends on besides the tree and the suite's name."""
        facts = [
            *(_FORMAT, base_tree, self._sandbox.name, environment.digest, spec.timeout_seconds),
            *(spec.command, spec.expected, self._instance.protected, self._instance.environment.source_roots),
            [(path, hashlib.sha256(content).hexdigest(), program) for path, content, program in overlay],
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def _run(self, spec: SuiteSpec, graded: GradedTree, environment: Environment, held_out: Mapping[str, bytes]) -> _Run:
        runner = runner_of(spec.command)
        if runner.interpreter != environment.interpreter:
            raise SetupError(f"{self._instance.id}: {runner.name} needs the interpreter {runner.interpreter}")
        folder = scratch_folder("grading")
        try:
            self._store.checkout(graded.tree, folder)
            files = runner.test_files(spec.command[1:], self._store.paths(graded.tree))
            tests = {path: (folder / path).read_bytes() for path in files if is_plain(folder, path)}
            planted = plant(runner, folder, runner.arguments(spec.command[1:], files), files, spec.expected)
            secret = secrets.token_bytes(_SECRET_BYTES)
            result = self._run_tests(runner, folder, environment, planted.arguments, (spec.timeout_seconds, secret))
            report, whole = own_lines(result.stdout, secret)
            judgement = _weighed(result, (report, whole), spec, planted.ids)
            if judgement.passed and not _intact(folder, {**held_out, **tests, **planted.files}):
                judgement = replace(judgement, reason="the tests were changed while they ran")
        finally:
            remove_tree(folder)
        return _Run(result, report, judgement, planted.ids, spec.expected)

    def _run_tests(
        self,
        runner: Runner,
        folder: Path,
        environment: Environment,
        arguments: tuple[str, ...],
        limits: tuple[float, bytes],
    ) -> ExecResult:
        """Run a suite for so many seconds at most; the secret is for the runner's eyes, before any test's."""
        timeout, secret = limits
        mounts = (*environment.mounts, Mount(RUNNER_FILES, FILES_TARGET))
        # Where what is mounted for the tests is not mounted, the packages are found by this.
        packages = next((str(mount.source) for mount in environment.mounts if mount.target == PACKAGES_TARGET), None)
        variables = {**runner.variables, **({"NODE_PATH": packages} if packages and not self._sandbox.isolated else {})}
        owner = f"{self._instance.id} grading"
        sandbox = self._sandbox.open(SandboxSpec(folder, mounts, variables, owner=owner, image=environment.image))
        try:
            roots = self._instance.environment.source_roots
            files = sandbox.path_inside(FILES_TARGET)
            argv = runner.argv(str(environment.executable), files, roots, sandbox.workspace, arguments)
            return sandbox.run(argv, timeout=timeout, stdin=secret, output_limit=REPORT_LIMIT)
        finally:
            sandbox.close()

    def _file(self, verdict: SuiteVerdict, key: str, run: _Run) -> SuiteVerdict:
        """Keep a verdict with its evidence: written beside and renamed, so that what is in place is whole."""
        final = self._evidence / verdict.evidence
        facts = {"key": key, "sentinels": sorted(run.sentinels), "verdict": asdict(verdict)}
        try:
            self._evidence.mkdir(parents=True, exist_ok=True)
            beside = Path(tempfile.mkdtemp(prefix=".grading-", dir=self._evidence))
            try:
                (beside / "junit.xml").write_bytes(run.report)
                (beside / "output.txt").write_bytes(_cut(run.result.stderr))
                (beside / "verdict.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
                beside.chmod(0o755)
                stored = _stored(final, key)
                if stored is not None:
                    return stored  # another process was quicker; there is one verdict only
                remove_tree(final)
                beside.rename(final)
            finally:
                remove_tree(beside)
        except OSError as error:
            stored = _stored(final, key)
            if stored is not None:
                return stored
            raise SandboxError(f"cannot keep a verdict: {error.strerror} ({error.filename})") from error
        return verdict


def _weighed(result: ExecResult, written: tuple[bytes, bool], spec: SuiteSpec, sentinels: frozenset[str]) -> Judgement:
    """What the run proves, by the lines that the runner wrote, and whether nobody else wrote any.

    Raises:
        SandboxError: the runner never began its report: nothing of the tree had been run until then.
    """
    own, whole = written
    if not own:
        said = result.stderr.decode(errors="replace").strip().splitlines()
        raise SandboxError(f"the test runner did not start: {said[-1] if said else 'it said nothing'}")
    if result.timed_out:
        when = f"because {result.over}" if result.over else f"after {spec.timeout_seconds:g} s"
        return Judgement(f"the tests were ended {when}", {}, spec.expected)
    if len(result.stdout) >= REPORT_LIMIT:
        return Judgement(f"unreadable report: it is over {REPORT_LIMIT >> 20} MB", {}, spec.expected)
    if not whole:
        return Judgement("forged report: another than the runner wrote into it", {}, spec.expected)
    try:
        report = parse_report(own)
    except UnreadableReportError as error:
        return Judgement(f"unreadable report: {error}", {}, spec.expected)
    return judge(report, result.returncode, spec.expected, sentinels)


def _intact(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether the files of a tree still are what was written there."""
    return all(is_plain(folder, path) and (folder / path).read_bytes() == content for path, content in files.items())


def _stored(folder: Path, key: str) -> SuiteVerdict | None:
    """The verdict that a folder keeps, if it is whole and was reached under the same conditions."""
    try:
        data: Any = json.loads((folder / "verdict.json").read_bytes())
        fields = data["verdict"]
        if data["key"] != key:
            return None
        statuses = {name: Status(status) for name, status in fields["statuses"].items()}
        lists = {name: tuple(fields[name]) for name in ("missing", "control_files")}
        return SuiteVerdict(**{**fields, **lists, "statuses": statuses})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # not there, or only half of it: it is graded again


def _cut(output: bytes) -> bytes:
    if len(output) <= _OUTPUT_KEPT:
        return output
    half = _OUTPUT_KEPT // 2
    return output[:half] + b"\n[... %d bytes left out ...]\n" % (len(output) - 2 * half) + output[-half:]


class _Lock:
    """A lock that can be referenced weakly."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _lock_of(name: str) -> _Lock:
    with _locks_lock:
        return _locks.setdefault(name, _Lock())
