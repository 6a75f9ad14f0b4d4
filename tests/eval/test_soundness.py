"""A sound pair is found sound; whatever is broken in one is named."""

import compileall
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from small_pair import JOINT, TEST_A, WITH_CURRENCY

from eval.soundness import RULES, Soundness, check, evidence_folder, known_sound
from instances.dataset import CANARY
from instances.difficulty import Difficulty
from instances.ledger import difficulty_of
from instances.load import load
from instances.model import Family, Instance
from sandboxes.gitstore import GitStore
from sandboxes.local import LocalSandboxFactory

pytestmark = pytest.mark.needs("bwrap")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence goes to a cache of the test's own; environments are shared, for they take long to build."""
    from sandboxes.environments import cache_folder

    shared = cache_folder() / "environments"
    shared.mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "environments").symlink_to(shared)
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))


def problems(instance: Instance) -> str:
    found: Soundness = check(load(instance.folder), LocalSandboxFactory(), rounds=1)
    return "\n".join(f"{one.check}: {one.detail}" for one in found.problems)


def test_a_sound_pair_is_found_sound(make_pair: Callable[..., Instance]) -> None:
    """Also as an installer leaves it, compiled files everywhere."""
    instance = make_pair(Family.NON_INTERACTING)
    assert compileall.compile_dir(instance.folder, quiet=1)
    assert not known_sound(instance)
    found = check(instance, LocalSandboxFactory())
    assert found.problems == []
    assert known_sound(instance)
    counts = Difficulty(files=2, hunks=2, lines=8, overlap=0, merges=True, half_a=1, half_b=1)
    assert found.difficulty == counts == difficulty_of(instance)
    evidence = evidence_folder(instance) / "soundness.json"
    for outdated in ('"rules": ', '"rounds": '):
        text = evidence.read_text(encoding="utf-8")
        evidence.write_text(text.replace(outdated, f"{outdated}0, {outdated[:-3]}_then{outdated[-3:]}"), encoding="utf-8")
        assert not known_sound(instance)
        evidence.write_text(text, encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    "breaks",
    [
        [
            ("references/b.patch", "-    return", "-    retrun", "references/b applies to the base"),
            ("references/joint.patch", "({text})", "-{text}", "references/joint passes tests.b"),
            ("tests/a/heldout/test_a.py", "1.50 USD", "1.5 USD", "reference a passes its own side"),
            ("controls/half_a.patch", "{cents / 100", "{cents / 10", ""),
        ],
        [
            ("references/a.patch", "{currency}", "EUR", "reference a passes its own side"),
            ("controls/alternative.patch", "(abs(cents) / 100", "(cents / 100", "controls/alternative passes tests.b"),
            ("tests/b/heldout/test_b.py", "assert ", "assert True or ", "the base fails tests.b"),
            ("tests/joint/heldout/test_joint.py", "crosstalk-bench canary", "no", "the canary stands in every held-out file"),
            ("instance.json", "tests/test_price.py::test_label", "tests/test_price.py::test_gone", "passes tests.base"),
        ],
    ],
)
def test_what_was_broken_is_named(make_pair: Callable[..., Instance], breaks: list[tuple[str, str, str, str]]) -> None:
    instance = make_pair()
    for file, old, new, _ in breaks:
        edit(instance.folder / file, old, new)
    found = problems(instance)
    for *_, said in breaks:
        assert said in found


def test_a_half_solution_that_passes_is_named(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    (instance.folder / "controls/half_a.patch").write_bytes((instance.folder / "controls/alternative.patch").read_bytes())
    assert "controls/half_a is not solved" in problems(instance)


def write_patch(instance: Instance, name: str, price: str) -> None:
    store = GitStore(instance.folder.parent / "store")
    base = store.import_directory(instance.base_directory())
    tree = store.overlay(base, [("shop/price.py", price.encode(), False)])
    (instance.folder / f"{name}.patch").write_bytes(store.patch(base, tree))


def test_controls_and_joint_tests_that_show_nothing_are_named(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    joint = JOINT["shop/price.py"]
    write_patch(instance, "controls/half_a", "def (\n")
    write_patch(instance, "controls/half_b", WITH_CURRENCY["shop/price.py"] + "# nearly\n")
    write_patch(instance, "controls/alternative", joint.replace("=", " = ").replace('"""An', '"""Some') + "# another design\n")
    tests = instance.folder / "tests" / "joint" / "heldout" / "test_joint.py"
    tests.write_text(f"# {CANARY}\n" + TEST_A.replace("test_currency", "test_both"), encoding="utf-8")
    found = problems(instance)
    assert "controls/half_a passes tests.a" in found
    assert "controls/half_a passes tests.base" in found
    assert "controls/half_b passes tests.b" in found
    assert "references/joint and controls/alternative" in found
    assert "references/a and controls/half_b" in found
    assert "reference a alone fails the joint tests: tests.joint pass without b's change" in found
    assert "reference b alone fails the joint tests" not in found


def test_tests_that_are_not_listed_are_named_whatever_came_of_them(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    for side in ("a", "joint"):
        path = instance.folder / "tests" / side / "heldout" / f"test_{side}.py"
        more = "\n\ndef test_more():\n    assert label(1) == 'never'\n\n\n@pytest.mark.skip\ndef test_most():\n    pass\n"
        text = path.read_text(encoding="utf-8").replace("from shop", "import pytest\nfrom shop", 1)
        path.write_text(text + more, encoding="utf-8")
    found = problems(instance)
    for side, reference in (("a", "references/a"), ("joint", "references/joint")):
        name = f"heldout/test_{side}.py::test_mo"
        assert (
            f"tests.{side} lists every test that is reported on {reference}: not listed: {name}re (failed), {name}st (skipped)"
            in found
        )


def test_a_word_that_only_the_other_requirement_brings_is_a_leak(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    for side in "ab":
        path = instance.folder / f"requirement_{side}.md"
        path.write_text(path.read_text(encoding="utf-8") + "Call it `books_style`.\n", encoding="utf-8")
    assert "books_style" in problems(instance)


def test_a_file_saved_during_a_check_makes_no_sound_state(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    assert instance.digest
    edit(instance.folder / "requirement_a.md", "Price", "The price")
    found = check(instance, LocalSandboxFactory(), rounds=1)
    assert [one.check for one in found.problems] == ["no file changed during the check"]
    assert not known_sound(load(instance.folder))


def test_a_note_of_before_difficulties_were_counted_still_proves_soundness(make_pair: Callable[..., Instance]) -> None:
    instance = make_pair()
    note = {"digest": instance.digest, "sound": True, "rounds": 3, "rules": RULES, "mechanical": {}}
    folder = evidence_folder(instance)
    folder.mkdir(parents=True)
    for older in ({}, {"difficulty": None}, {"difficulty": {"files": 1}}):
        (folder / "soundness.json").write_text(json.dumps({**note, **older}), encoding="utf-8")
        assert known_sound(instance)
        assert difficulty_of(instance) is None
    edit(instance.folder / "requirement_a.md", "Price", "The price")
    assert not known_sound(load(instance.folder))
