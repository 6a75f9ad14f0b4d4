"""The server's HTTP: loopback TCP, a thread a connection."""

import contextlib
import json
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event as Flag
from typing import Any

from harnesses.scripted_model.anthropic_messages import AnthropicMessages
from harnesses.scripted_model.conversation import Answer, Request, tokens
from harnesses.scripted_model.faults import STATUS, FaultKind
from harnesses.scripted_model.lanes import LaneBook
from harnesses.scripted_model.ledger import Entry, Ledger
from harnesses.scripted_model.openai_chat import OpenAIChat
from harnesses.scripted_model.openai_responses import OpenAIResponses
from harnesses.scripted_model.play import answer
from harnesses.scripted_model.wires import Event, Wire
from sandboxes.errors import BenchError
from sandboxes.usage import UNKNOWN_USAGE, Usage

MODELS = ("scripted", "scripted-small")
WIRES: tuple[Wire, ...] = (AnthropicMessages(), OpenAIResponses(), OpenAIChat())
_BODY_LIMIT = 256 << 20


@dataclass
class Desk:
    """What all connections share: the lanes, what was reported to them, and whether the server is about to close.

    Attributes:
        uncached: how many tokens of each call are reported as plain input.
    """

    uncached: int
    lanes: LaneBook = field(default_factory=LaneBook)
    ledger: Ledger = field(default_factory=Ledger)
    closing: Flag = field(default_factory=Flag)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


class HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], desk: Desk) -> None:
        self.desk = desk
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A program that was ended closes its connections in the middle; nothing of that is worth a word."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: HTTPServer

    def log_message(self, format: str, *args: object) -> None:
        """The ledger is the log."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        if path == "/v1/models":
            models = [
                {"id": name, "object": "model", "type": "model", "display_name": name, "created_at": "2025-01-01T00:00:00Z"}
                for name in MODELS
            ]
            self._json(200, {"object": "list", "data": models, "has_more": False, "models": []})
        else:
            self._json(404, {"error": {"type": "not_found_error", "message": f"nothing at {path}"}})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        size = int(self.headers.get("content-length") or 0)
        if size > _BODY_LIMIT:
            self.close_connection = True
            self._json(413, {"error": {"type": "request_too_large", "message": "the request is too large"}})
            return
        content = self.rfile.read(size)
        wire = next((wire for wire in WIRES if path in (wire.path, wire.path.removeprefix("/v1"))), None)
        try:
            body = json.loads(content)
            if path == "/v1/messages/count_tokens":
                counted = sum(tokens(part.text) for part in WIRES[0].read({"model": "", **body}).parts)
                self._json(200, {"input_tokens": counted})
            elif wire is None:
                self._json(404, {"error": {"type": "not_found_error", "message": f"nothing at {path}"}})
            else:
                self._model(wire, body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._json(400, (wire or WIRES[0]).error("invalid_request_error", f"not understood: {error!r}"))

    def _model(self, wire: Wire, body: Mapping[str, Any]) -> None:
        desk = self.server.desk
        lane = desk.lanes.of(self._key())
        if lane is None:
            self._json(401, wire.error("authentication_error", "invalid x-api-key"))
            return
        request = wire.read(body)
        number, fault = desk.lanes.count(lane, body)
        if number == 1:
            desk.lanes.meet(lane)
        if fault in STATUS:
            status, kind, message = STATUS[fault]
            self._json(status, wire.error(kind, message), retry_after="0")
            return
        if fault is FaultKind.HANG_BEFORE:
            self._hang()
            return
        try:
            made = answer(
                lane.script, request, f"msg_{next(desk.numbers):06d}", uncached=desk.uncached, long=fault is FaultKind.LONG_LINE
            )
        except BenchError as error:
            self._json(400, wire.error("invalid_request_error", str(error)))
            return
        respond = self._stream if request.stream else self._whole
        respond(wire, request, made, fault, lambda usage: Entry(lane.key, made.model, wire.name, number, usage, False))

    def _whole(
        self, wire: Wire, request: Request, made: Answer, fault: FaultKind | None, entry: Callable[[Usage], Entry]
    ) -> None:
        if fault in (FaultKind.CUT, FaultKind.HANG_AFTER):
            self._begin(200, "application/json", length=1 << 20)
            self.wfile.write(b"{")
            self._hang(cut=fault is FaultKind.CUT)
            return
        usage = UNKNOWN_USAGE if fault is FaultKind.NO_USAGE else wire.reported(made.usage)
        self.server.desk.ledger.add(replace(entry(usage), complete=True))
        self._json(200, wire.whole(made, fault))

    def _stream(
        self, wire: Wire, request: Request, made: Answer, fault: FaultKind | None, entry: Callable[[Usage], Entry]
    ) -> None:
        ledger = self.server.desk.ledger
        self._begin(200, "text/event-stream")
        untold = fault is FaultKind.NO_USAGE
        number = ledger.add(entry(UNKNOWN_USAGE)) if untold else None
        reported = UNKNOWN_USAGE if untold else Usage()
        events = list(wire.events(made, request, fault))
        for event in events:
            # Noted before it is sent, so that the ledger is never behind what a program can know.
            reported = reported if event.reported is None else event.reported
            if number is None and event.reported is not None:
                number = ledger.add(entry(reported))
            if number is not None:
                ledger.update(number, reported, complete=event is events[-1])
            self._chunk(event)
            if event.half and fault in (FaultKind.CUT, FaultKind.HANG_AFTER):
                self._hang(cut=fault is FaultKind.CUT)
                return
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, event: Event) -> None:
        data = event.data if isinstance(event.data, str) else json.dumps(event.data)
        text = (f"event: {event.name}\n" if event.name else "") + f"data: {data}\n\n"
        content = text.encode("utf-8", "surrogatepass")
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _hang(self, *, cut: bool = False) -> None:
        """Say nothing more: until the server closes, or by cutting the connection at once."""
        if not cut:
            self.server.desk.closing.wait()
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _key(self) -> str:
        bearer = self.headers.get("authorization") or ""
        return self.headers.get("x-api-key") or bearer.removeprefix("Bearer ")

    def _json(self, status: int, data: Mapping[str, Any], *, retry_after: str | None = None) -> None:
        content = json.dumps(data).encode()
        self._send(status, content, retry_after)

    def _send(self, status: int, content: bytes, retry_after: str | None = None) -> None:
        self._begin(status, "application/json", length=len(content), retry_after=retry_after)
        self.wfile.write(content)

    def _begin(self, status: int, kind: str, *, length: int | None = None, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("request-id", f"req_{secrets.token_hex(8)}")
        if length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(length))
        if retry_after is not None:
            self.send_header("retry-after", retry_after)
        self.end_headers()
