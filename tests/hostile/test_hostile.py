"""The cheat suite: every attack works on an unprotected control, and gains nothing here, in either sandbox."""

import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from eval.selftest.arena import Shown
from eval.selftest.attack import Attack, Kind, Result
from eval.selftest.lane_arena import LaneArena
from eval.selftest.lane_table import LANE_ATTACKS
from eval.selftest.pair_files import PYTHON
from eval.selftest.python_trees import PYTHON_TREES
from eval.selftest.suite import arenas, got_through, play_group
from eval.selftest.table import render
from eval.selftest.tree_arena import TreeArena
from eval.selftest.tree_attack import attack
from sandboxes.base import SandboxFactory
from sandboxes.docker import DockerSandboxFactory
from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory

NEEDS = {"trees for node": ("node", "npm"), "trees for Go": ("go",), "the radio": ("curl",)}
# One for all tests: a control is shown once, whatever sandbox the attack is played in.
groups = cache(arenas)


@pytest.fixture(
    params=[
        pytest.param(LocalSandboxFactory, marks=pytest.mark.needs("bwrap"), id="local"),
        pytest.param(DockerSandboxFactory, marks=pytest.mark.needs("docker"), id="docker"),
    ]
)
def sandboxes(request: pytest.FixtureRequest) -> SandboxFactory:
    made: SandboxFactory = request.param()
    return made


@pytest.mark.parametrize("group", [pytest.param(name, marks=pytest.mark.needs("git", *NEEDS.get(name, ()))) for name in arenas()])
def test_nothing_gets_through(group: str, sandboxes: SandboxFactory) -> None:
    results = play_group(groups()[group], sandboxes)
    print(render(results, sandboxes.name))
    assert got_through(results) == []
    assert [f"{one.attack.name}: {one.untried}" for one in results if one.untried] == []
    assert all(one.beaten for one in results)


def test_every_attack_has_a_name_and_every_kind_an_attack() -> None:
    attacks = [one for group in arenas().values() for one in group.arena.attacks]
    assert len({one.name for one in attacks}) == len(attacks)
    assert {one.kind for one in attacks} == set(Kind)


@pytest.mark.needs("bwrap")
def test_a_tree_that_passes_is_told(tmp_path: Path) -> None:
    """The suite can fail: what the grading passes has got through, and what deceives nobody was not tried."""
    honest = replace(PYTHON_TREES[0], name="no attack at all", files={PYTHON.source: PYTHON.right})
    harmless = attack("harmless", Kind.FORGE, {"README.md": "Passes.\n"})
    through, untried = Shown(TreeArena(PYTHON, [honest, harmless])).play(LocalSandboxFactory(), tmp_path)
    assert through.gained == "it was graded as solved"
    assert not through.beaten
    assert not untried.tried
    assert not untried.beaten


def test_a_lane_without_walls_is_told(tmp_path: Path) -> None:
    names = ("writes into earlier results", "writes into the operator's home", "3 GB of temporary files")
    commands = [one for one in LANE_ATTACKS if one.name in names]
    results = Shown(LaneArena(commands, hunting=False)).play(UnisolatedSandboxFactory(), tmp_path)
    assert [one.attack.name for one in got_through(results)] == list(names)


def test_the_table_counts_what_was_tried_and_what_was_beaten() -> None:
    results = [
        Result(Attack("one", Kind.EDIT)),
        Result(Attack("two", Kind.EDIT), untried="no such runner"),
        Result(Attack("three", Kind.EXIT), gained="all of it"),
    ]
    text = render(results, "local")
    assert text.endswith("\n2 attacks tried, 1 beaten\n")
    assert "not tried  two: no such runner\nGOT THROUGH  three (exits early): all of it\n" in text
    assert [line.split()[-3:] for line in text.splitlines() if line.startswith(("edits", "exits"))] == [
        ["2", "1", "1"],
        ["1", "1", "0"],
    ]


def test_what_to_test_is_to_be_said() -> None:
    done = subprocess.run([sys.executable, "-m", "eval.main", "selftest"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "selftest --hostile" in done.stderr
