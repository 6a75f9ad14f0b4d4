"""Grading TypeScript: node's own test runner on what the environment's own `typescript` transpiles."""

from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import TS_BASE, TS_IDS, TS_KEPT, TS_RIGHT, Bench, typescript_bench

from eval.junit import Status
from sandboxes.local import UnisolatedSandboxFactory

pytestmark = pytest.mark.needs("bwrap", "node", "npm")

WRONG = TS_BASE["src/add.ts"]
# A transpiler that makes every assertion of equality one of the values with themselves.
BENT = (
    "exports.ScriptTarget = exports.ModuleKind = {};\nexports.transpileModule = (text) => "
    "({ outputText: text.replace(/: [A-Za-z]+/g, '').replace(/equal\\([^;]*/g, 'equal(1, 1)') });\n"
)
ATTACKS: dict[str, dict[str, str]] = {
    "exit at load": {"src/add.ts": f"process.exit(0);\n{WRONG}"},
    "exit in a test": {"src/add.ts": "export const add = (a: number, b: number): number => process.exit(0);\n"},
    "assertions switched off": {
        "src/add.ts": f"import assert from 'node:assert';\nassert.strict.equal = assert.equal = () => {{}};\n{WRONG}"
    },
    "errors swallowed": {"src/add.ts": f"process.on('uncaughtException', () => {{}});\nprocess.exitCode = 0;\n{WRONG}"},
    "a transpiler of one's own": {
        "node_modules/typescript/index.js": BENT,
        "node_modules/typescript/package.json": '{"name": "typescript", "main": "index.js"}\n',
    },
    "settings for the transpiler": {
        "tsconfig.json": '{"compilerOptions": {"paths": {"node:assert/strict": ["./src/bent"]}}}\n',
        "src/bent.ts": "export default { equal() {} };\n",
    },
    "a module in a held-out one's place": {"heldout/a.test.js": "", "heldout/a.ts": "", "heldout/index.ts": ""},
    "the held-out folder as a file": {"heldout.ts": "export {};\n"},
    "hooks of the code's own": {
        "src/add.ts": "import { register } from 'node:module';\nregister('data:text/javascript,' + encodeURIComponent(\n"
        "  'export async function load(url, context, next) { const got = await next(url, context);"
        ' return { ...got, source: String(got.source ?? "").replaceAll("equal(", "ok(1 || (") }; }\'));\n'
        f"{WRONG}"
    },
    "code that is no TypeScript": {"src/add.ts": "export const add = (a: number => ;\n"},
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return typescript_bench(tmp_path)


def test_right_and_wrong(bench: Bench) -> None:
    right, wrong = bench.grade(TS_RIGHT), bench.grade({})
    assert right.reason == "passed"
    assert right.statuses == {name: Status.PASSED for name in (*TS_IDS, *TS_KEPT)}
    assert wrong.statuses == {TS_IDS[0]: Status.FAILED, TS_KEPT[0]: Status.PASSED}
    assert bench.grade(TS_RIGHT, "base").reason == "passed"


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_passes(name: str, bench: Bench) -> None:
    assert not bench.grade(ATTACKS[name]).passed


def test_honest_work_passes_beside_such_files(bench: Bench) -> None:
    names = ("a transpiler of one's own", "settings for the transpiler", "a module in a held-out one's place")
    files = {path: text for name in names for path, text in ATTACKS[name].items()}
    assert bench.grade({**files, **TS_RIGHT}).reason == "passed"


def test_without_isolation_the_packages_are_found_too(bench: Bench) -> None:
    assert replace(bench, factory=UnisolatedSandboxFactory()).grade(TS_RIGHT).reason == "passed"
