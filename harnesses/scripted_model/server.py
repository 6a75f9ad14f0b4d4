"""The server that plays scripts to agent programs: on loopback, a key a lane."""

from collections.abc import Mapping, Sequence
from threading import Thread
from types import TracebackType
from typing import Any, Self

from harnesses.base import Company
from harnesses.script import Action
from harnesses.scripted_model.faults import Fault
from harnesses.scripted_model.handler import Desk, HTTPServer
from harnesses.scripted_model.ledger import Ledger
from sandboxes.errors import SetupError


class ScriptedModelServer:
    """Serves until it is closed; use it in a `with`."""

    def __init__(self, port: int = 0, uncached: int = 0) -> None:
        """Listen on loopback.

        Args:
            port: 0 for any free one.
            uncached: how many tokens of each call are reported as plain input, so that no class of tokens stays 0.

        Raises:
            SetupError: the port is taken.
        """
        self._desk = Desk(uncached)
        try:
            self._http = HTTPServer(("127.0.0.1", port), self._desk)
        except OSError as error:
            raise SetupError(f"cannot listen on port {port}: {error.strerror}") from error
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, name="scripted-model", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def ledger(self) -> Ledger:
        """Every token that was reported."""
        return self._desk.ledger

    def add_lane(
        self,
        name: str,
        actions: Sequence[Action],
        faults: Sequence[Fault] = (),
        *,
        watches: bool = False,
        company: Company | None = None,
        key: str | None = None,
    ) -> str:
        """Play a turn's actions to whoever brings the key that is returned.

        Args:
            name: the lane's.
            actions: what is played.
            faults: how it fails.
            watches: a watcher is kept beside the actions.
            company: the lanes that play at the same time. None gets its first answer before all have asked: programs take
                their time to start, and lanes are to begin together.
            key: the key, where it is not to be made up.
        """
        return self._desk.lanes.add(name, actions, faults, watches=watches, company=company, key=key)

    def requests(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """The bodies of a lane's model requests, in order."""
        return self._desk.lanes.requests(key)

    def close(self) -> None:
        """Stop listening; what hangs ends."""
        self._desk.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
