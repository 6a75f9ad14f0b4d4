"""A small repository of the real git, and tasks on it in the forms of other data sets."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from small_pair import BASE, IN_PARENTHESES, JOINT, NO_CUT_BELOW, WITH_CURRENCY, write_files

from instances.load import PAIRS
from sandboxes.gitstore import GitStore

LOCK = next(PAIRS.glob("*/signoff-deputies/environment.lock"))
TEST_FILE = "tests/test_price.py"
NEW_TESTS = {
    "currency": "\n\ndef test_currency():\n    assert label(150, currency='USD') == '1.50 USD'\n",
    "below": "\n\ndef test_below_zero():\n    assert label(-150).startswith('(1.50') and label(-150).endswith(')')\n",
    "cut": "\n\ndef test_never_below_zero():\n    from shop.discount import cut\n\n    assert cut(3) == 0\n",
}
RUNNER = """#!/bin/bash
set -e
cd /workspace/repo
git apply "/patches/$2" || git apply --3way "/patches/$2"
git apply "/patches/$1"
pip install -e ".[test]" || pip install -e .
pip install pytest
python -m pytest tests/test_price.py -v
"""


class Repository:
    """A repository with one commit on the small pair's base, after one that has gone."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        write_files(folder, {"old.txt": "of an earlier commit\n"})
        self._git("init", "--quiet", "-b", "main")
        self._commit("before")
        (folder / "old.txt").unlink()
        write_files(folder, BASE)
        self.commit = self._commit("base")
        self._store = GitStore(folder.parent / f".{folder.name}.store")
        self._base = self._store.overlay(
            self._store.write_tree({}), [(name, text.encode(), False) for name, text in BASE.items()]
        )

    def patch(self, files: Mapping[str, str]) -> bytes:
        """The patch that writes files over the base."""
        tree = self._store.overlay(self._base, [(name, text.encode(), False) for name, text in files.items()])
        return self._store.patch(self._base, tree)

    def tests(self, *names: str) -> bytes:
        return self.patch({TEST_FILE: BASE[TEST_FILE] + "".join(NEW_TESTS[name] for name in names)})

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Maker", "-c", "user.email=maker@example.org"]
        ran = subprocess.run(["git", *identity, *arguments], cwd=self.path, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def _commit(self, message: str) -> str:
        self._git("add", "-A")
        self._git("commit", "--quiet", "-m", message)
        return self._git("rev-parse", "HEAD")


def write_task(folder: Path, repository: Repository, features: Mapping[int, tuple[Mapping[str, str] | bytes, bytes]]) -> None:
    """A folder as CooperBench has it, of features by number: what each writes, and its tests."""
    folder.mkdir(parents=True)
    clone = f"RUN git clone {repository.path} repo && cd repo && git checkout {repository.commit}\n"
    (folder / "Dockerfile").write_text(f"FROM python:3.11-slim\nWORKDIR /workspace\n{clone}", encoding="utf-8")
    (folder / "setup.sh").write_text(f'BASE_COMMIT="{repository.commit}"\n', encoding="utf-8")
    (folder / "runner.sh").write_text(RUNNER, encoding="utf-8")
    for number, (change, tests) in features.items():
        own = folder / f"feature{number}"
        own.mkdir()
        (own / "feature.md").write_text(f"**Title**: feature {number}\n\nPlease make it so.\n", encoding="utf-8")
        (own / "feature.patch").write_bytes(change if isinstance(change, bytes) else repository.patch(change))
        (own / "tests.patch").write_bytes(tests)


def usual_features(repository: Repository) -> dict[int, tuple[Mapping[str, str] | bytes, bytes]]:
    """1 and 2 write the same line, 3 another file; 4 asks for nothing, 5 does not apply, 6 holds what is binary, 7 fails."""
    stale = repository.patch(WITH_CURRENCY).replace(b" def label", b" def other").replace(b"-def label", b"-def other")
    binary = b"diff --git a/x b/x\nnew file mode 100644\nBinary files /dev/null and b/x differ\n"
    same = BASE[TEST_FILE] + "\n\ndef test_nothing():\n    assert True\n"
    return {
        1: (WITH_CURRENCY, repository.tests("currency")),
        2: (IN_PARENTHESES, repository.tests("below")),
        3: (NO_CUT_BELOW, repository.tests("cut")),
        4: ({"shop/notes.txt": "nothing\n"}, repository.patch({TEST_FILE: same})),
        5: (stale, repository.tests("currency")),
        6: (binary, repository.tests("currency")),
        7: ({"shop/notes.txt": "something\n"}, repository.tests("below")),
    }


def whole(repository: Repository) -> bytes:
    """A solution of features 1 to 3 at once."""
    return repository.patch({**JOINT, **NO_CUT_BELOW})


def rows_of(out: Path) -> dict[str, dict[str, Any]]:
    """What became of each row, by its label."""
    return {row["row"]: row for row in json.loads((out / "import.json").read_bytes())["rows"]}
