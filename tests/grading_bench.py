"""A small base with held-out tests, and all that grading them takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from eval.grade import Grader, SuiteVerdict
from instances.load import PAIRS
from instances.model import EnvironmentSpec, SuiteSpec
from sandboxes.base import SandboxFactory
from sandboxes.gitstore import GitStore
from sandboxes.local import LocalSandboxFactory

LOCK = next(PAIRS.glob("*/signoff-deputies/environment.lock"))
BASE = {
    "src/sums/__init__.py": "def add(a, b):\n    return a - b\n",
    "tests/test_base.py": "from sums import add\n\n\ndef test_zero():\n    assert add(3, 0) == 3\n",
    "README.md": "Sums.\n",
}
RIGHT = {"src/sums/__init__.py": "def add(a, b):\n    return a + b\n"}
HELD_OUT = (
    "import pytest\nfrom heldout.cases import CASES\nfrom sums import add\n\n\n"
    "@pytest.mark.parametrize(('a', 'b', 'total'), CASES)\ndef test_add(a, b, total):\n    assert add(a, b) == total\n\n\n"
    "class TestMore:\n    def test_zero(self):\n        assert add(3, 0) == 3\n"
)
IDS = ("heldout/test_add.py::test_add[1-2-3]", "heldout/test_add.py::test_add[2-2-4]")
ZERO = "heldout/test_add.py::TestMore::test_zero"


@dataclass(frozen=True)
class Described:
    """As much of an instance as grading needs."""

    tests: Mapping[str, SuiteSpec]
    environment: EnvironmentSpec
    protected: tuple[str, ...] = ("tests/**",)
    id: str = "sums"


@dataclass(frozen=True)
class Bench:
    """A store, a base tree in it, and a grader's other parts."""

    store: GitStore
    base: str
    instance: Described
    evidence: Path
    factory: SandboxFactory = field(default_factory=LocalSandboxFactory)

    def tree(self, files: Mapping[str, str | bytes], removed: tuple[str, ...] = ()) -> str:
        entries = [(path, text if isinstance(text, bytes) else text.encode(), False) for path, text in files.items()]
        return self.store.overlay(self.base, entries, removed)

    def grader(self) -> Grader:
        return Grader(self.store, self.instance, self.factory, self.evidence)

    def grade(self, files: Mapping[str, str | bytes], suite: str = "a", removed: tuple[str, ...] = ()) -> SuiteVerdict:
        return self.grader().grade(self.tree(files, removed), suite, self.base)

    def with_suite(self, suite: SuiteSpec) -> "Bench":
        """The same with another suite `a`."""
        return replace(self, instance=replace(self.instance, tests={**self.instance.tests, "a": suite}))

    def with_tests(self, held_out: Mapping[str, str], expected: tuple[str, ...], *command: str) -> "Bench":
        """The same with other held-out files."""
        overlay = self.evidence.parent / f"overlay-{len(list(self.evidence.parent.iterdir()))}"
        write(overlay, held_out)
        runner = self.instance.tests["a"].command[0]
        return self.with_suite(SuiteSpec("a", overlay, (runner, *(command or held_out)), expected, ()))

    def with_deadline(self, seconds: float) -> "Bench":
        return self.with_suite(replace(self.instance.tests["a"], timeout_seconds=seconds))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def python_bench(tmp_path: Path) -> Bench:
    """A base with one wrong function, and a suite that tells."""
    write(tmp_path / "base", BASE)
    write(
        tmp_path / "overlay",
        {"heldout/test_add.py": HELD_OUT, "heldout/cases.py": "CASES = [(1, 2, 3), (2, 2, 4)]\n"},
    )
    store = GitStore(tmp_path / "store")
    tests = {
        "a": SuiteSpec("a", tmp_path / "overlay", ("pytest", "heldout/test_add.py"), IDS, (ZERO,)),
        "base": SuiteSpec("base", None, ("pytest", "tests"), (), ("tests/test_base.py::test_zero",)),
    }
    instance = Described(tests, EnvironmentSpec("python", LOCK, ("src", ".")))
    return Bench(store, store.import_directory(tmp_path / "base"), instance, tmp_path / "evidence")


NODE_BASE = {
    "package.json": '{"name": "sums", "type": "commonjs"}\n',
    "lib/add.js": "exports.add = (a, b) => a - b;\n",
    "lib/more.mjs": "export const twice = (a) => a + a;\n",
    "test/base.test.js": "const { test } = require('node:test');\ntest('loads', () => { require('../lib/add.js'); });\n",
}
NODE_RIGHT = {"lib/add.js": "exports.add = (a, b) => a + b;\n"}
NODE_HELD_OUT = {
    "heldout/a.test.js": "'use strict';\nconst { describe, it, test } = require('node:test');\n"
    "const assert = require('node:assert');\nconst { add } = require('../lib/add.js');\n"
    "describe('add', () => { describe('small', () => { it('1 & 2', () => assert.strictEqual(add(1, 2), 3)); }); });\n"
    "test('big', async (t) => { await t.test('sub', () => assert.strictEqual(add(2e9, 2e9), 4e9)); });\n",
    "heldout/b.test.mjs": "import { test } from 'node:test';\nimport { twice } from '../lib/more.mjs';\n"
    "import assert from 'node:assert';\ntest('twice', () => assert.equal(twice(2), 4));\n",
}
NODE_IDS = ("heldout/a.test.js::add > small > 1 & 2", "heldout/a.test.js::big", "heldout/a.test.js::big > sub")
NODE_KEPT = ("heldout/b.test.mjs::twice",)


def node_bench(tmp_path: Path) -> Bench:
    """The same for node."""
    write(tmp_path / "base", NODE_BASE)
    write(tmp_path / "overlay", NODE_HELD_OUT)
    store = GitStore(tmp_path / "store")
    tests = {
        "a": SuiteSpec(
            "a", tmp_path / "overlay", ("node-test", "heldout/a.test.js", "heldout/b.test.mjs"), NODE_IDS, NODE_KEPT, 20.0
        ),
        "base": SuiteSpec("base", None, ("node-test", "test"), (), ("test/base.test.js::loads",)),
    }
    lock = next(PAIRS.glob("*/deskqueue-queue-order/environment.lock"))
    instance = Described(tests, EnvironmentSpec("node", lock), ("test/**",))
    return Bench(store, store.import_directory(tmp_path / "base"), instance, tmp_path / "evidence")


GO_BASE = {
    "go.mod": "module example.org/sums\n\ngo 1.19\n",
    "sums/add.go": "package sums\n\nfunc Add(a, b int) int { return a - b }\n",
    "sums/add_test.go": 'package sums\n\nimport "testing"\n\nfunc TestZero(t *testing.T) {\n'
    '\tif Add(3, 0) != 3 {\n\t\tt.Fatal("zero")\n\t}\n}\n',
}
GO_RIGHT = {"sums/add.go": "package sums\n\nfunc Add(a, b int) int { return a + b }\n"}
GO_HELD_OUT = {
    "heldout/a_test.go": 'package heldout\n\nimport (\n\t"testing"\n\n\t"example.org/sums/sums"\n)\n\n'
    "func TestAdd(t *testing.T) {\n\tfor _, each := range [][3]int{{1, 2, 3}, {2, 2, 4}} {\n"
    '\t\tt.Run("pair", func(t *testing.T) {\n\t\t\tif got := sums.Add(each[0], each[1]); got != each[2] {\n'
    '\t\t\t\tt.Errorf("got %d", got)\n\t\t\t}\n\t\t})\n\t}\n}\n\n'
    "func TestLarge(t *testing.T) {\n\tif sums.Add(2e9, 2e9) != 4e9 {\n\t\tt.Fatal(0)\n\t}\n}\n\n"
    "func TestKept(t *testing.T) {\n\tif sums.Add(3, 0) != 3 {\n\t\tt.FailNow()\n\t}\n}\n",
}
GO_IDS = ("heldout/a_test.go::TestAdd", "heldout/a_test.go::TestLarge")
GO_KEPT = ("heldout/a_test.go::TestKept",)


def go_bench(tmp_path: Path) -> Bench:
    """The same for Go."""
    write(tmp_path / "base", GO_BASE)
    write(tmp_path / "overlay", GO_HELD_OUT)
    store = GitStore(tmp_path / "store")
    tests = {
        "a": SuiteSpec("a", tmp_path / "overlay", ("go-test", "heldout"), GO_IDS, GO_KEPT, 30.0),
        "base": SuiteSpec("base", None, ("go-test", "sums"), (), ("sums/add_test.go::TestZero",), 30.0),
    }
    (tmp_path / "environment.lock").touch()
    instance = Described(tests, EnvironmentSpec("go", tmp_path / "environment.lock"), ())
    return Bench(store, store.import_directory(tmp_path / "base"), instance, tmp_path / "evidence")


TS_BASE = {
    "package.json": '{"name": "sums", "type": "module"}\n',
    "src/add.ts": "export const add = (a: number, b: number): number => a - b;\n",
    "src/index.ts": "export type { Pair } from './pair.js';\nexport { add } from './add';\nexport enum Kind { Plain }\n",
    "src/pair.ts": "export interface Pair { a: number; b: number }\n",
    "test/base.test.ts": "import { test } from 'node:test';\nimport * as all from '../src/index.js';\n"
    "test('loads', () => { all.Kind.Plain; });\n",
}
TS_RIGHT = {"src/add.ts": "export const add = (a: number, b: number): number => a + b;\n"}
TS_HELD_OUT = {
    "heldout/a.test.ts": "import { describe, it } from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import { add, type Pair } from '../src';\nconst pair: Pair = { a: 1, b: 2 };\n"
    "describe('add', () => { it('small', () => assert.equal(add(pair.a, pair.b), 3)); });\n"
    "it('zero', () => assert.equal(add(3, 0), 3));\n",
}
TS_IDS = ("heldout/a.test.ts::add > small",)
TS_KEPT = ("heldout/a.test.ts::zero",)


def typescript_bench(tmp_path: Path) -> Bench:
    """The same for TypeScript, with the npm lock of a shipped pair."""
    write(tmp_path / "base", TS_BASE)
    write(tmp_path / "overlay", TS_HELD_OUT)
    store = GitStore(tmp_path / "store")
    tests = {
        "a": SuiteSpec("a", tmp_path / "overlay", ("node-test-ts", "heldout"), TS_IDS, TS_KEPT, 30.0),
        "base": SuiteSpec("base", None, ("node-test-ts", "test"), (), ("test/base.test.ts::loads",), 30.0),
    }
    folder = next(PAIRS.glob("*/minisearch-discard/npm.lock")).parent
    instance = Described(tests, EnvironmentSpec("node", folder / "environment.lock", npm_lock=folder / "npm.lock"), ("test/**",))
    return Bench(store, store.import_directory(tmp_path / "base"), instance, tmp_path / "evidence")
