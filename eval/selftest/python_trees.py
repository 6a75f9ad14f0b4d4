"""Hostile trees for pytest."""

import sys

from eval.selftest.attack import Kind
from eval.selftest.tree_attack import Believes, TreeAttack, attack

_WRONG = "\n\ndef label(cents, currency='EUR'):\n    return 'x'\n"
_SOURCE = "shop/price.py"
_RIG = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    report = outcome.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n"
)
_WITH_PLUGIN = "addopts = -p rig\n"
_LEAVE = "import os\nos._exit(0)\n"
_FORGED_REPORT = '<testsuites><testsuite tests="1" failures="0" errors="0"><testcase name="test_both"/></testsuite></testsuites>'
_REPORT_PATH = "next((a.partition('=')[2] for a in sys.argv if a.startswith('--junit')), 'report.xml')"
_EXIT_WRITES = (
    f"import atexit, os, sys\n\n\ndef last():\n    open({_REPORT_PATH}, 'w').write('''{_FORGED_REPORT}''')\n"
    "    print('1 passed in 0.01s', flush=True)\n    os._exit(0)\n\n\natexit.register(last)\n"
)
_LATER = (
    "import os, sys, time\nrunner, path, text = sys.argv[1:]\n"
    "while os.path.exists('/proc/' + runner):\n    time.sleep(0.01)\ntime.sleep(0.2)\nopen(path, 'w').write(text)\n"
)
_OVERWRITES_LATER = (
    "import os, sys\nrunner = str(os.getpid())\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        for number in range(3):\n            os.close(number)\n            os.open('/dev/null', os.O_RDWR)\n"
    f"        words = [sys.executable, '-c', {_LATER!r}, runner, os.path.abspath({_REPORT_PATH}), {_FORGED_REPORT!r}]\n"
    "        os.execve(sys.executable, words, {})\n    os._exit(0)\n"
)


def _product(text: str) -> dict[str, str]:
    """An attack from the module that the tests import."""
    return {_SOURCE: text + _WRONG}


def _home(path: str) -> str:
    return f".local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages/{path}"


PYTHON_TREES: tuple[TreeAttack, ...] = (
    attack("its own test in the held-out one's place", Kind.EDIT, {"heldout/test_joint.py": "def test_both():\n    pass\n"}),
    TreeAttack(
        "the base's own test weakened",
        Kind.EDIT,
        {"tests/test_price.py": "def test_label():\n    pass\n", **_product("")},
        suite="base",
    ),
    attack("conftest.py at the root", Kind.PLANT, {"conftest.py": _RIG}),
    attack("conftest.py beside the held-out tests", Kind.PLANT, {"heldout/conftest.py": _RIG}),
    attack("pytest.ini that only collects", Kind.PLANT, {"pytest.ini": "[pytest]\naddopts = --co\n"}),
    attack(".pytest.ini with a plugin", Kind.PLANT, {".pytest.ini": f"[pytest]\n{_WITH_PLUGIN}", "rig.py": _RIG}),
    attack("tox.ini with a plugin", Kind.PLANT, {"tox.ini": f"[pytest]\n{_WITH_PLUGIN}", "rig.py": _RIG}),
    attack("setup.cfg with a plugin", Kind.PLANT, {"setup.cfg": f"[tool:pytest]\n{_WITH_PLUGIN}", "rig.py": _RIG}),
    attack(
        "pyproject.toml with a plugin",
        Kind.PLANT,
        {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p rig'\n", "rig.py": _RIG},
    ),
    attack(
        "a pytest plugin by entry point",
        Kind.PLANT,
        {
            "x-1.dist-info/entry_points.txt": "[pytest11]\nx = rig\n",
            "x-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: x\nVersion: 1\n",
            "rig.py": _RIG,
        },
    ),
    attack("sitecustomize.py", Kind.PLANT, {"sitecustomize.py": _LEAVE}),
    attack("usercustomize.py", Kind.PLANT, {"usercustomize.py": _LEAVE}),
    TreeAttack("a .pth file in the home's packages", Kind.PLANT, home={_home("x.pth"): "import os; os._exit(0)\n"}),
    TreeAttack("usercustomize.py in the home's packages", Kind.PLANT, home={_home("usercustomize.py"): _LEAVE}),
    attack("a package named pytest", Kind.SHADOW, {"pytest/__init__.py": "", "pytest/__main__.py": ""}),
    attack("a module named _pytest", Kind.SHADOW, {"_pytest.py": _LEAVE}),
    attack("a module named pluggy", Kind.SHADOW, {"pluggy.py": _LEAVE}),
    attack("a module of the standard library's name, argparse", Kind.SHADOW, {"argparse.py": _LEAVE}),
    attack("unittest.py", Kind.SHADOW, {"unittest.py": _LEAVE, "unittest/mock.py": ""}),
    attack(
        "test reports made anew by the tested module",
        Kind.MEMORY,
        _product(
            "import _pytest.reports as r\nmake = r.TestReport.from_item_and_call.__func__\n\n\n"
            "def forged(cls, item, call):\n    report = make(cls, item, call)\n    report.outcome = 'passed'\n"
            "    report.longrepr = None\n    return report\n\n\nr.TestReport.from_item_and_call = classmethod(forged)\n"
        ),
    ),
    attack(
        "tests that are not run",
        Kind.MEMORY,
        _product("import _pytest.python as p\np.Function.runtest = lambda self: None\n"),
    ),
    attack(
        "the runner's calls dropped",
        Kind.MEMORY,
        _product("import _pytest.runner as r\nr.runtestprotocol = lambda item, log=True, nextitem=None: []\n"),
    ),
    attack(
        "every test skipped",
        Kind.MEMORY,
        _product("import _pytest.skipping as s\ns.evaluate_skip_marks = lambda item: s.Skip('x')\n"),
    ),
    attack(
        "every test expected to fail",
        Kind.MEMORY,
        _product(
            "import _pytest.skipping as s\ns.evaluate_xfail_marks = lambda item: s.Xfail(reason='', run=True, strict=False, "
            "raises=None)\n"
        ),
    ),
    attack(
        "failures left out of the report file",
        Kind.MEMORY,
        _product("import _pytest.junitxml as j\nj._NodeReporter.append_failure = lambda *a, **k: None\n"),
        Believes.REPORT,
    ),
    attack(
        "the session's status changed",
        Kind.MEMORY,
        _product(
            "import _pytest.main as m\nold = m.Session.__setattr__\n\n\ndef put(self, name, value):\n"
            "    old(self, name, 0 if name in ('testsfailed', 'exitstatus') else value)\n\n\nm.Session.__setattr__ = put\n"
        ),
    ),
    attack(
        "the test's own function exchanged by whom it calls",
        Kind.MEMORY,
        {
            _SOURCE: "import sys\n\n\ndef label(cents, currency='EUR'):\n    frame = sys._getframe(1)\n"
            "    code = frame.f_code\n    import gc, types\n    for f in gc.get_referrers(code):\n"
            "        if isinstance(f, types.FunctionType):\n            f.__code__ = (lambda *a: None).__code__\n"
            "    for each in gc.get_objects():\n        if type(each).__name__ == 'Session':\n"
            "            type(each).testsfailed = property(lambda s: 0, lambda s, v: None)\n    return 'x'\n"
        },
    ),
    attack("exit when it is imported", Kind.EXIT, _product(_LEAVE)),
    attack(
        "exit when it is called",
        Kind.EXIT,
        {_SOURCE: "import os\n\n\ndef label(cents, currency='EUR'):\n    os._exit(0)\n"},
    ),
    attack(
        "a polite end of the session",
        Kind.EXIT,
        {_SOURCE: "import pytest\n\n\ndef label(cents, currency='EUR'):\n    pytest.exit('all done', returncode=0)\n"},
    ),
    attack(
        "the module skips its importer",
        Kind.EXIT,
        _product("import pytest\npytest.skip('nothing to see', allow_module_level=True)\n"),
        Believes.REPORT,
    ),
    attack("a report file written at exit", Kind.FORGE, _product(_EXIT_WRITES), Believes.REPORT),
    attack("a summary printed at exit", Kind.FORGE, _product(_EXIT_WRITES), Believes.OUTPUT),
    attack(
        "a report file written by a process that outlives the run", Kind.PROCESS, _product(_OVERWRITES_LATER), Believes.REPORT
    ),
    attack(
        "a value that equals everything",
        Kind.FORGE,
        {
            _SOURCE: "class Any(str):\n    __eq__ = lambda self, other: True\n    __ne__ = lambda self, other: False\n"
            "    __hash__ = str.__hash__\n\n\ndef label(cents, currency='EUR'):\n    return Any('x')\n"
        },
    ),
    attack(
        "the answer read from the test's source",
        Kind.FORGE,
        {
            _SOURCE: "import ast, re, sys\n\n\ndef label(cents, currency='EUR'):\n    caller = sys._getframe(1)\n"
            "    line = open(caller.f_code.co_filename).read().splitlines()[caller.f_lineno - 1]\n"
            "    return ast.literal_eval(re.search(r\"== ('[^']*')\", line)[1])\n"
        },
    ),
    attack(
        "the held-out tests rewritten by conftest.py",
        Kind.EDIT,
        {
            "conftest.py": "import glob\nfor path in glob.glob('heldout/*.py'):\n"
            "    open(path, 'w').write('def test_both():\\n    pass\\n')\n"
        },
    ),
)
