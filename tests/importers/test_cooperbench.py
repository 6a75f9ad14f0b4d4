"""Importing CooperBench's task folders: outcomes by running, rejections by code, all of it or nothing."""

import json
from pathlib import Path

import pytest
from command import crosstalk
from foreign_tasks import LOCK, NEW_TESTS, TEST_FILE, Repository, rows_of, usual_features, whole, write_task
from small_pair import BASE, IN_PARENTHESES, JOINT, NO_CUT_BELOW, WITH_CURRENCY

from instances.importers.cooperbench import pair_problem, read_task
from instances.importers.rejects import RejectedError
from instances.load import load_all


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.mark.needs("bwrap")
def test_a_task_becomes_a_pair_of_every_two_features_or_is_told_why_not(tmp_path: Path, repository: Repository) -> None:
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    write_task(task, repository, usual_features(repository))
    (task / "combined.patch").write_bytes(whole(repository))
    done = crosstalk("import", "cooperbench", task, "--out", out, "--lock", LOCK)
    assert done.returncode == 1, done.stderr
    rows = rows_of(out)
    assert len(rows) == 21
    made = {name.removeprefix("shop_task/task1 "): row["family"] for name, row in rows.items() if row["code"] is None}
    assert made == {"f1 f2": "contradictory", "f1 f3": "non-interacting", "f2 f3": "non-interacting"}
    codes = {name.rpartition("f1 ")[2]: row["code"] for name, row in rows.items() if " f1 " in name and row["code"]}
    assert codes == {"f4": "vacuous", "f5": "reference-does-not-apply", "f6": "patch-binary", "f7": "reference-fails"}
    assert rows["shop_task/task1 f1 f2"]["mechanical"]["merge"].startswith("does not combine: 1 conflict")
    assert rows["shop_task/task1 f1 f3"]["mechanical"] == dict.fromkeys(("concat", "merge", "union"), "clean, a:pass b:pass")
    pairs = {one.id: one for one in load_all(out)}
    clashing = pairs["cooperbench-shop-task1-f1-f2"]
    assert clashing.imported is not None
    assert (clashing.imported.joint_suite, clashing.imported.joint_reference) == ("derived", "whole task")
    assert not (clashing.base_directory() / "old.txt").exists()
    checked = crosstalk("check", clashing.folder)
    assert checked.returncode == 0, checked.stdout
    assert "imported from cooperbench" in checked.stdout
    played = crosstalk("run", "--instances", clashing.folder, "--scenarios", "oracle,parallel-unaware", "--out", tmp_path / "run")
    assert played.returncode == 0, played.stderr
    assert "NOT MADE BY HAND, imported from cooperbench" in played.stdout
    report = json.loads(crosstalk("report", tmp_path / "run", "--format", "json").stdout)
    assert [(row["scenario"], row["pass_rate"]) for row in report["rows"]] == [("oracle", 1.0), ("parallel-unaware", 0.0)]


@pytest.mark.needs("bwrap")
def test_an_imported_pair_whose_merge_comes_out_otherwise_is_not_sound(tmp_path: Path, repository: Repository) -> None:
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    write_task(task, repository, {1: usual_features(repository)[1], 3: usual_features(repository)[3]})
    assert crosstalk("import", "cooperbench", task, "--out", out, "--lock", LOCK).returncode == 0
    (pair,) = load_all(out)
    path = pair.folder / "instance.json"
    path.write_text(path.read_text(encoding="utf-8").replace("clean, a:pass b:pass", "clean, a:pass b:fail"), encoding="utf-8")
    checked = crosstalk("check", pair.folder, "--rounds", 1)
    assert checked.returncode == 1
    assert "merge of both references comes out as at import: NO" in checked.stdout


@pytest.mark.needs("bwrap")
def test_what_both_features_need_and_nobody_supplies_is_no_pair(tmp_path: Path, repository: Repository) -> None:
    """Without a joint solution nothing proves that a pair can be solved; and one that fails proves nothing."""
    features = usual_features(repository)
    task = tmp_path / "shop_task" / "task1"
    write_task(task, repository, {1: features[1], 2: features[2]})
    assert crosstalk("import", "cooperbench", task, "--out", tmp_path / "one", "--lock", LOCK).returncode == 1
    (row,) = rows_of(tmp_path / "one").values()
    assert (row["code"], row["mechanical"]["union"]) == ("missing-file", "clean, a:pass b:fail")
    (task / "combined.patch").write_bytes(repository.patch(WITH_CURRENCY))
    assert crosstalk("import", "cooperbench", task, "--out", tmp_path / "two", "--lock", LOCK).returncode == 1
    assert next(iter(rows_of(tmp_path / "two").values()))["code"] == "joint-fails"


@pytest.mark.needs("bwrap")
def test_a_task_s_own_resolution_of_two_features_solves_just_those(tmp_path: Path, repository: Repository) -> None:
    features = usual_features(repository)
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    write_task(task, repository, {number: features[number] for number in (1, 2, 3)})
    kept = task / "feature2" / "resolution_patches"
    kept.mkdir()
    (kept / "vs_feature1.patch").write_bytes(repository.patch(JOINT))
    (task / "feature3" / "resolution_patches").mkdir()
    (task / "feature3" / "resolution_patches" / "vs_feature1.patch").write_bytes(repository.patch(WITH_CURRENCY))
    assert crosstalk("import", "cooperbench", task, "--out", out, "--lock", LOCK).returncode == 1
    rows = {name.removeprefix("shop_task/task1 "): row for name, row in rows_of(out).items()}
    assert {name: row["code"] for name, row in rows.items()} == {"f1 f2": None, "f1 f3": "joint-fails", "f2 f3": None}
    assert rows["f1 f2"]["mechanical"]["merge"].startswith("does not combine: 1 conflict")
    pairs = {one.id.rpartition("task1-")[2]: one.imported for one in load_all(out)}
    assert {name: one and one.joint_reference for name, one in pairs.items()} == {"f1-f2": "supplied", "f2-f3": "merge"}
    record = json.loads(next(out.glob("*/*f1-f2/instance.json")).read_bytes())
    assert "feature2/resolution_patches/vs_feature1.patch" in record["imported"]["files"]


@pytest.mark.needs("bwrap")
def test_tests_and_references_that_are_not_what_they_seem_are_told_apart(tmp_path: Path, repository: Repository) -> None:
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    cut = repository.tests("cut")
    own_test = {"tests/test_cut.py": "from shop.discount import cut\n\n\ndef test_cut():\n    assert cut(3) == 0\n"}
    broken = {**NO_CUT_BELOW, "shop/price.py": "def label(cents):\n    return ''\n"}
    write_task(
        task,
        repository,
        {
            1: usual_features(repository)[1],
            2: ({**WITH_CURRENCY, **NO_CUT_BELOW}, cut),
            3: (NO_CUT_BELOW, repository.patch(own_test)),
            4: ({**NO_CUT_BELOW, **own_test}, cut),
            5: (broken, cut),
            6: (NO_CUT_BELOW, repository.patch({**NO_CUT_BELOW, TEST_FILE: BASE[TEST_FILE] + NEW_TESTS["cut"]})),
        },
    )
    crosstalk("import", "cooperbench", task, "--out", out, "--lock", LOCK, "--pairs", "1-2,1-3,1-4,1-5,1-6")
    rows = list(rows_of(out).values())
    assert [row["code"] for row in rows] == ["subsumed", "tests-not-run", None, "regressing-reference", "tests-in-reference"]
    assert "tests-in-reference: left out of feature 4's reference: tests/test_cut.py" in rows[2]["notes"]


def test_a_wrong_folder_or_option_is_one_line_and_nothing_is_written(tmp_path: Path, repository: Repository) -> None:
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    write_task(task, repository, {1: usual_features(repository)[1]})
    (tmp_path / "there").mkdir()
    for arguments in (
        (tmp_path, "--out", out),
        (task, "--out", out, "--pairs", "1"),
        (task, "--out", out, "--lock", tmp_path / "none.lock"),
        (task, "--out", tmp_path / "there"),
    ):
        done = crosstalk("import", "cooperbench", *arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.splitlines()) == 1
    assert not out.exists()
    assert not list(tmp_path.glob(".*importing"))


def test_what_stands_beside_a_task_is_no_part_of_it_and_what_it_lacks_is_named(tmp_path: Path, repository: Repository) -> None:
    """Folders as copies of the data set have them: older twins, filtered patches, features without their tests or their text."""
    task = tmp_path / "shop_task" / "task1"
    write_task(task, repository, {number: (WITH_CURRENCY, repository.tests("currency")) for number in (1, 2, 3, 10)})
    for stray in (
        "run_tests.sh",
        "test_features.sh",
        "meta_tests.patch",
        "feature1/feature.filtered.patch",
        "feature1/notes.txt",
    ):
        (task / stray).write_text("python -m pytest tests/test_other.py\n", encoding="utf-8")
    (task / "feature2" / "tests.patch").unlink()
    (task / "feature3" / "feature.md").unlink()
    read = read_task(task)
    assert read.sides["1"].command == ("pytest", TEST_FILE)
    assert not any("filtered" in name or "meta" in name or "run_tests" in name for name in read.files)
    problems = {(pair.a, pair.b): pair_problem(pair, read) for pair in read.pairs}
    assert len(problems) == 6
    assert problems.pop(("1", "10")) is None
    assert {problem.code if problem else None for problem in problems.values()} == {"missing-file"}
    (task / "runner.sh").unlink()
    with pytest.raises(RejectedError) as caught:
        read_task(task)
    assert caught.value.rejection.code == "missing-file"


def test_absent_and_equal_features_are_named(tmp_path: Path, repository: Repository) -> None:
    task, out = tmp_path / "shop_task" / "task1", tmp_path / "out"
    write_task(task, repository, {1: usual_features(repository)[1]})
    crosstalk("import", "cooperbench", task, "--out", out, "--pairs", "1-1,1-9", "--lock", LOCK)
    assert [row["code"] for row in rows_of(out).values()] == ["same-feature", "no-such-feature"]


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("Dockerfile", "git checkout", "git switch", "bad-base"),
        ("Dockerfile", "git clone ", "git clone ext::sh", "bad-base"),
        ("setup.sh", 'BASE_COMMIT="', 'BASE_COMMIT="' + "0" * 40 + '" # ', "bad-base"),
        ("runner.sh", "python -m pytest tests/test_price.py -v", "pnpm test", "unsupported-language"),
        ("runner.sh", "tests/test_price.py -v", "-q", "tests-not-run"),
    ],
)
def test_a_task_that_cannot_be_taken_over_says_why(
    tmp_path: Path, repository: Repository, name: str, old: str, new: str, code: str
) -> None:
    task = tmp_path / "task"
    write_task(task, repository, {1: (IN_PARENTHESES, repository.tests("below"))})
    path = task / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(RejectedError) as caught:
        read_task(task)
    assert caught.value.rejection.code == code


def test_the_runner_s_words_give_the_command_and_the_packages(tmp_path: Path, repository: Repository) -> None:
    task = tmp_path / "task"
    write_task(task, repository, {1: (IN_PARENTHESES, repository.tests("below"))})
    (task / "runner.sh").write_text(
        'TEST_PATH="core/tests/test_types.py"\npip install pytest pytest-xdist\n'
        'pip install -e ".[test,dev]" || pip install -e .\n'
        "pip install -r requirements/tests.txt 'numpy<2'\n"
        'python -m pytest "$TEST_PATH" tests/test_x.py::TestY -n auto -k "not slow" -v 2>&1\n',
        encoding="utf-8",
    )
    read = read_task(task)
    assert read.sides["1"].command == ("pytest", "core/tests/test_types.py", "tests/test_x.py")
    assert read.base.packages == ("pytest", "pytest-xdist", "numpy<2")
    assert read.base.extras == ("test", "dev")
    assert read.base.requirement_files == ("requirements/tests.txt",)
