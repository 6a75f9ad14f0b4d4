"""The harness that the docs show is a harness."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[2]


@pytest.mark.needs("bwrap")
def test_the_documented_harness_runs(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    text = (ROOT / "docs" / "add-a-harness.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "documented.py").write_text(example[1], encoding="utf-8")
    command = [sys.executable, "-m", "eval.main", "run", "--harness", "documented.Shell", "--model", "echo x > new.txt"]
    command += [
        "-i",
        str(make_pair().folder),
        "-s",
        "oracle,parallel-unaware",
        "--unsound",
        "--yes",
        "--out",
        str(tmp_path / "out"),
    ]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}", "HOME": str(Path.home())}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    records = list(ResultsFolder(tmp_path / "out").records())
    assert [turn.changed for record in records for turn in record.turns] == [["new.txt"]] * 3
    assert all(record.usage.effective_tokens is None and not record.scripted for record in records)
