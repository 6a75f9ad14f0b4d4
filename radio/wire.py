"""A small HTTP/1.1 server over asyncio: as much of it as curl, the Python client and an MCP client use, and no more.

One request at a time on a connection, bodies by Content-Length within a bound, keep-alive. A body over the bound, or of a
stranger, is read to its end and thrown away, so that its sender hears why it was refused instead of finding the line cut.
Whoever sends without reading is not read from; a request that stays unfinished, or a reply unread, ends its connection.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from radio.errors import StoreError

_logger = logging.getLogger(__name__)
_HEAD_LIMIT = 16 << 10
_AHEAD_LIMIT = 64 << 10  # of what comes in while a request is being answered
_DISCARD_LIMIT = 256 << 20
_HEADS_KEPT = 16
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
    """One request. `body` is None when it was over the bound, or came without a known token."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None


class _Head(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    length: int
    last: bool


class _Unreadable(Exception):
    """A head that is refused: the status, and why."""


@dataclass
class Gate:
    """What the connections of one hub share: who may send bodies, how many there may be, and how long one may dawdle.

    Attributes:
        who: the caller that an authorization header stands for; None for a stranger.
        most: connections at a time; a stranger's gives way to a newer one, else the oldest of the caller that has most, so
            that nobody shuts the engine or a peer out.
        most_of_one: connections at a time of one caller, whose oldest that is idle gives way to a newer one.
        seconds: for a request to come in whole, a stranger's first one too, and for a reply to be read.
    """

    who: Callable[[str], str | None] = lambda _: ""
    most: int = 512
    most_of_one: int = 128
    seconds: float = 15.0
    _present: dict["Connection", None] = field(default_factory=dict)  # the oldest first
    _strangers: dict["Connection", None] = field(default_factory=dict)  # the oldest first
    _callers: Counter[str] = field(default_factory=Counter)

    def enter(self, connection: "Connection") -> None:
        if len(self._present) >= self.most:
            (next(iter(self._strangers), None) or self._oldest_of_the_greediest()).abort()
        self._present[connection] = None
        self._strangers[connection] = None

    def _oldest_of_the_greediest(self) -> "Connection":
        greediest = max(self._callers, key=lambda caller: self._callers[caller])
        return next(one for one in self._present if one.caller == greediest)

    def admit(self, connection: "Connection", caller: str) -> bool:
        """A connection has shown whose it is. False when its caller has too many that are at work."""
        if connection.caller == caller:
            return True
        if self._callers[caller] >= self.most_of_one:
            idle = next((one for one in self._present if one.caller == caller and one.idle), None)
            if idle is None:
                return False
            idle.abort()
        self._strangers.pop(connection, None)
        if connection.caller is not None:
            self._callers[connection.caller] -= 1
        connection.caller = caller
        self._callers[caller] += 1
        return True

    def leave(self, connection: "Connection") -> None:
        self._present.pop(connection, None)
        self._strangers.pop(connection, None)
        if connection.caller is not None:
            self._callers[connection.caller] -= 1
            connection.caller = None


class Connection(asyncio.Protocol):
    """One client. `handle` answers each request, now or later, by `reply`."""

    def __init__(self, handle: Callable[[Request, "Connection"], None], body_limit: int, gate: Gate | None = None) -> None:
        self._handle = handle
        self._body_limit = body_limit
        self._gate = gate or Gate()
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._advancing = False
        self._answering = False
        self._unsent = False  # the peer does not read what it is sent
        self._paused = False
        self._head: _Head | None = None
        self._heads: dict[bytes, _Head] = {}  # a client's heads are alike from request to request
        self._unwanted = False  # the body is thrown away, of which `_discarding` bytes are still to come
        self._discarding = 0
        self._last = False
        self.caller: str | None = None
        self.closed = False
        self.on_closed: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are none by descent
        self._gate.enter(self)
        self._mind()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        self._transport = None
        self._gate.leave(self)
        self._stop_timer()
        if self.on_closed is not None:
            self.on_closed()

    @property
    def idle(self) -> bool:
        """Whether nothing is asked on it, and nothing owed."""
        return not (self._answering or self._unsent or self._buffer or self._head)

    def data_received(self, data: bytes) -> None:
        skipped = min(self._discarding, len(data))
        self._discarding -= skipped
        self._buffer += data[skipped:] if skipped else data
        self._advance()

    def pause_writing(self) -> None:
        self._unsent = True
        self._mind()

    def resume_writing(self) -> None:
        self._unsent = False
        self._advance()

    def _advance(self) -> None:
        """Take requests out of the buffer as long as one is there whole and the one before it is answered."""
        if self._advancing:
            return  # a reply that was given at once: the loop below goes on
        self._advancing = True
        try:
            while self._next():
                pass
        except StoreError:
            raise  # the hub's own end
        except Exception:  # whatever one request breaks, the other connections go on
            _logger.exception("a request could not be handled; its connection is closed")
            self.abort()
        finally:
            self._advancing = False
        self._mind()

    def _next(self) -> bool:
        """Dispatch one request, if there is one to be dispatched now."""
        if self._answering or self._unsent or self.closed:
            return False
        if self._head is None and not self._take_head():
            return False
        assert self._head is not None
        length = self._head.length
        if self._discarding or (not self._unwanted and len(self._buffer) < length):
            return False
        body = None if self._unwanted else bytes(self._buffer[:length])
        if body:
            del self._buffer[:length]
        self._dispatch(self._head, body)
        return True

    def _mind(self) -> None:
        """Read on or not, and let the time run while it is the peer's turn to do something."""
        if self._transport is not None and not self.closed:
            pause = self._unsent or (self._answering and len(self._buffer) > _AHEAD_LIMIT)
            if pause is not self._paused:
                self._paused = pause
                (self._transport.pause_reading if pause else self._transport.resume_reading)()
        unfinished = self.caller is None or self._head is not None or bool(self._buffer)
        if self._transport is not None and (self.closed or self._unsent or (unfinished and not self._answering)):
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(self._gate.seconds, self.abort)
        else:
            self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _HEAD_LIMIT:
                self._refuse(431, "the request's head is too long")
            return False
        content = bytes(self._buffer[:end])
        del self._buffer[: end + 4]
        head = self._heads.get(content)
        if head is None:
            try:
                head = _head(content)
            except _Unreadable as error:
                self._refuse(*error.args)
                return False
            if len(self._heads) < _HEADS_KEPT:
                self._heads[content] = head
        return self._accept_head(head)

    def _accept_head(self, head: _Head) -> bool:
        caller = self._gate.who(head.headers.get("authorization", ""))
        if caller is not None and not self._gate.admit(self, caller):
            self.abort()
            return False
        self._head = head
        self._last = head.last
        self._unwanted = head.length > self._body_limit or (caller is None and head.length > 0)
        if head.length > _DISCARD_LIMIT:
            self._last = True
            self._buffer.clear()
            return True
        if head.headers.get("expect", "").lower() == "100-continue" and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if self._unwanted:
            here = min(head.length, len(self._buffer))
            del self._buffer[:here]
            self._discarding = head.length - here
        return True

    def _dispatch(self, head: _Head, body: bytes | None) -> None:
        self._head = None
        self._answering = True
        self._stop_timer()  # each request has the whole time
        self._handle(Request(head.method, head.path, head.headers, body), self)

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
        else:
            self._advance()

    def close(self) -> None:
        """End the connection when what it is owed is sent."""
        self.closed = True
        if self._transport is not None:
            self._transport.close()
            self._mind()

    def abort(self) -> None:
        """End the connection now."""
        self.closed = True
        self._gate.leave(self)
        if self._transport is not None:
            self._transport.abort()


def _head(content: bytes) -> _Head:
    """Raises _Unreadable where it is none that this server takes."""
    lines = content.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise _Unreadable(400, "this is no HTTP/1.1 request")
    pairs = [line.partition(":") for line in lines[1:]]
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()) or len(length) > 15:
        raise _Unreadable(411, "give the body's length with Content-Length")
    return _Head(words[0], words[1], headers, int(length), headers.get("connection", "").lower() == "close")
