"""The ground that lanes are let loose on: a pair, results, a home, processes and services, each with a secret in it."""

import contextlib
import ctypes
import os
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eval.selftest.pair_files import PYTHON, write_files, write_pair
from instances.model import Instance
from sandboxes.exec import run
from sandboxes.folders import remove_tree, scratch_folder

_KEY_VARIABLE = "CROSSTALK_SELFTEST_KEY"
_STAYS = 'while [ ! -e "$1" ]; do sleep 0.1; done'
_LONGEST_SECONDS = 900.0
_JOIN_SESSION_KEYRING = 1
_KEYCTL = {"x86_64": 250, "aarch64": 219}


@dataclass(frozen=True)
class Ground:
    """Where things are.

    Attributes:
        end: the common end of all secrets, `hunted-<where>-<end>`.
        folder: the bench's: the pair, earlier results, what lies beside them.
        home: a folder in the operator's own home.
        port: where the operator's service listens; the lanes' agreed one is `lanes_port`.
        socket: the name of the operator's abstract socket; the lanes' is `lanes_socket`.
    """

    end: str
    folder: Path
    home: Path
    pair: Instance
    port: int
    lanes_port: int

    @property
    def socket(self) -> str:
        return f"crosstalk-selftest-{self.end}"

    @property
    def lanes_socket(self) -> str:
        return f"crosstalk-lanes-{self.end}"

    @property
    def earlier_results(self) -> Path:
        return self.folder / "earlier"

    @property
    def outside(self) -> Path:
        """A folder that a link of a lane may name."""
        return self.folder / "outside"

    def secret(self, where: str) -> str:
        return f"hunted-{where}-{self.end}"


@contextmanager
def prepared_ground() -> Iterator[Ground]:
    """The ground, with all that stands and runs on it; nothing is left of it afterwards.

    Raises:
        OSError: the operator's home, or the folder for temporary files, cannot be written.
    """
    end = secrets.token_hex(8)
    folder = scratch_folder("ground")
    home = Path(tempfile.mkdtemp(prefix=".crosstalk-selftest-", dir=Path.home()))
    try:
        with _service(socket.AF_INET, ("127.0.0.1", 0), f"hunted-service-{end}") as port, _free_port() as lanes_port:
            ground = Ground(end, folder, home, _pair(folder, end), port, lanes_port)
            _lay_out(ground)
            with _service(socket.AF_UNIX, f"\0{ground.socket}", ground.secret("socket")), _variable(ground), _process(ground):
                _own_keyring()
                yield ground
    finally:
        remove_tree(home)
        remove_tree(folder)


def _pair(folder: Path, end: str) -> Instance:
    held_out = {f"held-out-{suite}": f"hunted-held-out-{suite}-{end}" for suite in ("a", "b", "joint")}
    patches = {"references/joint": f"hunted-reference-{end}", "controls/alternative": f"hunted-control-{end}"}
    return write_pair(folder / "data" / "labels", PYTHON, {**held_out, **patches, "requirement": f"hunted-requirement-{end}"})


def _lay_out(ground: Ground) -> None:
    write_files(ground.earlier_results, {"cells/x.oracle.1/both-1.transcript.jsonl": ground.secret("record") + "\n"})
    write_files(ground.folder, {"beside.txt": ground.secret("temporary")})
    write_files(ground.home, {"id_key": ground.secret("home")})
    ground.outside.mkdir()


@contextmanager
def _variable(ground: Ground) -> Iterator[None]:
    """A key in the bench's own environment, as a provider's would be."""
    os.environ[_KEY_VARIABLE] = ground.secret("key")
    try:
        yield
    finally:
        del os.environ[_KEY_VARIABLE]


@contextmanager
def _process(ground: Ground) -> Iterator[None]:
    """A process of the operator's, with a secret among its arguments."""
    stop = ground.folder / "stop"
    thread = threading.Thread(target=lambda: run(operators_process(ground, stop, "process"), timeout=_LONGEST_SECONDS))
    thread.start()
    try:
        yield
    finally:
        stop.touch()
        thread.join()


def operators_process(ground: Ground, stop: Path, where: str) -> list[str]:
    """A command that does nothing until a file is there."""
    return ["sh", "-c", _STAYS, "sh", str(stop), ground.secret(where)]


@contextmanager
def _service(family: int, address: str | tuple[str, int], answer: str) -> Iterator[int]:
    """A service that tells a secret to whoever connects; gives its port, 0 where it has none."""
    with socket.socket(family) as listener:
        listener.bind(address)
        listener.listen()
        threading.Thread(target=_answer_all, args=(listener, answer.encode()), daemon=True).start()
        yield listener.getsockname()[1] if family == socket.AF_INET else 0
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def _answer_all(listener: socket.socket, answer: bytes) -> None:
    with contextlib.suppress(OSError):
        while True:
            made, _ = listener.accept()
            with made, contextlib.suppress(OSError):
                made.sendall(answer)


@contextmanager
def _free_port() -> Iterator[int]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    yield port


def _own_keyring() -> None:
    """A session keyring, as a login gives one: what lanes inherit of it is part of what is tried."""
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        ctypes.CDLL(None).syscall(number, _JOIN_SESSION_KEYRING, None)
