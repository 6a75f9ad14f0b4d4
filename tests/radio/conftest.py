"""A hub of its own for each test that asks for one, on any store, and a real Redis server."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from radio.hub_process import COMMANDS, HubProcess
from radio.policy import Limits, Policy


class RedisServer:
    """A redis-server on a free unix socket, that can be killed and started again."""

    def __init__(self, directory: Path, *options: str) -> None:
        self.directory = directory
        self.socket = directory / "redis.sock"
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.directory), *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while subprocess.run(["redis-cli", "-s", self.socket, "ping"], capture_output=True).stdout.strip() != b"PONG":
            assert time.monotonic() < deadline, "redis-server does not answer"
            time.sleep(0.01)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One server that keeps what it is told, for all tests; each test has a namespace of its own."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is missing: install the package redis-server")
    with tempfile.TemporaryDirectory(prefix="crosstalk-redis-") as directory:
        server = RedisServer(Path(directory), "--appendonly", "yes", "--save", "")
        server.start()
        yield server
        server.kill()


@pytest.fixture
def make_redis(tmp_path: Path) -> Iterator[Callable[..., RedisServer]]:
    """A server of one's own, to be killed: `make_redis("--appendonly", "yes")`."""
    servers: list[RedisServer] = []

    def make(*options: str) -> RedisServer:
        server = RedisServer(Path(tempfile.mkdtemp(prefix="crosstalk-redis-")), *options)
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        server.kill()
        shutil.rmtree(server.directory)


@pytest.fixture
def make_hub(tmp_path: Path) -> Iterator[Callable[..., HubProcess]]:
    """A started hub: `make_hub("a", "b", policy=..., limits=..., store=...)`. Ended after the test."""
    hubs: list[HubProcess] = []

    def make(*lanes: str, cell: str = "", **options: Any) -> HubProcess:
        name = cell or f"cell{len(hubs)}"
        options.setdefault("limits", Limits(messages_per_minute=10_000, total_messages=10_000))
        hub = HubProcess(tmp_path / f"hub{len(hubs)}", tmp_path.name, name, lanes or ("a", "b"), **options)
        hubs.append(hub)
        return hub.start()

    yield make
    for hub in hubs:
        hub.stop()


@pytest.fixture
def shell() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs a radio command in a lane: `shell(hub, "b", "radio-send", "t1", "hello", stdin=b"...")`."""

    def run(hub: HubProcess, lane: str, command: str, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = {"PATH": os.environ["PATH"], **hub.lanes[lane].environment()}
        return subprocess.run(
            [str(COMMANDS / command), *arguments], input=stdin, capture_output=True, env=environment, timeout=60
        )

    return run


@pytest.fixture
def kill_hub() -> Callable[[HubProcess], None]:
    """Kills a hub with -9; whoever started it brings it back."""

    def kill(hub: HubProcess) -> None:
        deadline = time.monotonic() + 20
        while True:
            try:
                return os.kill(hub.pid, signal.SIGKILL)
            except ProcessLookupError:  # it is just coming back from the last time
                assert time.monotonic() < deadline

    return kill


@pytest.fixture
def quick() -> Policy:
    """Leases and deadlocks that do not keep a test waiting."""
    return Policy(lease_seconds=0.3, deadlock_grace_seconds=0.1)
