"""One round over an imported pair: what can be asked of one that has no controls, and maybe no joint tests."""

from eval.cell import JOINT_SUCCESS
from eval.examination import Examination
from instances.model import SIDES
from reconcilers.base import Reconciler
from reconcilers.concat import Concat
from reconcilers.git_merge import GitMerge

_KEPT: dict[str, Reconciler] = {"concat": Concat(), "merge": GitMerge()}


class ImportedExamination(Examination):
    """What must hold of an imported pair: its references do what they are said to do, and combine as they did at import."""

    def run(self) -> None:
        self._imports()
        self._apply("references/a", "references/b", "references/joint")
        for suite in self._suites():
            if suite != "base":
                self._fails_before(suite)
        for side in SIDES:
            self._reference(side)
        self._solved("references/joint")
        if "references/a" in self.trees and "references/b" in self.trees:
            self._same_outcome()

    def _suites(self) -> list[str]:
        return [suite for suite in JOINT_SUCCESS if suite in self.instance.tests]

    def _apply(self, *names: str) -> None:
        for name in names:
            applied = self.pair.stage.store.apply(self.pair.stage.base, self.instance.patch(name))
            self.note(f"{name} applies to the base", applied.tree is not None, applied.message)
            if applied.tree is not None:
                self.trees[name] = applied.tree

    def _fails_before(self, suite: str) -> None:
        verdict, spec = self.grade(self.trees["base"], suite), self.instance.tests[suite]
        early = [one for one in spec.fail_to_pass if verdict.statuses.get(one) == "passed"]
        self.note(f"the base fails tests.{suite}", not early, f"fail_to_pass already passed: {', '.join(early)}")
        broken = [one for one in spec.pass_to_pass if verdict.statuses.get(one) != "passed"]
        self.note(f"the base passes tests.{suite}.pass_to_pass", not broken, f"not passed: {', '.join(broken)}")

    def _reference(self, side: str) -> None:
        tree, other = self.trees.get(f"references/{side}"), SIDES[1 - SIDES.index(side)]
        if tree is None:
            return
        verdict = self.grade(tree, side)
        self.note(f"reference {side} passes its own side", verdict.passed, verdict.reason)
        subsumed = self.grade(tree, other).passed
        self.note(f"reference {side} leaves the other side failing", not subsumed, f"tests.{other} pass: subsumed")

    def _solved(self, name: str) -> None:
        tree = self.trees.get(name)
        for suite in self._suites() if tree else ():
            verdict = self.grade(str(tree), suite)
            self.note(f"{name} passes tests.{suite}", verdict.passed, verdict.reason)

    def _same_outcome(self) -> None:
        """The references combine, and pass each side's tests, as they did when the pair was imported."""
        edits = [self._edit(side, f"references/{side}") for side in SIDES]
        for name, reconciler in _KEPT.items():
            combined = reconciler.combine(self.pair.stage.store, self.pair.stage.base, *edits)
            tree = combined.tree
            now = self._told(tree) if tree else f"does not combine: {combined.reason}"
            self.mechanical[name] = now
            before = self.instance.imported.mechanical.get(name, now) if self.instance.imported else now
            same = before == now or (tree is None and before.startswith("does not combine"))
            self.note(f"{name} of both references comes out as at import", same, f"then {before!r}, now {now!r}")

    def _told(self, tree: str) -> str:
        verdicts = {side: self.grade(tree, side).passed for side in SIDES}
        return "clean, " + " ".join(f"{side}:{'pass' if ok else 'fail'}" for side, ok in verdicts.items())
