"""Chat completions from any endpoint that speaks them as OpenAI does: hosted, a gateway, or a model on this machine."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from typing import Any
from urllib.parse import urlsplit

from reconcilers.transport import Completion, FailedRequest, Message, Retries, finish_of, seconds_of, with_retries
from sandboxes.chat_usage import chat_usage, last_of
from sandboxes.errors import SetupError
from sandboxes.usage import UNKNOWN_USAGE, Usage
from sandboxes.waiting import call_within

_BODY_LIMIT = 64 << 20
_ERROR_LIMIT = 4000
_SHOWN_ERROR = 500
_TOO_LONG = re.compile(
    r"context[_ ]length|context window|maximum context|prompt (is )?too (long|large)|too many (input )?tokens", re.I
)


class HttpTransport:
    """Asks with a stream, so that no proxy gives up on a long answer, and takes a whole answer as well."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        parameters: Mapping[str, Any] | None = None,
        timeout: float = 900.0,
        retries: Retries | None = None,
    ) -> None:
        """Say where the model is; nothing is sent yet.

        Args:
            url: what stands before `/chat/completions`, as `http://127.0.0.1:8000/v1`.
            model: the model's name there.
            key: sent as a bearer token; empty for none.
            parameters: further fields of each request, such as `temperature` or `max_tokens`; `None` leaves one out.
            timeout: seconds for one request, to the last byte of its answer.
            retries: of a request that failed.

        Raises:
            SetupError: the address or the key cannot be one.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SetupError(f"{url!r} is no address of an endpoint; give one such as http://127.0.0.1:8000/v1")
        if not re.fullmatch(r"[\x21-\x7e]*", key):
            raise SetupError("the model's key holds a character that no key has, such as a space or a line's end")
        self.model = model
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        query = f"?{parts.query}" if parts.query else ""
        self._path = f"{parts.path.rstrip('/')}/chat/completions{query}"
        self._key = key
        self._parameters = dict(parameters or {})
        self._timeout = timeout
        self._retries = retries or Retries()

    def complete(self, messages: Sequence[Message]) -> Completion:
        """See `Transport.complete`."""
        body = {
            "model": self.model,
            "messages": [{"role": one.role.value, "content": one.text} for one in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._parameters,
        }
        content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        return with_retries(lambda: self._send(content), self._retries)

    def _send(self, content: bytes) -> Completion:
        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        opened: list[socket] = []  # the connection lets go of its own as soon as the answer begins

        def abort() -> None:
            for one in opened:
                with contextlib.suppress(OSError):  # it has just been closed
                    one.shutdown(SHUT_RDWR)

        answer = call_within(self._timeout, lambda: self._exchange(connection, content, opened), abort)
        if answer is None:
            raise FailedRequest(f"{self._host} did not answer within {self._timeout:g} s", UNKNOWN_USAGE)
        return answer

    def _exchange(self, connection: HTTPConnection, content: bytes, opened: list[socket]) -> Completion:
        headers = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        try:
            connection.connect()
        except (OSError, UnicodeError) as error:
            raise FailedRequest(f"cannot reach {self._host}: {error}", Usage()) from error
        opened.append(connection.sock)
        reading = _Reading()
        try:
            connection.request("POST", self._path, content, headers)
            with connection.getresponse() as response:
                if response.status != 200:
                    raise self._refused(response)
                if "event-stream" in (response.getheader("content-type") or ""):
                    for data in _events(response):
                        reading.take(data)
                else:
                    reading.take(response.read(_BODY_LIMIT))
            return reading.completion()
        except (OSError, HTTPException, ValueError, TypeError, AttributeError) as error:
            # Whatever was charged for an answer that broke off, or is none, nobody says.
            raise FailedRequest(self._hidden(f"the answer of {self._host} broke off: {error}"), UNKNOWN_USAGE) from error
        finally:
            connection.close()

    def _refused(self, response: HTTPResponse) -> FailedRequest:
        said = response.read(_ERROR_LIMIT).decode("utf-8", "replace")
        return FailedRequest(
            self._hidden(f"{self._host} refused with status {response.status}: {_error_text(said)}"),
            Usage(),
            response.status,
            retry_after=seconds_of(response.getheader("retry-after")),
            too_long=response.status in (400, 413, 422) and bool(_TOO_LONG.search(said)),
        )

    def _hidden(self, text: str) -> str:
        """Providers quote a key that they refuse."""
        return text.replace(self._key, "(key)") if self._key else text


@dataclass
class _Reading:
    """An answer as it comes, whole or in chunks."""

    pieces: list[str] = field(default_factory=list)
    usages: list[object] = field(default_factory=list)
    reason: object = None
    ended: bool = False

    def take(self, data: bytes) -> None:
        """Raises ValueError for what is no answer."""
        if data.strip() == b"[DONE]":
            self.ended = True
            return
        chunk = json.loads(data)
        if not isinstance(chunk, dict) or chunk.get("error"):
            raise ValueError(_error_text(data.decode("utf-8", "replace")))
        self.usages.append(chunk.get("usage"))
        for choice in (chunk.get("choices") or [])[:1]:
            said = choice.get("delta") or choice.get("message") or {}
            self.pieces.append(_text(said.get("content")))
            self.reason = choice.get("finish_reason") or self.reason
            self.ended = self.ended or "message" in choice or bool(self.reason)

    def completion(self) -> Completion:
        if not self.ended:
            raise ValueError("the stream ended early")
        return Completion("".join(self.pieces), chat_usage(last_of(self.usages)), finish_of(self.reason))


def _events(response: HTTPResponse) -> Iterator[bytes]:
    """The data of each server-sent event."""
    data: list[bytes] = []
    left = _BODY_LIMIT
    while line := response.readline(left):
        left -= len(line)
        if left <= 0:
            raise ValueError(f"more than {_BODY_LIMIT} bytes")
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _error_text(body: str) -> str:
    """A provider's own sentence, where its error has one."""
    try:
        error = json.loads(body)["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError):
        said = body
    return " ".join(str(said).split())[:_SHOWN_ERROR] or "it gave no reason"
