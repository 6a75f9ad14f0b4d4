"""What of a pair's difficulty can be counted, taken from one round over it."""

from eval.examination import Examination
from instances.difficulty import Difficulty, measure
from instances.model import SIDES
from sandboxes.globs import compile_globs

_REFERENCES = ("a", "b", "joint")


def counted(round_: Examination) -> Difficulty | None:
    """The counts; `None` where one of the references is missing or does not apply."""
    trees = round_.trees
    if any(f"references/{name}" not in trees for name in _REFERENCES):
        return None
    store, base = round_.pair.stage.store, trees["base"]
    patches = {name: store.patch(base, trees[f"references/{name}"]) for name in _REFERENCES}
    merged = store.merge(base, trees["references/a"], trees["references/b"])
    halves = {side: _sides_passed(round_, f"controls/half_{side}") for side in SIDES}
    return measure(patches, compile_globs(round_.instance.protected).fullmatch, merged.tree is not None, halves)


def _sides_passed(round_: Examination, name: str) -> int | None:
    tree = round_.trees.get(name)
    return None if tree is None else sum(round_.grade(tree, side).passed for side in SIDES)
