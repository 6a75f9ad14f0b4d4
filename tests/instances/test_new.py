"""`crosstalk new` writes a whole pair that loads, with pins really fetched, or nothing; work is saved as patches."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eval.lint_command import lint_findings
from instances.load import PAIRS, load
from instances.scaffold_marks import MARK

ROOT = Path(__file__).parents[2]
SHIPPED = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in PAIRS.glob("*/*/instance.json")}


def crosstalk(*arguments: object, at: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    path = {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=at, env=os.environ | path, capture_output=True, text=True, timeout=300, check=False)


def made(at: Path, *arguments: object) -> Path:
    done = crosstalk("new", "new-pair", *arguments, at=at)
    assert done.returncode == 0, done.stderr
    folder = at / "new-pair"
    instance = load(folder)
    assert (folder / "AUTHORING.md").is_file()
    assert MARK in instance.requirement("a")
    found = lint_findings(instance)
    assert {one.rule for one in found if one.level == "error"} <= {"unfinished"}, found
    assert {"instance.json", "requirement_a.md", "requirement_b.md", "AUTHORING.md"} <= {one.file for one in found}
    return folder


def test_a_published_sdist_is_pinned_and_what_it_needs_is_locked(tmp_path: Path) -> None:
    folder = made(tmp_path, "--family", "complementary", "--base", "jinja2==3.1.6")
    data = json.loads((folder / "instance.json").read_text(encoding="utf-8"))
    assert data["base"] == SHIPPED["jinja-lookup-memory"]["base"]
    assert data["environment"]["import_check"] == ["jinja2"]
    assert data["environment"]["source_roots"] == ["src", "."]
    assert (data["tests"]["base"]["command"], data["protected"]) == (["pytest", "tests"], ["tests/**"])
    assert "markupsafe==" in (folder / "environment.lock").read_text(encoding="utf-8")
    assert data["controls"] == {"divergent_side": "a"}


@pytest.mark.needs("npm")
def test_a_published_tarball_is_pinned_and_typescript_locked(tmp_path: Path) -> None:
    folder = made(tmp_path, "--family", "contradictory", "--base", "minisearch@7.2.0")
    data = json.loads((folder / "instance.json").read_text(encoding="utf-8"))
    assert data["base"]["integrity"] == SHIPPED["minisearch-discard"]["base"]["integrity"]
    assert data["tests"]["a"]["command"][0] == "node-test-ts"
    assert "typescript" in (folder / "npm.lock").read_text(encoding="utf-8")


def test_a_tag_of_a_repository_is_pinned_by_its_commit(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(PAIRS / "complementary" / "seedbook-mark-column" / "base", source)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(source)]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["tag", "-am", "the first", "v1"]):
        subprocess.run([*git, *arguments], check=True, timeout=60)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, timeout=60, capture_output=True, text=True).stdout.strip()
    folder = made(tmp_path, "--family", "contradictory", "--base", f"{source}@v1")
    assert json.loads((folder / "instance.json").read_text(encoding="utf-8"))["base"]["commit"] == commit
    refused = crosstalk("new", "other", "--family", "contradictory", "--base", f"{source}@v2", at=tmp_path)
    assert (refused.returncode, "has no branch or tag 'v2'" in refused.stderr) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new-pair", "source"]


@pytest.mark.parametrize("arguments", [[], ["--language", "go"]])
def test_work_on_an_own_base_is_saved_as_its_patches(tmp_path: Path, arguments: list[str]) -> None:
    base = PAIRS / "contradictory" / "signoff-deputies" / "base"
    folder = made(tmp_path, "--family", "non-interacting", "--base", base, *arguments)
    assert "no references/a.patch or references/a.ed" in crosstalk("instances", "fill", "new-pair", at=tmp_path).stderr
    assert crosstalk("instances", "checkout", "new-pair", "work", at=tmp_path).returncode == 0
    (tmp_path / "work" / "NEW.txt").write_text("new\n", encoding="utf-8")
    (tmp_path / "work" / "README.md").write_text("less\n", encoding="utf-8")
    assert crosstalk("instances", "save", "new-pair", "references/a", "work", at=tmp_path).returncode == 0
    patch = (folder / "references" / "a.patch").read_text(encoding="utf-8")
    assert "+++ b/NEW.txt" in patch
    again = crosstalk("instances", "checkout", "new-pair", "again", "--with", "references/a", at=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "again" / "README.md").read_text(encoding="utf-8") == "less\n"
    for wrong in (
        ["save", "new-pair", "references/c", "work"],
        ["checkout", "new-pair", "work"],
        ["save", "new-pair", "references/b", "."],
    ):
        assert crosstalk("instances", *wrong, at=tmp_path).returncode == 2
    assert not (folder / "references" / "b.patch").exists()


def test_work_on_a_fetched_base_is_saved_as_an_edit_script(tmp_path: Path) -> None:
    shutil.copytree(PAIRS / "contradictory" / "prompt-attempts", tmp_path / "prompt-attempts")
    ours = (tmp_path / "prompt-attempts" / "references" / "a.ed").read_bytes()
    assert crosstalk("instances", "checkout", "./prompt-attempts", "work", "--with", "references/a", at=tmp_path).returncode == 0
    saved = crosstalk("instances", "save", "./prompt-attempts", "controls/half_a", "work", at=tmp_path)
    assert saved.returncode == 0, saved.stderr
    instance = load(tmp_path / "prompt-attempts")
    assert (tmp_path / "prompt-attempts" / "controls" / "half_a.ed").read_bytes() == ours
    assert instance.patch("controls/half_a") == instance.patch("references/a")


@pytest.mark.parametrize(
    ("name", "base", "said"),
    [
        ("Bad_Id", ".", "is no id"),
        ("fine", "/nowhere/at/all", "no such directory, and neither"),
        ("fine", "name==", "no such directory, and neither"),
        ("fine", "empty", "no file in it that could be a base"),
        ("fine", "prose", "has no source in python, javascript, typescript, go"),
        ("taken", "prose", "taken is there already"),
        ("fine", "crosstalk-bench-no-such-thing==1.0", "has no sdist"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(tmp_path: Path, name: str, base: str, said: str) -> None:
    for folder in ("empty", "prose", "taken"):
        (tmp_path / folder).mkdir()
    (tmp_path / "prose" / "README.md").write_text("words\n", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    done = crosstalk("new", name, "--family", "contradictory", "--base", base, at=tmp_path)
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.strip().splitlines()) == 1
    assert said in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
