import json
from datetime import datetime

import pytest

from nightshift import Job, JobBook, JobFileError, UnknownJob, durations
from nightshift.windows import Window

EXPORT = {"name": "export", "action": "write", "every": "1h"}


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("1h30m", 5400), ("30d", 2592000), ("0.5s", 0.5)]
)
def test_durations(text, seconds):
    assert durations.parse(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "m5", "1h 5", "-3s"])
def test_no_durations(text):
    with pytest.raises(JobFileError):
        durations.parse(text)


def test_durations_are_written():
    assert [durations.write(value) for value in (0, 90, 5400, 86400, 0.5)] == ["0s", "1m30s", "1h30m", "1d", "0.5s"]


def test_window():
    night, day = Window.parse("22:00-06:00"), Window.parse("08:00-17:00")
    assert datetime(2026, 3, 2, 23) in night
    assert datetime(2026, 3, 2, 5, 59) in night
    assert datetime(2026, 3, 2, 6) not in night
    assert datetime(2026, 3, 2, 8) in day
    with pytest.raises(JobFileError):
        Window.parse("22:00")


def test_job_from_json():
    job = Job.from_json({**EXPORT, "retries": 2, "retry_wait": "30s", "after": ["x"], "window": "22:00-06:00"})
    assert (job.every, job.retries, job.retry_wait, job.after) == (3600, 2, 30, ("x",))
    assert str(job.window) == "22:00-06:00"


@pytest.mark.parametrize("change", [{"colour": "red"}, {"every": "0s"}, {"every": "soon"}, {"retries": -1}, {"name": ""}])
def test_bad_jobs(change):
    with pytest.raises(JobFileError):
        Job.from_json({**EXPORT, **change})


def test_order_and_names():
    book = JobBook([Job("b", "x", 60, after=("a",)), Job("a", "x", 60)])
    assert [job.name for job in book] == ["a", "b"]
    with pytest.raises(UnknownJob):
        book.get("c")


@pytest.mark.parametrize(
    "jobs",
    [
        [Job("a", "x", 60), Job("a", "x", 60)],
        [Job("a", "x", 60, after=("b",))],
        [Job("a", "x", 60, after=("b",)), Job("b", "x", 60, after=("a",))],
    ],
)
def test_bad_books(jobs):
    with pytest.raises(JobFileError):
        JobBook(jobs)


def test_load(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({"jobs": [EXPORT]}))
    assert JobBook.load(path).get("export").action == "write"
    path.write_text("[]")
    with pytest.raises(JobFileError):
        JobBook.load(path)
