"""The gateway of a run: its process, started and, where it died, started again; and an account for each turn of a lane."""

import http.client
import json
import math
import os
import secrets
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from harnesses.base import Wire
from harnesses.endpoint import masked
from harnesses.gateway.keys import key_of
from harnesses.gateway.ledger import read_ledger
from harnesses.gateway.loading import GET, installed_version
from sandboxes.base import ExecResult
from sandboxes.errors import HarnessError, SetupError
from sandboxes.exec import run
from sandboxes.folders import temporary_folder
from sandboxes.stopping import StoppedError, check_not_stopping

_ROOT = Path(__file__).parents[2]
_SERVICE_SECONDS = 14 * 24 * 3600.0  # then it is started again
_START_SECONDS = 180.0
_CALL_SECONDS = 30.0
_POLL_SECONDS = 0.1
_STOP_SECONDS = 15.0


@dataclass(frozen=True)
class ModelAddress:
    """Which model, and the way to it where that is not its provider's own.

    Attributes:
        model: as LiteLLM takes it, or as the endpoint names it.
        url: an endpoint of one's own.
        key_variable: the environment variable that holds its key.
    """

    model: str
    url: str | None = None
    key_variable: str | None = None


@dataclass(frozen=True)
class Account:
    """A turn's own place at the gateway: only its key opens it."""

    name: str
    url: str
    key: str = field(repr=False)


class _Life:
    """One process of the gateway, from its start to its end, and what it says of itself; the `OutputWatch` of it."""

    def __init__(self, orders: bytes) -> None:
        self.told = threading.Event()
        self.port: int | None = None
        self.address: str | None = None
        self.problem = ""
        self.refused = False  # it has said itself what is wrong with what it was asked for
        self._said = b""
        self._thread = threading.Thread(target=self._live, args=(orders,), name="gateway", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        self._thread.join(_STOP_SECONDS)

    def received(self, piece: bytes) -> None:
        """See `OutputWatch.received`."""
        self._said += piece
        if b"\n" in self._said and not self.told.is_set():
            said = json.loads(self._said.partition(b"\n")[0])
            self.port, self.problem = said.get("port"), str(said.get("problem", ""))
            self.address = said.get("address")
            self.refused = bool(self.problem)
            self.told.set()

    def deadline(self) -> float:
        """See `OutputWatch.deadline`."""
        return math.inf

    def _live(self, orders: bytes) -> None:
        argv = [sys.executable, "-m", "harnesses.gateway.service"]
        try:
            result = run(argv, timeout=_SERVICE_SECONDS, stdin=orders, cwd=_ROOT, environment=dict(os.environ), watch=self)
        except StoppedError:
            self.problem = "the run was interrupted"
        except Exception as error:  # noqa: BLE001 - told to whoever waits for the gateway
            self.problem = f"{type(error).__name__}: {error}"
        else:
            self.problem = self.problem or _last_words(result)
        finally:
            self.port = None
            self.told.set()


class Gateway:
    """Runs while its block lasts. The process is guarded by `_lock`; it keeps its accounts' files in a folder of its own."""

    def __init__(self, address: ModelAddress, folder: Path) -> None:
        self.address = address
        self._folder = folder
        self._secret = secrets.token_hex(32)
        self._lock = threading.Lock()
        self._life: _Life | None = None

    def start(self) -> None:
        """Start it, if it does not run.

        Raises:
            SetupError: the model is not to be had as it was named.
            HarnessError: the process did not start.
            StoppedError: the user interrupted the run.
        """
        self._port()

    def open(self, lane: str, turn: int) -> Account:
        """A new account for a turn. Raises as `start` does."""
        name = f"{lane}-{turn}-{secrets.token_hex(8)}"
        return Account(name, f"http://127.0.0.1:{self._port()}/{name}", key_of(name, self._secret))

    def settle(self, account: Account) -> Wire:
        """End what a turn still asks, and close its account: what it has used."""
        with suppress(OSError, http.client.HTTPException):  # a gateway that died has said what it knew
            self._tell(f"{account.url}/end")
        return read_ledger(self._folder / f"{account.name}.jsonl")

    @property
    def providers_address(self) -> str | None:
        """Where the model is asked, once the process has started and as far as that is known."""
        return self._life.address if self._life else None

    def stop(self) -> None:
        with self._lock:
            life = self._life
            if life is None or life.port is None:
                return
            with suppress(OSError, http.client.HTTPException):
                self._tell(f"http://127.0.0.1:{life.port}/")
            life.join()

    def _port(self) -> int:
        with self._lock:
            if self._life is None or not self._life.alive:
                self._life = _Life(self._orders())
            life = self._life
            for _ in range(int(_START_SECONDS / _POLL_SECONDS)):
                if life.told.wait(_POLL_SECONDS):
                    break
                check_not_stopping()
            if life.port is not None:
                return life.port
            problem = life.problem or f"it was silent for {_START_SECONDS:g} s"
            if life.refused:
                raise SetupError(problem)
            raise HarnessError(f"the gateway to {self.address.model} did not start: {problem}")

    def _orders(self) -> bytes:
        orders = {"model": self.address.model, "url": self.address.url, "key_variable": self.address.key_variable}
        return json.dumps({**orders, "secret": self._secret, "folder": str(self._folder)}).encode()

    def _tell(self, url: str) -> None:
        request = urllib.request.Request(url, data=b"", headers={"x-api-key": self._secret})
        # Whatever proxy the operator has, it does not lead to this machine's loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(request, timeout=_CALL_SECONDS).close()


@contextmanager
def open_gateway(address: ModelAddress) -> Iterator[Gateway]:
    """A gateway that has started.

    Raises:
        SetupError: the model is not to be had as it was named.
        HarnessError: the process did not start.
    """
    if not installed_version():
        raise SetupError(f"the model {address.model} needs LiteLLM, which is not installed as a whole: {GET}")
    with temporary_folder("gateway") as folder:
        gateway = Gateway(address, folder)
        try:
            gateway.start()
            yield gateway
        finally:
            gateway.stop()


def _last_words(result: ExecResult) -> str:
    secrets_here = [value for value in os.environ.values() if value]
    lines = masked(result.stderr, [one for one in secrets_here if len(one) > 15]).decode("utf-8", "replace").strip().splitlines()
    return f"it ended with status {result.returncode}{': ' + lines[-1] if lines else ''}"
