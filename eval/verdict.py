"""What a report proves about one suite on one tree."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from eval.junit import Report, Status

_NAMED = 5


@dataclass(frozen=True)
class SuiteVerdict:
    """The verdict on one suite on one tree.

    Attributes:
        suite: the suite's name.
        tree: the tree that was graded, as it was handed in.
        passed: every expected test was reported exactly once, as passed, in a report that is credible.
        reason: why it is no pass, in words; `passed` when it is one.
        statuses: every reported test to its status, without the sentinels.
        missing: expected tests that were not reported.
        control_files: paths of the patch that were put back or taken away because they could sway the tests.
        environment_error: no expected test was reached at all, as when nothing can be imported. The verdict is
            `failed` all the same; on a reference it means that the environment is wrong.
        duration_seconds: how long the tests ran.
        evidence: the folder with the report and the output, relative to the grader's evidence folder.
    """

    suite: str
    tree: str
    passed: bool
    reason: str
    statuses: Mapping[str, Status]
    missing: tuple[str, ...]
    control_files: tuple[str, ...]
    environment_error: bool
    duration_seconds: float
    evidence: str


@dataclass(frozen=True)
class Judgement:
    """What `judge` found, before it is filed."""

    reason: str
    statuses: Mapping[str, Status]
    missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.reason == "passed"


def judge(report: Report, returncode: int | None, expected: Sequence[str], sentinels: Collection[str]) -> Judgement:
    """Weigh a whole report.

    Args:
        report: what was reported.
        returncode: the runner's exit status as the sandbox saw it.
        expected: the ids that must have passed.
        sentinels: the ids that must have failed.
    """
    statuses: dict[str, Status] = {}
    planted: dict[str, list[Status]] = {name: [] for name in sentinels}
    for name, status in report.statuses().items():
        # A fixture with parameters that all tests of a file use makes several of one sentinel.
        known = next((each for each in (name, _without_parameters(name)) if each in planted), None)
        if known is None:
            statuses[name] = status
        else:
            planted[known].append(status)
    missing = tuple(name for name in expected if name not in statuses)
    untrue = any(status not in (Status.FAILED, Status.ERROR) for found in planted.values() for status in found)
    unmet = [f"{name} {statuses.get(name, 'missing')}" for name in expected if statuses.get(name) != Status.PASSED]
    files = {name.partition("::")[0] for name in expected}
    broken = [name for name, status in statuses.items() if name in files and status in (Status.FAILED, Status.ERROR)]
    if untrue:
        reason = "forged report: tests that must fail were reported otherwise"
    elif unmet:
        more = f" and {len(unmet) - _NAMED} more" if len(unmet) > _NAMED else ""
        reason = f"{len(unmet)} of {len(expected)} tests did not pass: {', '.join(unmet[:_NAMED])}{more}"
    elif broken:
        reason = f"a test file failed as a whole, beside its tests: {broken[0]}"
    elif not all(planted.values()):
        reason = "forged report: tests that must fail were not reported"
    elif report.changed:
        reason = f"forged report: the runner was changed while it ran ({report.changed})"
    elif returncode != 1 or report.exit_status not in (None, returncode):
        # The sentinels fail in every run, so an honest runner ends with 1, and says so at the end of its report.
        reason = f"forged report: the runner ended with {returncode} although tests failed"
    elif not expected:
        reason = "no test is expected, so none proves anything"
    else:
        reason = "passed"
    return Judgement(reason, statuses, missing)


def _without_parameters(name: str) -> str:
    file, colons, test = name.partition("::")
    return f"{file}{colons}{test.partition('[')[0]}"
