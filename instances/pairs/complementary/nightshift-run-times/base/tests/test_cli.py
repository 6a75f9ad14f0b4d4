import json

import pytest

from nightshift.cli import main


@pytest.fixture
def run(tmp_path, capsys, clock):
    out = str(tmp_path / "out.csv")
    jobs = [
        {"name": "check", "action": "require", "options": {"file": out}, "every": "1h", "after": ["export"]},
        {"name": "export", "action": "write", "options": {"file": out}, "every": "1h30m", "window": "00:00-06:00"},
        {"name": "old", "action": "wait", "every": "1d", "enabled": False},
    ]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))

    def run(*words):
        files = ["--jobs", str(tmp_path / "jobs.json"), "--history", str(tmp_path / "history.jsonl")]
        code = main([*files, *words], clock=clock)
        return code, capsys.readouterr().out.splitlines()

    return run


def test_list(run):
    assert run("list") == (
        0,
        [
            "export: write every 1h30m, 00:00-06:00",
            "check: require every 1h, after export",
            "old: wait every 1d (off)",
        ],
    )


def test_run_and_history(run):
    lines = [
        "2026-03-02 01:00:00  export  ok  1 attempt  # wrote out.csv",
        "2026-03-02 01:00:00  check  ok  1 attempt",
    ]
    assert run("run") == (0, lines)
    assert run("run") == (0, [])
    assert run("history") == (0, lines)
    assert run("history", "--job", "check") == (0, lines[1:])
    assert run("next") == (0, ["2026-03-02 02:00:00  check", "2026-03-02 02:30:00  export"])


def test_failure_and_unknown_job(run):
    assert run("run", "old")[0] == 2
    assert run("run", "nothing") == (1, [])


def test_report_prune_and_import(run, tmp_path, clock):
    run("run")
    record = {"job": "export", "started": "2026-01-01T00:00:00+00:00", "status": "failed"}
    (tmp_path / "agent.jsonl").write_text(json.dumps(record) + "\n")
    assert run("import", str(tmp_path / "agent.jsonl"), "--host", "store7") == (0, ["imported 1"])
    assert run("report") == (0, ["check: 1 run, 100% good", "export: 2 runs, 50% good", "failing: none"])
    assert run("report", "--since", "2026-03-01")[1][1] == "export: 1 run, 100% good"
    assert run("prune", "--keep", "30d") == (0, ["removed 1 of 3"])
