"""A pair's mechanical outcome, by doing it: the references combined in every way, and both sides' tests run on the result."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eval.importing.measuring import Side, Suite, TaskBench
from eval.importing.union import union_merge
from instances.importers.raw import RawPair
from instances.importers.rejects import Code, RejectedError, Rejection
from instances.model import SIDES, Family
from reconcilers.concat import Concat
from reconcilers.git_merge import GitMerge


@dataclass(frozen=True)
class Joint:
    """A solution of both requirements that was found to pass both sides' tests.

    Attributes:
        tree: its tree.
        scope: `merge` of the two references, `union` merge, `whole task` (of more features than the two), or `supplied`.
    """

    tree: str
    scope: str


@dataclass
class PairOutcome:
    """What was found of a pair.

    Attributes:
        mechanical: by `concat`, `merge` and `union`: whether it combines, and which sides' tests pass on it.
        family: as computed, or declared and not refuted; `None` where the pair was rejected before.
        rejection: why no instance is made of it; `None` where one is.
    """

    pair: RawPair
    mechanical: dict[str, str] = field(default_factory=dict)
    family: Family | None = None
    sides: Mapping[str, Side] = field(default_factory=dict)
    joint: Joint | None = None
    joint_suite: Suite | None = None
    base_suite: Suite | None = None
    notes: list[str] = field(default_factory=list)
    rejection: Rejection | None = None


def measure_pair(bench: TaskBench, pair: RawPair) -> PairOutcome:
    """Measure a pair; what stands against taking it over is in the outcome.

    Raises:
        SandboxError, SetupError: the machine, or the environment, broke; nothing is said about the pair.
    """
    outcome = PairOutcome(pair)
    try:
        outcome.sides = {side: bench.side(key) for side, key in zip(SIDES, (pair.a, pair.b), strict=True)}
        _measure(bench, outcome)
    except RejectedError as error:
        outcome.rejection = error.rejection
        if not outcome.mechanical and {pair.a, pair.b} <= set(bench.trees):
            for name, (tree, reason) in combine(bench, pair.a, pair.b).items():
                outcome.mechanical[name] = "clean, no tests run" if tree else told(False, reason)
    return outcome


def _measure(bench: TaskBench, outcome: PairOutcome) -> None:
    for side in SIDES:
        outcome.notes += outcome.sides[side].notes
    trees = _combinations(bench, outcome)
    _refuse_subsumed(bench, outcome)
    outcome.family = _family(outcome, merged=trees["merge"] is not None and _green(bench, outcome, trees["merge"]))
    outcome.joint = _joint(bench, outcome, trees)
    if outcome.pair.joint_tests is not None:
        tests = bench.files_of(outcome.pair.joint_tests, "the joint tests", outcome.joint.tree)
        command = bench.command_for((), tests, "the joint tests")
        outcome.joint_suite, more = bench.suite(f"{outcome.pair.slug}-joint", tests, command, outcome.joint.tree)
        outcome.notes += more
    outcome.base_suite = _base_suite(bench, outcome)


def combine(bench: TaskBench, a: str, b: str) -> dict[str, tuple[str | None, str]]:
    """The tree that each way of combining two sides gives, and why it gives none."""
    edits = [bench.edit(key, lane) for key, lane in ((a, "a"), (b, "b"))]
    found: dict[str, tuple[str | None, str]] = {}
    for name, reconciler in (("concat", Concat()), ("merge", GitMerge())):
        combined = reconciler.combine(bench.store, bench.base, *edits)
        found[name] = (combined.tree, combined.reason)
    union = union_merge(bench.store, bench.base, *(edit.tree for edit in edits))
    found["union"] = (union, "" if union else "a file is deleted on one side or cannot be merged by lines")
    return found


def _combinations(bench: TaskBench, outcome: PairOutcome) -> dict[str, str | None]:
    trees: dict[str, str | None] = {}
    for name, (tree, reason) in combine(bench, outcome.pair.a, outcome.pair.b).items():
        trees[name] = tree
        outcome.mechanical[name] = told(tree is not None and _passes(bench, outcome, tree), reason)
    return trees


def told(passes: Mapping[str, bool] | bool, reason: str) -> str:
    """A combination's outcome in a few words."""
    if isinstance(passes, bool):
        return f"does not combine: {reason}"
    return "clean, " + " ".join(f"{side}:{'pass' if ok else 'fail'}" for side, ok in passes.items())


def _passes(bench: TaskBench, outcome: PairOutcome, tree: str) -> dict[str, bool]:
    return {side: bench.passes(tree, one.raw.name, one.suite) for side, one in outcome.sides.items()}


def _green(bench: TaskBench, outcome: PairOutcome, tree: str | None) -> bool:
    return tree is not None and all(_passes(bench, outcome, tree).values())


def _refuse_subsumed(bench: TaskBench, outcome: PairOutcome) -> None:
    for side, other in (SIDES, SIDES[::-1]):
        if bench.passes(outcome.sides[side].tree, outcome.sides[other].raw.name, outcome.sides[other].suite):
            names = [outcome.sides[one].raw.name for one in (side, other)]
            raise RejectedError(Code.SUBSUMED, f"{names[0]} alone passes the tests of {names[1]}")


def _family(outcome: PairOutcome, *, merged: bool) -> Family:
    found = Family.NON_INTERACTING if merged else Family.CONTRADICTORY
    declared = outcome.pair.family
    if declared == Family.COMPLEMENTARY and merged:
        return Family.COMPLEMENTARY
    if declared and declared != found:
        raise RejectedError(Code.FAMILY_MISMATCH, f"declared {declared}, and the merge: {outcome.mechanical['merge']}")
    return found


def _joint(bench: TaskBench, outcome: PairOutcome, trees: Mapping[str, str | None]) -> Joint:
    """The first solution at hand that passes both sides' tests."""
    supplied, whole = outcome.pair.joint, bench.task.joint
    if supplied is not None:
        tree = bench.reference(supplied, "the joint reference", outcome.notes)
        if not _green(bench, outcome, tree):
            raise RejectedError(Code.JOINT_FAILS, told(_passes(bench, outcome, tree), ""))
        return Joint(tree, "supplied")
    if _green(bench, outcome, trees["merge"]):
        return Joint(str(trees["merge"]), "merge")
    problem = Rejection(Code.MISSING_FILE, "no joint solution: the merge is none, and there is no combined.patch")
    if whole is not None:
        try:
            tree = bench.reference(whole, "combined.patch", outcome.notes)
            if _green(bench, outcome, tree):
                return Joint(tree, "whole task")
            problem = Rejection(Code.JOINT_FAILS, f"combined.patch: {told(_passes(bench, outcome, tree), '')}")
        except RejectedError as error:
            problem = error.rejection
    if _green(bench, outcome, trees["union"]):
        return Joint(str(trees["union"]), "union")
    raise RejectedError(problem.code, problem.reason)


def _base_suite(bench: TaskBench, outcome: PairOutcome) -> Suite | None:
    """The base's own tests that both references and the joint one keep; `None` where there are none."""
    return None if outcome.joint is None else bench.kept_tests(outcome.pair, [*outcome.sides.values()], outcome.joint.tree)
