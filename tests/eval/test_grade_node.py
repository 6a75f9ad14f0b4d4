"""Grading with node's own test runner."""

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import NODE_IDS, NODE_KEPT, NODE_RIGHT, Bench, node_bench

from eval.junit import Status
from sandboxes.local import UnisolatedSandboxFactory

pytestmark = pytest.mark.needs("bwrap", "node")

WRONG = "exports.add = (a, b) => a - b;\n"
ATTACKS = {
    "exit at load": "process.exit(0);\n",
    "exit in a test": "exports.add = () => process.exit(0);\n",
    "assertions switched off": "const a = require('node:assert');\na.strictEqual = a.equal = a.deepStrictEqual = () => {};\n"
    + WRONG,
    "only what the tests assert with switched off": "const a = require('node:assert');\n"
    "a.strictEqual = a.equal = a.strict.strictEqual = () => {};\n" + WRONG,
    "assertions switched off, and again for what imports them by name": "const a = require('node:assert');\n"
    "for (const each of [a, a.strict]) for (const name of Object.keys(each)) Object.defineProperty(each, name, { value() {} });\n"
    "require('node:module').syncBuiltinESMExports();\n" + WRONG,
    "a test function that swallows errors": "const t = require('node:test');\nfor (const name of Object.keys(t)) {\n"
    "  const real = t[name];\n"
    "  Object.defineProperty(t, name, { value: (n, f) => real(n, () => { try { f(); } catch {} }) });\n}\n" + WRONG,
    "tests that do nothing": "const t = require('node:test');\nconst real = t.test;\nt.test = t.it = (n) => real(n, () => {});\n"
    + WRONG,
    "errors swallowed": "process.on('uncaughtException', () => {});\nprocess.exitCode = 0;\n" + WRONG,
    "a fake report printed": 'console.log(\'<testcase file="heldout/a.test.js" name="big"></testcase>\');\n' + WRONG,
    "a whole report written to the runner's output": """
const { openSync, readFileSync, writeSync } = require('node:fs');
const { relative } = require('node:path');
const file = relative(process.cwd(), process.argv[1]);
const ids = { 'heldout/a.test.js': ['add > small > 1 &amp; 2', 'big', 'big > sub'], 'heldout/b.test.mjs': ['twice'] }[file] ?? [];
let text = '';
for (const [, name] of readFileSync(process.argv[1], 'utf8').matchAll(/\\w+_\\d+\\("([a-z ]+)", /g)) {
  text += `<testcase name="${name}" file="${file}"><failure/></testcase>\\n`;
}
for (const name of ids) text += `<testcase name="${name}" file="${file}"/>\\n`;
for (const number of [process.ppid, 1]) {
  try { writeSync(openSync(`/proc/${number}/fd/1`, 'a'), text); } catch {}
}
process.exit(1);
""",
    "the runner asked to open its debugger": "process.kill(process.ppid, 'SIGUSR1');\n" + WRONG,
    "tests that the runner never calls": "const kind = require('node:async_hooks').AsyncResource.prototype;\n"
    "const call = kind.runInAsyncScope;\nkind.runInAsyncScope = function (...words) {\n"
    "  return ['1 & 2', 'sub'].includes(this.name) ? undefined : call.apply(this, words);\n};\n" + WRONG,
    "a loop": "exports.add = () => { for (;;); };\n",
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return node_bench(tmp_path)


def test_right_and_wrong(bench: Bench) -> None:
    right, wrong = bench.grade(NODE_RIGHT), bench.grade({})
    assert right.reason == "passed"
    assert right.statuses == {name: Status.PASSED for name in (*NODE_IDS, *NODE_KEPT)}
    assert wrong.statuses == {**{name: Status.FAILED for name in NODE_IDS}, NODE_KEPT[0]: Status.PASSED}
    assert bench.grade(NODE_RIGHT, "base").reason == "passed"


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_passes(name: str, bench: Bench) -> None:
    assert not bench.with_deadline(3 if name == "a loop" else 30).grade({"lib/add.js": ATTACKS[name]}).passed


@pytest.mark.parametrize("hook", ["before(spoil)", "beforeEach(spoil)", "beforeEach((t) => put(t, t))", "test('x', spoil)"])
def test_no_subtest_is_emptied(hook: str, bench: Bench) -> None:
    """What a test's context gives for its subtests is what node gave it."""
    text = (
        "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
        "const { add } = require('../lib/add.js');\n"
        "test('all', (t) => t.test('sub', () => assert.equal(add(1, 2), 3)));\n"
    )
    bench = bench.with_tests({"heldout/s.test.js": text}, ("heldout/s.test.js::all", "heldout/s.test.js::all > sub"))
    source = (
        "const { test, before, beforeEach } = require('node:test');\nconst put = (kind, t) => {\n  const real = kind.test;\n"
        "  Object.defineProperty(kind, 'test', { get() { return real.bind(this, 'sub', () => {}); } });\n};\n"
        f"const spoil = (t) => put(Object.getPrototypeOf(t), t);\n{hook};\n{WRONG}"
    )
    assert bench.grade(NODE_RIGHT).reason == "passed"
    assert not bench.grade({"lib/add.js": source}).passed


def test_who_wrote_the_report_is_told(bench: Bench) -> None:
    reason = bench.grade({"lib/add.js": ATTACKS["a whole report written to the runner's output"]}).reason
    assert reason == "forged report: another than the runner wrote into it"


def test_no_test_can_open_the_runner_to_a_debugger(bench: Bench) -> None:
    asking = (
        "const { connect } = require('node:net');\nprocess.kill(process.ppid, 'SIGUSR1');\nconst end = Date.now() + 1000;\n"
        "const ask = () => connect(9229, '127.0.0.1').on('connect', () => { console.error('OPEN'); process.exit(3); })\n"
        "  .on('error', () => { if (Date.now() < end) setTimeout(ask, 50); });\nask();\n"
    )
    verdict = bench.grade({"lib/add.js": asking + NODE_RIGHT["lib/add.js"]})
    assert "OPEN" not in (bench.evidence / verdict.evidence / "output.txt").read_text(encoding="utf-8")
    assert verdict.reason == "passed"


def test_options_of_the_caller_are_not_obeyed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--require /nowhere.js")
    monkeypatch.setenv("NODE_TEST_CONTEXT", "child")
    bench = replace(bench, factory=UnisolatedSandboxFactory())
    assert bench.grade(NODE_RIGHT).passed


def test_skipped_and_todo_are_no_pass(bench: Bench) -> None:
    text = (
        "const { test } = require('node:test');\ntest.skip('s', () => {});\ntest.todo('t', () => {});\n"
        + 2 * "test('d', () => {});\n"
    )
    ids = tuple(f"heldout/s.test.js::{name}" for name in "std")
    bench = bench.with_tests({"heldout/s.test.js": text}, ids, "heldout")
    verdict = bench.grade(NODE_RIGHT)
    assert [verdict.statuses[name] for name in ids] == [Status.SKIPPED, Status.SKIPPED, Status.DUPLICATE]


def test_what_does_not_load_failed(bench: Bench) -> None:
    verdict = bench.grade({"lib/add.js": "throw new Error('no');\n"})
    assert not verdict.passed
    assert verdict.statuses["heldout/a.test.js"] == Status.FAILED


def test_tests_that_are_gone_are_a_failure(bench: Bench) -> None:
    """Node would look for tests of its own choice when it is given none."""
    bench = bench.with_tests({"heldout/notes.txt": "x"}, ("test/base.test.js::loads",), "nowhere")
    verdict = bench.grade(NODE_RIGHT)
    assert verdict.reason == "1 of 1 tests did not pass: test/base.test.js::loads missing"
