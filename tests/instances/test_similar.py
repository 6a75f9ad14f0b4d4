"""A renamed twin is found, whatever its things are called; pairs that are not alike are not taken for twins."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from instances.load import PAIRS, load, load_all
from instances.model import Instance
from instances.similar import likenesses, nearest
from instances.source_text import KEYWORDS

ROOT = Path(__file__).parents[2]
_NAME = re.compile(r"[A-Za-z_]\w*")
# Plain English stays in a twin's story; what the story is about is called otherwise.
_COMMON = """
a about above after all an and any are as asked at be been before behind below both but by can change changes comes do does
each else even ever every everybody first for from get gives goes had has have he her his how i if in into is it its keep last
let like line made make may me more must my new next no not nothing now of on one only or other our out over own please same
say says see she so some somebody still such takes than that the their them then there these they this those today too two up
us use want was way we what when where whether which who whoever will with without you your
"""


def renamed(text: str, keep: frozenset[str]) -> str:
    """The text with every other name turned into one of the same case that nobody uses."""
    return _NAME.sub(lambda found: found[0] if found[0].lower() in keep else found[0][::-1] + "q", text)


def twin_of(instance: Instance, folder: Path) -> Instance:
    """A pair about other things, on the same plot, with the same code but for its names."""
    twin = folder / f"{instance.id}-again"
    shutil.copytree(instance.folder, twin)
    words = frozenset(word.lower() for word in KEYWORDS) | frozenset(["diff", "git", "index", "b", "new", "file", "mode", "dev"])
    for path in [*twin.glob("tests/*/heldout/*"), *twin.glob("references/*.patch"), *twin.glob("requirement_*.md")]:
        keep = frozenset(_COMMON.split()) if path.suffix == ".md" else words
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        is_head = re.compile(r"diff --git|index |--- |\+\+\+ |# crosstalk").match
        path.write_text("".join(line if is_head(line) else renamed(line, keep) for line in lines), encoding="utf-8")
    metadata = twin / "instance.json"
    metadata.write_text(metadata.read_text(encoding="utf-8").replace(f'"{instance.id}"', f'"{twin.name}"'), encoding="utf-8")
    return load(twin)


@pytest.mark.parametrize("name", ["signoff-deputies", "deskqueue-queue-order"])
def test_a_renamed_twin_is_found_and_is_the_nearest(name: str, tmp_path: Path) -> None:
    shipped = load_all()
    [original] = [one for one in shipped if one.id == name]
    twin = twin_of(original, tmp_path)
    found = likenesses([twin, *shipped])
    best = nearest(twin.id, found)
    assert best is not None
    assert {best.one, best.other} == {twin.id, name}
    assert best.possible_twins
    assert min(best.tests, best.references) > 0.7
    # Two shipped pairs may share a turn of phrase; the twin's own story is told again by its original alone.
    assert best.requirements > max(one.requirements for one in found if one is not best and twin.id in (one.one, one.other))


def test_no_two_shipped_pairs_look_like_twins() -> None:
    assert [one for one in likenesses(load_all()) if one.possible_twins] == []


def test_a_copy_is_all_alike_and_one_alone_has_no_nearest(tmp_path: Path) -> None:
    [original] = [load(path) for path in PAIRS.glob("*/signoff-deputies")]
    [same] = likenesses([original, original])
    assert (round(same.requirements, 6), round(same.tests, 6), round(same.references, 6), round(same.overall, 6)) == (1, 1, 1, 1)
    assert nearest(original.id, likenesses([original])) is None


def test_the_command_shows_the_nearest_and_marks_twins(tmp_path: Path) -> None:
    [original] = [load(path) for path in PAIRS.glob("*/signoff-deputies")]
    command = [sys.executable, "-m", "eval.main", "instances", "similar", str(twin_of(original, tmp_path).folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert re.search(r"^signoff-deputies-again +signoff-deputies +0\.\d\d", done.stdout, re.MULTILINE)
    assert "POSSIBLE TWINS: signoff-deputies-again and signoff-deputies" in done.stdout
