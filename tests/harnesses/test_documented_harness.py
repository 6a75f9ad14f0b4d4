"""The harnesses that the docs show are harnesses, and short ones."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from small_pair import talking

from eval.records import CellRecord
from eval.storage import ResultsFolder
from instances.model import Instance
from sandboxes.usage import Usage

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("bwrap")


def documented(number: int, path: Path) -> None:
    """Write an example of the page into a file."""
    text = (ROOT / "docs" / "add-a-harness.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[number]
    assert len(example.splitlines()) < 100
    path.write_text(example, encoding="utf-8")


def played(folder: Path, *arguments: object, status: int = 0) -> list[CellRecord]:
    command = [sys.executable, "-m", "eval.main", "run", *map(str, arguments), "--unsound", "--yes", "--out", str(folder / "out")]
    environment = {"PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": f"{folder}:{ROOT}", "HOME": os.environ["HOME"]}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, done.stderr
    return list(ResultsFolder(folder / "out").records())


def test_the_one_that_is_a_command(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    documented(0, tmp_path / "documented.py")
    records = played(
        tmp_path,
        *("--harness", "documented.Shell", "--model", "echo x > new.txt"),
        *("-i", make_pair().folder, "-s", "oracle,parallel-unaware"),
    )
    assert [turn.changed for record in records for turn in record.turns] == [["new.txt"]] * 3
    assert all(record.usage.effective_tokens is None and not record.scripted for record in records)


def test_the_one_of_a_program_of_its_own(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    documented(1, tmp_path / "toy.py")
    shutil.copy(ROOT / "tests" / "toy_agent.py", tmp_path / "toy-agent")
    (tmp_path / "toy-agent").chmod(0o755)
    pair = talking(make_pair())
    scenarios = "oracle,parallel-unaware,radio-passive"
    records = {
        one.scenario: one
        for one in played(tmp_path, "--harness", "toy.Toy", "--model", "scripted", "-i", pair.folder, "-s", scenarios)
    }
    assert {name: (one.status, one.scripted) for name, one in records.items()} == {
        "oracle": ("solved", True),
        "parallel-unaware": ("failed", True),
        "radio-passive": ("solved", True),
    }
    radio = records["radio-passive"].radio
    assert radio
    assert [radio[lane].shown for lane in "ab"] == [1, 1]
    assert [radio[lane].listening_steps for lane in "ab"] == [0, 0]
    for turn in (turn for one in records.values() for turn in one.turns):
        assert turn.metering
        assert turn.metering.wire
        assert turn.metering.wire.difference
        difference = turn.metering.wire.difference
        assert Usage(difference.input, difference.cache_write, difference.cache_read, difference.output) == Usage()
        assert turn.usage.effective_tokens
        assert turn.steps > 0
