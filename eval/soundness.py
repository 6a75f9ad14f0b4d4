"""Soundness: what must hold of a pair before its results mean anything. DESIGN: three rounds with equal verdicts."""

import json
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from eval.bench import InstanceBench, open_instance
from eval.cell import JOINT_SUCCESS
from eval.grade import SuiteVerdict
from eval.storage import write_text
from harnesses.base import Limits
from instances.bases import cache_root
from instances.dataset import CANARY
from instances.leaks import leaks
from instances.load import PAIRS
from instances.model import SIDES, Family, Instance
from reconcilers.base import Edit
from reconcilers.concat import Concat
from reconcilers.git_merge import GitMerge
from sandboxes.base import SandboxFactory, SandboxSpec
from sandboxes.folders import remove_tree
from sandboxes.stopping import no_programs

ROUNDS = 3
SUITE_SECONDS = 5.0
LEDGER = Path(__file__).parent.parent / "instances" / "soundness.json"
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
    """One thing that must hold, whether it does, and in words what to fix where it does not."""

    check: str
    ok: bool
    detail: str = ""


@dataclass
class Soundness:
    """What was found of one instance.

    Attributes:
        mechanical: how concatenation and git merge of the two references came out, and which sides each half passes.
    """

    instance: str
    digest: str
    rounds: int
    findings: list[Finding] = field(default_factory=list)
    mechanical: dict[str, str] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return all(one.ok for one in self.findings)

    @property
    def problems(self) -> list[Finding]:
        return [one for one in self.findings if not one.ok]


def check_all(
    instances: Sequence[Instance], sandboxes: SandboxFactory, jobs: int, rounds: int, tell: Callable[[Soundness], None]
) -> list[Soundness]:
    """Check instances in parallel and keep the evidence; `tell` hears of each in order.

    Raises:
        BenchError: the machine or the sandbox broke; nothing is said about the pairs.
    """
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="check")
    try:
        found = []
        for one in pool.map(lambda instance: check(instance, sandboxes, rounds), instances):
            tell(one)
            found.append(one)
    except BaseException:
        with no_programs():
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return found


def check(instance: Instance, sandboxes: SandboxFactory, rounds: int = ROUNDS) -> Soundness:
    """Check one instance; its evidence stands in `evidence_folder(instance)` afterwards."""
    found = Soundness(instance.id, instance.digest, rounds)
    folder = evidence_folder(instance)
    work = folder.with_name(f".{folder.name}.work")
    remove_tree(work)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _check_texts(instance, found)
        outcomes = []
        for number in range(1, rounds + 1):
            pair = open_instance(instance, sandboxes, work, folder / f"round-{number}", Limits())
            examined = _Examined(pair, found if number == 1 else Soundness(instance.id, instance.digest, rounds))
            examined.all()
            outcomes.append(examined)
        _check_rounds(outcomes, found)
    finally:
        remove_tree(work)
    folder.mkdir(parents=True, exist_ok=True)
    summary = {**asdict(found), "sound": found.sound}
    write_text(folder / "soundness.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    return found


def evidence_folder(instance: Instance) -> Path:
    return cache_root() / "soundness" / f"{instance.id}-{instance.digest[:16]}"


def known_sound(instance: Instance) -> bool:
    """Whether this very state of the instance was checked and found sound, by the data set's makers or on this machine."""
    if PAIRS in instance.folder.parents and LEDGER.is_file():
        entry = json.loads(LEDGER.read_text(encoding="utf-8")).get(instance.id, {})
        if entry.get("digest") == instance.digest and entry.get("sound") is True:
            return True
    own = evidence_folder(instance) / "soundness.json"
    if not own.is_file():
        return False
    summary = json.loads(own.read_text(encoding="utf-8"))
    return summary["digest"] == instance.digest and summary["rounds"] >= ROUNDS and summary["sound"] is True


def record_in_ledger(found: Sequence[Soundness]) -> None:
    """Note in the data set's ledger which of its pairs, in which state, were found sound."""
    ledger = json.loads(LEDGER.read_text(encoding="utf-8")) if LEDGER.is_file() else {}
    for one in found:
        ledger[one.instance] = {
            "digest": one.digest,
            "sound": one.sound,
            "rounds": one.rounds,
            "mechanical": one.mechanical,
        }
    write_text(LEDGER, json.dumps(dict(sorted(ledger.items())), indent=1) + "\n")


def _check_texts(instance: Instance, found: Soundness) -> None:
    given_away = leaks(instance)
    found.findings.append(Finding("neither requirement gives the other away", not given_away, "; ".join(given_away)))
    if PAIRS in instance.folder.parents:
        ok = instance.canary == CANARY
        found.findings.append(Finding("the canary is the data set's", ok, "" if ok else f"write {CANARY!r}"))
    bare = []
    for suite in instance.tests.values():
        for path in sorted(suite.overlay.rglob("*")) if suite.overlay else []:
            if path.is_file() and instance.canary.encode() not in path.read_bytes():
                bare.append(path.relative_to(instance.folder).as_posix())
    found.findings.append(
        Finding("the canary stands in every held-out file", not bare, f"missing in {', '.join(bare)}" if bare else "")
    )


class _Examined:
    """One round over an instance."""

    def __init__(self, pair: InstanceBench, found: Soundness) -> None:
        self.pair, self.found, self.instance = pair, found, pair.instance
        self.trees: dict[str, str] = {"base": pair.stage.base}
        self.verdicts: dict[tuple[str, str], SuiteVerdict] = {}

    def all(self) -> None:
        self._imports()
        self._apply_patches()
        self._base_fails()
        for side in SIDES:
            self._reference(side)
        self._solved("references/joint", exactly=True)
        self._solved("controls/alternative")
        for side in SIDES:
            self._not_solved(f"controls/half_{side}")
        if "references/a" in self.trees and "references/b" in self.trees:
            self._combinations()

    def grade(self, tree: str, suite: str) -> SuiteVerdict:
        key = (tree, suite)
        if key not in self.verdicts:
            self.verdicts[key] = self.pair.grade(tree, suite)
        return self.verdicts[key]

    def note(self, check: str, ok: bool, detail: str) -> None:
        self.found.findings.append(Finding(check, ok, "" if ok else detail))

    def _imports(self) -> None:
        spec, stage = self.instance.environment, self.pair.stage
        if not spec.import_check:
            return
        workspace = stage.store.path.parent.parent / f"imports-{self.instance.id}"
        remove_tree(workspace)
        stage.store.checkout(stage.base, workspace)
        sandbox = stage.sandboxes.open(SandboxSpec(workspace, stage.environment.mounts))
        try:
            program = [str(stage.environment.executable), "-I", "-B", "-c", _IMPORT_CHECK]
            result = sandbox.run([*program, ":".join(spec.source_roots), *spec.import_check], timeout=60)
        finally:
            sandbox.close()
            remove_tree(workspace)
        said = result.stderr.decode(errors="replace").strip().splitlines()
        self.note("the base imports from the tree", result.ok, said[-1] if said else "the import check did not end")

    def _apply_patches(self) -> None:
        names = ["references/a", "references/b", "references/joint"]
        names += ["controls/half_a", "controls/half_b", "controls/alternative"]
        if self.instance.family is Family.COMPLEMENTARY:
            names.append("controls/divergent")
        for name in names:
            if not self.instance.has_patch(name):
                self.note(f"{name} is there", False, f"write {name}.patch, or .ed against a fetched base")
                continue
            applied = self.pair.stage.store.apply(self.pair.stage.base, self.instance.patch(name))
            self.note(f"{name} applies to the base", applied.tree is not None, applied.message)
            if applied.tree is not None:
                self.trees[name] = applied.tree
        twins = {tree: name for name, tree in self.trees.items()}
        same = sorted(set(self.trees) - set(twins.values()))
        self.note("base, references and controls all differ", not same, f"{', '.join(same)} equal another tree")

    def _base_fails(self) -> None:
        for suite in ("a", "b", "joint"):
            verdict, spec = self.grade(self.trees["base"], suite), self.instance.tests[suite]
            early = [one for one in spec.fail_to_pass if verdict.statuses.get(one) == "passed"]
            self.note(f"the base fails tests.{suite}", not early, f"fail_to_pass already passed: {', '.join(early)}")
            broken = [one for one in spec.pass_to_pass if verdict.statuses.get(one) != "passed"]
            self.note(f"the base passes tests.{suite}.pass_to_pass", not broken, f"not passed: {', '.join(broken)}")

    def _reference(self, side: str) -> None:
        tree = self.trees.get(f"references/{side}")
        if tree is None:
            return
        own, other = self.grade(tree, side), self.grade(tree, OTHER[side])
        self.note(f"reference {side} passes its own side", own.passed, own.reason)
        self.note(f"reference {side} leaves the other side failing", not other.passed, f"tests.{OTHER[side]} pass: subsumed")
        expected = set(self.instance.tests[side].expected)
        unlisted = sorted(set(own.statuses) - expected)
        self.note(f"tests.{side} lists every test that is reported", not unlisted, f"unlisted: {', '.join(unlisted)}")
        if self.instance.family is Family.COMPLEMENTARY:
            joint = self.grade(tree, "joint")
            self.note(f"reference {side} alone fails the integration test", not joint.passed, "tests.joint pass")

    def _solved(self, name: str, exactly: bool = False) -> None:
        tree = self.trees.get(name)
        if tree is None:
            return
        for suite in JOINT_SUCCESS:
            verdict = self.grade(tree, suite)
            self.note(f"{name} passes tests.{suite}", verdict.passed, verdict.reason)
            if exactly and suite in ("joint", "base"):
                passed = {one for one, status in verdict.statuses.items() if status == "passed"}
                unlisted = sorted(passed - set(self.instance.tests[suite].expected))
                self.note(f"tests.{suite} lists every test that the joint reference passes", not unlisted, ", ".join(unlisted))

    def _sides(self, tree: str) -> tuple[bool, str]:
        verdicts = {suite: self.grade(tree, suite).passed for suite in JOINT_SUCCESS}
        return all(verdicts.values()), " ".join(f"{suite}:{'pass' if ok else 'fail'}" for suite, ok in verdicts.items())

    def _not_solved(self, name: str) -> None:
        tree = self.trees.get(name)
        if tree is None:
            return
        solved, sides = self._sides(tree)
        self.found.mechanical[name.removeprefix("controls/")] = sides
        self.note(f"{name} is not solved", not solved, "every suite passes: a half solution would count as solved")

    def _combinations(self) -> None:
        family = self.instance.family
        edits = [self._edit(side, f"references/{side}") for side in SIDES]
        for reconciler in (Concat(), GitMerge()):
            combined = reconciler.combine(self.pair.stage.store, self.pair.stage.base, *edits)
            solved, sides = self._sides(combined.tree) if combined.tree else (False, f"does not combine: {combined.reason}")
            self.found.mechanical[reconciler.name] = sides
            if family is Family.CONTRADICTORY:
                self.note(f"{reconciler.name} of both references is not solved", not solved, "it passes everything")
            else:
                self.note(f"{reconciler.name} of both references is solved", solved, sides)
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
            self.note(f"reference {first} then {second} concatenated is not solved", not solved, "it passes everything")

    def _divergent(self) -> None:
        side, tree = self.instance.divergent_side, self.trees.get("controls/divergent")
        if side is None:
            self.note("controls.divergent_side is named", False, "name the side that controls/divergent implements")
        if side is None or tree is None:
            return
        own = self.grade(tree, side)
        self.note("controls/divergent passes its own side", own.passed, own.reason)
        edits = [self._edit(side, "controls/divergent"), self._edit(OTHER[side], f"references/{OTHER[side]}")]
        merged = GitMerge().combine(self.pair.stage.store, self.pair.stage.base, *edits)
        self.note("controls/divergent merges cleanly with the other reference", merged.tree is not None, merged.reason)
        if merged.tree is not None:
            joint = self.grade(merged.tree, "joint")
            self.note("controls/divergent, merged, fails the integration test", not joint.passed, "tests.joint pass")

    def _edit(self, side: str, name: str) -> Edit:
        tree = self.trees[name]
        return Edit(side, tree, self.pair.stage.store.patch(self.pair.stage.base, tree))


def _check_rounds(rounds: Sequence[_Examined], found: Soundness) -> None:
    first = rounds[0]
    unequal = []
    for key, verdict in first.verdicts.items():
        others = [one.verdicts.get(key) for one in rounds[1:]]
        if any(other is None or other.statuses != verdict.statuses or other.passed != verdict.passed for other in others):
            unequal.append(f"tests.{key[1]} on tree {key[0][:10]}")
    found.findings.append(
        Finding(f"{len(rounds)} rounds give equal verdicts", not unequal, f"flaky: {', '.join(unequal)}" if unequal else "")
    )
    slow = []
    for key in first.verdicts:
        seconds = [one.verdicts[key].duration_seconds for one in rounds if key in one.verdicts]
        if min(seconds) > SUITE_SECONDS:
            slow.append(f"tests.{key[1]} took {min(seconds):.1f} s")
    found.findings.append(Finding(f"a suite takes {SUITE_SECONDS:.0f} s at most", not slow, ", ".join(sorted(set(slow)))))
