"""What a container may reach: addresses on its own loopback, each handed over to the bench, which connects to one host only.

The container has no network. A program in it connects to a name that leads to its loopback; its supervisor passes the
connection itself to the bench, and the bench copies bytes between it and the real address. So no packet has another way out.
"""

import contextlib
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Lock, Thread
from urllib.parse import urlsplit

from sandboxes.docker_control import Control, Line
from sandboxes.errors import SandboxError

_CONNECT_SECONDS = 30.0
_CHUNK = 1 << 16
_PORTS = {"http": 80, "https": 443}


class Reach:
    """The addresses that one container may reach.

    Args:
        control: the way to its supervisor.
        hosts: the file that is its /etc/hosts.
    """

    def __init__(self, control: Control, hosts: Path) -> None:
        self._control = control
        self._hosts = hosts
        self._lock = Lock()
        self._inside: dict[str, str] = {"localhost": "127.0.0.1"}  # names and where they lead; guarded by _lock
        self._lines: dict[tuple[str, int], Line] = {}  # guarded by _lock

    def allow(self, url: str) -> None:
        """Let the container reach an address's host and port.

        Raises:
            SandboxError: it can't be; the text says why.
        """
        host, port = _host_and_port(url)
        with self._lock:
            if (host, port) in self._lines:
                return
            inside = self._name(host, url)
            line = self._control.ask({"listen": [inside, port]})
            answer = line.outcome()
            if "error" in answer:
                line.connection.close()
                raise SandboxError(f"cannot let the container reach {url}: {answer['error']}")
            self._lines[host, port] = line
        Thread(target=_serve, args=(line, (host, port)), name=f"reach-{host}", daemon=True).start()

    def _name(self, host: str, url: str) -> str:
        """Where a host is found inside: a name leads to a loopback address of its own."""
        if host.startswith("127."):
            return host
        if host.replace(".", "").isdigit() or ":" in host:
            raise SandboxError(f"cannot let the container reach {url}: give the host by its name, not by a number")
        if host not in self._inside:
            self._inside[host] = f"127.0.1.{len(self._inside)}"
            with self._hosts.open("a", encoding="utf-8") as file:
                file.write(f"{self._inside[host]} {host}\n")
        return self._inside[host]

    def close(self) -> None:
        """Take no more connections; those that are open end with the container."""
        with self._lock:
            for line in self._lines.values():
                with contextlib.suppress(OSError):
                    line.connection.shutdown(socket.SHUT_RDWR)


def _host_and_port(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    try:
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        port = None
    if not parts.hostname or not port:
        raise SandboxError(f"cannot let a sandbox reach {url!r}: it is no http or https address")
    return parts.hostname, port


def _serve(line: Line, target: tuple[str, int]) -> None:
    with line:
        for connection in _handed_over(line):
            Thread(target=_carry, args=(connection, target), name=f"carry-{target[0]}", daemon=True).start()


def _handed_over(line: Line) -> Iterator[socket.socket]:
    while True:
        try:
            data, descriptors, _, _ = socket.recv_fds(line.connection, 1, 1)
        except OSError:
            return
        if not data:
            return
        for descriptor in descriptors:
            yield socket.socket(fileno=descriptor)


def _carry(inside: socket.socket, target: tuple[str, int]) -> None:
    """Copy bytes both ways until both sides have ended."""
    with inside, contextlib.suppress(OSError), socket.create_connection(target, _CONNECT_SECONDS) as outside:
        outside.settimeout(None)
        other = {inside: outside, outside: inside}
        with selectors.DefaultSelector() as selector:
            for one in other:
                selector.register(one, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    one = inside if key.fileobj is inside else outside
                    piece = one.recv(_CHUNK)
                    if piece:
                        other[one].sendall(piece)
                    else:
                        selector.unregister(one)
                        other[one].shutdown(socket.SHUT_WR)
