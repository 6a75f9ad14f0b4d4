"""The gateway's process: an HTTP server on loopback. What it is to do comes on stdin, and it says on stdout where it is.

It is asynchronous because LiteLLM's own server side is, and because a request whose program has gone must end at once.
"""

import asyncio
import contextlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from harnesses.endpoint import masked
from harnesses.gateway.keys import opens
from harnesses.gateway.ledger import LedgerFile
from harnesses.gateway.loading import load, way_to
from harnesses.gateway.protocols import SPOKEN, Spoken, Way, whole
from harnesses.gateway.tap import Exchange, current
from sandboxes.errors import SetupError

_BODY_LIMIT = 256 << 20
_BYTES_PER_TOKEN = 4
_ORPHAN_SECONDS = 1.0
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_ACCOUNT = re.compile(r"[0-9a-z-]{1,64}")
_COUNT_TOKENS = "messages/count_tokens"


@dataclass
class Account:
    """A turn of a lane: its count, and the requests that are under way."""

    ledger: LedgerFile
    requests: set["asyncio.Task[Any]"] = field(default_factory=set)
    closed: bool = False


class Service:
    """Answers programs."""

    def __init__(self, litellm: Any, way: Way, secret: str, folder: Path, secrets: tuple[str, ...]) -> None:
        self._litellm, self._way, self._secret, self._folder, self._secrets = litellm, way, secret, folder, secrets
        self._web: Any = import_module("aiohttp.web")
        self._accounts: dict[str, Account] = {}
        self.stopping = asyncio.Event()

    async def handle(self, request: Any) -> Any:
        """Any request: the account stands first in its path."""
        name, _, path = request.path.strip("/").partition("/")
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if key == self._secret:
            return await self._control(name, path)
        if request.method == "HEAD":
            return self._web.Response()
        if not _ACCOUNT.fullmatch(name) or not opens(key, name, self._secret):
            return self._error(SPOKEN[0], 401, "this key is not this lane's")
        path = path.removeprefix("v1/")
        if request.method == "GET":
            return self._json({"object": "list", "data": [{"id": self._way.model, "object": "model"}], "models": []})
        spoken = next((one for one in SPOKEN if one.path == path), SPOKEN[0])
        try:
            body = json.loads(await request.read())
        except ValueError:
            return self._error(spoken, 400, "the request is no JSON")
        if not isinstance(body, dict):
            return self._error(spoken, 400, "the request is no JSON object")
        if path == _COUNT_TOKENS:
            return self._json({"input_tokens": len(json.dumps(body.get("messages"))) // _BYTES_PER_TOKEN})
        if path != spoken.path:
            return self._error(spoken, 404, f"nothing at {path}")
        return await self._counted(request, name, spoken, body)

    async def _control(self, name: str, path: str) -> Any:
        """The bench's own requests: no more of a turn, or no more at all."""
        if path == "end":
            account = self._account(name)
            account.closed = True
            for one in account.requests:
                one.cancel()
            if account.requests:
                await asyncio.wait(account.requests)
            account.ledger.close()
        else:
            self.stopping.set()
        return self._web.Response()

    def _account(self, name: str) -> Account:
        if name not in self._accounts:
            self._accounts[name] = Account(LedgerFile(self._folder / f"{name}.jsonl"))
        return self._accounts[name]

    async def _counted(self, request: Any, name: str, spoken: Spoken, body: Mapping[str, Any]) -> Any:
        account = self._account(name)
        if account.closed:
            return self._error(spoken, 401, "this turn is over")
        number = account.ledger.asked(spoken.name, str(body.get("model")))
        exchange, status = Exchange(), None
        current.set(exchange)
        task = asyncio.current_task()
        assert task is not None
        account.requests.add(task)
        try:
            response = await self._answer(request, spoken, body, exchange)
            status = response.status
            return response
        finally:
            account.ledger.came(number, status, exchange)
            account.requests.discard(task)

    async def _answer(self, request: Any, spoken: Spoken, body: Mapping[str, Any], exchange: Exchange) -> Any:
        try:
            answer = await spoken.ask(self._litellm, body, self._way)
        except Exception as error:  # noqa: BLE001 - whatever it is, the program is told
            return self._refusal(spoken, exchange, error)
        if not hasattr(answer, "__aiter__"):
            return self._web.Response(body=whole(answer), content_type="application/json")
        return await self._streamed(request, spoken, answer, exchange)

    async def _streamed(self, request: Any, spoken: Spoken, answer: Any, exchange: Exchange) -> Any:
        """Pass a stream on. One that breaks off is broken off here too, so that nobody takes it for whole."""
        response = None
        try:
            async for frame in spoken.frames(answer):
                if exchange.broken:
                    break
                if response is None:
                    response = self._web.StreamResponse(headers={"content-type": "text/event-stream"})
                    await response.prepare(request)
                await response.write(frame)
        except Exception as error:  # noqa: BLE001 - as above
            print(f"a stream broke off: {self._clean(error)}", file=sys.stderr)
            if response is None:
                return self._refusal(spoken, exchange, error)
            exchange.cut = True
        if response is None or exchange.broken or exchange.cut:
            if response is None:
                return self._error(spoken, 502, "the provider's answer broke off")
            if request.transport is not None:
                request.transport.abort()
            return response
        await response.write_eof()
        return response

    def _refusal(self, spoken: Spoken, exchange: Exchange, error: Exception) -> Any:
        """The provider's own status where it gave one, else LiteLLM's."""
        refused = exchange.refusal
        told = refused.status if refused else getattr(error, "status_code", None)
        status = told if isinstance(told, int) and 400 <= told < 600 else 500
        headers = {"retry-after": refused.retry_after} if refused and refused.retry_after else {}
        return self._error(spoken, status, self._clean(error), headers)

    def _clean(self, error: Exception) -> str:
        return masked(str(error).encode("utf-8", "replace"), self._secrets).decode("utf-8", "replace")

    def _error(self, spoken: Spoken, status: int, message: str, headers: Mapping[str, str] | None = None) -> Any:
        return self._web.json_response(spoken.error(status, message), status=status, headers=headers)

    def _json(self, data: Mapping[str, Any]) -> Any:
        return self._web.json_response(data)


async def serve(litellm: Any, way: Way, orders: Mapping[str, str]) -> None:
    """Serve until told to stop, or until who started it is gone."""
    web: Any = import_module("aiohttp.web")
    secrets = tuple(value for name, value in os.environ.items() if _SECRET.search(name) and value)
    secrets += tuple(str(value) for name, value in way.arguments.items() if name == "api_key")
    service = Service(litellm, way, orders["secret"], Path(orders["folder"]), secrets)
    application = web.Application(client_max_size=_BODY_LIMIT)
    application.router.add_route("*", "/{path:.*}", service.handle)
    runner = web.AppRunner(application, handler_cancellation=True, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=1.0)
    await site.start()
    say({"port": runner.addresses[0][1], "address": way.address})
    parent = os.getppid()
    while os.getppid() == parent and not service.stopping.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(service.stopping.wait(), _ORPHAN_SECONDS)
    await runner.cleanup()


def say(told: Mapping[str, object]) -> None:
    print(json.dumps(told), flush=True)


def main() -> None:
    orders = json.load(sys.stdin)
    try:
        litellm = load()
        way = way_to(litellm, orders["model"], orders["url"], orders["key_variable"])
    except SetupError as error:
        say({"problem": str(error)})
        return
    asyncio.run(serve(litellm, way, orders))


if __name__ == "__main__":
    main()
