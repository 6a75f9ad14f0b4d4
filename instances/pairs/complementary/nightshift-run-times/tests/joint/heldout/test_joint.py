# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Runs that are timed here, reported there: both have to mean the same by ``took``."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from nightshift import History, Job, JobBook, ManualClock, Runner, Status, report
from nightshift.actions import Actions
from nightshift.cli import main
from nightshift.importer import import_file
from nightshift.retention import prune

START = datetime(2026, 3, 2, 1, 0, tzinfo=timezone.utc)


@pytest.fixture
def clock():
    return ManualClock(START)


def perform(clock, history, lengths, budget=None, name="a"):
    """Run a job once for each length in seconds, a minute apart, and return the book."""
    actions = Actions()
    book = JobBook([Job(name, "work", 60, budget=budget)])
    for length in lengths:
        actions.add("work", lambda context, length=length: context.clock.sleep(length))
        Runner(book, history, actions, clock).run(book.get(name))
        clock.sleep(60)
    return book


def sent(tmp_path, history, *took, job="a", host="store7", ago=30):
    """Import records such as an agent sends them."""
    path = tmp_path / "agent.jsonl"
    lines = [
        {"job": job, "started": (START - timedelta(days=ago, minutes=-place)).isoformat(), "status": "ok", "took": value}
        for place, value in enumerate(took)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert import_file(history, path, host) == len(took)


@pytest.mark.parametrize("lengths", [[1], [0.25], [2, 4], [0.5, 90, 3600], [0, 0.125, 7.5, 12, 86400]])
def test_own_runs_in_the_report(clock, lengths):
    history = History()
    book = perform(clock, history, lengths)
    found = report.timings(history, book)
    assert list(found) == ["a"]
    assert found["a"].runs == len(lengths)
    assert found["a"].average == pytest.approx(sum(lengths) / len(lengths), abs=0.001)
    assert found["a"].worst == pytest.approx(max(lengths), abs=0.001)
    assert found["a"].over == 0


@pytest.mark.parametrize(("budget", "over"), [(0.1, 5), (0.5, 4), (1.0, 3), (60.0, 1), (61.0, 0), (1000.0, 0)])
def test_own_runs_over_budget(clock, budget, over):
    history = History()
    book = perform(clock, history, [0.25, 0.75, 1.5, 2, 60.5], budget)
    assert report.timings(history, book)["a"].over == over


def test_attempts_count_and_waits_do_not(clock):
    jobs = [
        Job("good", "flaky", 60, {"seconds": 4, "succeeds": 3}, retries=2, retry_wait=100, budget=11.0),
        Job("bad", "flaky", 60, {"seconds": 4, "succeeds": 9}, retries=1, retry_wait=100, budget=11.0),
        Job("skipped", "wait", 60, {"seconds": 1}, after=("bad",), budget=11.0),
    ]
    book, history = JobBook(jobs), History()
    records = Runner(book, history, clock=clock).run_due()
    assert [record.status for record in records] == [Status.OK, Status.FAILED, Status.SKIPPED]
    found = report.timings(history, book)
    assert list(found) == ["bad", "good"]
    assert found["good"].worst == pytest.approx(12, abs=0.001)
    assert found["bad"].worst == pytest.approx(8, abs=0.001)
    assert (found["good"].over, found["bad"].over) == (1, 0)


def test_own_runs_beside_those_of_other_machines(tmp_path, clock):
    history = History()
    sent(tmp_path, history, 500, 3000, 9000)
    book = perform(clock, history, [1.5, 6], budget=5.0)
    found = report.timings(history, book)["a"]
    assert (found.runs, found.over) == (5, 2)
    assert found.average == pytest.approx(4, abs=0.001)
    assert found.worst == pytest.approx(9, abs=0.001)


def test_slowest_of_all_machines(tmp_path, clock):
    history = History()
    sent(tmp_path, history, 500, 3000, 9000)
    perform(clock, history, [1.5, 6, 20])
    assert [record.host for record in history.slowest(count=6)] == ["local", "store7", "local", "store7", "local", "store7"]


@pytest.mark.parametrize(("took", "stays"), [(5000, False), (50000, True)])
def test_report_after_pruning(tmp_path, clock, took, stays):
    history = History(tmp_path / "history.jsonl")
    sent(tmp_path, history, took)
    book = perform(clock, history, [20, 1], budget=30.0)
    clock.sleep(10 * 86400)
    perform(clock, history, [2], budget=30.0)
    removed = prune(history, 86400, clock.now())
    assert len(removed) == 2
    found = report.timings(History(history.path), book)["a"]
    assert found.runs == 2
    assert found.worst == pytest.approx(50 if stays else 20, abs=0.001)
    assert found.over == (1 if stays else 0)


def test_what_the_display_reads(tmp_path, clock):
    history = History(tmp_path / "history.jsonl")
    perform(clock, history, [2.5, 0.25, 90])
    lines = [json.loads(line) for line in history.path.read_text().splitlines()]
    assert [line["took"] for line in lines] == pytest.approx([2500, 250, 90000], abs=1)


def test_command_line(tmp_path, clock, capsys):
    jobs = [
        {"name": "export", "action": "wait", "options": {"seconds": 12.5}, "every": "1h", "budget": "15s"},
        {"name": "check", "action": "wait", "options": {"seconds": 0.5}, "every": "1h"},
        {
            "name": "load",
            "action": "flaky",
            "options": {"seconds": 8, "succeeds": 2},
            "every": "1h",
            "retries": 1,
            "retry_wait": "5m",
            "budget": "15s",
        },
    ]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))

    def call(*words):
        files = ["--jobs", str(tmp_path / "jobs.json"), "--history", str(tmp_path / "history.jsonl")]
        code = main([*files, *words], clock=clock)
        return code, capsys.readouterr().out.splitlines()

    assert call("run", "export", "check")[0] == 0
    assert call("report", "--times") == (
        0,
        ["check: 1 run, average 0.5 s, worst 0.5 s", "export: 1 run, average 12.5 s, worst 12.5 s, 0 over budget"],
    )
    assert call("run", "load")[0] == 0
    record = {"job": "export", "started": "2026-01-05T01:00:00+00:00", "status": "ok", "took": 20100}
    (tmp_path / "agent.jsonl").write_text(json.dumps(record) + "\n")
    assert call("import", str(tmp_path / "agent.jsonl"), "--host", "store7") == (0, ["imported 1"])
    lines = [
        "check: 1 run, average 0.5 s, worst 0.5 s",
        "export: 2 runs, average 16.3 s, worst 20.1 s, 1 over budget",
        "load: 1 run, average 16.0 s, worst 16.0 s, 1 over budget",
    ]
    assert call("report", "--times") == (3, lines)
    assert call("prune", "--keep", "1d") == (0, ["removed 0 of 4"])
    assert [line.split()[2] for line in call("history", "--slowest", "3")[1]] == ["export@store7", "load", "export"]
    assert call("report", "--times") == (3, lines)
    assert call("report", "--times", "--since", "2026-03-01")[1][1].startswith("export: 1 run, average 12.5 s")
