"""A client of the hub over its unix socket, or TCP. Standard library only, and quick to import: hooks start with it."""

import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from radio.errors import HubUnreachable, Reason, Refused

_RETRY_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class Address:
    """Where a hub listens: a unix socket's path, or host and port."""

    socket: str | None = None
    host: str = ""
    port: int = 0


@dataclass
class RadioClient:
    """The hub's operations for one token. One connection, kept open; for one thread at a time.

    A call that finds no hub is repeated for `patience` seconds, so that a restart of the hub goes unnoticed. A send that
    is repeated carries the same key, and stays one message.
    """

    address: Address
    token: str = field(repr=False)
    patience: float = 10.0
    _socket: socket.socket | None = field(default=None, init=False, repr=False)

    def call(self, operation: str, fields: Mapping[str, Any] | None = None, *, timeout: float = 30.0) -> dict[str, Any]:
        """Ask one operation of the hub.

        Raises:
            Refused: the hub said no, with the reason.
            HubUnreachable: no answer within `patience`.
        """
        body = json.dumps(fields or {}).encode()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                status, content = self._exchange(operation, body, timeout)
                break
            except OSError as error:
                self.close()
                if time.monotonic() > deadline:
                    raise HubUnreachable(f"no hub answers at {self.address.socket or self.address.host}: {error}") from error
                time.sleep(_RETRY_PAUSE_SECONDS)
        answer: dict[str, Any] = json.loads(content)
        if status != 200:
            raise Refused(Reason(answer["refused"]), answer["text"])
        return answer

    def _exchange(self, operation: str, body: bytes, timeout: float) -> tuple[int, bytes]:
        if self._socket is None:
            self._socket = self._connect()
        self._socket.settimeout(timeout)
        head = (
            f"POST /v1/{operation} HTTP/1.1\r\nHost: radio\r\nAuthorization: Bearer {self.token}\r\n"
            f"Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + body)
        return _read_answer(self._socket)

    def _connect(self) -> socket.socket:
        if self.address.socket is None:
            return socket.create_connection((self.address.host, self.address.port), timeout=10)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self.address.socket)
        except OSError:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def __enter__(self) -> "RadioClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the primitives

    def create_thread(self, name: str, participants: list[str] | None = None) -> str:
        """Open a thread and return its id; the caller is always in it, and without a list everyone is."""
        fields = {"name": name, "participants": participants or [], "key": new_key()}
        thread: str = self.call("create_thread", fields)["thread"]
        return thread

    def send_message(self, thread: str, content: str, mentions: list[str] | None = None, **envelope: Any) -> str:
        """Send, and return the message's id at once, heard or not."""
        fields = {"thread": thread, "content": content, "mentions": mentions or [], "key": new_key(), **envelope}
        message: str = self.call("send_message", fields)["message"]
        return message

    def wait_for_mention(self, timeout: float, snapshot: str = "full", step: int | None = None) -> dict[str, Any]:
        """Wait until the lane is mentioned. What is returned counts as shown.

        Returns:
            `outcome` (mention, timeout, deadlock, peer-finished), `text` (messages and snapshot, framed), `messages`.
        """
        return self._shown("wait_for_mention", {"timeout": timeout, "snapshot": snapshot, "step": step}, timeout + 30)

    def inbox(self, *, peek: bool = False, step: int | None = None) -> dict[str, Any]:
        """What waits, at once. With `peek` it is only listed."""
        if peek:
            return self.call("inbox", {"peek": True})
        return self._shown("inbox", {"step": step}, 60)

    def _shown(self, operation: str, fields: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Take a delivery, and confirm it before it is given on; one that was settled elsewhere is asked for anew."""
        while True:
            answer = self.call(operation, fields, timeout=timeout)
            if not answer["lease"]:
                return answer
            try:
                self.call("confirm", {"lease": answer["lease"]})
            except Refused as refusal:
                if refusal.reason is not Reason.LEASE_LOST:
                    raise
            else:
                return answer

    def respond(self, message: str, verdict: str, reason: str = "", paths: list[str] | None = None) -> None:
        self.call("respond", {"message": message, "verdict": verdict, "reason": reason, "paths": paths or [], "key": new_key()})

    def sync(self, point: str, content: str, timeout: float, step: int | None = None) -> dict[str, Any]:
        """Post at a named point and wait until every lane that still runs has posted there."""
        fields = {"point": point, "content": content, "timeout": timeout, "step": step, "key": new_key()}
        return self.call("sync", fields, timeout=timeout + 30)


def new_key() -> str:
    return os.urandom(12).hex()


def _read_answer(connection: socket.socket) -> tuple[int, bytes]:
    """Read one HTTP answer; a connection that ends early is an OSError."""
    buffer = b""
    while (end := buffer.find(b"\r\n\r\n")) < 0:
        piece = connection.recv(1 << 16)
        if not piece:
            raise ConnectionResetError("the hub closed the connection")
        buffer += piece
    head = buffer[:end].decode("latin-1")
    lowered = head.lower()
    place = lowered.find("content-length:") + len("content-length:")
    length = int(lowered[place:].split("\r\n", 1)[0])
    body = bytearray(buffer[end + 4 :])
    while len(body) < length:
        piece = connection.recv(1 << 20)
        if not piece:
            raise ConnectionResetError("the hub closed the connection")
        body += piece
    return int(head[9:12]), bytes(body)
