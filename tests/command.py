"""The command line as a user has it: a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def crosstalk(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `crosstalk` with arguments, and variables beside the caller's own."""
    argv = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "200", **variables}
    return subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600)
