# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What the head of the service desk asked for."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from nightshift import History, Job, JobBook, JobFileError, ManualClock, RunRecord, Status, report
from nightshift.cli import main

START = datetime(2026, 3, 2, 1, 0, tzinfo=timezone.utc)
EXPORT = {"name": "export", "action": "write", "every": "1h"}


def record(job="a", took=None, ago=0, status=Status.OK, **more):
    return RunRecord(job, START - timedelta(days=ago), status, took=took, **more)


def book(**budgets):
    return JobBook([Job(name, "wait", 60, budget=budget) for name, budget in budgets.items()])


def test_budget_of_a_job():
    assert Job.from_json(EXPORT).budget is None
    assert Job("a", "wait", 60).budget is None
    for text, seconds in (("90s", 90), ("0.5s", 0.5), ("1h30m", 5400)):
        assert Job.from_json({**EXPORT, "budget": text}).budget == seconds


@pytest.mark.parametrize("text", ["0s", "0m", "soon"])
def test_bad_budgets(text):
    with pytest.raises(JobFileError):
        Job.from_json({**EXPORT, "budget": text})


def test_timings():
    records = [record(took=5000), record("b", took=250), record(took=20000), record(took=12500)]
    found = report.timings(records, book(b=1.0, a=15.0))
    assert list(found) == ["a", "b"]
    assert (found["a"].runs, found["a"].over) == (3, 1)
    assert found["a"].average == pytest.approx(12.5)
    assert found["a"].worst == pytest.approx(20)
    assert (found["b"].runs, found["b"].over) == (1, 0)
    assert found["b"].average == pytest.approx(0.25)
    assert found["b"].worst == pytest.approx(0.25)


@pytest.mark.parametrize(("took", "over"), [(1999, 0), (2000, 0), (2001, 1), (2000.5, 1), (0, 0)])
def test_the_budget_itself_is_not_over(took, over):
    assert report.timings([record(took=took)], book(a=2.0))["a"].over == over


def test_which_runs_count():
    records = [
        record(took=1000, status=Status.FAILED),
        record(took=3000, host="store7"),
        record(),
        record("b"),
        record("c", status=Status.SKIPPED, attempts=0),
    ]
    found = report.timings(records, book(a=2.0, b=2.0, c=2.0))
    assert list(found) == ["a"]
    assert (found["a"].runs, found["a"].over) == (2, 1)
    assert found["a"].average == pytest.approx(2)


def test_jobs_without_budget_or_book():
    found = report.timings([record(took=9e9), record("z", took=9e9)], book(a=None))
    assert [(name, timing.runs, timing.over) for name, timing in found.items()] == [("a", 1, 0), ("z", 1, 0)]


def test_since():
    records = [record(took=9000, ago=3), record(took=1000, ago=2), record(took=2000, ago=1), record("b", took=1, ago=3)]
    found = report.timings(records, book(a=5.0), START - timedelta(days=2))
    assert list(found) == ["a"]
    assert (found["a"].runs, found["a"].over) == (2, 0)
    assert found["a"].worst == pytest.approx(2)


def test_no_records():
    assert report.timings([], book(a=1.0)) == {}


@pytest.fixture
def call(tmp_path, capsys):
    jobs = [
        {**EXPORT, "budget": "15s"},
        {"name": "check", "action": "wait", "every": "2h", "window": "22:00-06:00"},
        {"name": "old", "action": "wait", "every": "1d", "budget": "1m30s", "enabled": False},
    ]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    lines = [
        record("export", took=5000, ago=9),
        record("export", took=20000, ago=8),
        record("export", took=12500, ago=7),
        record("check", took=340, ago=7),
        record("export", took=14900, ago=1),
        record("old", ago=1),
    ]
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(json.dumps(item.to_json()) + "\n" for item in lines))

    def call(*words):
        files = ["--jobs", str(tmp_path / "jobs.json"), "--history", str(tmp_path / "history.jsonl")]
        code = main([*files, *words], clock=ManualClock(START))
        return code, capsys.readouterr().out.splitlines()

    assert call("import", str(path), "--host", "store7") == (0, ["imported 6"])
    return call


def test_report_times(call):
    assert call("report", "--times") == (
        3,
        [
            "check: 1 run, average 0.3 s, worst 0.3 s",
            "export: 4 runs, average 13.1 s, worst 20.0 s, 1 over budget",
        ],
    )


def test_report_times_since(call):
    assert call("report", "--times", "--since", "2026-02-28") == (
        0,
        ["export: 1 run, average 14.9 s, worst 14.9 s, 0 over budget"],
    )
    assert call("report", "--times", "--since", "2026-03-09") == (0, [])


def test_usual_report_is_as_before(call):
    assert call("report", "--since", "2026-02-28") == (
        0,
        ["export: 1 run, 100% good", "old: 1 run, 100% good", "failing: none"],
    )


def test_list(call):
    assert call("list") == (
        0,
        [
            "export: write every 1h, budget 15s",
            "check: wait every 2h, 22:00-06:00",
            "old: wait every 1d, budget 1m30s (off)",
        ],
    )


def test_records_stay_as_they_are(call, tmp_path):
    found = [item.took for item in History(tmp_path / "history.jsonl")]
    assert found == [5000, 20000, 12500, 340, 14900, None]
