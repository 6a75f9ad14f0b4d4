"""Reading instances: what counts as theirs, wherever they were installed."""

import compileall
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_pair import write_pair

from instances.errors import InstanceError
from instances.leaks import leaks
from instances.load import PAIRS, load, load_all, select
from instances.model import Family, Instance
from sandboxes.gitstore import GitStore


@pytest.fixture
def installed(tmp_path: Path, make_pair: Callable[..., Instance]) -> tuple[Instance, Instance]:
    """A pair, and a copy of it as an installer leaves it: everything in it compiled, in either place that there is for that."""
    plain = make_pair()
    copy = tmp_path / "installed" / plain.id
    shutil.copytree(plain.folder, copy)
    assert compileall.compile_dir(copy, quiet=1)
    assert compileall.compile_dir(copy, quiet=1, legacy=True)
    for folder in (copy, copy / "tests" / "a", copy / "base"):
        assert list(folder.rglob("__pycache__/*.pyc"))
        assert [path for path in folder.rglob("*.pyc") if path.parent.name != "__pycache__"]
    return plain, load(copy)


def test_an_installed_pair_is_the_same_pair(
    installed: tuple[Instance, Instance], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))
    plain, copy = installed
    store = GitStore(tmp_path / "store")
    assert (copy.digest, copy.base_key) == (plain.digest, plain.base_key)
    assert store.import_directory(copy.base_directory()) == store.import_directory(plain.base_directory())
    for name, suite in plain.tests.items():
        assert [to for to, _ in copy.tests[name].overlay_files()] == [to for to, _ in suite.overlay_files()]
    assert leaks(copy) == leaks(plain)


def test_the_copy_of_a_base_keeps_links_and_programs_and_follows_every_change(
    installed: tuple[Instance, Instance], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))
    store = GitStore(tmp_path / "store")
    plain, copy = installed
    changes: list[Callable[[Path], object]] = [
        lambda base: (base / "shop" / "price.py").chmod(0o755),
        lambda base: (base / "link").symlink_to("nowhere"),
        lambda base: (base / "shop" / "price.py").write_text("x = 1\n", encoding="utf-8"),
    ]
    for change in changes:
        for one in (plain, copy):
            change(one.folder / "base")
        assert store.import_directory(copy.base_directory()) == store.import_directory(plain.base_directory())


def test_every_pair_that_is_shipped_can_be_read() -> None:
    assert {one.folder for one in load_all()} == {path.parent for path in PAIRS.glob("*/*/instance.json")}


def test_a_half_written_pair_stops_only_who_asks_for_it(tmp_path: Path) -> None:
    for name in ("whole", "half-written"):
        write_pair(tmp_path / "contradictory" / name, Family.CONTRADICTORY)
    (tmp_path / "contradictory" / "half-written" / "instance.json").write_text("{", encoding="utf-8")
    assert [one.id for one in select(["whole"], tmp_path)] == ["whole"]
    assert [one.id for one in select(["wh*"], tmp_path)] == ["whole"]
    for terms in ([], ["half-written"], ["contradictory"], ["whole", "*"]):
        with pytest.raises(InstanceError, match=r"half-written/instance\.json"):
            select(terms, tmp_path)
