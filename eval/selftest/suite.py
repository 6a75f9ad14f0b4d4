"""The catalogue, and how all of it is played in one kind of sandbox."""

from collections.abc import Callable, Sequence

from eval.selftest.arena import Shown
from eval.selftest.attack import Result
from eval.selftest.go_trees import GO_TREES
from eval.selftest.lane_arena import LaneArena
from eval.selftest.node_trees import NODE_TREES
from eval.selftest.pair_files import GO, NODE, PYTHON
from eval.selftest.patch_arena import PatchArena
from eval.selftest.python_trees import PYTHON_TREES
from eval.selftest.radio_arena import RadioArena
from eval.selftest.recorder_arena import RecorderArena
from eval.selftest.tree_arena import TreeArena
from sandboxes.base import SandboxFactory
from sandboxes.folders import remove_tree, scratch_folder


def arenas() -> dict[str, Shown]:
    """Every group of attacks, by a name for it."""
    return {
        "two lanes of one cell": Shown(LaneArena()),
        "repositories that hide edits": Shown(RecorderArena()),
        "the radio": Shown(RadioArena()),
        "patches": Shown(PatchArena()),
        "trees for pytest": Shown(TreeArena(PYTHON, PYTHON_TREES)),
        "trees for node": Shown(TreeArena(NODE, NODE_TREES)),
        "trees for Go": Shown(TreeArena(GO, GO_TREES)),
    }


def play_all(groups: dict[str, Shown], sandboxes: SandboxFactory, say: Callable[[str], None]) -> list[Result]:
    """Play every group, each in a folder of its own that is gone afterwards.

    Raises:
        SandboxError: sandboxes of this kind do not work here.
        SetupError: an environment cannot be had.
    """
    sandboxes.prove()
    results: list[Result] = []
    for name, group in groups.items():
        say(f"{name} ...")
        results += play_group(group, sandboxes)
    return results


def play_group(group: Shown, sandboxes: SandboxFactory) -> list[Result]:
    """Play one group in a folder that is gone afterwards."""
    folder = scratch_folder("selftest")
    try:
        return group.play(sandboxes, folder)
    finally:
        remove_tree(folder)


def got_through(results: Sequence[Result]) -> list[Result]:
    """The attacks that got something."""
    return [one for one in results if one.gained]
