"""Grades a tree inside a Harbor task: each suite's files laid over a copy of it, its tests run, the expected ones looked up.

Weaker than the bench's own grading: the tests run in the container that the agent had, and nothing is planted among them.
"""

import fnmatch
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REWARD = Path("/logs/verifier/reward.json")

RUNNER = """
import json, sys
import pytest

tree, out, roots, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
sys.path.extend(f"{tree}/{root}" for root in roots)


class Collector:
    def __init__(self):
        self.found = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            worse = self.found.get(report.nodeid, "passed") == "passed"
            self.found[report.nodeid] = report.outcome if worse else self.found[report.nodeid]


collector = Collector()
pytest.main([*arguments, "-q", "-c", "/dev/null", "--rootdir", tree, "-p", "no:cacheprovider"], plugins=[collector])
with open(out, "w") as file:
    json.dump(collector.found, file)
"""


def matches(path: str, globs: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, glob.replace("**/", "*").replace("**", "*")) for glob in globs)


def put_back(tree: Path, globs: list[str]) -> None:
    """The protected files, as the repository had them."""
    for path in sorted(tree.rglob("*")):
        if path.is_file() and ".git" not in path.parts and matches(path.relative_to(tree).as_posix(), globs):
            path.unlink()
    shutil.copytree(HERE / "protected", tree, dirs_exist_ok=True)


def passes(suite: dict[str, Any], app: Path, facts: dict[str, Any]) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        tree, out = Path(scratch, "tree"), Path(scratch, "report.json")
        shutil.copytree(app, tree, symlinks=True)
        put_back(tree, facts["protected"])
        if (HERE / suite["name"]).is_dir():
            shutil.copytree(HERE / suite["name"], tree, dirs_exist_ok=True)
        arguments = [json.dumps(one) for one in (facts["source_roots"], suite["arguments"])]
        argv = [facts["python"] or sys.executable, "-I", "-B", "-c", RUNNER, str(tree), str(out), *arguments]
        try:
            subprocess.run(argv, cwd=tree, timeout=suite["timeout_seconds"], check=False, env=ENVIRONMENT)
            found = json.loads(out.read_text())
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return False
        return all(found.get(one) == "passed" for one in suite["expected"])


ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def main(app: str, reward: Path) -> None:
    facts = json.loads((HERE / "suites.json").read_text())
    rewards = {suite["name"]: int(passes(suite, Path(app), facts)) for suite in facts["suites"]}
    reward.parent.mkdir(parents=True, exist_ok=True)
    reward.write_text(json.dumps({"reward": int(all(rewards.values())), **rewards}))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "/app", Path(sys.argv[2]) if len(sys.argv) > 2 else REWARD)
