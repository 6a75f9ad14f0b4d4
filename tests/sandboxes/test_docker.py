"""Containers where something breaks: the supervisor is attacked, the container vanishes, the engine hangs."""

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sandbox_rooms import out

from sandboxes.base import Sandbox, SandboxSpec
from sandboxes.docker import DockerSandboxFactory
from sandboxes.docker_engine import Engine
from sandboxes.docker_options import CELL_LABEL, PROCESS_LABEL, RUN_LABEL
from sandboxes.errors import SandboxError
from sandboxes.leftovers import leftovers

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("docker")
# The SDK does not close the sockets of calls that failed.
IGNORING_SOCKETS = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def sandbox(workspace: Path) -> Iterator[Sandbox]:
    with closing(DockerSandboxFactory().open(SandboxSpec(workspace))) as opened:
        yield opened


def containers(run: Path) -> list[dict[str, str]]:
    found = Engine().api.containers(all=True, filters={"label": [f"{RUN_LABEL}={run}"]})
    return [one["Labels"] | {"id": one["Id"]} for one in found]


def test_the_supervisor_cannot_be_stopped_traced_or_read(sandbox: Sandbox) -> None:
    assert out(sandbox, "kill -9 1; kill -STOP 1; kill -TERM 1; kill -9 -1; echo here") in ("here\n", "")
    for secret in ("/proc/1/mem", "/proc/1/environ", "/proc/1/fd/3", "/proc/1/maps"):
        assert out(sandbox, f"head -c 1 {secret} 2>/dev/null | wc -c") == "0\n"
    trace = "import ctypes; print(ctypes.CDLL(None, use_errno=True).ptrace(16, 1, 0, 0))"
    assert sandbox.run(["python3", "-c", trace], timeout=60).stdout == b"-1\n"
    assert out(sandbox, "ls /.crosstalk/control; echo x > /.crosstalk/bin/supervisor.py 2>/dev/null || echo closed") == "closed\n"
    assert out(sandbox, "echo still") == "still\n"


def test_a_fork_bomb_ends_with_its_command(sandbox: Sandbox) -> None:
    bomb = "import os\nwhile True:\n try: os.fork()\n except OSError: pass\n"
    assert sandbox.run(["python3", "-c", bomb], timeout=2).timed_out
    assert int(out(sandbox, "ls -d /proc/[0-9]* | wc -l")) < 8


def test_memory_of_all_processes_is_bounded(sandbox: Sandbox) -> None:
    folder = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")
    limit = out(sandbox, f"cat {folder} /sys/fs/cgroup/memory.max 2>/dev/null")
    assert int(limit) <= 8 << 30


def test_labels_and_removal(workspace: Path, tmp_path: Path) -> None:
    factory = DockerSandboxFactory(tmp_path / "results")
    with closing(factory.open(SandboxSpec(workspace, owner="pair scenario a"))):
        (one,) = containers(tmp_path / "results")
        assert one[CELL_LABEL] == "pair scenario a"
        assert Path(one[PROCESS_LABEL]).is_dir()
        assert leftovers(Engine(), tmp_path / "results") == []
    assert containers(tmp_path / "results") == []


def test_a_container_that_vanishes_is_no_verdict(workspace: Path, tmp_path: Path) -> None:
    with closing(DockerSandboxFactory(tmp_path / "results").open(SandboxSpec(workspace))) as sandbox:
        caught: list[BaseException] = []

        def command() -> None:
            try:
                sandbox.run(["sh", "-c", "touch up; sleep 300"], timeout=300)
            except SandboxError as error:
                caught.append(error)

        thread = threading.Thread(target=command)
        thread.start()
        while not (workspace / "up").exists():
            time.sleep(0.01)
        Engine().remove(containers(tmp_path / "results")[0]["id"])
        thread.join(60)
        assert "the container ended under a command" in str(caught[0])
        with pytest.raises(SandboxError, match="has ended"):
            sandbox.run(["true"], timeout=60)


def test_deadlines_hold_and_a_sandbox_closes_while_the_bench_is_stopped(workspace: Path) -> None:
    """The bench gets no chance to end its command; the container does, a grace later."""
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
        "from sandboxes.base import SandboxSpec\nfrom sandboxes.docker import DockerSandboxFactory\n"
        f"s = DockerSandboxFactory().open(SandboxSpec(Path({str(workspace)!r})))\n"
        "print(s.run(['sh', '-c', 'while :; do echo x >> growing; sleep 0.01; done'], timeout=1).timed_out)\ns.close()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        while not (workspace / "growing").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        try:
            sizes = [-1, -2]
            while sizes[-1] != sizes[-2]:
                sizes.append((workspace / "growing").stat().st_size)
                time.sleep(0.3)
                assert len(sizes) < 100
        finally:
            process.send_signal(signal.SIGCONT)
        assert process.communicate(timeout=60)[0] == b"True\n"


class Way:
    """The way to the engine, in which nothing moves any more once it is blocked."""

    def __init__(self, path: Path) -> None:
        self.blocked = threading.Event()
        self._connections: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller = self._listener.accept()[0]
                engine = socket.socket(socket.AF_UNIX)
                engine.connect("/var/run/docker.sock")
                self._connections += [caller, engine]
                for one, other in ((caller, engine), (engine, caller)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := one.recv(1 << 16):
                while self.blocked.is_set():
                    time.sleep(0.05)
                other.sendall(piece)
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.blocked.clear()
        self._listener.close()
        for connection in self._connections:
            connection.close()


@IGNORING_SOCKETS
def test_commands_run_and_a_sandbox_closes_in_time_while_the_engine_hangs(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Way(tmp_path / "s")) as way, monkeypatch.context() as changed:
        changed.setenv("DOCKER_HOST", f"unix://{tmp_path}/s")
        sandbox = DockerSandboxFactory(tmp_path / "results").open(SandboxSpec(workspace))
        changed.undo()
        (one,) = containers(tmp_path / "results")
        way.blocked.set()
        assert out(sandbox, "echo still") == "still\n"
        assert sandbox.run(["sleep", "300"], timeout=0.2).timed_out
        begun = time.monotonic()
        sandbox.close()
        assert 5 < time.monotonic() - begun < 60  # it waited for the engine, and not for ever
    deadline = time.monotonic() + 60
    while any(left["id"] == one["id"] for left in containers(tmp_path / "results")):
        assert time.monotonic() < deadline  # it removes itself
        time.sleep(0.1)
    del sandbox
    gc.collect()


@IGNORING_SOCKETS
@pytest.mark.parametrize(
    ("host", "said"), [("unix:///nowhere/engine.sock", "start the engine"), ("tcp://127.0.0.1:1", "refused")]
)
def test_without_an_engine_there_is_one_line(host: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxError, match=said) as caught:
        DockerSandboxFactory().prove()
    assert "\n" not in str(caught.value)
    del caught
    gc.collect()


@IGNORING_SOCKETS
def test_without_an_image_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSTALK_DOCKER_IMAGE", "no-such-image")
    with pytest.raises(SandboxError, match="no image no-such-image"):
        DockerSandboxFactory().prove()


def test_an_address_is_reached_by_its_name(workspace: Path) -> None:
    with closing(DockerSandboxFactory().open(SandboxSpec(workspace, network=True))) as sandbox:
        sandbox.reach("https://model.invalid/v1")
        assert out(sandbox, "getent hosts model.invalid").split()[0].startswith("127.0.1.")
        assert out(sandbox, "curl -s -m 20 https://model.invalid/v1; echo $?") == "35\n"  # taken, and cut: nothing is behind it
        for url in ("https://10.0.0.1/", "nonsense", "ftp://x/"):
            with pytest.raises(SandboxError, match="cannot let"):
                sandbox.reach(url)


def test_files_come_back_owned_by_the_caller(sandbox: Sandbox, workspace: Path) -> None:
    out(sandbox, "mkdir -p a/b; echo x > a/b/c")
    assert {path.stat().st_uid for path in workspace.rglob("*")} == {os.getuid()}
