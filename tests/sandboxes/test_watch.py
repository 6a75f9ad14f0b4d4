"""A watch sees what a command puts out while it runs, and can end it early."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandboxes.base import Sandbox, SandboxSpec
from sandboxes.exec import run
from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory

FACTORIES = [pytest.param(LocalSandboxFactory, marks=pytest.mark.needs("bwrap")), UnisolatedSandboxFactory]


class Watch:
    """Ends a command some seconds after a text was seen; answers in the workspace what it sees."""

    def __init__(self, until: bytes, seconds: float, answer: Path | None = None) -> None:
        self.seen = b""
        self._until, self._seconds, self._answer = until, seconds, answer
        self._deadline = math.inf

    def received(self, piece: bytes) -> None:
        self.seen += piece
        if self._answer is not None:
            self._answer.write_bytes(self.seen)
        if self._deadline == math.inf and self._until in self.seen:
            self._deadline = time.monotonic() + self._seconds

    def deadline(self) -> float:
        return self._deadline


@pytest.fixture(params=FACTORIES)
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    (tmp_path / "workspace").mkdir()
    with closing(request.param().open(SandboxSpec(tmp_path / "workspace"))) as opened:
        yield opened


def test_what_is_put_out_is_seen_while_the_command_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    watch = Watch(b"never", 0, tmp_path / "workspace" / "answer")
    script = "echo one; until grep -q one answer 2>/dev/null; do sleep 0.01; done; echo two"
    result = sandbox.run(["sh", "-c", script], timeout=30, watch=watch)
    assert (result.ok, result.stdout, watch.seen) == (True, b"one\ntwo\n", b"one\ntwo\n")


def test_a_command_is_ended_with_all_that_it_started(sandbox: Sandbox, tmp_path: Path) -> None:
    watch = Watch(b"begun", -1)
    script = "(while :; do echo >>growing; sleep 0.01; done) & until [ -s growing ]; do sleep 0.01; done; echo begun; sleep 600"
    result = sandbox.run(["sh", "-c", script], timeout=300, watch=watch)
    assert (result.timed_out, result.returncode, watch.seen) == (True, None, b"begun\n")
    size = (tmp_path / "workspace" / "growing").stat().st_size
    sandbox.run(["sleep", "0.1"], timeout=30)
    assert (tmp_path / "workspace" / "growing").stat().st_size == size


def test_a_deadline_that_lies_ahead_is_kept_and_one_that_is_not_reached_does_nothing(sandbox: Sandbox) -> None:
    late = sandbox.run(["sh", "-c", "echo begun; sleep 600"], timeout=300, watch=Watch(b"begun", 0.1))
    assert late.timed_out
    early = sandbox.run(["sh", "-c", "echo begun; exit 3"], timeout=300, watch=Watch(b"begun", 200))
    assert (early.timed_out, early.returncode) == (False, 3)


def test_the_timeout_holds_beside_a_watch(sandbox: Sandbox) -> None:
    assert sandbox.run(["sleep", "600"], timeout=0.2, watch=Watch(b"x", 0)).timed_out


def test_a_watch_sees_all_of_a_large_output_of_which_the_result_keeps_little(sandbox: Sandbox) -> None:
    watch = Watch(b"never", 0)
    result = sandbox.run(["sh", "-c", "head -c 3000000 /dev/zero"], timeout=60, output_limit=1000, watch=watch)
    assert result.truncated
    assert len(watch.seen) == 3_000_000


class SlowReader(Watch):
    """Takes nothing more from the pipe until the command has gone on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(b"never", 0)
        self._folder = folder

    def received(self, piece: bytes) -> None:
        super().received(piece)
        (self._folder / "reading").touch()
        while not (self._folder / "written").exists():
            time.sleep(0.01)


def test_a_program_that_does_not_wait_for_its_reader_loses_nothing_of_a_long_line(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, time\nos.write(1, b'x')\n"
        "while not os.path.exists('reading'): time.sleep(0.01)\n"
        "os.set_blocking(1, False)\nwritten = os.write(1, b'y' * 700_000)\npathlib.Path('written').write_text(str(written))"
    )
    watch = SlowReader(tmp_path)
    assert run([sys.executable, "-c", program], timeout=60, cwd=tmp_path, watch=watch).ok
    assert (tmp_path / "written").read_text() == "700000"
    assert watch.seen == b"x" + b"y" * 700_000
