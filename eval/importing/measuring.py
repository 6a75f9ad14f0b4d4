"""A task's sides, measured: each reference applied, its tests laid over base and reference, and run."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from eval.grade import Grader, SuiteVerdict
from eval.junit import Status
from eval.runners import RUNNERS
from instances.dataset import CANARY
from instances.importers.patches import Section, is_test_file, joined, sections
from instances.importers.raw import RawPair, RawSide, RawTask, TestFiles
from instances.importers.rejects import Code, RejectedError
from instances.model import EnvironmentSpec, Family, Instance, SuiteSpec
from reconcilers.base import Edit
from sandboxes.base import SandboxFactory
from sandboxes.gitstore import GitStore

MOST_SECONDS = 600.0
_LEAST_SECONDS = 60.0
_FACTOR = 10
_RUNNERS = {"python": "pytest", "node": "node-test", "go": "go-test"}
_NAMED = 3


@dataclass(frozen=True)
class Suite:
    """Tests, and which of them pass where."""

    overlay: TestFiles
    command: tuple[str, ...]
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    timeout_seconds: float

    @property
    def expected(self) -> frozenset[str]:
        return frozenset(self.fail_to_pass + self.pass_to_pass)


@dataclass(frozen=True)
class Side:
    """A side whose reference was found to do what its tests ask."""

    key: str
    raw: RawSide
    tree: str
    suite: Suite
    notes: tuple[str, ...]


class TaskBench:
    """One task's base, environment and grader; each side is measured once.

    Args:
        task: what was read.
        base: the base's files.
        environment: what the tests need.
        sandboxes: where they run.
        work: a folder for its store and evidence.
    """

    def __init__(self, task: RawTask, base: Path, environment: EnvironmentSpec, sandboxes: SandboxFactory, work: Path) -> None:
        self.task = task
        self.store = GitStore(work / "store")
        self.base = self.store.import_directory(base)
        self.environment = environment
        self._work = work
        self._suites: dict[str, SuiteSpec] = {}
        self._numbers: dict[str, str] = {}
        self._lock = Lock()  # over both
        self._instance = Instance(
            folder=work,
            id="import",
            family=Family.CONTRADICTORY,
            title="",
            canary=CANARY,
            language=task.base.language,
            conflict_kind="",
            principals={},
            base=None,  # type: ignore[arg-type]  # a grader does not ask for it
            environment=environment,
            tests=self._suites,
            protected=(),
            divergent_side=None,
        )
        self._graders = [Grader(self.store, self._instance, sandboxes, work / "evidence" / str(number)) for number in (1, 2)]
        self._sides: dict[str, Side | RejectedError] = {}
        self.trees: dict[str, str] = {}  # by side, as soon as its reference has applied

    def side(self, key: str) -> Side:
        """A side's measures.

        Raises:
            RejectedError: its reference or its tests are not what they are said to be.
            SandboxError, SetupError: the machine, or the environment, broke.
        """
        if key not in self._sides:
            try:
                self._sides[key] = self._measured(key, self.task.sides[key])
            except RejectedError as error:
                self._sides[key] = error
        found = self._sides[key]
        if isinstance(found, RejectedError):
            raise found
        return found

    def edit(self, key: str, lane: str) -> Edit:
        tree = self.trees[key]
        return Edit(lane, tree, self.store.patch(self.base, tree))

    def verdict(self, tree: str, name: str, overlay: TestFiles, command: tuple[str, ...], *, again: bool = False) -> SuiteVerdict:
        """A suite run on a tree; `again` runs it anew."""
        with self._lock:
            number = self._numbers.setdefault(name, f"suite-{len(self._numbers)}")  # a name may hold what a file's cannot
            if number not in self._suites:
                self._suites[number] = SuiteSpec(number, self._lay_out(number, overlay), command, (), (), MOST_SECONDS)
        return self._graders[again].grade(tree, number, self.base)

    def passes(self, tree: str, name: str, suite: Suite) -> bool:
        """Whether every test that a suite expects passes on a tree."""
        return suite.expected <= passed(self.verdict(tree, name, suite.overlay, suite.command))

    def files_of(self, tests: bytes | TestFiles, what: str, reference: str) -> TestFiles:
        """The files of tests, whole: a patch is applied to the base, or to the reference where it needs that.

        Raises:
            RejectedError: it applies to neither, or takes files away.
        """
        if not isinstance(tests, bytes):
            return tests
        patch = joined(sections(tests, what))
        tree, message = reference, ""
        for under in (self.base, reference):
            applied = self.store.apply(under, patch)
            if applied.tree is not None:
                tree = under
                break
            message = message or applied.message
        if applied.tree is None:
            raise RejectedError(Code.TESTS_DO_NOT_APPLY, f"{what}: {message.splitlines()[0] if message else 'git refuses it'}")
        changed = self.store.changed_paths(tree, applied.tree)
        contents = {path: self.store.read_file(applied.tree, path) for path in changed}
        gone = [path for path, content in contents.items() if content is None]
        if gone:
            raise RejectedError(Code.TESTS_DO_NOT_APPLY, f"{what} deletes {gone[0]}, which laying files over a tree cannot")
        return {path: content for path, content in contents.items() if content is not None}

    def command_for(self, wanted: tuple[str, ...], files: TestFiles, what: str) -> tuple[str, ...]:
        """The command that runs the tests; where it names no files, of the tests' own.

        Raises:
            RejectedError: a file of tests is not run by it.
        """
        name = wanted[0] if wanted else _RUNNERS[self.task.base.interpreter]
        runner = RUNNERS[name]
        own = [path for path in sorted(files) if runner.test_files(["."], [path])]
        if len(wanted) > 1:
            left_out = [path for path in own if path not in runner.test_files(wanted[1:], [path])]
            if left_out:
                raise RejectedError(Code.TESTS_NOT_RUN, f"{what}: {left_out[0]} is not among what `{' '.join(wanted)}` runs")
            return wanted
        if not own:
            raise RejectedError(Code.TESTS_NOT_RUN, f"{what} holds no file that {name} takes for tests")
        return (name, *own)

    def suite(self, name: str, files: TestFiles, command: tuple[str, ...], reference: str) -> tuple[Suite, tuple[str, ...]]:
        """Which of a suite's tests fail on the base and pass on a reference, run twice; and what is worth a note.

        Raises:
            RejectedError: no test ran, or one fails on the reference that did not fail without the tests' change.
        """
        first = self.verdict(reference, name, files, command)
        second = self.verdict(reference, name, files, command, again=True)
        before = self.verdict(self.base, name, files, command)
        there = self._present(command)
        plain = self.verdict(self.base, _own(there), {}, there) if there else None
        untouched: Mapping[str, Status] = plain.statuses if plain else {}
        good = passed(first) & passed(second)
        notes = []
        if unstable := sorted((passed(first) | passed(second)) - good):
            notes.append(f"left out as unstable, for two runs differ: {_few(unstable)}")
        bad = [one for one, status in first.statuses.items() if status in _BAD and second.statuses.get(one) in _BAD]
        regressed = sorted(set(bad) & passed(before))
        if regressed:
            raise RejectedError(
                Code.REGRESSING_REFERENCE, f"{name}: passes on the base and not on the reference: {_few(regressed)}"
            )
        own_fault = sorted(one for one in bad if untouched.get(one) not in _BAD)
        if own_fault:
            raise RejectedError(Code.REFERENCE_FAILS, f"{name}: {_few(own_fault)}")
        if not good:
            ran = "no test was run" if not first.statuses else "every test was skipped or failed"
            code = Code.FLAKY if unstable else Code.TESTS_NOT_RUN
            raise RejectedError(code, f"{name}: {ran} on its own reference ({first.reason})")
        if bad:
            notes.append(f"left out, for they fail here without any change too: {_few(sorted(bad))}")
        new = sorted(good - passed(before))
        if not new:
            raise RejectedError(Code.VACUOUS, f"{name}: all its tests pass on the untouched base")
        if unloaded := [one for one in new if untouched.get(one) is Status.PASSED and one not in before.statuses]:
            notes.append(f"{len(unloaded)} of the tests that fail on the base do so because their file does not load there")
        seconds = min(MOST_SECONDS, max(_LEAST_SECONDS, _FACTOR * first.duration_seconds))
        return Suite(files, command, tuple(new), tuple(sorted(good & passed(before))), round(seconds)), tuple(notes)

    def kept_tests(self, pair: RawPair, sides: Sequence[Side], joint: str) -> Suite | None:
        """The base's own tests that pass on it, on each reference and on the joint one; `None` where there are none."""
        paths = pair.base_tests or tuple(dict.fromkeys(path for side in sides for path in side.suite.command[1:]))
        command = self._present((sides[0].suite.command[0], *paths))
        if not command:
            return None
        trees = (self.base, *(side.tree for side in sides), joint)
        verdicts = [self.verdict(tree, _own(command), {}, command) for tree in trees]
        kept = frozenset.intersection(*map(passed, verdicts))
        seconds = max(verdict.duration_seconds for verdict in verdicts)
        timeout = round(min(MOST_SECONDS, max(_LEAST_SECONDS, _FACTOR * seconds)))
        return Suite({}, command, (), tuple(sorted(kept)), timeout) if kept else None

    def _present(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """The command with what the base has of its files; empty where it has none."""
        there = [one for one in command[1:] if RUNNERS[command[0]].test_files([one], self.store.paths(self.base))]
        return (command[0], *there) if there else ()

    def _measured(self, key: str, raw: RawSide) -> Side:
        notes: list[str] = []
        tree = self.reference(raw.reference, f"{raw.name}'s reference", notes)
        self.trees[key] = tree
        files = self.files_of(raw.tests, f"{raw.name}'s tests", tree)
        both = sorted(set(files) & set(self.store.changed_paths(self.base, tree)))
        if both:
            raise RejectedError(Code.TESTS_IN_REFERENCE, f"{raw.name}: its tests would overwrite its own change to {both[0]}")
        command = self.command_for(raw.command, files, f"{raw.name}'s tests")
        suite, more = self.suite(raw.name, files, command, tree)
        return Side(key, raw, tree, suite, (*notes, *more))

    def reference(self, patch: bytes, what: str, notes: list[str]) -> str:
        """The tree with a reference applied, without what it does to tests.

        Raises:
            RejectedError: see `applied`.
        """
        parts = sections(patch, what)
        kept = [part for part in parts if not all(map(is_test_file, part.paths))]
        if len(kept) < len(parts):
            left = [part.paths[-1] for part in parts if part not in kept]
            notes.append(f"{Code.TESTS_IN_REFERENCE}: left out of {what}: {_few(left)}")
        if not kept:
            raise RejectedError(Code.PATCH_EMPTY, f"{what} changes nothing but tests")
        return self.applied(kept, what)

    def applied(self, parts: Sequence[Section], what: str) -> str:
        """The tree with a reference's sections applied, strictly.

        Raises:
            RejectedError: they do not apply, or change nothing.
        """
        applied = self.store.apply(self.base, joined(parts))
        if applied.tree is None:
            raise RejectedError(Code.REFERENCE_DOES_NOT_APPLY, f"{what}: {applied.message.splitlines()[0]}")
        if applied.tree == self.base:
            raise RejectedError(Code.PATCH_EMPTY, f"{what} changes nothing")
        return applied.tree

    def _lay_out(self, name: str, files: TestFiles) -> Path | None:
        if not files:
            return None
        folder = self._work / "overlays" / name
        write_files(folder, files)
        return folder


def write_files(folder: Path, files: TestFiles) -> None:
    """Write files below a folder of ours; their paths come from a tree, or were checked."""
    for path, content in files.items():
        target = folder / os.fsdecode(os.fsencode(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def passed(verdict: SuiteVerdict) -> frozenset[str]:
    return frozenset(one for one, status in verdict.statuses.items() if status is Status.PASSED)


def _own(command: tuple[str, ...]) -> str:
    """What the base's own tests of a command are called."""
    return f"the base's own {' '.join(command)}"


_BAD = (Status.FAILED, Status.ERROR)


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
