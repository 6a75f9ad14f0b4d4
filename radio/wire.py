"""A small HTTP/1.1 server over asyncio: as much of it as curl, the Python client and an MCP client use, and no more.

One request at a time on a connection, bodies by Content-Length within a bound, keep-alive. A body over the bound is read
to its end and thrown away, so that its sender hears why it was refused instead of finding the line cut.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_HEAD_LIMIT = 16 << 10
_DISCARD_LIMIT = 256 << 20
_REASONS = {
    200: "OK",
    202: "Accepted",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    411: "Length Required",
    413: "Content Too Large",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class Request:
    """One request. `body` is None when it was over the bound."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None


class Connection(asyncio.Protocol):
    """One client. `handle` answers each request, now or later, by `reply`."""

    def __init__(self, handle: Callable[[Request, "Connection"], None], body_limit: int) -> None:
        self._handle = handle
        self._body_limit = body_limit
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._answering = False
        self._head: tuple[str, str, dict[str, str]] | None = None
        self._length = 0
        self._discarding = 0
        self._last = False
        self.closed = False
        self.on_closed: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        if self.on_closed is not None:
            self.on_closed()

    def data_received(self, data: bytes) -> None:
        if self._discarding:
            skipped = min(self._discarding, len(data))
            self._discarding -= skipped
            data = data[skipped:]
            if self._discarding:
                return
            self._dispatch(None)
        self._buffer += data
        if len(self._buffer) > self._body_limit + _HEAD_LIMIT and self._answering:
            self.close()  # it sends on and on without listening
            return
        self._advance()

    def _advance(self) -> None:
        """Take the next request out of the buffer when it is there whole."""
        if self._answering or self.closed or self._discarding:
            return
        if self._head is None and not self._take_head():
            return
        if len(self._buffer) >= self._length:
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._dispatch(body)

    def _take_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _HEAD_LIMIT:
                self._refuse(431, "the request's head is too long")
            return False
        lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + 4]
        words = lines[0].split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            self._refuse(400, "this is no HTTP/1.1 request")
            return False
        pairs = [line.partition(":") for line in lines[1:]]
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        return self._accept_head(words[0], words[1], headers)

    def _accept_head(self, method: str, path: str, headers: dict[str, str]) -> bool:
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()) or len(length) > 15:
            self._refuse(411, "give the body's length with Content-Length")
            return False
        self._head = (method, path, headers)
        self._length = int(length)
        self._last = headers.get("connection", "").lower() == "close"
        if self._length > _DISCARD_LIMIT:
            self._last = True
            self._buffer.clear()
            self._dispatch(None)
            return False
        if headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if self._length > self._body_limit:
            here = min(self._length, len(self._buffer))
            del self._buffer[:here]
            self._discarding = self._length - here
            if not self._discarding:
                self._dispatch(None)
            return False
        return True

    def _dispatch(self, body: bytes | None) -> None:
        assert self._head is not None
        method, path, headers = self._head
        self._head = None
        self._answering = True
        self._handle(Request(method, path, headers, body), self)

    def _refuse(self, status: int, text: str) -> None:
        self._last = True
        self._answering = True
        self.reply(status, text.encode() + b"\n", "text/plain; charset=utf-8")

    def reply(self, status: int, body: bytes, content_type: str, headers: str = "") -> None:
        """Answer the request under way, and go on with the next one that came in meanwhile."""
        if self.closed or self._transport is None:
            return
        self.on_closed = None
        close = "Connection: close\r\n" if self._last else ""
        head = (
            f"HTTP/1.1 {status} {_REASONS.get(status, 'Answer')}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\n{close}{headers}\r\n"
        )
        self._transport.write(head.encode("latin-1") + body)
        self._answering = False
        if self._last:
            self.close()
        elif self._buffer:
            self._advance()

    def close(self) -> None:
        self.closed = True
        if self._transport is not None:
            self._transport.close()
