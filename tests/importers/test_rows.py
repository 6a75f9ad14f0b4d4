"""Importing rows: SWE-bench Pro's with a second requirement beside them, and rows with two through a field map."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import crosstalk
from foreign_rows import PRO, SOLUTION, own_row, pro_row, write
from foreign_tasks import LOCK, Repository, rows_of
from hypothesis import given
from hypothesis import strategies as st
from small_pair import IN_PARENTHESES, JOINT, TEST_A, TEST_B_APART, TEST_JOINT, WITH_CURRENCY

from instances.errors import InstanceError
from instances.importers.pairs import read_map
from instances.importers.rejects import RejectedError
from instances.importers.rows import held_out, read_rows, strings
from instances.load import load_all


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "clones" / "shop__shop")


def second(repository: Repository, **more: Any) -> dict[str, Any]:
    return {
        "instance_id": PRO,
        "requirement": "Amounts below zero stand in parentheses.",
        "reference": repository.patch(IN_PARENTHESES).decode(),
        "tests": repository.tests("below").decode(),
        "joint": repository.patch(JOINT).decode(),
        "joint_tests": {"heldout/test_joint.py": TEST_JOINT},
        "family": "contradictory",
        **more,
    }


@pytest.mark.needs("bwrap")
def test_a_pro_row_with_a_second_requirement_becomes_a_pair(tmp_path: Path, repository: Repository) -> None:
    rows = write(
        tmp_path / "rows.jsonl",
        pro_row(repository),
        pro_row(repository, instance_id="instance_lonely"),
        pro_row(repository, instance_id="instance_jest", run_script="npx jest"),
        pro_row(repository, instance_id="instance_list", selected_test_files_to_run="{1: 2}"),
        pro_row(repository, instance_id="instance_base", base_commit="main"),
        pro_row(repository, instance_id="instance_gone", base_commit="0" * 40),
        {"instance_id": "instance_bare"},
    )
    seconds = write(tmp_path / "second.jsonl", second(repository), second(repository, instance_id="instance_gone"))
    out = tmp_path / "out"
    done = crosstalk(
        *("import", "swebench-pro", rows, "--second", seconds, "--repositories", repository.path.parent),
        *("--out", out, "--lock", LOCK, "--revision", "2026-02-09"),
    )
    assert done.returncode == 1, done.stderr
    codes = {name: row["code"] for name, row in rows_of(out).items()}
    assert codes == {
        PRO: None,
        "instance_lonely": "second-requirement-missing",
        "instance_jest": "unsupported-language",
        "instance_list": "bad-list",
        "instance_base": "bad-base",
        "instance_gone": "bad-base",
        "instance_bare": "missing-field",
    }
    (pair,) = load_all(out)
    assert pair.imported is not None
    assert (pair.imported.joint_suite, pair.imported.joint_reference) == ("supplied", "supplied")
    assert pair.imported.revision == "2026-02-09"
    assert pair.tests["joint"].fail_to_pass == ("heldout/test_joint.py::test_both",)
    assert SOLUTION not in pair.id + pair.requirement("a") + pair.requirement("b")
    assert "EUR where none is given" in pair.requirement("a")
    assert crosstalk("check", pair.folder, "--rounds", 1).returncode == 0


FIELDS = """
id: name
requirement_a: asks.0.text
requirement_b: asks.1.text
reference_a: asks.0.patch
reference_b: asks.1.patch
tests_a: asks.0.tests
tests_b: asks.1.tests
base_url: repo
base_commit: commit
family: kind
joint_reference: both
language: {value: python}
command_a: {value: tests/test_price.py}
"""


@pytest.mark.needs("bwrap")
def test_rows_with_two_requirements_go_through_a_field_map(tmp_path: Path, repository: Repository) -> None:
    fields = tmp_path / "fields.yaml"
    fields.write_text(FIELDS, encoding="utf-8")
    both = repository.patch(JOINT).decode()
    rows = write(
        tmp_path / "rows.jsonl",
        own_row(repository, "below", kind="contradictory", both=both),
        own_row(repository, "cut", name="apart"),
        own_row(repository, "cut", name="said to fit", kind="complementary"),
        own_row(repository, "cut", name="said to clash", kind="contradictory"),
        own_row(repository, "below", name="said to be apart", kind="non-interacting", both=both),
        own_row(repository, "below", name="half", kind="contradictory", both=repository.patch(WITH_CURRENCY).decode()),
        own_row(repository, "cut", name="apart"),
        own_row(repository, "cut", name="nowhere", repo="ext::sh -c evil"),
        own_row(repository, "cut", name="option", repo="--upload-pack=evil"),
        own_row(repository, "cut", name="odd", kind="friendly"),
    )
    out = tmp_path / "out"
    done = crosstalk("import", "pairs", rows, "--fields", fields, "--out", out, "--lock", LOCK)
    assert done.returncode == 1, done.stderr
    listed = [(row["row"], row["code"]) for row in json.loads((out / "import.json").read_bytes())["rows"]]
    assert sorted(listed, key=str) == sorted(
        [
            ("tags", None),
            ("apart", None),
            ("apart", "same-feature"),
            ("said to fit", None),
            ("said to clash", "family-mismatch"),
            ("said to be apart", "family-mismatch"),
            ("half", "joint-fails"),
            ("nowhere", "bad-base"),
            ("option", "bad-base"),
            ("odd", "family-mismatch"),
        ],
        key=str,
    )
    assert sorted(one.family for one in load_all(out)) == ["complementary", "contradictory", "non-interacting"]


@pytest.mark.needs("bwrap")
def test_a_pair_without_tests_of_the_base_s_own_is_graded_by_what_it_has(tmp_path: Path, repository: Repository) -> None:
    fields, out = tmp_path / "fields.yaml", tmp_path / "out"
    fields.write_text(FIELDS.replace("command_a: {value: tests/test_price.py}\n", ""), encoding="utf-8")
    row = own_row(repository, "cut")
    row["asks"][0]["tests"] = {"heldout/test_a.py": TEST_A}
    row["asks"][1]["tests"] = {"heldout/test_b.py": TEST_B_APART}
    rows = write(tmp_path / "rows.jsonl", row)
    assert crosstalk("import", "pairs", rows, "--fields", fields, "--out", out, "--lock", LOCK).returncode == 0
    (pair,) = load_all(out)
    assert set(pair.tests) == {"a", "b"}
    assert crosstalk("check", pair.folder, "--rounds", 1).returncode == 0
    assert "error(s)" in crosstalk("instances", "lint", pair.folder).stdout
    played = ("run", "-i", pair.folder, "-s", "oracle,parallel-unaware,oracle-gold", "--unsound", "--out", tmp_path / "run")
    assert crosstalk(*played).returncode == 0
    report = json.loads(crosstalk("report", tmp_path / "run", "--format", "json").stdout)
    assert {row["scenario"]: (row["pass_rate"], row["paper_rate"]) for row in report["rows"]} == {
        "oracle": (1.0, 1.0),
        "parallel-unaware": (1.0, 1.0),
    }


def test_parquet_rows_are_read_as_lines_are(tmp_path: Path, repository: Repository) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [pro_row(repository), pro_row(repository, instance_id="other")]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    assert read_rows(tmp_path / "rows.parquet") == rows == read_rows(write(tmp_path / "rows.jsonl", *rows))
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(InstanceError, match="not readable as Parquet"):
        read_rows(tmp_path / "bad.parquet")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("rows.jsonl", "{}\n[1]\n", "rows.jsonl:2: holds no row"),
        ("rows.jsonl", "{}\n{\n", "rows.jsonl:2: not readable"),
        ("rows.json", "[1]", "holds no rows"),
        ("rows.json", "{", "not readable as JSON"),
    ],
)
def test_a_file_that_holds_no_rows_is_one_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = crosstalk("import", "swebench-pro", tmp_path / name, "--out", tmp_path / "out")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("wishes: x\n", "wishes: no such field"),
        ("id: [1]\n", "id: give the path"),
        ("- x\n", "not readable"),
        ("base_url: {v: 1}\n", "base_url"),
    ],
)
def test_a_wrong_field_map_says_what_is_wrong(tmp_path: Path, change: str, said: str) -> None:
    path = tmp_path / "fields.yaml"
    path.write_text(FIELDS + change, encoding="utf-8")
    with pytest.raises(InstanceError, match=said):
        read_map(path)


def test_a_field_map_that_lacks_a_name_is_told(tmp_path: Path) -> None:
    path = tmp_path / "fields.json"
    path.write_text('{"id": "name"}', encoding="utf-8")
    with pytest.raises(InstanceError, match="says nothing of requirement_a"):
        read_map(path)


@pytest.mark.parametrize("text", ["__import__('os')", "[1]", "'x'", "{}", "[" * 5000])
def test_what_is_no_list_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(RejectedError, match="bad-list"):
        strings({"LIST": text}, "list")


@given(st.lists(st.text()))
def test_lists_are_read_in_either_spelling(names: list[str]) -> None:
    for written in (json.dumps(names), repr(names), names):
        assert strings({"list": written}, "list") == tuple(names)


def test_whole_files_of_tests_stay_in_the_tree() -> None:
    with pytest.raises(RejectedError, match="patch-outside-tree"):
        held_out({"../x.py": ""}, "tests")
