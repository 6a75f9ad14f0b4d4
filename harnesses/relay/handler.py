"""The relay's HTTP: loopback TCP, a thread a connection. Bodies and answers are passed on as they are, the key is exchanged."""

import contextlib
import http.client
import json
import re
import socket
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harnesses.endpoint import masked
from harnesses.gateway.protocols import SPOKEN, Spoken
from harnesses.gateway.reported import UsageReader
from harnesses.gateway.tap import Attempt, Exchange
from harnesses.relay.errand import Errand, Office
from harnesses.relay.gate import Gated
from harnesses.relay.route import reason_of

_BODY_LIMIT = 256 << 20
_PIECE = 1 << 16
_CONNECT_SECONDS = 20.0
_ANSWER_SECONDS = 3600.0
_REFUSED = 400
# For asking a model and nothing else: not for files, batches or whatever else the operator's key opens.
_OPEN = re.compile(r"/(?:v1/)?(models(?:/[\w.:-]+)?|messages|messages/count_tokens|responses|responses/compact|chat/completions)")
_COUNTED = re.compile(r"messages|responses.*|chat/completions")
_OF_THE_CONNECTION = re.compile(
    "connection|content-length|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade", re.IGNORECASE
)
_KEYS_HEADERS = ("x-api-key", "authorization")


class _GoneError(Exception):
    """The program does not take its answer."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, office: Office) -> None:
        self.office = office
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A program that was ended closes its connections in the middle; nothing of that is worth a word."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """The ledger is the log."""

    def do_HEAD(self) -> None:
        self._whole(200, (), b"")

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        with self.server.office.errand(Errand(self.connection)) as errand:
            self._serve(errand)

    def _serve(self, errand: Errand) -> None:
        office = self.server.office
        found = _OPEN.fullmatch(self.path.partition("?")[0])
        spoken = next((one for one in SPOKEN if found and found[1].startswith(one.path)), SPOKEN[0])
        content = self._body()
        if content is None:
            self.close_connection = True
            self._say(spoken, 413, "the request is too large, or its length is not known")
        elif not office.knows(self._key()):
            self._say(spoken, 401, "this key is not this turn's")
        elif found is None:
            self._say(spoken, 404, "this key is for asking a model")
        elif office.gate is not None and office.gate.shut.is_set():
            errand.over.wait()
            self._abort()
        elif self.command == "POST" and _COUNTED.fullmatch(found[1]) and found[1] != "messages/count_tokens":
            self._counted(errand, spoken, content)
        else:
            self._forward(errand, spoken, content, Attempt())

    def _counted(self, errand: Errand, spoken: Spoken, content: bytes) -> None:
        attempt, status = Attempt(), None
        number = self.server.office.asked(spoken.name, _model(content))
        try:
            status = self._forward(errand, spoken, content, attempt, counted=True)
        finally:
            self.server.office.came(number, status, Exchange([attempt]))

    def _forward(self, errand: Errand, spoken: Spoken, content: bytes, attempt: Attempt, *, counted: bool = False) -> int | None:
        """Ask the provider, and pass on what it answers: the status that the program was told, `None` where it was told none."""
        route = self.server.office.route
        connection = route.connection(_CONNECT_SECONDS)
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as error:
            attempt.unconnected = True
            connection.close()
            return self._say(spoken, 502, f"cannot connect to {route.place}: {reason_of(error)}")
        try:
            errand.reaches(connection.sock)
            connection.sock.settimeout(_ANSWER_SECONDS)
            response = self._ask(connection, content)
            attempt.status = response.status
            attempt.retry_after = response.headers.get("retry-after", "")
            if response.status >= _REFUSED:
                return self._whole(response.status, response.getheaders(), b"".join(_pieces(response)))
            return self._answer(errand, response, attempt, counted=counted)
        except (OSError, http.client.HTTPException):
            attempt.broken = True
            self._abort()
        except _GoneError:
            self._abort()
        finally:
            connection.close()
        return None

    def _ask(self, connection: http.client.HTTPConnection, content: bytes) -> http.client.HTTPResponse:
        office = self.server.office
        # What is passed on is read on its way, so it must not be compressed; the client asks for that itself.
        connection.putrequest(self.command, office.route.target(self.path))
        ours = self._key()
        for name, value in self.headers.items():
            if name.lower() in _KEYS_HEADERS:
                connection.putheader(name, value.replace(ours, office.providers_key))
            elif not _OF_THE_CONNECTION.fullmatch(name) and name.lower() != "accept-encoding":
                connection.putheader(name, value)
        if self.command == "POST":
            connection.putheader("content-length", str(len(content)))
        connection.endheaders(content or None)
        return connection.getresponse()

    def _answer(self, errand: Errand, response: http.client.HTTPResponse, attempt: Attempt, *, counted: bool) -> int | None:
        headers, gate = response.headers, self.server.office.gate
        reader = UsageReader(headers.get("content-type", ""), headers.get("content-encoding", "").strip().lower())
        attempt.reader = reader
        gated = Gated(gate) if gate is not None and counted else None
        size = headers.get("content-length") if gated is None else None
        self._begin(response.status, response.getheaders(), size)
        for piece in _pieces(response):
            reader.feed(piece)
            self._put(gated.feed(piece) if gated else piece, chunked=size is None)
        reader.end()
        attempt.broken = reader.unfinished
        attempt.ended = not attempt.broken
        if attempt.broken:
            self._abort()
            return response.status
        if gated is not None:
            self._put(gated.end(), chunked=True)
        if gate is not None and gated is not None and gated.withheld:
            # What the answer has used is known by now, and the program is ended while it waits for the rest.
            gate.close(reader.usage())
            errand.over.wait()
            self._abort()
        elif size is None:
            self.wfile.write(b"0\r\n\r\n")
        return response.status

    def _begin(self, status: int, headers: Iterable[tuple[str, str]], size: str | int | None) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if not _OF_THE_CONNECTION.fullmatch(name):
                self.send_header(name, value)
        self.send_header(*(("transfer-encoding", "chunked") if size is None else ("content-length", str(size))))
        self.end_headers()

    def _put(self, piece: bytes, *, chunked: bool) -> None:
        if not piece:
            return
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        except OSError as error:
            raise _GoneError from error

    def _whole(self, status: int, headers: Iterable[tuple[str, str]], content: bytes) -> int:
        """An answer in one piece: a provider may repeat the key in its refusal."""
        content = masked(content, (self.server.office.providers_key,))
        self._begin(status, headers, len(content))
        self.wfile.write(content)
        return status

    def _say(self, spoken: Spoken, status: int, message: str) -> int:
        content = json.dumps(spoken.error(status, message)).encode()
        return self._whole(status, (("content-type", "application/json"),), content)

    def _abort(self) -> None:
        """The answer ends in the middle, so that nobody takes it for whole."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _body(self) -> bytes | None:
        """What came with the request; `None` where that is too much."""
        if self.headers.get("transfer-encoding"):
            return self._chunks()
        size = self.headers.get("content-length") or "0"
        return self.rfile.read(int(size)) if size.isdecimal() and int(size) <= _BODY_LIMIT else None

    def _chunks(self) -> bytes | None:
        pieces, left = [], _BODY_LIMIT
        while True:
            line = self.rfile.readline(_PIECE).partition(b";")[0].strip()
            size = int(line, 16) if re.fullmatch(rb"[0-9a-fA-F]{1,8}", line) else -1
            if size < 0 or size > left:
                return None
            pieces.append(self.rfile.read(size))
            left -= size
            self.rfile.readline(_PIECE)
            if size == 0:
                return b"".join(pieces)

    def _key(self) -> str:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """An answer's bytes as they come.

    Raises:
        OSError, HTTPException: it broke off.
    """
    if response.chunked or response.length is None:
        while piece := response.read1(_PIECE):
            yield piece
        return
    left = response.length
    while left:
        piece = response.read1(min(left, _PIECE))
        if not piece:
            raise http.client.IncompleteRead(b"", left)
        left -= len(piece)
        yield piece


def _model(content: bytes) -> str:
    try:
        return str(json.loads(content)["model"])
    except (ValueError, KeyError, TypeError):
        return "unknown"
