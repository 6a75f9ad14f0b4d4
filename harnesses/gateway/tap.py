"""Sees every answer of a provider on its way into LiteLLM.

All that LiteLLM's clients ask goes through httpx, the OpenAI SDK's too; it has no place of its own where a whole process's
answers could be read, so `send` of its clients is wrapped. Loaded in the gateway's process only.
"""

from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from harnesses.gateway.reported import UsageReader

_REFUSED = 400


@dataclass
class Attempt:
    """One request to a provider.

    Attributes:
        status: of its answer; `None` where there has been none.
        retry_after: the header.
        reader: of a successful answer.
        ended: the answer came to its end.
        broken: it broke off.
        unconnected: nobody was there to be asked.
    """

    status: int | None = None
    retry_after: str = ""
    reader: UsageReader | None = None
    ended: bool = False
    broken: bool = False
    unconnected: bool = False


@dataclass
class Exchange:
    """What one request of a program led to."""

    attempts: list[Attempt] = field(default_factory=list)
    cut: bool = False

    @property
    def broken(self) -> bool:
        return bool(self.attempts) and self.attempts[-1].broken

    @property
    def refusal(self) -> Attempt | None:
        """The provider's refusal, where that was its last word."""
        last = self.attempts[-1] if self.attempts else None
        return last if last and last.status is not None and last.status >= _REFUSED else None


current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


def install() -> None:
    """Wrap `send` of httpx's clients."""
    httpx: Any = import_module("httpx")
    _wrap_async(httpx)
    _wrap_sync(httpx)


def _wrap_async(httpx: Any) -> None:
    original = httpx.AsyncClient.send

    async def send(client: Any, request: Any, **options: Any) -> Any:
        exchange = current.get()
        if exchange is None:
            return await original(client, request, **options)
        attempt = _begin(exchange, request)
        try:
            response = await original(client, request, **options)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            attempt.unconnected = True
            raise
        except httpx.HTTPError:
            attempt.broken = True
            raise
        if _answered(attempt, response, streams=bool(options.get("stream"))):
            response.stream = _async_stream(httpx, response.stream, attempt)
        return response

    httpx.AsyncClient.send = send


def _wrap_sync(httpx: Any) -> None:
    original = httpx.Client.send

    def send(client: Any, request: Any, **options: Any) -> Any:
        exchange = current.get()
        if exchange is None:
            return original(client, request, **options)
        attempt = _begin(exchange, request)
        try:
            response = original(client, request, **options)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            attempt.unconnected = True
            raise
        except httpx.HTTPError:
            attempt.broken = True
            raise
        if _answered(attempt, response, streams=bool(options.get("stream"))):
            response.stream = _sync_stream(httpx, response.stream, attempt)
        return response

    httpx.Client.send = send


def _begin(exchange: Exchange, request: Any) -> Attempt:
    # So that the bytes can be read as they come.
    request.headers["accept-encoding"] = "identity"
    attempt = Attempt()
    exchange.attempts.append(attempt)
    return attempt


def _answered(attempt: Attempt, response: Any, *, streams: bool) -> bool:
    """Note an answer; whether its body is still to come."""
    attempt.status = response.status_code
    attempt.retry_after = response.headers.get("retry-after", "")
    if attempt.status is None or attempt.status >= _REFUSED:
        return False
    headers = response.headers
    attempt.reader = UsageReader(headers.get("content-type", ""), headers.get("content-encoding", "").strip().lower())
    if not streams:
        attempt.reader.feed(response.content)
        attempt.reader.end()
        attempt.ended = True
    return streams


def _async_stream(httpx: Any, inner: Any, attempt: Attempt) -> Any:
    class Tapped(httpx.AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for piece in inner:
                    assert attempt.reader is not None
                    attempt.reader.feed(piece)
                    yield piece
            except httpx.HTTPError:
                attempt.broken = True
                raise
            _end(attempt)

        async def aclose(self) -> None:
            await inner.aclose()

    return Tapped()


def _sync_stream(httpx: Any, inner: Any, attempt: Attempt) -> Any:
    class Tapped(httpx.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            try:
                for piece in inner:
                    assert attempt.reader is not None
                    attempt.reader.feed(piece)
                    yield piece
            except httpx.HTTPError:
                attempt.broken = True
                raise
            _end(attempt)

        def close(self) -> None:
            inner.close()

    return Tapped()


def _end(attempt: Attempt) -> None:
    assert attempt.reader is not None
    attempt.reader.end()
    attempt.broken = attempt.reader.unfinished
    attempt.ended = not attempt.broken
