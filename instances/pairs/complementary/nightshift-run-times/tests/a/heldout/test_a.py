# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What the person who looks after the machine asked for."""

import json
from datetime import datetime, timedelta, timezone

import pytest

from nightshift import History, Job, JobBook, ManualClock, Runner, RunRecord, Status
from nightshift.cli import main
from nightshift.history import format_record
from nightshift.retention import prune

START = datetime(2026, 3, 2, 1, 0, tzinfo=timezone.utc)


@pytest.fixture
def clock():
    return ManualClock(START)


def working(name, seconds, **more):
    return Job(name, "wait", 60, {"seconds": seconds}, **more)


def run(clock, *jobs, history=None):
    history = History() if history is None else history
    runner = Runner(JobBook(list(jobs)), history, clock=clock)
    return [runner.run(job) for job in jobs]


def record(job="a", took=None, ago=0, status=Status.OK, **more):
    return RunRecord(job, START - timedelta(days=ago), status, took=took, **more)


def history_of(*records, path=None):
    history = History(path)
    for item in records:
        history.append(item)
    return history


def test_took_grows_with_the_time(clock):
    lengths = [0.25, 0.5, 1, 2, 30, 3600]
    took = [found.took for found in run(clock, *(working(f"j{place}", length) for place, length in enumerate(lengths)))]
    assert all(isinstance(value, (int, float)) and value > 0 for value in took)
    assert [value / took[2] for value in took] == pytest.approx(lengths, rel=0.01)


def test_no_time_passed(clock):
    assert run(clock, working("a", 0))[0].took == 0


@pytest.mark.parametrize("retries", [1, 2, 4])
def test_all_attempts_without_the_waits(clock, retries):
    options = {"seconds": 2, "succeeds": retries + 1}
    flaky = Job("a", "flaky", 60, options, retries=retries, retry_wait=50)
    again, plain = run(clock, flaky, working("b", 2))
    assert (again.status, again.attempts) == (Status.OK, retries + 1)
    assert again.took == pytest.approx(plain.took * (retries + 1), rel=0.01)


def test_failed_runs_have_it_too(clock):
    failing = Job("a", "flaky", 60, {"seconds": 3, "succeeds": 9}, retries=1, retry_wait=20)
    failed, plain = run(clock, failing, working("b", 3))
    assert failed.status is Status.FAILED
    assert failed.took == pytest.approx(plain.took * 2, rel=0.01)


def test_skipped_runs_have_none(clock):
    failing = Job("a", "flaky", 60, {"seconds": 3, "succeeds": 9})
    assert run(clock, failing, working("b", 3, after=("a",)))[1].took is None


def test_history_file(tmp_path, clock):
    history = History(tmp_path / "history.jsonl")
    written = run(clock, working("a", 0.25), working("b", 7), history=history)
    again = list(History(history.path))
    assert [found.took for found in again] == [found.took for found in written]
    assert all(found.took for found in again)


def test_old_file(tmp_path):
    path = tmp_path / "history.jsonl"
    line = {"job": "a", "started": START.isoformat(), "status": "ok", "attempts": 1}
    path.write_text(json.dumps(line) + "\n")
    history = History(path)
    assert [found.took for found in history] == [None]
    assert history.slowest() == []
    assert prune(history, 60, START + timedelta(days=1)) == []


def test_slowest():
    records = [
        record(took=5, ago=9),
        record(took=0.5, ago=8),
        record("b", took=7, ago=7),
        record(took=5, ago=6, status=Status.FAILED),
        record(ago=5),
        record("b", took=1, ago=4, host="store7"),
        record(took=0, ago=3),
    ]
    history = history_of(*records)
    assert history.slowest() == [records[2]]
    assert history.slowest(count=3) == [records[2], records[3], records[0]]
    assert history.slowest(count=99) == [records[2], records[3], records[0], records[5], records[1], records[6]]
    assert history.slowest("a") == [records[3]]
    assert history.slowest("b", count=2) == [records[2], records[5]]
    assert history.slowest("c") == []


def test_slowest_after_runs(clock):
    history = History()
    run(clock, working("a", 0.5), working("b", 4), working("c", 0.25), history=history)
    assert [found.job for found in history.slowest(count=3)] == ["b", "a", "c"]


def test_prune_keeps_a_run_that_took_no_time():
    records = [record(ago=95), record(took=0, ago=90), record(took=0, ago=80), record(ago=70), record(ago=1)]
    assert prune(history_of(*records), 10 * 86400, START) == [records[0], records[1], records[3]]


def test_prune_keeps_the_slowest(tmp_path):
    records = [
        record(took=50, ago=99),
        record(took=90, ago=80),
        record("b", took=8, ago=70),
        record(took=90, ago=60, status=Status.FAILED),
        record(took=80, ago=50),
        record("b", took=7, ago=40),
        record("b", ago=30),
        record(took=1, ago=20),
        record(took=2, ago=1),
    ]
    history = history_of(*records, path=tmp_path / "history.jsonl")
    removed = prune(history, 10 * 86400, START)
    assert removed == [records[place] for place in (0, 1, 4, 5, 7)]
    assert list(History(history.path)) == [records[place] for place in (2, 3, 6, 8)]
    assert prune(history, 10 * 86400, START) == []


def test_prune_without_times_is_as_before():
    records = [record(ago=30), record(ago=20, status=Status.FAILED), record(ago=10, status=Status.FAILED)]
    assert prune(history_of(*records), 60, START) == [records[1]]


def test_prune_looks_at_records_that_stay_anyway():
    records = [record(took=3, ago=30), record(took=9, ago=1)]
    assert prune(history_of(*records), 5 * 86400, START) == [records[0]]


def test_command_line(tmp_path, clock, capsys):
    jobs = [
        {"name": name, "action": "wait", "options": {"seconds": seconds}, "every": "1h"}
        for name, seconds in (("a", 3), ("b", 0.5), ("c", 20))
    ]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))

    def call(*words):
        files = ["--jobs", str(tmp_path / "jobs.json"), "--history", str(tmp_path / "history.jsonl")]
        assert main([*files, *words], clock=clock) == 0
        return capsys.readouterr().out.splitlines()

    call("run")
    call("run", "a")
    found = [format_record(item) for item in History(tmp_path / "history.jsonl")]
    assert call("history") == found
    assert call("history", "--slowest", "3") == [found[2], found[3], found[0]]
    assert call("history", "--slowest", "1", "--job", "a") == [found[3]]
    assert call("history", "--slowest", "9", "--job", "b") == [found[1]]
    clock.sleep(100 * 86400)
    call("run", "a", "c")
    call("prune", "--keep", "1d")
    assert [item.job for item in History(tmp_path / "history.jsonl")] == ["b", "a", "c"]
