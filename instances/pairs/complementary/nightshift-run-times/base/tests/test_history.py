import json
from datetime import timedelta

import pytest

from nightshift import History, RunRecord, Status
from nightshift.errors import HistoryError
from nightshift.history import format_record
from nightshift.importer import import_file
from nightshift.report import failing, format_tallies, tallies
from nightshift.retention import prune


@pytest.fixture
def record(clock):
    def record(job="a", status=Status.OK, ago=0, **more):
        return RunRecord(job, clock.now() - timedelta(days=ago), status, **more)

    return record


def test_round_trip(tmp_path, record):
    history = History(tmp_path / "history.jsonl")
    history.append(record(attempts=2, message="späte Hilfe"))
    history.append(record("b", Status.FAILED).on("store7"))
    assert list(History(history.path)) == list(history)


def test_unknown_keys_are_left_out_and_bad_lines_refused(tmp_path, record):
    path = tmp_path / "history.jsonl"
    path.write_text(json.dumps({**record().to_json(), "colour": "red"}) + "\n\n")
    assert list(History(path)) == [record()]
    for text in ("nonsense\n", "{}\n"):
        path.write_text(text)
        with pytest.raises(HistoryError):
            History(path)


def test_last(record):
    history = History()
    assert history.last("a") is None
    for ago in (3, 1, 2):
        history.append(record(ago=ago))
    assert history.last("a") == record(ago=1)


def test_format(record):
    assert format_record(record()) == "2026-03-02 01:00:00  a  ok  1 attempt"
    assert format_record(record(attempts=2, message="late").on("store7")) == (
        "2026-03-02 01:00:00  a@store7  ok  2 attempts  # late"
    )


def test_prune(tmp_path, record, clock):
    history = History(tmp_path / "history.jsonl")
    for ago in (40, 31, 30, 1):
        history.append(record(ago=ago))
    removed = prune(history, 30 * 86400, clock.now())
    assert removed == [record(ago=40), record(ago=31)]
    assert list(History(history.path)) == [record(ago=30), record(ago=1)]


def test_prune_keeps_the_last_and_the_last_good_run(record, clock):
    history = History()
    history.append(record(ago=90))
    history.append(record(ago=80))
    history.append(record(status=Status.FAILED, ago=70))
    history.append(record("b", ago=60))
    assert prune(history, 86400, clock.now()) == [record(ago=90)]


def test_import(tmp_path, record):
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(json.dumps(record(ago=ago).to_json()) + "\n" for ago in (2, 1, 2)))
    history = History()
    assert import_file(history, path, "store7") == 2
    assert import_file(history, path, "store7") == 0
    assert import_file(history, path, "store8") == 2
    assert [found.host for found in history] == ["store7", "store7", "store8", "store8"]
    with pytest.raises(HistoryError):
        import_file(history, tmp_path / "none.jsonl", "store7")
    with pytest.raises(HistoryError):
        import_file(history, path, "local")


def test_tallies(record):
    records = [
        record("b", attempts=3),
        record("a", Status.FAILED, ago=2),
        record("a", ago=1),
        record("a", Status.SKIPPED, attempts=0),
    ]
    assert format_tallies(tallies(records)) == ["a: 3 runs, 50% good, 1 skipped", "b: 1 run, 100% good, 1 retried"]
    since = record(ago=1).started
    assert format_tallies(tallies(records, since)) == ["a: 2 runs, 100% good, 1 skipped", "b: 1 run, 100% good, 1 retried"]


def test_failing(record):
    records = [record("a", Status.FAILED, ago=1), record("a", ago=2), record("b", ago=1), record("b", Status.FAILED, ago=2)]
    assert failing(records) == ["a"]
