"""docs/add-an-instance.md says what is so: its commands are run as they stand there, and end with a sound pair, played."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.needs("bwrap")
def test_the_page_makes_a_sound_pair(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "add-an-instance.md").read_text(encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "crosstalk").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m eval.main "$@"\n', encoding="utf-8")
    (programs / "crosstalk").chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    script = "set -e\n" + "\n".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    variables = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=work, env=variables, capture_output=True, text=True, timeout=580, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 instance(s): 0 error(s), 0 warning(s)" in done.stdout
    assert "0 possible twin(s)" in done.stdout
    assert "1 of 1 sound" in done.stdout
    assert "tests.base:" in done.stdout
    assert (work / "results" / "run.json").is_file()
