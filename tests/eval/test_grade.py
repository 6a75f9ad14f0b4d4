"""Grading: honest trees get the verdict they earn, and dishonest ones none better."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import HELD_OUT, IDS, RIGHT, ZERO, Bench, python_bench

from eval.grade import SuiteVerdict
from eval.junit import Status
from instances.model import EnvironmentSpec
from sandboxes.base import SandboxSpec
from sandboxes.errors import SandboxError, SetupError
from sandboxes.folders import scratch_folder
from sandboxes.local import LocalSandbox, LocalSandboxFactory, UnisolatedSandboxFactory

pytestmark = pytest.mark.needs("bwrap")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return python_bench(tmp_path)


class TestHonest:
    def test_right_and_wrong(self, bench: Bench) -> None:
        right, wrong = bench.grade(RIGHT), bench.grade({})
        assert (right.passed, right.reason, right.missing) == (True, "passed", ())
        assert right.statuses == {name: Status.PASSED for name in (*IDS, ZERO)}
        assert not wrong.passed
        assert wrong.statuses == {**{name: Status.FAILED for name in IDS}, ZERO: Status.PASSED}
        assert wrong.reason.startswith("2 of 3 tests did not pass: heldout/test_add.py::test_add[1-2-3] failed")
        assert bench.grade(RIGHT, "base").passed

    def test_evidence(self, bench: Bench) -> None:
        verdict = bench.grade(RIGHT)
        folder = bench.evidence / verdict.evidence
        assert sorted(path.name for path in folder.iterdir()) == ["junit.xml", "output.txt", "verdict.json"]
        assert b"test_add[1-2-3]" in (folder / "junit.xml").read_bytes()
        assert [path.name for path in bench.evidence.iterdir()] == [verdict.evidence]
        assert verdict.evidence == f"{verdict.tree}-a"

    def test_without_isolation(self, bench: Bench) -> None:
        bench = replace(bench, factory=UnisolatedSandboxFactory())
        assert bench.grade(RIGHT).passed
        assert not bench.grade({}).passed

    def test_what_cannot_be_imported_failed(self, bench: Bench) -> None:
        verdict = bench.grade({"src/sums/__init__.py": "import nothing_of_that_name\n"})
        assert not verdict.passed
        assert verdict.environment_error
        assert verdict.missing == (*IDS, ZERO)
        assert verdict.statuses == {"heldout/test_add.py": Status.ERROR}
        assert not bench.grade({}).environment_error

    @pytest.mark.parametrize(
        "body",
        ["import os; os.kill(os.getpid(), 9)", "raise KeyboardInterrupt", "pytest.exit('enough', 0)", "raise SystemExit(0)"],
    )
    def test_what_ends_the_run_is_no_pass(self, body: str, bench: Bench) -> None:
        text = f"import pytest\n\n\ndef test_it():\n    {body}\n"
        assert not bench.with_tests({"heldout/test_it.py": text}, ("heldout/test_it.py::test_it",)).grade(RIGHT).passed

    def test_only_passed_is_a_pass(self, bench: Bench) -> None:
        text = (
            "import unittest\nimport pytest\n\n\n@pytest.mark.xfail\ndef test_x():\n    pass\n\n\n"
            "@pytest.fixture\ndef broken():\n    yield\n    raise ValueError\n\n\ndef test_teardown(broken):\n    pass\n\n\n"
            "class Parts(unittest.TestCase):\n    def test_parts(self):\n        for n in range(3):\n"
            "            with self.subTest(n=n):\n                self.assertNotEqual(n, 1)\n\n\n"
            "def test_skipped():\n    pytest.skip('later')\n\n\ndef test_known():\n    pytest.xfail('known')\n"
        )
        found = {
            "test_x": Status.XPASSED,
            "test_teardown": Status.ERROR,
            "Parts::test_parts": Status.FAILED,
            "test_skipped": Status.SKIPPED,
            "test_known": Status.XFAILED,
        }
        ids = tuple(f"heldout/test_x.py::{name}" for name in found)
        verdict = bench.with_tests({"heldout/test_x.py": text}, ids, "heldout").grade(RIGHT)
        assert verdict.statuses == dict(zip(ids, found.values(), strict=True))
        assert not verdict.passed

    def test_missing_and_unexpected_tests(self, bench: Bench) -> None:
        gone = "heldout/test_add.py::test_gone"
        fewer = {"heldout/test_add.py": HELD_OUT, "heldout/cases.py": "CASES = [(1, 2, 3)]\n"}
        verdict = bench.with_tests(fewer, (IDS[0], gone), "heldout/test_add.py").grade(RIGHT)
        assert verdict.missing == (gone,)
        assert verdict.reason == f"1 of 2 tests did not pass: {gone} missing"
        assert ZERO in verdict.statuses

    def test_tests_that_are_gone_are_a_failure(self, bench: Bench) -> None:
        verdict = bench.with_tests({"heldout/notes.txt": "x"}, (ZERO,), "nowhere").grade(RIGHT)
        assert verdict.reason == f"1 of 1 tests did not pass: {ZERO} missing"

    def test_deadline(self, bench: Bench) -> None:
        verdict = bench.with_deadline(2.5).grade({"src/sums/__init__.py": "import time\ntime.sleep(300)\n"})
        assert not verdict.passed
        assert verdict.reason == "the tests were ended after 2.5 s"

    def test_modes_and_settings_of_the_run_are_ours(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
        monkeypatch.setenv("PYTHONPATH", "/nowhere")
        monkeypatch.setenv("SECRET_KEY", "x")
        text = (
            "import os, sys, time\n\n\ndef test_settings():\n    assert hash('a') == hash('a') and sys.flags.isolated\n"
            "    assert os.environ['PYTHONHASHSEED'] == '0' and time.tzname[0] == 'UTC'\n"
            "    assert not {'SECRET_KEY', 'PYTEST_ADDOPTS', 'PYTHONPATH'} & set(os.environ)\n"
            "    assert sys.dont_write_bytecode and not os.path.exists(os.path.expanduser('~/.cache'))\n"
        )
        assert (
            bench.with_tests({"heldout/test_s.py": text}, ("heldout/test_s.py::test_settings",)).grade(RIGHT).reason == "passed"
        )

    def test_names_of_any_kind(self, bench: Bench) -> None:
        text = (
            "import pytest\n\n\n@pytest.mark.parametrize('x', ['a::b', '<&\"', 'a]b[', '\\x00', '\\ud800', '\u00e9', ' '])\n"
            "def test_it(x):\n    assert x\n"
        )
        first = bench.with_tests({"heldout/test_n.py": text}, ()).grade(RIGHT)
        assert first.reason == "no test is expected, so none proves anything"
        assert len(first.statuses) == 7
        assert set(first.statuses.values()) == {Status.PASSED}
        assert bench.with_tests({"heldout/test_n.py": text}, tuple(first.statuses)).grade(RIGHT).passed

    def test_workspaces_are_gone_afterwards(self, bench: Bench) -> None:
        around = scratch_folder("around").parent
        before = set(around.iterdir())
        bench.grade({"src/sums/__init__.py": "import os\nos.makedirs('shut/in')\nos.chmod('shut', 0)\n"})
        assert set(around.iterdir()) == before


class TestParametersForAll:
    """Sentinels among tests that all take the same parameters are as honest as these."""

    @pytest.mark.parametrize(
        ("head", "taken", "parameters"),
        [
            ("@pytest.fixture(autouse=True, params=['x', 'y'])\ndef each(request):\n    return request.param\n", "", "xy"),
            ("pytestmark = pytest.mark.parametrize('code', ['x', 'y'])\n", "code", "xy"),
            ("pytestmark = [pytest.mark.usefixtures('tmp_path'), pytest.mark.parametrize(('a',), ['x'])]\n", "a", "x"),
            ("ALL = pytest.mark.parametrize('code', ['x', 'y'])\npytestmark = ALL\n", "code", "xy"),
            ("def pytest_generate_tests(metafunc):\n    metafunc.parametrize('code', 'xy')\n", "code", "xy"),
        ],
    )
    def test_they_are_graded(self, head: str, taken: str, parameters: str, bench: Bench) -> None:
        text = f"import pytest\nfrom sums import add\n\n{head}\n\ndef test_add({taken}):\n    assert add(1, 2) == 3\n"
        ids = tuple(f"heldout/test_p.py::test_add[{each}]" for each in parameters)
        bench = bench.with_tests({"heldout/test_p.py": text}, ids)
        assert bench.grade(RIGHT).statuses == dict.fromkeys(ids, Status.PASSED)
        assert bench.grade(RIGHT).reason == "passed"
        assert bench.grade({}).statuses == dict.fromkeys(ids, Status.FAILED)


class TestSize:
    def test_thousands_of_tests(self, bench: Bench) -> None:
        text = "import pytest\n\n\n@pytest.mark.parametrize('n', range(3000))\ndef test_n(n):\n    assert n >= 0\n"
        ids = tuple(f"heldout/test_n.py::test_n[{n}]" for n in range(3000))
        verdict = bench.with_tests({"heldout/test_n.py": text}, ids).grade(RIGHT)
        assert verdict.reason == "passed"
        assert len(verdict.statuses) == 3000

    def test_flood_of_output(self, bench: Bench) -> None:
        flood = "import os\n\n\ndef add(a, b):\n    for _ in range(200):\n        os.write(1, bytes(1 << 20))\n    return a + b\n"
        verdict = bench.grade({"src/sums/__init__.py": flood})
        assert verdict.reason == "passed"
        assert (bench.evidence / verdict.evidence / "output.txt").stat().st_size < 2 << 20

    def test_flooded_report_proves_nothing(self, bench: Bench) -> None:
        flood = (
            "import os\nfor n in range(3, 100):\n    try:\n        while True:\n            os.write(n, b' ' * (1 << 20))\n"
            "    except OSError:\n        pass\n"
        )
        assert not bench.with_deadline(3).grade({"src/sums/__init__.py": flood + RIGHT["src/sums/__init__.py"]}).passed


class TestOnce:
    def counting(self, bench: Bench) -> tuple[Bench, Callable[[], int]]:
        """A bench whose sandbox counts how often it is opened."""
        opened: list[int] = []

        class Counting(LocalSandboxFactory):
            def open(self, spec: SandboxSpec) -> LocalSandbox:
                opened.append(1)
                return super().open(spec)

        return replace(bench, factory=Counting()), lambda: len(opened)

    def test_equal_trees_are_graded_once(self, bench: Bench) -> None:
        bench, opened = self.counting(bench)
        first = bench.grade(RIGHT)
        assert bench.grade(RIGHT) == first
        assert opened() == 1
        bench.grade({})
        bench.grade(RIGHT, "base")
        assert opened() == 3

    def test_by_several_threads_too(self, bench: Bench) -> None:
        bench, opened = self.counting(bench)
        found: list[SuiteVerdict] = []
        grader = bench.grader()
        tree = bench.tree(RIGHT)
        threads = [threading.Thread(target=lambda: found.append(grader.grade(tree, "a", bench.base))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 6
        assert all(each == found[0] for each in found)
        assert opened() == 1

    @pytest.mark.parametrize("damage", ["", "{", "[]", '{"key": 1}', "gone"])
    def test_half_a_verdict_is_graded_again(self, damage: str, bench: Bench) -> None:
        bench, opened = self.counting(bench)
        first = bench.grade(RIGHT)
        file = bench.evidence / first.evidence / "verdict.json"
        if damage == "gone":
            file.unlink()
        else:
            file.write_text(damage, encoding="utf-8")
        assert bench.grade(RIGHT).passed
        assert opened() == 2
        assert bench.grade(RIGHT).passed
        assert opened() == 2

    def test_another_suite_under_the_same_name_is_graded_anew(self, bench: Bench) -> None:
        bench, opened = self.counting(bench)
        assert bench.grade(RIGHT).passed
        changed = {"heldout/test_add.py": HELD_OUT, "heldout/cases.py": "CASES = [(1, 2, 4), (2, 2, 4)]\n"}
        assert not bench.with_tests(changed, IDS, "heldout/test_add.py").grade(RIGHT).passed
        assert opened() == 2

    def test_nothing_is_left_after_a_breakdown(self, bench: Bench) -> None:
        class Broken(LocalSandboxFactory):
            def open(self, spec: SandboxSpec) -> LocalSandbox:
                raise SandboxError("no more")

        with pytest.raises(SandboxError, match="no more"):
            replace(bench, factory=Broken()).grade(RIGHT)
        assert not bench.evidence.exists()
        assert bench.grade(RIGHT).passed


class TestOurFault:
    def test_environment_without_pytest(self, bench: Bench, tmp_path: Path) -> None:
        lock = tmp_path / "empty.lock"
        lock.write_text("# nothing\n", encoding="utf-8")
        bench = replace(bench, instance=replace(bench.instance, environment=EnvironmentSpec("python", lock)))
        with pytest.raises(SandboxError, match="test runner did not start: .*No module named 'pytest'"):
            bench.grade(RIGHT)

    def test_missing_lock(self, bench: Bench, tmp_path: Path) -> None:
        bench = replace(bench, instance=replace(bench.instance, environment=EnvironmentSpec("python", tmp_path / "none")))
        with pytest.raises(SetupError, match="none"):
            bench.grade(RIGHT)

    def test_evidence_that_cannot_be_kept(self, bench: Bench, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(SandboxError, match="cannot keep a verdict"):
            replace(bench, evidence=tmp_path / "file" / "evidence").grade(RIGHT)

    @pytest.mark.parametrize(
        "command",
        [
            (),
            ("unittest", "tests"),
            ("node-test", "tests"),
            ("pytest", "-x", "heldout"),
            ("pytest", "heldout", "-k", "add"),
            ("pytest", "heldout", "-kadd"),
            ("pytest", "heldout", "--co"),
            ("pytest", "heldout", "-c", "x.ini"),
            ("pytest", "heldout", "-o", "addopts=-x"),
            ("pytest", "heldout", "--maxfail=1"),
            ("pytest", "heldout/test_add.py::test_add"),
        ],
    )
    def test_commands_that_choose_or_configure(self, command: tuple[str, ...], bench: Bench) -> None:
        with pytest.raises(SetupError):
            bench.with_suite(replace(bench.instance.tests["a"], command=command)).grade(RIGHT)

    def test_leaving_out_is_allowed(self, bench: Bench) -> None:
        suite = replace(
            bench.instance.tests["a"], command=("pytest", "heldout", "-k", "not TestMore and not total"), pass_to_pass=()
        )
        verdict = bench.with_suite(suite).grade(RIGHT)
        assert verdict.reason == "passed"
        assert set(verdict.statuses) == set(IDS)

    def test_unknown_suite(self, bench: Bench) -> None:
        with pytest.raises(SetupError, match="no suite 'c'"):
            bench.grade(RIGHT, "c")

    def test_held_out_link(self, bench: Bench, tmp_path: Path) -> None:
        (tmp_path / "overlay" / "heldout" / "link").symlink_to("/etc/passwd")
        with pytest.raises(SetupError, match="link"):
            bench.grade(RIGHT)
