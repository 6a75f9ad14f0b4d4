"""A run from end to end with the real git, bubblewrap and pytest: what is recorded, and that nothing is lost or counted twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from small_pair import write_pair

from eval.records import CellRecord, Status
from eval.report import build_report
from eval.storage import ResultsFolder
from instances.load import load
from instances.model import Family, Instance

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")
SCENARIOS = "oracle,sequential-ab-repo,sequential-ba-hist,parallel-unaware,parallel-gold"


def crosstalk(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False, env=environment)
    assert done.returncode == status, done.stderr
    return done


def arguments_of(pairs: list[Instance], out: Path) -> list[object]:
    chosen = [argument for pair in pairs for argument in ("-i", pair.folder)]
    return ["run", *chosen, "-s", SCENARIOS, "--seed", 7, "--out", out, "--unsound"]


def without_times(results: ResultsFolder) -> dict[str, Any]:
    """Every record, patch, event and transcript, times aside."""
    kept: dict[str, Any] = {}
    for path in sorted(results.cells.rglob("*")):
        if path.is_file():
            name = path.relative_to(results.cells).as_posix()
            kept[name] = path.read_bytes()
            if path.name == "record.json":
                kept[name] = {field: value for field, value in json.loads(kept[name]).items() if field != "timing"}
    return kept


def record_of(results: ResultsFolder, name: str) -> CellRecord | None:
    """The record of a cell of the plan."""
    return next((results.record(cell) for cell in results.manifest().cells if cell.cell == name), None)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Instance]:
    folder = tmp_path_factory.mktemp("pairs")
    for family in (Family.CONTRADICTORY, Family.NON_INTERACTING):
        write_pair(folder / family / f"price-{family}", family)
    return [load(path.parent) for path in sorted(folder.glob("*/*/instance.json"))]


@pytest.fixture(scope="module")
def undisturbed(pairs: list[Instance], tmp_path_factory: pytest.TempPathFactory) -> ResultsFolder:
    out = tmp_path_factory.mktemp("undisturbed") / "results"
    crosstalk(*arguments_of(pairs, out))
    return ResultsFolder(out)


def test_verdicts(undisturbed: ResultsFolder) -> None:
    solved = {(one.family, one.scenario): one.solved for one in undisturbed.records()}
    assert solved == {
        ("contradictory", "oracle"): True,
        ("contradictory", "sequential-ab-repo"): False,
        ("contradictory", "sequential-ba-hist"): False,
        ("contradictory", "parallel-unaware"): False,
        ("contradictory", "parallel-gold"): False,
        ("non-interacting", "oracle"): True,
        ("non-interacting", "sequential-ab-repo"): True,
        ("non-interacting", "sequential-ba-hist"): True,
        ("non-interacting", "parallel-unaware"): True,
    }


def test_verdicts_are_kept_apart(undisturbed: ResultsFolder) -> None:
    record = record_of(undisturbed, "price-contradictory.parallel-unaware.1")
    assert record is not None
    assert [turn.own_side.passed for turn in record.turns if turn.own_side] == [True, True]
    assert {name: one.clean for name, one in record.candidates.items()} == {"concat": False, "git-merge": False}
    assert [conflict.path for conflict in record.candidates["git-merge"].conflicts] == ["shop/price.py"]
    apart = record_of(undisturbed, "price-non-interacting.parallel-unaware.1")
    assert apart is not None
    for candidate in apart.candidates.values():
        assert {suite: verdict.passed for suite, verdict in candidate.verdicts.items()} == dict.fromkeys(
            ("a", "b", "joint", "base"), True
        )
        for verdict in candidate.verdicts.values():
            assert (undisturbed.path / verdict.evidence / "verdict.json").is_file()
    assert apart.candidates["concat"].tree == apart.candidates["git-merge"].tree


def test_report_is_made_from_the_records(undisturbed: ResultsFolder) -> None:
    rows = {(row.family, row.scenario): row for row in build_report(undisturbed).rows}
    oracle, parallel = rows["contradictory", "oracle"], rows["contradictory", "parallel-unaware"]
    record = record_of(undisturbed, "price-contradictory.parallel-unaware.1")
    assert record is not None
    assert oracle.relative_cost == 1.0
    assert parallel.mean_effective_tokens == record.usage.effective_tokens
    assert parallel.mean_effective_tokens is not None
    assert oracle.mean_effective_tokens is not None
    assert parallel.relative_cost == pytest.approx(parallel.mean_effective_tokens / oracle.mean_effective_tokens)
    assert parallel.by_reconciler["git-merge"].solved == 0
    assert all(row.scripted and not row.incomplete for row in rows.values())


def test_every_form_of_the_report_says_that_agents_were_scripted(undisturbed: ResultsFolder) -> None:
    for form in ("table", "markdown"):
        assert "SCRIPTED" in crosstalk("report", undisturbed.path, "--format", form).stdout
    data = json.loads(crosstalk("report", undisturbed.path, "--format", "json").stdout)
    assert data["run"]["scripted"] is True
    assert all(row["scripted"] for row in data["rows"])
    assert ",scripted" in crosstalk("report", undisturbed.path, "--format", "csv").stdout.splitlines()[0]


def test_compare(undisturbed: ResultsFolder) -> None:
    text = crosstalk("compare", undisturbed.path, "oracle", "parallel-unaware").stdout
    assert "exact McNemar" in text
    assert "SCRIPTED" in text
    assert "oracle, best of k" in text
    assert "INCOMPLETE" not in text


def test_nothing_is_left_behind(undisturbed: ResultsFolder) -> None:
    assert not undisturbed.work.exists()
    assert not list(undisturbed.cells.glob(".*"))


def test_a_killed_run_resumes_to_the_same_records(undisturbed: ResultsFolder, pairs: list[Instance], tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "results")
    command = [sys.executable, "-m", "eval.main", *map(str, arguments_of(pairs, results.path))]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not list(results.cells.glob("[!.]*/record.json")):
            time.sleep(0.02)
        process.kill()
    finished = {path: path.stat().st_mtime_ns for path in results.cells.glob("[!.]*/record.json")}
    assert 0 < len(finished) < len(results.manifest().cells)
    crosstalk("resume", results.path)
    assert without_times(results) == without_times(undisturbed)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished


def test_an_interrupted_run_ends_its_programs_and_resumes(
    undisturbed: ResultsFolder, pairs: list[Instance], tmp_path: Path
) -> None:
    results = ResultsFolder(tmp_path / "results")
    environment = {**os.environ, "CROSSTALK_TEST_MARK": str(tmp_path)}
    command = [sys.executable, "-m", "eval.main", *map(str, arguments_of(pairs, results.path))]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment, text=True)
    while process.poll() is None and not list(results.cells.glob("[!.]*/record.json")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "crosstalk resume" in said
    assert "Traceback" not in said
    assert processes_that_mention(str(results.path)) == []
    crosstalk("resume", results.path)
    assert without_times(results) == without_times(undisturbed)


def processes_that_mention(text: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if text in command and path.parent.name != str(os.getpid()):
            found.append(command)
    return found


def test_infrastructure_cells_are_run_again_and_shown_apart(undisturbed: ResultsFolder, tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "results")
    shutil.copytree(undisturbed.path, results.path)
    cell = "price-contradictory.oracle.1"
    record = record_of(results, cell)
    assert record is not None
    broken = record.model_copy(update={"status": Status.INFRASTRUCTURE, "reason": "overloaded", "solved": False})
    (results.cells / cell / "record.json").write_text(broken.model_dump_json(), encoding="utf-8")
    row = next(row for row in build_report(results).rows if (row.family, row.scenario) == ("contradictory", "oracle"))
    assert (row.n, row.infrastructure, row.incomplete, row.pass_rate, row.mean_effective_tokens) == (0, 1, True, None, None)
    assert "INCOMPLETE: 1 planned" in crosstalk("compare", results.path, "oracle", "parallel-unaware").stdout
    parallel = next(row for row in build_report(results).rows if row.scenario == "parallel-unaware")
    assert (parallel.relative_cost, parallel.n_matched) == (None, 0)
    text = crosstalk("resume", results.path).stdout
    assert without_times(results) == without_times(undisturbed)
    assert "1 attempt(s) were discarded" in text
    assert build_report(results).run.discarded_effective_tokens == record.usage.effective_tokens


def test_a_damaged_record_starts_over_and_no_other_is_touched(undisturbed: ResultsFolder, tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "results")
    shutil.copytree(undisturbed.path, results.path)
    names = [cell.cell for cell in results.manifest().cells]
    (results.cells / names[0] / "record.json").write_text('{"schema_version": 1, "ce')
    (results.cells / names[1] / "record.json").unlink()
    shutil.copy(results.cells / names[3] / "record.json", results.cells / names[2] / "record.json")
    assert sum(row.missing for row in build_report(results).rows) == 3
    crosstalk("resume", results.path)
    assert without_times(results) == without_times(undisturbed)


def test_two_processes_do_not_run_one_folder(undisturbed: ResultsFolder, tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "results")
    shutil.copytree(undisturbed.path, results.path)
    with results.in_use():
        said = crosstalk("resume", results.path, status=2).stderr
    assert f"process {os.getpid()} is running this folder" in said
    assert without_times(results) == without_times(undisturbed)


def test_a_surprise_in_one_cell_is_recorded_and_the_others_go_on(pairs: list[Instance], tmp_path: Path) -> None:
    """A harness that fails in a way nobody thought of."""
    out = tmp_path / "results"
    arguments = arguments_of(pairs[:1], out)
    said = crosstalk(*arguments, "--harness", "surprising_harness.Surprising", status=1)
    assert "Traceback" not in said.stderr
    records = {record.scenario: record for record in ResultsFolder(out).records()}
    assert records["oracle"].status is Status.INFRASTRUCTURE
    assert "unexpected ZeroDivisionError" in records["oracle"].reason
    assert records["oracle"].usage.effective_tokens is None
    assert (out / "cells" / records["oracle"].cell / "traceback.txt").is_file()
    assert records["parallel-unaware"].status is Status.FAILED


def test_names_that_are_no_utf8_reach_the_record(pairs: list[Instance], tmp_path: Path) -> None:
    folder = tmp_path / pairs[0].id
    shutil.copytree(pairs[0].folder, folder)
    steps = [{"run": "printf x > \"$(printf 'new\\377')\"; mkfifo \"$(printf 'pipe\\376')\""}, {"apply": "references/joint"}]
    (folder / "replay").mkdir()
    (folder / "replay" / "both.json").write_text(json.dumps({"schema_version": 1, "turns": [{"steps": steps}]}))
    out = tmp_path / "results"
    crosstalk("run", "-i", folder, "-s", "oracle", "--out", out, "--unsound")
    record = next(ResultsFolder(out).records())
    assert record.solved
    assert record.turns[0].changed == ["new\\xff", "shop/price.py"]
    assert [name for name, _ in record.turns[0].skipped] == ["pipe\\xfe"]
    assert b"\\377" in (out / "cells" / record.cell / "both-1.patch").read_bytes()


def test_a_turn_over_its_minutes_is_a_limit_and_is_graded(pairs: list[Instance], tmp_path: Path) -> None:
    folder = tmp_path / pairs[0].id
    shutil.copytree(pairs[0].folder, folder)
    steps = [{"apply": "references/joint"}, {"run": "sleep 60"}, {"run": "true"}]
    (folder / "replay").mkdir()
    (folder / "replay" / "both.json").write_text(json.dumps({"schema_version": 1, "turns": [{"steps": steps}]}))
    out = tmp_path / "results"
    crosstalk("run", "-i", folder, "-s", "oracle", "--out", out, "--unsound", "--max-minutes", "0.05")
    record = next(ResultsFolder(out).records())
    assert (record.solved, record.budget, record.turns[0].ended, record.turns[0].reason) == (True, True, "limit", "0.05 minutes")


def test_a_changed_instance_is_not_resumed(pairs: list[Instance], undisturbed: ResultsFolder, tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "results")
    shutil.copytree(undisturbed.path, results.path)
    requirement = pairs[0].folder / "requirement_a.md"
    before = requirement.read_bytes()
    try:
        requirement.write_bytes(before + b"And one more thing.\n")
        said = crosstalk("resume", results.path, status=2).stderr
    finally:
        requirement.write_bytes(before)
    assert "has changed since the run began" in said


def test_gold_tests_are_in_reach_and_not_in_the_patch(pairs: list[Instance], tmp_path: Path) -> None:
    folder = tmp_path / pairs[0].id
    shutil.copytree(pairs[0].folder, folder)
    script = {"schema_version": 1, "turns": [{"steps": [{"run": "ls -R /gold; touch /gold/x"}, {"apply": "references/joint"}]}]}
    (folder / "replay").mkdir()
    (folder / "replay" / "both.json").write_text(json.dumps(script), encoding="utf-8")
    out = tmp_path / "results"
    crosstalk("run", "-i", folder, "-s", "oracle,oracle-gold", "--out", out, "--unsound")
    transcripts = {
        name: (out / "cells" / f"{folder.name}.{name}.1" / "both-1.transcript.jsonl").read_text(encoding="utf-8")
        for name in ("oracle", "oracle-gold")
    }
    assert "test_joint.py" in transcripts["oracle-gold"]
    assert "Read-only file system" in transcripts["oracle-gold"]
    assert "test_joint.py" not in transcripts["oracle"]
    record = record_of(ResultsFolder(out), f"{folder.name}.oracle-gold.1")
    assert record is not None
    assert record.turns[0].changed == ["shop/price.py"]
