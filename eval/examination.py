"""One round over an instance: its patches applied, its suites run on every tree that matters, and what follows from that."""

from dataclasses import dataclass
from itertools import combinations

from eval.bench import InstanceBench
from eval.cell import JOINT_SUCCESS
from eval.designs import same_design
from eval.grade import SuiteVerdict
from instances.model import SIDES, Family
from reconcilers.base import Edit
from reconcilers.concat import Concat
from reconcilers.git_merge import GitMerge
from sandboxes.base import SandboxSpec
from sandboxes.folders import remove_tree

OTHER = {"a": "b", "b": "a"}

_IMPORT_CHECK = """
import importlib, pathlib, sys
tree = pathlib.Path.cwd().resolve()
roots, modules = sys.argv[1].split(":"), sys.argv[2:]
sys.path.extend(str(tree / root) for root in roots)
for name in modules:
    file = getattr(importlib.import_module(name), "__file__", None)
    if not file or tree not in pathlib.Path(file).resolve().parents:
        sys.exit(f"{name} comes from {file}, not from the tree")
"""


@dataclass(frozen=True)
class Finding:
    """One thing that must hold, whether it does, and in words what to fix where it does not.

    Attributes:
        file: the file to look at first, within the instance's folder; empty where it is none in particular.
    """

    check: str
    ok: bool
    detail: str = ""
    file: str = ""


class Examination:
    """One round over an instance.

    Attributes:
        findings: what was examined, in order.
        mechanical: how concatenation and git merge of the two references came out, and which sides each half passes.
        trees: the base's tree, and that of each reference and control that applies.
        verdicts: by tree and suite.
    """

    def __init__(self, pair: InstanceBench) -> None:
        self.pair, self.instance = pair, pair.instance
        self.findings: list[Finding] = []
        self.mechanical: dict[str, str] = {}
        self.trees: dict[str, str] = {"base": pair.stage.base}
        self.verdicts: dict[tuple[str, str], SuiteVerdict] = {}

    def run(self) -> None:
        self._imports()
        self._apply_patches()
        self._base_fails()
        for side in SIDES:
            self._reference(side)
        self._solved("references/joint")
        self._lists_all("references/joint", "joint")
        self._lists_all("references/joint", "base")
        self._solved("controls/alternative")
        for side in SIDES:
            self._half(side)
        if "references/a" in self.trees and "references/b" in self.trees:
            self._combinations()

    def grade(self, tree: str, suite: str) -> SuiteVerdict:
        key = (tree, suite)
        if key not in self.verdicts:
            self.verdicts[key] = self.pair.grade(tree, suite)
        return self.verdicts[key]

    def note(self, check: str, ok: bool, detail: str, file: str = "") -> None:
        self.findings.append(Finding(check, ok, "" if ok else detail, file))

    def _file(self, name: str) -> str:
        """Where a reference or control of a name is kept, or would be."""
        script = self.instance.base.kind != "directory" and not (self.instance.folder / f"{name}.patch").is_file()
        return f"{name}.ed" if script else f"{name}.patch"

    def _overlay(self, suite: str) -> str:
        """Where a suite's tests are."""
        overlay = self.instance.tests[suite].overlay
        return "instance.json" if overlay is None else overlay.relative_to(self.instance.folder).as_posix() + "/"

    def _imports(self) -> None:
        spec, stage = self.instance.environment, self.pair.stage
        if not spec.import_check:
            return
        workspace = stage.store.path.parent.parent / f"imports-{self.instance.id}"
        remove_tree(workspace)
        stage.store.checkout(stage.base, workspace)
        sandbox = stage.sandboxes.open(SandboxSpec(workspace, stage.environment.mounts, image=stage.environment.image))
        try:
            program = [str(stage.environment.executable), "-I", "-B", "-c", _IMPORT_CHECK]
            result = sandbox.run([*program, ":".join(spec.source_roots), *spec.import_check], timeout=60)
        finally:
            sandbox.close()
            remove_tree(workspace)
        said = result.stderr.decode(errors="replace").strip().splitlines()
        self.note(
            "the base imports from the tree", result.ok, said[-1] if said else "the import check did not end", "instance.json"
        )

    def _apply_patches(self) -> None:
        names = ["references/a", "references/b", "references/joint"]
        names += ["controls/half_a", "controls/half_b", "controls/alternative"]
        if self.instance.family is Family.COMPLEMENTARY:
            names.append("controls/divergent")
        for name in names:
            if not self.instance.has_patch(name):
                self.note(f"{name} is there", False, f"write {name}.patch, or .ed against a fetched base", self._file(name))
                continue
            applied = self.pair.stage.store.apply(self.pair.stage.base, self.instance.patch(name))
            self.note(f"{name} applies to the base", applied.tree is not None, applied.message, self._file(name))
            if applied.tree is not None:
                self.trees[name] = applied.tree
        same = [f"{one} and {other}" for one, other in combinations(self.trees, 2) if self._same_design(one, other)]
        self.note(
            "base, references and controls all differ in their code",
            not same,
            f"the same but for comments, spacing, prose and protected files: {'; '.join(same)}. Make each a design of its own",
            "controls/",
        )

    def _same_design(self, one: str, other: str) -> bool:
        return same_design(self.pair.stage.store, self.trees[one], self.trees[other], self.instance.protected)

    def _base_fails(self) -> None:
        for suite in ("a", "b", "joint"):
            verdict, spec = self.grade(self.trees["base"], suite), self.instance.tests[suite]
            early = [one for one in spec.fail_to_pass if verdict.statuses.get(one) == "passed"]
            self.note(
                f"the base fails tests.{suite}",
                not early,
                f"fail_to_pass already passed: {', '.join(early)}",
                self._overlay(suite),
            )
            broken = [one for one in spec.pass_to_pass if verdict.statuses.get(one) != "passed"]
            self.note(
                f"the base passes tests.{suite}.pass_to_pass",
                not broken,
                f"not passed: {', '.join(broken)}",
                self._overlay(suite),
            )

    def _reference(self, side: str) -> None:
        tree = self.trees.get(f"references/{side}")
        if tree is None:
            return
        own, other = self.grade(tree, side), self.grade(tree, OTHER[side])
        file = self._file(f"references/{side}")
        self.note(f"reference {side} passes its own side", own.passed, own.reason, file)
        subsumed = f"tests.{OTHER[side]} pass: subsumed"
        self.note(f"reference {side} leaves the other side failing", not other.passed, subsumed, self._overlay(OTHER[side]))
        self._lists_all(f"references/{side}", side)
        self.note(
            f"reference {side} alone fails the joint tests",
            not self.grade(tree, "joint").passed,
            f"tests.joint pass without {OTHER[side]}'s change: let a joint test use both changes at once",
            self._overlay("joint"),
        )

    def _lists_all(self, name: str, suite: str) -> None:
        """Nothing is reported on a suite's own reference that is not listed; of the base's own tests, nothing that passes."""
        tree = self.trees.get(name)
        if tree is None:
            return
        statuses, expected = self.grade(tree, suite).statuses, set(self.instance.tests[suite].expected)
        more = [f"{one} ({status})" for one, status in sorted(statuses.items()) if one not in expected]
        if suite == "base":
            more = [one for one in more if one.endswith("(passed)")]
        self.note(
            f"tests.{suite} lists every test that {'passes' if suite == 'base' else 'is reported'} on {name}",
            not more,
            f"not listed: {', '.join(more)}. List each in fail_to_pass or pass_to_pass, or take it out of the suite",
            "instance.json",
        )

    def _solved(self, name: str) -> None:
        tree = self.trees.get(name)
        if tree is None:
            return
        for suite in JOINT_SUCCESS:
            verdict = self.grade(tree, suite)
            self.note(f"{name} passes tests.{suite}", verdict.passed, verdict.reason, self._file(name))

    def _sides(self, tree: str) -> tuple[bool, str]:
        verdicts = {suite: self.grade(tree, suite).passed for suite in JOINT_SUCCESS}
        return all(verdicts.values()), " ".join(f"{suite}:{'pass' if ok else 'fail'}" for suite, ok in verdicts.items())

    def _half(self, side: str) -> None:
        name = f"controls/half_{side}"
        tree = self.trees.get(name)
        if tree is None:
            return
        solved, sides = self._sides(tree)
        self.mechanical[f"half_{side}"] = sides
        for suite in (side, "base"):
            verdict = self.grade(tree, suite)
            advice = f"{verdict.reason}. A half must honour {side}'s request in full, and only seem to honour the other"
            self.note(f"{name} passes tests.{suite}", verdict.passed, advice, self._file(name))
        advice = "every suite passes: a half solution would count as solved"
        self.note(f"{name} is not solved", not solved, advice, self._overlay("joint"))

    def _combinations(self) -> None:
        family = self.instance.family
        edits = [self._edit(side, f"references/{side}") for side in SIDES]
        for reconciler in (Concat(), GitMerge()):
            combined = reconciler.combine(self.pair.stage.store, self.pair.stage.base, *edits)
            solved, sides = self._sides(combined.tree) if combined.tree else (False, f"does not combine: {combined.reason}")
            self.mechanical[reconciler.name] = sides
            if family is Family.CONTRADICTORY:
                self.note(
                    f"{reconciler.name} of both references is not solved",
                    not solved,
                    "it passes everything",
                    self._overlay("joint"),
                )
            else:
                self.note(f"{reconciler.name} of both references is solved", solved, sides, self._file("references/b"))
        if family is Family.CONTRADICTORY:
            self._each_order()
        if family is Family.COMPLEMENTARY:
            self._divergent()

    def _each_order(self) -> None:
        """Concatenated in either order alone, whatever the reconciler says of the two together."""
        store = self.pair.stage.store
        for first, second in (SIDES, SIDES[::-1]):
            tree = store.apply(self.trees[f"references/{first}"], self.instance.patch(f"references/{second}")).tree
            solved = tree is not None and self._sides(tree)[0]
            self.note(
                f"reference {first} then {second} concatenated is not solved",
                not solved,
                "it passes everything",
                self._overlay("joint"),
            )

    def _divergent(self) -> None:
        side, tree = self.instance.divergent_side, self.trees.get("controls/divergent")
        if side is None:
            self.note(
                "controls.divergent_side is named", False, "name the side that controls/divergent implements", "instance.json"
            )
        if side is None or tree is None:
            return
        own, file = self.grade(tree, side), self._file("controls/divergent")
        self.note("controls/divergent passes its own side", own.passed, own.reason, file)
        edits = [self._edit(side, "controls/divergent"), self._edit(OTHER[side], f"references/{OTHER[side]}")]
        merged = GitMerge().combine(self.pair.stage.store, self.pair.stage.base, *edits)
        self.note("controls/divergent merges cleanly with the other reference", merged.tree is not None, merged.reason, file)
        if merged.tree is not None:
            joint = self.grade(merged.tree, "joint")
            self.note("controls/divergent, merged, fails the integration test", not joint.passed, "tests.joint pass", file)

    def _edit(self, side: str, name: str) -> Edit:
        tree = self.trees[name]
        return Edit(side, tree, self.pair.stage.store.patch(self.pair.stage.base, tree))
