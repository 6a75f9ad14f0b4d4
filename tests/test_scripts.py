"""What a newcomer runs says how it is used, and does nothing else when asked for that."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--out", "x", "--help"]])
def test_demo_says_how_it_is_used_and_plays_nothing(arguments: list[str], tmp_path: Path) -> None:
    program = [str(ROOT / "scripts" / "demo"), *arguments]
    done = subprocess.run(program, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: scripts/demo [--out DIR]" in done.stdout
    assert "no model was called" not in done.stdout
    assert list(tmp_path.iterdir()) == []
