"""One request under way, from a program to its provider, and what its handler asks of the relay."""

import contextlib
import socket
from contextlib import AbstractContextManager
from threading import Event
from typing import Protocol

from harnesses.gateway.tap import Exchange
from harnesses.relay.gate import Gate
from harnesses.relay.route import Route


class Errand:
    """Cut by another thread where nobody waits for it any more."""

    def __init__(self, program: socket.socket) -> None:
        self.over = Event()
        self._program = program
        self._provider: socket.socket | None = None

    def reaches(self, provider: socket.socket) -> None:
        """The provider is connected to."""
        self._provider = provider
        if self.over.is_set():
            self.cut()

    @property
    def forsaken(self) -> bool:
        """The program has gone."""
        try:
            return self._program.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def cut(self) -> None:
        self.over.set()
        for one in (self._provider, self._program):
            if one is not None:
                # Not the method of a TLS socket: that one would take the encryption away from under whoever reads.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(one, socket.SHUT_RDWR)


class Office(Protocol):
    """What the handlers of a turn's requests share."""

    route: Route
    gate: Gate | None

    @property
    def providers_key(self) -> str: ...

    def knows(self, key: str) -> bool:
        """Whether a key is this turn's, and the turn is not over."""
        ...

    def errand(self, errand: Errand) -> AbstractContextManager[Errand]:
        """A request is under way."""
        ...

    def asked(self, protocol: str, model: str) -> int:
        """A model is asked; the request's number."""
        ...

    def came(self, request: int, status: int | None, exchange: Exchange) -> None:
        """What that came to; `status` is what the program was told, `None` where it was gone."""
        ...
