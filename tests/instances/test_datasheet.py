"""docs/dataset.md says what the pairs are, in the state they are in; what is between its marks is nobody's to write."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from instances.datasheet import BEGIN, END, datasheet, licence_of, written_into
from instances.errors import InstanceError
from instances.load import PAIRS, load, load_all
from instances.model import Family, Instance

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "dataset.md").read_text(encoding="utf-8")
    assert written_into(page, datasheet(load_all())) == page, "run: crosstalk instances datasheet --write docs/dataset.md"


def test_the_page_says_by_what_the_label_goes() -> None:
    from instances.difficulty import MANY_FILES, MANY_HUNKS, MANY_LINES

    page = (ROOT / "docs" / "dataset.md").read_text(encoding="utf-8")
    assert f"a point each for {MANY_FILES} files or more, {MANY_HUNKS} hunks or more, an overlap of {MANY_LINES} or more" in page


def test_counts_are_of_the_pairs(make_pair: Callable[..., Instance]) -> None:
    pairs = [
        make_pair(Family.CONTRADICTORY, "one"),
        make_pair(Family.CONTRADICTORY, "two"),
        make_pair(Family.NON_INTERACTING, "three"),
    ]
    said = datasheet(pairs)
    assert "3 pairs, 0 of them on published code" in said
    assert "| contradictory | 2 | 2 |" in said
    assert "| all | 3 | 3 |" in said
    assert "| one | ? | ? |" in said
    assert re.search(r"\| own base \| directory \| MIT, as the whole project \| one, three, two \|", said)


@pytest.mark.parametrize(("name", "licence"), [("prompt-attempts", "BSD License"), ("minisearch-discard", "MIT")])
def test_a_published_bases_licence_is_its_own_word(name: str, licence: str) -> None:
    [folder] = PAIRS.glob(f"*/{name}")
    assert licence_of(load(folder)) == licence


def test_only_what_is_between_the_marks_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nbehind\n", encoding="utf-8")
    command = [sys.executable, "-m", "eval.main", "instances", "datasheet", "--write", str(page)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nbehind\n")
    assert "old" not in text
    for wrong in ("no marks", f"{END}\n{BEGIN}\n", f"{BEGIN}\n{BEGIN}\n{END}\n"):
        with pytest.raises(InstanceError, match="each once"):
            written_into(wrong, "")
