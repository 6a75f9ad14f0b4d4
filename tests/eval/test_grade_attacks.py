"""Grading dishonest trees: nothing that a patch may hold makes a pass of a failure."""

import ast
import json
from pathlib import Path

import pytest
from grading_bench import BASE, RIGHT, Bench, python_bench

from sandboxes.environments import ensure_environment

pytestmark = pytest.mark.needs("bwrap")

RIG = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    report = outcome.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n"
)
FORGE = (
    "import _pytest.reports as r\nmake = r.TestReport.from_item_and_call.__func__\n\n\n"
    "def forged(cls, item, call):\n    report = make(cls, item, call)\n    report.outcome = 'passed'\n    return report\n\n\n"
    "r.TestReport.from_item_and_call = classmethod(forged)\n"
)
WRONG = BASE["src/sums/__init__.py"]
# Writes a whole report, with the failures that the test files promise, to whatever is open, and leaves.
WHOLE_REPORT = """
import glob, os, re
lines = []
for file in glob.glob("heldout/*.py"):
    holder = ""
    for line in open(file):
        holder = m[1] + "::" if (m := re.match(r"class (\\w+)", line)) else holder
        if m := re.match(r"( *)def (test_\\w+)", line):
            lines.append(f'<testcase name="{holder if m[1] else ""}{m[2]}" file="{file}"><failure/></testcase>')
for name in ("test_add[1-2-3]", "test_add[2-2-4]", "TestMore::test_zero"):
    lines = [each for each in lines if name.partition("[")[0] not in each]
    lines.append(f'<testcase name="{name}" file="heldout/test_add.py"/>')
lines.append('<properties><property name="exit" value="1"/></properties></testsuite></testsuites>')
for number in range(3, 200):
    try:
        os.write(number, "\\n".join(lines).encode())
    except OSError:
        pass
os._exit(1)
"""
REPORTER_WRAPPED = """
import gc
for each in gc.get_objects():
    if type(each).__name__ == "Reporter":
        kind, case = type(each), type(each)._case
        def told(self, nodeid, outcome, message):
            case(self, nodeid, *(("passed", "") if "test_add[" in nodeid or "test_zero" in nodeid else (outcome, message)))
        kind._case = told
"""
SELECTED = """
import _pytest.python as p
run = p.Function.runtest
def runtest(self):
    if not self.name.startswith(("test_add[", "test_zero")):
        run(self)
p.Function.runtest = runtest
"""
# Each with a source that is as wrong as the base's. Nothing of it may make a pass; what is listed must be told.
ATTACKS: dict[str, tuple[dict[str, str], set[str]]] = {
    "conftest at the root": ({"conftest.py": RIG}, {"conftest.py"}),
    "conftest beside the tests": ({"heldout/conftest.py": RIG}, {"heldout/conftest.py"}),
    "conftest as a package": ({"conftest/__init__.py": RIG}, {"conftest/__init__.py"}),
    "pytest.ini that collects only": ({"pytest.ini": "[pytest]\naddopts = --co\n"}, {"pytest.ini"}),
    "hidden ini with a plugin": ({".pytest.ini": "[pytest]\naddopts = -p rig\n", "rig.py": RIG}, {".pytest.ini"}),
    "tox.ini": ({"tox.ini": "[pytest]\naddopts = -p rig\n", "rig.py": RIG}, {"tox.ini"}),
    "setup.cfg": ({"setup.cfg": "[tool:pytest]\naddopts = -p rig\n", "rig.py": RIG}, {"setup.cfg"}),
    "pyproject": ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p rig'\n", "rig.py": RIG}, set()),
    "plugin by entry point": (
        {
            "x-1.dist-info/entry_points.txt": "[pytest11]\nx = rig\n",
            "x-1.dist-info/METADATA": "Name: x\nVersion: 1\n",
            "rig.py": RIG,
        },
        {"x-1.dist-info/entry_points.txt", "x-1.dist-info/METADATA"},
    ),
    "sitecustomize": (
        {"sitecustomize.py": "import rig", "src/sitecustomize.py": "", "rig.py": FORGE},
        {"sitecustomize.py", "src/sitecustomize.py"},
    ),
    "pth": ({"x.pth": "import rig", "src/x.pth": "import rig", "rig.py": FORGE}, {"x.pth", "src/x.pth"}),
    "a module named pytest": ({"pytest.py": "def main(*a, **k):\n    return 0\n", "src/pytest.py": ""}, set()),
    "a module named json": (
        {"json.py": FORGE, "src/json.py": FORGE, "xml.py": FORGE, "fcntl.py": FORGE, "_pytest.py": FORGE},
        set(),
    ),
    "a test of the same path": ({"heldout/test_add.py": "def test_add():\n    pass\n"}, set()),
    "a package in a held-out module's place": (
        {"heldout/cases/__init__.py": "CASES = [(3, 0, 3)]\n"},
        {"heldout/cases/__init__.py"},
    ),
    "an extension in its place": (
        {"heldout/cases.cpython-311-x86_64-linux-gnu.so": "x"},
        {"heldout/cases.cpython-311-x86_64-linux-gnu.so"},
    ),
    "a module in the held-out folder's place": (
        {"heldout.py": "x = 1\n", "src/heldout.py": "x = 1\n"},
        {"heldout.py", "src/heldout.py"},
    ),
    "bytecode": ({"heldout/__pycache__/cases.cpython-311.pyc": "x"}, {"heldout/__pycache__/cases.cpython-311.pyc"}),
    "exit at import": ({"src/sums/__init__.py": f"import os\nos._exit(0)\n{WRONG}"}, set()),
    "polite exit at import": ({"src/sums/__init__.py": f"raise SystemExit(0)\n{WRONG}"}, set()),
    "exit in a test": ({"src/sums/__init__.py": "import os\n\n\ndef add(a, b):\n    os._exit(0)\n"}, set()),
    "a whole report written": ({"src/sums/__init__.py": WHOLE_REPORT + WRONG}, set()),
    "the reporter wrapped": ({"src/sums/__init__.py": REPORTER_WRAPPED + WRONG}, set()),
    "some tests passed over": ({"src/sums/__init__.py": SELECTED + WRONG}, set()),
    "reports forged": ({"src/sums/__init__.py": FORGE + WRONG}, set()),
    "assertions switched off": (
        {"src/sums/__init__.py": "import builtins\nbuiltins.AssertionError = type('Quiet', (Exception,), {})\n" + WRONG},
        set(),
    ),
    "the runner's hooks replaced": (
        {
            "src/sums/__init__.py": "import _pytest.runner as r\nr.call_and_report = lambda item, when, log=True, **k: None\n"
            "import _pytest.python as p\np.Function.runtest = lambda self: None\n" + WRONG
        },
        set(),
    ),
    "a fake report printed": (
        {"src/sums/__init__.py": "print('<?xml version=\"1.0\"?><testsuites/>' * 9, '3 passed in 0.01s', flush=True)\n" + WRONG},
        set(),
    ),
    "fake reports written": (
        {
            "src/sums/__init__.py": "import os, glob\nfor f in glob.glob('/proc/self/fd/*'):\n    try:\n"
            '        os.write(int(f[14:]), b\'<testcase file="heldout/test_add.py" name="test_add[1-2-3]"/>\')\n'
            "    except OSError:\n        pass\n" + WRONG
        },
        set(),
    ),
    "descriptors swapped": (
        {
            "src/sums/__init__.py": "import os\nend = os.open('/dev/null', os.O_WRONLY)\nfor n in range(200):\n    try:\n"
            "        os.fstat(n)\n        os.dup2(end, n)\n    except OSError:\n        pass\n" + WRONG
        },
        set(),
    ),
    "a child that outlives": (
        {
            "src/sums/__init__.py": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(300)\n    os._exit(0)\n"
            + WRONG
        },
        set(),
    ),
    "a forked child that goes on as the runner": ({"src/sums/__init__.py": "import os\nos.fork()\n" + WRONG}, set()),
    "tests rewritten on disk": (
        {
            "src/sums/__init__.py": "import glob\nfor f in glob.glob('heldout/*.py'):\n    open(f, 'a').write('# x\\n')\n"
            + RIGHT["src/sums/__init__.py"]
        },
        set(),
    ),
    "tests removed from disk": (
        {"src/sums/__init__.py": "import shutil\nshutil.rmtree('heldout')\n" + RIGHT["src/sums/__init__.py"]},
        set(),
    ),
    "deselection": (
        {"src/sums/__init__.py": "import _pytest.main as m\nm.Session.perform_collect = lambda self, *a, **k: []\n" + WRONG},
        set(),
    ),
    "tests skipped at collection": (
        {"src/sums/__init__.py": "import pytest\npytest.skip('nothing to see', allow_module_level=True)\n" + WRONG},
        set(),
    ),
    "a global mark": (
        {"src/sums/__init__.py": "import _pytest.skipping as s\ns.evaluate_skip_marks = lambda item: s.Skip('x')\n" + WRONG},
        set(),
    ),
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return python_bench(tmp_path)


class TestDishonest:
    @pytest.mark.parametrize("name", ATTACKS)
    def test_no_attack_passes(self, name: str, bench: Bench) -> None:
        files, told = ATTACKS[name]
        verdict = bench.grade(files)
        assert not verdict.passed
        assert set(verdict.control_files) == told
        assert verdict.reason != "passed"
        assert "sentinel" not in json.dumps(verdict.statuses)

    def test_honest_work_passes_beside_such_files(self, bench: Bench) -> None:
        """What such files do is undone, so that they cost nobody a verdict either."""
        harmless = [attack for attack in ATTACKS.values() if "src/sums/__init__.py" not in attack[0]]
        verdict = bench.grade({**{path: text for files, _ in harmless for path, text in files.items()}, **RIGHT})
        assert verdict.reason == "passed"
        assert set(verdict.control_files) == {path for _, told in harmless for path in told}

    def test_forged_report_is_called_so(self, bench: Bench) -> None:
        assert bench.grade(ATTACKS["reports forged"][0]).reason.startswith("forged report")

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("a whole report written", "another than the runner wrote into it"),
            ("the reporter wrapped", "the runner was changed while it ran (__main__.Reporter._case)"),
            ("some tests passed over", "the runner was changed while it ran (_pytest.python.Function.runtest)"),
        ],
    )
    def test_what_gave_it_away(self, name: str, reason: str, bench: Bench) -> None:
        assert bench.grade(ATTACKS[name][0]).reason == f"forged report: {reason}"

    @pytest.mark.parametrize(
        "answer",
        [
            "class Any(str):\n    __eq__ = startswith = lambda self, *_: True\n    __hash__ = str.__hash__\n\n\n"
            "def label(cents):\n    return Any('x')\n",
            "import ast, re, sys\n\n\ndef label(cents):\n    caller = sys._getframe(1)\n"
            "    line = open(caller.f_code.co_filename).read().splitlines()[caller.f_lineno - 1]\n"
            "    return ast.literal_eval(re.search(r\"== ('[^']*')\", line)[1])\n",
        ],
        ids=["equal to everything", "read from the test"],
    )
    def test_answers_that_please_any_test(self, answer: str, bench: Bench) -> None:
        text = "from sums import label\n\n\ndef test_label():\n    assert label(150) == '1.50'\n"
        bench = bench.with_tests({"heldout/test_l.py": text}, ("heldout/test_l.py::test_label",))
        honest = "def label(cents):\n    return f'{cents / 100:.2f}'\n"
        assert bench.grade({"src/sums/__init__.py": honest}).reason == "passed"
        verdict = bench.grade({"src/sums/__init__.py": answer})
        assert verdict.reason == "forged report: tests that must fail were reported otherwise"

    def test_held_out_files_are_not_written_through_links(self, bench: Bench, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        checkout = tmp_path / "linked"
        bench.store.checkout(bench.tree(RIGHT), checkout)
        (checkout / "heldout").symlink_to(outside)
        tree = bench.store.import_directory(checkout)
        verdict = bench.grader().grade(tree, "a", bench.base)
        assert verdict.passed
        assert list(outside.iterdir()) == []

    def test_protected_files_are_put_back(self, bench: Bench) -> None:
        weak = "def test_zero():\n    pass\n"
        verdict = bench.grade(
            {"tests/test_base.py": weak, "tests/test_new.py": weak, "src/sums/__init__.py": "add = None\n"}, "base"
        )
        assert not verdict.passed
        assert verdict.control_files == ("tests/test_base.py", "tests/test_new.py")
        assert bench.grade(RIGHT, "base", removed=("tests",)).passed

    def test_the_sandbox_holds_no_answers(self, bench: Bench) -> None:
        """Tested code sees the tree, its tests and the runner: no evidence, no other suite, no data set."""
        environment = ensure_environment("python", *bench.instance.environment.read_locks())
        interpreter = [str(mount.source) for mount in environment.mounts]
        spy = (
            "import os\nfound = []\n"
            "for top in {*os.listdir('/')} - {'usr', 'bin', 'sbin', 'lib', 'lib64', 'etc', 'proc', 'dev'}:\n"
            "    found += [os.path.join(folder, f) for folder, _, files in os.walk('/' + top) for f in files]\n"
            f"print('FOUND', [f for f in found if not f.startswith(tuple({interpreter!r}))], flush=True)\n"
        )
        verdict = bench.grade({"src/sums/__init__.py": spy + RIGHT["src/sums/__init__.py"]})
        assert verdict.passed
        output = (bench.evidence / verdict.evidence / "output.txt").read_text(encoding="utf-8")
        seen = next(line for line in output.splitlines() if line.startswith("FOUND"))
        top = {path.split("/")[1] for path in ast.literal_eval(seen.removeprefix("FOUND "))}
        assert top == {"workspace", "crosstalk"}
