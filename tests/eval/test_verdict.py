"""Weighing a report: only one shape of it is a pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.junit import Case, Report, Status
from eval.verdict import judge

EXPECTED = ("t.py::a", "t.py::b")
PLANTED = ("t.py::x", "u.py::y")


def report(statuses: dict[str, Status], exit_status: int | None = 1) -> Report:
    return Report(tuple(Case(name, status, "") for name, status in statuses.items()), exit_status)


HONEST = {**dict.fromkeys(EXPECTED, Status.PASSED), **dict.fromkeys(PLANTED, Status.FAILED)}


def test_the_one_shape_that_passes() -> None:
    judgement = judge(report(HONEST), 1, EXPECTED, PLANTED)
    assert judgement.passed
    assert judgement.statuses == dict.fromkeys(EXPECTED, Status.PASSED)


@given(st.dictionaries(st.sampled_from((*EXPECTED, *PLANTED, "t.py::other")), st.sampled_from(list(Status))))
def test_no_other_set_of_statuses_passes(statuses: dict[str, Status]) -> None:
    judgement = judge(report(statuses), 1, EXPECTED, PLANTED)
    right = all(statuses.get(name) == Status.PASSED for name in EXPECTED)
    told = all(statuses.get(name) in (Status.FAILED, Status.ERROR) for name in PLANTED)
    assert judgement.passed == (right and told)
    assert not set(judgement.statuses) & set(PLANTED)
    assert set(judgement.missing) == set(EXPECTED) - set(statuses)


@pytest.mark.parametrize(("returncode", "exit_status"), [(0, 1), (0, 0), (1, 0), (2, 2), (137, None), (None, None), (-9, 1)])
def test_an_end_that_does_not_fit(returncode: int | None, exit_status: int | None) -> None:
    assert judge(report(HONEST, exit_status), returncode, EXPECTED, PLANTED).reason.startswith("forged report")


def test_a_runner_that_writes_no_status() -> None:
    assert judge(report(HONEST, None), 1, EXPECTED, PLANTED).passed


@pytest.mark.parametrize("status", [Status.PASSED, Status.SKIPPED, Status.XFAILED, Status.DUPLICATE])
def test_a_planted_test_that_is_no_failure_is_called_a_forgery(status: Status) -> None:
    forged = {**HONEST, PLANTED[0]: status}
    assert judge(report(forged), 1, EXPECTED, PLANTED).reason.startswith("forged report")


def test_planted_tests_that_are_not_reported() -> None:
    left = {name: Status.PASSED for name in EXPECTED}
    assert judge(report(left), 1, EXPECTED, PLANTED).reason == "forged report: tests that must fail were not reported"
    # Where the tests' own file could not be loaded, that is the reason.
    assert "missing" in judge(report({}), 1, EXPECTED, PLANTED).reason


def test_a_test_reported_twice() -> None:
    cases = (*report(HONEST).cases, Case(EXPECTED[0], Status.PASSED, ""))
    assert judge(Report(cases, 1), 1, EXPECTED, PLANTED).reason == f"1 of 2 tests did not pass: {EXPECTED[0]} duplicate"


def test_long_lists_are_cut() -> None:
    many = tuple(f"t.py::{number}" for number in range(100))
    assert judge(report({}), 1, many, ()).reason.endswith("t.py::4 missing and 95 more")


def test_nothing_expected_proves_nothing() -> None:
    assert not judge(report(dict.fromkeys(PLANTED, Status.FAILED)), 1, (), PLANTED).passed


def test_a_planted_test_that_became_several() -> None:
    several = {**HONEST, f"{PLANTED[0]}[1-a[0]]": Status.FAILED, f"{PLANTED[0]}[2]": Status.ERROR}
    del several[PLANTED[0]]
    judgement = judge(report(several), 1, EXPECTED, PLANTED)
    assert judgement.passed
    assert set(judgement.statuses) == set(EXPECTED)
    untrue = {**several, f"{PLANTED[0]}[2]": Status.PASSED}
    assert judge(report(untrue), 1, EXPECTED, PLANTED).reason.startswith("forged report")


def test_a_file_that_failed_as_a_whole() -> None:
    assert "failed as a whole" in judge(report({**HONEST, "t.py": Status.FAILED}), 1, EXPECTED, PLANTED).reason
    assert judge(report({**HONEST, "other.py": Status.ERROR}), 1, EXPECTED, PLANTED).passed


def test_a_runner_that_was_changed() -> None:
    changed = Report(report(HONEST).cases, 1, "_pytest.runner.pytest_runtest_call")
    assert judge(changed, 1, EXPECTED, PLANTED).reason.endswith("(_pytest.runner.pytest_runtest_call)")
