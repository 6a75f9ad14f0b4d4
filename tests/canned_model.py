"""An endpoint of OpenAI's form on loopback that gives the answers it was given, in turn."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

KEY = "sk-canned-key"


@dataclass(frozen=True)
class Canned:
    """One answer.

    Attributes:
        text: what the model says.
        usage: what the endpoint reports; `None` for nothing.
        finish: the finish reason.
        status: of HTTP; anything but 200 gives `text` as the error.
        how: `stream`, `odd` (the usage on a chunk without choices, and an empty chunk after it), `growing` (on each),
            `whole`, `cut`, `hang`, `raw` (the text is the body).
    """

    text: str
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10})
    finish: str | None = "stop"
    status: int = 200
    how: str = "stream"


@dataclass
class Endpoint:
    url: str
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hung: Event = field(default_factory=Event)
    closing: Event = field(default_factory=Event)


@contextmanager
def serving(answers: Sequence[Canned], *, again: bool = False) -> Iterator[Endpoint]:
    """Answers in turn, with an error when there are no more; `again` starts over instead."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

        def do_POST(self) -> None:
            endpoint.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            endpoint.keys.append(self.headers["authorization"])
            number = len(endpoint.requests) - 1
            if number >= len(answers) and not again:
                self._give(400, "application/json", b'{"error": {"message": "no more answers"}}')
                return
            answer = answers[number % len(answers)]
            if answer.status != 200:
                self._give(answer.status, "application/json", json.dumps({"error": {"message": answer.text}}).encode())
            elif answer.how == "hang":
                endpoint.hung.set()
                endpoint.closing.wait()
            elif answer.how == "raw":
                self._give(200, "application/json", answer.text.encode())
            elif answer.how == "whole":
                self._give(200, "application/json", json.dumps(_whole(answer)).encode())
            else:
                self._give(200, "text/event-stream", b"".join(b"data: %s\n\n" % event for event in _events(answer)))

        def _give(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("retry-after", "0")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _whole(answer: Canned) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": answer.text}, "finish_reason": answer.finish}
    head = {"id": "x", "object": "chat.completion", "created": 0, "model": "canned"}
    return {**head, "choices": [choice], **({"usage": answer.usage} if answer.usage else {})}


def _events(answer: Canned) -> Iterator[bytes]:
    def chunk(delta: Mapping[str, str], finish: str | None = None, **more: object) -> bytes:
        return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}).encode()

    half = len(answer.text) // 2
    yield chunk({"role": "assistant", "content": answer.text[:half]}, usage=None)
    if answer.how == "cut":
        return
    if answer.how == "growing":
        yield chunk({}, usage={**(answer.usage or {}), "completion_tokens": 1})
    yield chunk({"content": answer.text[half:]})
    if answer.how == "odd":
        yield json.dumps({"choices": [], "usage": answer.usage}).encode()
        yield chunk({}, answer.finish)
        yield json.dumps({"choices": []}).encode()
    elif answer.usage is None:
        yield chunk({}, answer.finish)
    else:
        yield chunk({}, answer.finish, usage=answer.usage)
    yield b"[DONE]"
