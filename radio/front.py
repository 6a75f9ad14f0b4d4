"""The hub's HTTP side: whose request it is, what it asks, and how the answer is written."""

import hashlib
import urllib.parse
from collections.abc import Callable
from typing import Any

import orjson

from radio.call import Answer, Call
from radio.errors import Reason, Refused
from radio.fields import Fields
from radio.hub import Hub
from radio.message import HUB
from radio.wire import Connection, Request

BODY_LIMIT = 1 << 20
_STATUS = {
    Reason.UNKNOWN_TOKEN: 401,
    Reason.NOT_ALLOWED: 403,
    Reason.UNKNOWN_OPERATION: 404,
    Reason.MALFORMED: 400,
    Reason.FORGED_SENDER: 403,
    Reason.LEASE_LOST: 409,
    Reason.BYTES: 413,
    Reason.RATE: 429,
    Reason.TOTAL: 429,
}
_MOST_KNOWN = 1000


class Front:
    """What the hub's connections hand their requests to.

    Attributes:
        mcp: answers what is asked at `/mcp`, where an MCP server is attached.
    """

    def __init__(self, hub: Hub) -> None:
        """Raises Refused when two lanes have the same token."""
        self._hub = hub
        self._callers = {_digest(lane.token): lane.name for lane in hub.config.lanes}
        self._callers[_digest(hub.config.admin_token)] = HUB
        if len(self._callers) != len(hub.config.lanes) + 1:
            raise Refused(Reason.MALFORMED, "two lanes have the same token")
        self._known: dict[str, str] = {}
        self.mcp: Callable[[Request, Connection, str], None] | None = None

    def handle(self, request: Request, connection: Connection) -> None:
        """One HTTP request: `POST /v1/OPERATION` with a bearer token, JSON or a form."""
        if request.path == "/healthz":
            connection.reply(200, b"crosstalk radio\n", "text/plain")
            return
        plain = "application/json" not in request.headers.get("accept", "")
        operation = request.path.removeprefix("/v1/")
        caller = self.caller_of(request.headers.get("authorization", ""))

        def respond(answer: Answer) -> None:
            status = _STATUS.get(answer.refusal, 422) if answer.refusal else 200
            if plain:
                text = answer.text + "\n" if answer.text else ""
                connection.reply(status, text.encode(), "text/plain; charset=utf-8")
            else:
                connection.reply(status, orjson.dumps(answer.data), "application/json")

        call = Call(caller or "", operation, Fields({}), respond)
        connection.on_closed = call.close
        try:
            if caller is None:
                raise Refused(Reason.UNKNOWN_TOKEN, "this token is for no lane of this cell")
            if request.path == "/mcp" and self.mcp is not None:
                self.mcp(request, connection, caller)
                return
            if request.body is None:
                raise Refused(Reason.BYTES, f"a request may hold {BODY_LIMIT} bytes")
            call.fields = Fields(_parse(request))
        except Refused as refusal:
            call.operation = operation[:40]
            self._hub.decline(call, refusal)
            return
        self._hub.submit(call)

    def caller_of(self, authorization: str) -> str | None:
        """Whose token it is; one that was right before is known again without a digest."""
        known = self._known.get(authorization)
        if known is None:
            scheme, _, token = authorization.partition(" ")
            known = self._callers.get(_digest(token.strip())) if scheme.lower() == "bearer" else None
            if known is not None and len(self._known) < _MOST_KNOWN:
                self._known[authorization] = known
        return known


def _digest(token: str) -> bytes:
    """Tokens are looked up by digest, so that the time it takes says nothing about them."""
    return hashlib.sha256(token.encode()).digest()


def _parse(request: Request) -> dict[str, Any]:
    assert request.body is not None
    if request.method != "POST" or not request.path.startswith("/v1/"):
        raise Refused(Reason.UNKNOWN_OPERATION, "use POST /v1/OPERATION")
    try:
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            pairs = urllib.parse.parse_qsl(
                request.body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=50
            )
            return dict(pairs)
        fields = orjson.loads(request.body or b"{}")
    except (ValueError, RecursionError):
        raise Refused(Reason.MALFORMED, "the request's body is neither JSON nor a form") from None
    if not isinstance(fields, dict):
        raise Refused(Reason.MALFORMED, "the request's body must be a JSON object")
    return fields
