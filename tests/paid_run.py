"""A run of the paid harness in a folder, one cell at a time, by the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from paid_harness import FAULTS

from eval.storage import ResultsFolder
from instances.model import Instance

ROOT = Path(__file__).parents[1]
MODEL = "claude-haiku-4-5"


class PaidRun:
    """`crosstalk run --harness paid_harness.Paid`, and `crosstalk resume` of it."""

    def __init__(self, folder: Path, pairs: list[Instance], scenarios: str = "oracle", model: str = MODEL) -> None:
        folder.mkdir(exist_ok=True)
        self.results = ResultsFolder(folder / "run")
        self.faults = folder / "faults"
        chosen = [text for pair in pairs for text in ("-i", str(pair.folder))]
        self.command = ["run", *chosen, "-s", scenarios, "--harness", "paid_harness.Paid", "--model", model]
        self.command += ["--unsound", "--out", str(self.results.path)]

    def start(self, faults: str, *options: str, resume: bool = False, wait: str = "0") -> subprocess.Popen[str]:
        self.faults.write_text(faults, encoding="utf-8")
        command = ["resume", str(self.results.path)] if resume else [*self.command, "--yes"]
        return subprocess.Popen(
            [sys.executable, "-m", "eval.main", *command, "--jobs", "1", "--retry-wait", wait, *options],
            cwd=ROOT,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT / "tests"), FAULTS: str(self.faults)}

    def play(self, faults: str, status: int, *options: str, resume: bool = False) -> str:
        """Play it to its end; what it said on standard error."""
        with self.start(faults, *options, resume=resume) as process:
            self.table, said = process.communicate(timeout=300)
        assert process.returncode == status, said
        assert "Traceback" not in said
        return said

    def begun(self) -> list[str]:
        """The cells in the order in which attempts at them began."""
        lines = (self.results.path / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["cell"] for line in lines]

    def kept(self) -> dict[str, Any]:
        """The records, times aside."""
        return {one.cell: one.model_dump(exclude={"timing"}) for one in self.results.records()}
