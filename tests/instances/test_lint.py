"""Lint names each fault of a pair with its place, and finds none where there is none."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.lint_command import lint_findings
from instances.dataset import CANARY
from instances.lint import Finding, Level
from instances.load import load
from instances.model import Instance
from instances.scaffold_marks import MARK

ROOT = Path(__file__).parents[2]
LONG = "The shop keeper has told us at length how the tags on the shelves are read by those who come in from the street and ask. "
FAIR = (
    "Price tags must name their currency. Let `label` take one, `currency`, as second parameter, EUR where none is given. It "
    "stands behind the amount with one blank between the two, as in `1.50 USD`. I hang the tags up myself, and people "
    "from over the border ask me every day in which of the two moneys they are to be read. Nothing else is to change.\n"
)
OTHERS = (
    "Our books show amounts below zero without a minus, in round brackets, as in (1.50), and customers compare the two. "
    "Please let `label` do the same for whatever is below zero, the digits as they are. I keep these books since the shop was "
    "opened, and each quarter I explain to somebody that the two papers mean the same money. What is zero has no brackets.\n"
)


@pytest.fixture
def pair(make_pair: Callable[..., Instance]) -> Instance:
    """The small pair, with requirements of a fair length."""
    instance = make_pair()
    (instance.folder / "requirement_a.md").write_text(FAIR, encoding="utf-8")
    (instance.folder / "requirement_b.md").write_text(OTHERS, encoding="utf-8")
    return instance


def found_in(instance: Instance) -> list[Finding]:
    return lint_findings(load(instance.folder))


def edit(instance: Instance, file: str, old: str, new: str) -> None:
    path = instance.folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_good_pair_has_no_faults(pair: Instance) -> None:
    assert found_in(pair) == []


A, B, JOINT = (f"tests/{side}/heldout/test_{side}.py" for side in ("a", "b", "joint"))


@pytest.mark.parametrize(
    ("file", "old", "new", "place", "rule", "level"),
    [
        ("requirement_b.md", "Please", "Use `till_sign`.\nPlease", None, "leak", None),
        ("requirement_b.md", OTHERS, OTHERS + LONG, None, "", None),
        ("requirement_a.md", FAIR, "Name the currency.", "requirement_a.md", "length", Level.ERROR),
        ("requirement_a.md", FAIR, FAIR + LONG * 18, "requirement_a.md", "length", Level.WARNING),
        ("requirement_a.md", "I hang", "The held-out\ntests say so. I hang", "requirement_a.md:1", "voice", Level.ERROR),
        ("requirement_a.md", "I hang", "\n<!-- why -->\nI hang", "requirement_a.md:2", "voice", Level.ERROR),
        ("requirement_a.md", "I hang", f"\n{MARK}: more\nI hang", "requirement_a.md:2", "unfinished", Level.ERROR),
        (A, "from shop.price import label", "from shop.price import label, _sign", f"{A}:2", "unsaid-name", Level.ERROR),
        (A, "from shop.price import label", "from shop.price import Tag, label", f"{A}:2", "unsaid-name", Level.ERROR),
        (A, "currency='USD'", "money='USD'", f"{A}:6", "unsaid-name", Level.WARNING),
        (A, "'1.50 USD'", "'1.50 USD' != label._cents", f"{A}:6", "unsaid-name", Level.ERROR),
        (A, "'1.50 USD'", "'1.50 USD' != '--no-sign'", f"{A}:6", "unsaid-name", Level.WARNING),
        (A, "# crosstalk-bench canary", "#", f"{A}:1", "canary", Level.ERROR),
        (A, "def test_currency", "def test_more():\n    pass\n\n\ndef test_currency", f"{A}:5", "test-ids", Level.ERROR),
        (A, "def test_currency", "def check_currency", "instance.json:", "test-ids", Level.ERROR),
        (
            "instance.json",
            '"tests/test_price.py::test_label"',
            '"tests/no.py::test_label"',
            "instance.json:",
            "test-ids",
            Level.ERROR,
        ),
        ("instance.json", '"pytest",\n    "tests"', '"pytest",\n    "shop"', "instance.json:", "test-ids", Level.ERROR),
        ("instance.json", "crosstalk-bench canary", "another bench's canary", "instance.json:6", "canary", Level.WARNING),
        ("environment.lock", "pytest==", "pytest>=", "environment.lock:", "unpinned", Level.ERROR),
        (
            "base/shop/price.py",
            "def label",
            "# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e\ndef label",
            "base/shop/price.py:1",
            "canary",
            Level.ERROR,
        ),
    ],
)
def test_each_fault_is_named_with_its_place(
    pair: Instance, file: str, old: str, new: str, place: str | None, rule: str, level: Level | None
) -> None:
    data = json.loads((pair.folder / "instance.json").read_text(encoding="utf-8"))
    (pair.folder / "instance.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    edit(pair, file, old, new)
    found = found_in(pair)
    if place is None:
        assert found == []  # what is the one side's alone, and of a fair length
        return
    named = [one for one in found if one.rule == rule]
    assert named, found
    assert any(one.place.startswith(place) and one.level is level for one in named), named
    assert all(one.what and one.fix for one in found)


def test_options_that_a_test_describes_itself_are_its_own(pair: Instance) -> None:
    edit(pair, A, "'1.50 USD'", "'1.50 USD' != '--no-sign <x>' != '--no-sign'")
    assert found_in(pair) == []


def test_what_gives_the_other_away_is_a_leak(pair: Instance) -> None:
    edit(pair, "requirement_a.md", "I hang", "The sign is `till_sign`. I hang")
    edit(pair, B, "label(-150)", "label(-150) or till_sign")
    found = [one for one in found_in(pair) if one.rule == "leak"]
    assert [(one.place, one.level) for one in found] == [(f"{B}:6", Level.ERROR)]
    edit(pair, "requirement_b.md", "Please", "\nThere is `till_sign`. Please")
    found = [one for one in found_in(pair) if one.rule == "leak"]
    assert [one.place for one in found] == ["requirement_a.md:1", "requirement_b.md:2"]


@pytest.mark.parametrize(
    ("globs", "said", "level"),
    [
        (["tests/**", "shop/**"], "covers shop/price.py (controls/alternative), shop/price.py (controls/half_a)", Level.ERROR),
        (["**"], "covers shop/price.py", Level.ERROR),
        (["shop/discount.py"], "covers shop/discount.py: what an agent does there is lost", Level.WARNING),
        (["spec/**"], "covers no file of the base", Level.WARNING),
    ],
)
def test_globs_that_cover_too_much_or_nothing(pair: Instance, globs: list[str], said: str, level: Level) -> None:
    data = json.loads((pair.folder / "instance.json").read_text(encoding="utf-8"))
    data["protected"] = globs
    (pair.folder / "instance.json").write_text(json.dumps(data), encoding="utf-8")
    found = [one for one in found_in(pair) if one.rule == "protected"]
    assert [one.level for one in found] == [level]
    assert said in found[0].what


JAVASCRIPT = (
    f"// {CANARY}\n"
    "import { label, Tag } from '../shop/price.js'\nimport { test } from 'node:test'\n"
    "test('it\\'s named', () => { label(1)._cents; [].map(String); (/(?<sum>.)/).exec('1').groups.sum })\n"
    "test('unlisted', () => {})\n"
)
GO = (
    f"// {CANARY}\n"
    'package heldout\n\nimport (\n\t"strings"\n\t"testing"\n\n\t"example.org/shop/internal/price"\n)\n\n'
    "func TestNamed(t *testing.T) {\n\tt.Helper()\n\tstrings.Contains(price.Label(1), price.Sign)\n}\n\n"
    "func TestMore(t *testing.T) {}\n"
)


@pytest.mark.parametrize(
    ("name", "text", "listed", "said"),
    [
        ("a.test.js", JAVASCRIPT, "it's named", {"Tag", "_cents", "unlisted", "label"}),
        ("a_test.go", GO, "TestNamed", {"Label", "Sign", "TestMore"}),
    ],
)
def test_other_languages(pair: Instance, name: str, text: str, listed: str, said: set[str]) -> None:
    """What the tests of a JavaScript and a Go pair demand; `label` is known from the base, its capital from nowhere."""
    data = json.loads((pair.folder / "instance.json").read_text(encoding="utf-8"))
    (pair.folder / A).unlink()
    (pair.folder / "tests" / "a" / "heldout" / name).write_text(text, encoding="utf-8")
    runner = "go-test" if name.endswith(".go") else "node-test"
    data["tests"]["a"] |= {"command": [runner, f"heldout/{name}"], "fail_to_pass": [f"heldout/{name}::{listed}"]}
    (pair.folder / "instance.json").write_text(json.dumps(data), encoding="utf-8")
    found = [one for one in found_in(pair) if one.level is Level.ERROR]
    assert {one.file for one in found} == {f"tests/a/heldout/{name}"}
    assert {one.rule for one in found} == {"unsaid-name", "test-ids"}
    assert {word for word in said if any(word in one.what for one in found)} == said - {"label"}


def test_the_shipped_pairs_have_no_errors_and_the_command_says_so_by_its_status(pair: Instance, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eval.main", "instances", "lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, " 0 error(s)" in done.stdout) == (0, True), done.stdout
    edit(pair, A, "# crosstalk-bench canary", "#")
    done = subprocess.run([*command, pair.folder, "--json"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    [finding] = json.loads(done.stdout)
    assert (finding["instance"], finding["file"], finding["line"], finding["level"]) == (pair.id, A, 1, "error")
