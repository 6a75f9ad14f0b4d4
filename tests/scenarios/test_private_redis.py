"""A redis-server of a cell's own: it is there while the cell is, and leaves nothing behind, however the run ends."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandboxes.errors import SandboxError
from scenarios.private_redis import PrivateRedis

ROOT = Path(__file__).parents[2]
HOLD = """
from scenarios.private_redis import PrivateRedis
with PrivateRedis() as address:
    print(address, flush=True)
    input()
"""


def gone(what: str) -> bool:
    """Whether no process has this in its command line."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if what.encode() in place.read_bytes():
                return False
        except OSError:
            continue
    return True


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files with a short path: a socket's has about a hundred characters at most."""
    with tempfile.TemporaryDirectory(prefix="redis-") as name:
        monkeypatch.setenv("TMPDIR", name)
        monkeypatch.setattr("tempfile.tempdir", None)
        yield Path(name)


@pytest.mark.needs("redis-server")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None], ids=["killed", "terminated", "in order"])
def test_a_server_ends_with_its_run_and_leaves_nothing(temporary: Path, how: signal.Signals | None) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        address = run.stdout.readline().strip()
        socket = address.removeprefix("unix://")
        ping = ["redis-cli", "-s", socket, "ping"]
        assert subprocess.run(ping, capture_output=True, text=True).stdout.strip() == "PONG"
        assert Path(socket).parent.parent == temporary
        if how is None:
            run.stdin.write("\n")
            run.stdin.flush()
        else:
            run.send_signal(how)
        run.wait(30)
    deadline = time.monotonic() + 30
    while list(temporary.iterdir()) or not gone(str(temporary)):
        assert time.monotonic() < deadline, "the server, or its folder, is still there"
        time.sleep(0.05)


def test_a_server_that_does_not_start_says_why_and_leaves_nothing(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = temporary / "bin"
    bin_folder.mkdir()
    program = bin_folder / "redis-server"
    program.write_text("#!/bin/sh\necho 'no such option' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    with pytest.raises(SandboxError, match="redis-server did not start: no such option"), PrivateRedis():
        pass
    assert [path.name for path in temporary.iterdir()] == ["bin"]
