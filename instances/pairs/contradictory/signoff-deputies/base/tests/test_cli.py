import pytest

from signoff.cli import main


@pytest.fixture
def run(tmp_path, capsys):
    def run(by, *words, today="2026-03-02"):
        code = main(["--file", str(tmp_path / "office.json"), "--as", by, "--today", today, *words])
        captured = capsys.readouterr()
        return code, captured.out.splitlines(), captured.err

    run("ad", "person-add", "ad", "Front office", "admin")
    run("ad", "person-add", "co", "Contributor C", "contributor")
    run("ad", "person-add", "ap", "Approver P", "approver")
    run("co", "create", "Heating plan", "Boilers first.")
    return run


def test_steps(run):
    assert run("co", "submit", "D-1") == (0, ["D-1  in_review  Heating plan"], "")
    assert run("ap", "inbox")[1] == ["D-1  approve  Heating plan"]
    assert run("ap", "approve", "D-1", "--note", "fine")[1] == ["D-1  approved  Heating plan"]
    assert run("ap", "history", "D-1")[1] == [
        "1  2026-03-02  co  submit  draft -> in_review",
        "2  2026-03-02  ap  approve  in_review -> approved  # fine",
    ]


def test_refused(run):
    run("co", "submit", "D-1")
    code, lines, error = run("co", "approve", "D-1")
    assert (code, lines) == (1, [])
    assert error.startswith("error: ")


def test_show(run):
    run("co", "submit", "D-1")
    lines = run("ap", "show", "D-1")[1]
    assert "state: in_review" in lines
    assert "you can: approve, reject" in lines


def test_find_and_report(run):
    assert run("ap", "find", "boilers", "class:internal")[1] == ["D-1  draft  Heating plan"]
    assert run("ap", "report")[1] == ["draft: 1", "overdue: none", "average review: unknown"]
