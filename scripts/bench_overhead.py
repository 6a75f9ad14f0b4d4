"""What a cell costs beyond the bare commands that it needs, as a ratio in one run.

The cell: two parallel lanes, each applying a patch, both reconcilers, six gradings (A's tests on A's tree, B's on B's, and A's,
B's, the joint and the base's own on the combined tree), on a base of 200 files. The floor: the same work by bare commands without
any sandbox, record or check: `cp -r` of a prepared checkout for each lane and each grading, `git apply`, `git merge-tree`,
`cp -r` of the held-out tests, and `python -I -m pytest` with no plugins. Both are timed in turn, and the medians compared.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from small_pair import write_pair

from eval.bench import Bench, InstanceBench
from eval.cell import run_cell
from eval.plan import Choice, make_manifest
from eval.storage import ResultsFolder
from harnesses.base import Configuration
from harnesses.replay import ReplayHarness
from instances.load import load
from instances.model import Family
from reconcilers import RECONCILERS
from reconcilers.registry import reconciler_named
from sandboxes.exec import run
from sandboxes.local import LocalSandboxFactory
from scenarios.catalog import by_name

FILES = 200
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench", "-c", "core.hooksPath=/dev/null")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=30, help="interleaved pairs of measurements")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        bench = _bench(folder)
        cell = bench.manifest.cells[0]
        pair = bench.instance(cell.instance)
        floor = _Floor(folder / "floor", pair)
        product_seconds, floor_seconds = [], []
        for number in range(pairs + 1):
            shutil.rmtree(bench.results.gradings, ignore_errors=True)
            shutil.rmtree(bench.results.cells / cell.cell, ignore_errors=True)
            started = time.perf_counter()
            record = run_cell(cell, bench)
            between = time.perf_counter()
            floor.play()
            ended = time.perf_counter()
            if not record.solved:
                sys.exit(f"the cell was not solved: {record.status} {record.reason}")
            if number:  # the first pair warms the caches up
                product_seconds.append(between - started)
                floor_seconds.append(ended - between)
    product, bare = statistics.median(product_seconds), statistics.median(floor_seconds)
    ratios = [one / other for one, other in zip(product_seconds, floor_seconds, strict=True)]
    print(f"a cell on a base of {FILES} files, medians of {pairs} interleaved pairs [min, max]:")
    print(f"  product      {1000 * product:7.0f} ms  {_spread(product_seconds)}")
    print(f"  bare commands{1000 * bare:7.0f} ms  {_spread(floor_seconds)}")
    print(f"  ratio of medians {product / bare:.2f}; pair by pair {statistics.median(ratios):.2f} (target 1.25)")


def _bench(folder: Path) -> Bench:
    pair = folder / "pairs" / Family.NON_INTERACTING / "price-label"
    write_pair(pair, Family.NON_INTERACTING)
    for number in range(FILES - 4):
        path = pair / "base" / "stock" / f"shelf_{number // 20}" / f"item_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"VALUE_{line} = {line * number}\n" for line in range(40)), encoding="utf-8")
    instance, scenario = load(pair), by_name("parallel-unaware")
    harness, sandboxes = ReplayHarness(), LocalSandboxFactory()
    choice = Choice([instance], [scenario], Configuration("replay"), harness, sandboxes, list(RECONCILERS))
    results = ResultsFolder(folder / "results")
    manifest = make_manifest(choice, "bench")
    results.create(manifest)
    reconcilers = [reconciler_named(name) for name in RECONCILERS]
    return Bench(manifest, results, [instance], [scenario], harness, sandboxes, reconcilers)


class _Floor:
    """The bare commands."""

    def __init__(self, folder: Path, pair: InstanceBench) -> None:
        self.folder, self.pair = folder, pair
        self.prepared = folder / "prepared"
        shutil.copytree(pair.instance.base_directory(), self.prepared)
        self._must([*GIT, "init", "-q"], self.prepared)
        self._must([*GIT, "add", "-A"], self.prepared)
        self._must([*GIT, "commit", "-q", "-m", "base"], self.prepared)
        self.patches = {side: pair.instance.patch(f"references/{side}") for side in ("a", "b")}
        self._commit_sides()
        self._must([*GIT, "gc", "-q"], self.prepared)

    def _commit_sides(self) -> None:
        for side in ("a", "b"):
            self._must([*GIT, "checkout", "-q", "-b", side, "HEAD"], self.prepared)
            self._must([*GIT, "apply", "-"], self.prepared, self.patches[side])
            self._must([*GIT, "commit", "-q", "-a", "-m", side], self.prepared)
            self._must([*GIT, "checkout", "-q", "-"], self.prepared)

    def play(self) -> None:
        work = self.folder / "work"
        work.mkdir()
        for side in ("a", "b"):
            self._must(["cp", "-r", str(self.prepared), str(work / side)], work)
            self._must([*GIT, "apply", "-"], work / side, self.patches[side])
        self._must([*GIT, "merge-tree", "--write-tree", "a", "b"], self.prepared)
        self._must(["cp", "-r", str(work / "a"), str(work / "joint")], work)
        self._must([*GIT, "apply", "-"], work / "joint", self.patches["b"])
        for tree, suite in (("a", "a"), ("b", "b"), ("joint", "a"), ("joint", "b"), ("joint", "joint"), ("joint", "base")):
            self._grade(work, work / tree, suite)
        shutil.rmtree(work)

    def _grade(self, work: Path, tree: Path, suite: str) -> None:
        spec = self.pair.instance.tests[suite]
        fresh = work / f"grade-{tree.name}-{suite}"
        fresh.mkdir()
        files = [str(path) for path in tree.iterdir() if path.name != ".git"]
        self._must(["cp", "-r", *files, str(fresh)], work)
        if spec.overlay:
            self._must(["cp", "-r", f"{spec.overlay}/.", str(fresh)], work)
        program = "import sys; sys.path.append('.'); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
        python = [str(self.pair.stage.environment.executable), "-I", "-B", "-c", program]
        options = ["-q", "-c", "/dev/null", "--rootdir", ".", "-p", "no:cacheprovider", "--import-mode=importlib"]
        variables = {"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LC_ALL": "C.UTF-8"}
        report = [f"--junitxml={work / 'report.xml'}"]
        self._must([*python, *options, *report, *spec.command[1:]], fresh, variables=variables)

    @staticmethod
    def _must(argv: Sequence[str], folder: Path, stdin: bytes = b"", variables: dict[str, str] | None = None) -> None:
        result = run(argv, timeout=120, cwd=folder, stdin=stdin, environment=variables)
        if not result.ok:
            sys.exit(f"{' '.join(argv)}: {result.stderr.decode(errors='replace')}{result.stdout.decode(errors='replace')}")


def _spread(seconds: Sequence[float]) -> str:
    return f"[{1000 * min(seconds):.0f}, {1000 * max(seconds):.0f}]"


if __name__ == "__main__":
    main()
