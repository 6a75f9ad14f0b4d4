"""The relay: what of a lane's requests reaches the provider, what of its answers the lane, and what is counted of both."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from harnesses.base import Ended, Metering, Turn
from harnesses.endpoint import Endpoint
from harnesses.relay.route import Route, why_unreachable
from harnesses.relay.server import Relay, open_relay
from harnesses.streams.codex import begins_step
from sandboxes.errors import SetupError
from sandboxes.usage import UNKNOWN_USAGE, Usage

KEY = "sk-provider-77aa0c1d2e"
ASKED = json.dumps({"model": "m", "stream": True, "messages": []}).encode()
CALL = {"type": "response.output_item.added", "item": {"type": "function_call", "name": "exec_command"}}
WORDS = {"type": "response.output_item.added", "item": {"type": "message"}}
END = {
    "type": "response.completed",
    "response": {"object": "response", "usage": {"input_tokens": 7, "output_tokens": 5}},
}
USED = Usage(input=7, output=5)


def sse(*events: Mapping[str, Any]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


@dataclass
class Provider:
    """Answers as it is told, and keeps what it was asked.

    Attributes:
        pieces: of each answer; it breaks off behind the last where `breaks`, and goes on for ever where `hangs`.
    """

    url: str = ""
    pieces: tuple[bytes, ...] = (sse(WORDS, END),)
    status: int = 200
    kind: str = "text/event-stream"
    breaks: bool = False
    hangs: bool = False
    gone: Event = field(default_factory=Event)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


def handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_CONNECT(self) -> None:
            """A proxy's part: the tunnel leads to itself, whatever it is to lead to."""
            provider.asked.append(("CONNECT", self.path, dict(self.headers), b""))
            self.send_response_only(200)
            self.end_headers()
            self.close_connection = False

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            provider.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(provider.status)
            self.send_header("content-type", provider.kind)
            self.send_header("x-kept", "yes")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in provider.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if provider.hangs:
                provider.gone.set() if self.connection.recv(1) == b"" else None
            if provider.breaks or provider.hangs:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        do_POST = do_GET

    return Handler


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(made)) as server:
        server.daemon_threads = True
        made.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@pytest.fixture
def relay(provider: Provider) -> Iterator[Relay]:
    with open_relay(Endpoint(KEY, "K", f"{provider.url}/base/"), "", most_calls=1, is_call=begins_step) as made:
        yield made


def ask(
    relay: Relay, path: str = "/v1/responses?x=1", *, key: str | None = None, header: str = "x-api-key", method: str = "POST"
) -> tuple[int, dict[str, str], bytes]:
    """A request of a program; the body is what came of it before it broke off, where it did."""
    connection = http.client.HTTPConnection(str(urlsplit(relay.url).netloc), timeout=20)
    value = relay.endpoint.key if key is None else key
    with closing(connection):
        connection.request(method, path, ASKED if method == "POST" else None, {header: value, "x-own": "1"})
        response = connection.getresponse()
        told = {name.lower(): text for name, text in response.getheaders()}
        try:
            return response.status, told, response.read()
        except http.client.IncompleteRead as error:
            return response.status, {**told, "broken": "yes"}, error.partial


def counted(relay: Relay) -> Metering:
    metering = relay.metered(Turn(Ended.COMPLETED, "", UNKNOWN_USAGE, 0, None)).metering
    assert metering
    return metering


@pytest.mark.parametrize(("header", "before"), [("x-api-key", ""), ("Authorization", "Bearer ")])
def test_a_request_and_its_answer_are_passed_on_but_for_the_key(
    relay: Relay, provider: Provider, header: str, before: str
) -> None:
    status, headers, content = ask(relay, header=header, key=f"{before}{relay.endpoint.key}")
    assert (status, headers["x-kept"], content) == (200, "yes", b"".join(provider.pieces))
    ((method, path, asked, body),) = provider.asked
    assert (method, path, body) == ("POST", "/base/v1/responses?x=1", ASKED)
    assert (asked[header.lower()], asked["x-own"], asked["host"]) == (f"{before}{KEY}", "1", urlsplit(provider.url).netloc)
    metering = counted(relay)
    assert metering.wire
    assert (metering.wire.usage, metering.wire.lower_bound, dict(metering.by_model)) == (USED, False, {"m": USED})


@pytest.mark.parametrize("key", ["", "sk-lane-of-another", KEY])
def test_only_the_turns_key_opens_it(relay: Relay, provider: Provider, key: str) -> None:
    assert ask(relay, key=key)[0] == 401
    assert provider.asked == []


@pytest.mark.parametrize(
    "path", ["/v1/files", "/v1/messages/batches", "/v1/responses/../files", "/v1/organizations/api_keys", "//v1/responses"]
)
def test_the_key_is_for_asking_a_model(relay: Relay, provider: Provider, path: str) -> None:
    assert ask(relay, path)[0] == (200 if path == "//v1/responses" else 404)
    assert [one[1] for one in provider.asked] in ([], ["/base/v1/responses"])


def test_the_key_is_worth_nothing_after_the_turn(relay: Relay, provider: Provider) -> None:
    assert ask(relay, "/v1/models", method="GET")[0] == 200
    relay.close()
    with pytest.raises(OSError, match="refused"):
        ask(relay)
    assert len(provider.asked) == 1


def test_a_refusal_is_passed_on_without_the_key_that_it_repeats(relay: Relay, provider: Provider) -> None:
    provider.status, provider.kind = 401, "application/json"
    provider.pieces = (json.dumps({"error": f"{KEY} is no key"}).encode(),)
    status, headers, content = ask(relay)
    assert (status, headers["x-kept"], json.loads(content)) == (401, "yes", {"error": "[secret] is no key"})
    assert_nothing_used(relay)


def assert_nothing_used(relay: Relay) -> None:
    wire = counted(relay).wire
    assert wire
    assert (wire.usage, wire.lower_bound) == (Usage(), False)


def test_an_answer_that_breaks_off_breaks_off_here_too_and_makes_a_lower_bound(relay: Relay, provider: Provider) -> None:
    provider.breaks, provider.pieces = True, (sse(WORDS),)
    _, headers, content = ask(relay)
    assert (headers.get("broken"), content) == ("yes", sse(WORDS))
    assert counted(relay).lower_bound


def test_a_stream_without_its_last_word_is_broken_off(relay: Relay, provider: Provider) -> None:
    provider.pieces = (sse({"type": "response.created"}, WORDS),)
    assert ask(relay)[1].get("broken") == "yes"
    assert counted(relay).lower_bound


def test_who_waits_for_nothing_any_more_asks_nothing_any_more(relay: Relay, provider: Provider) -> None:
    provider.hangs, provider.pieces = True, (sse(WORDS),)
    connection = http.client.HTTPConnection(urlsplit(relay.url).netloc, timeout=20)
    connection.request("POST", "/v1/responses", ASKED, {"x-api-key": relay.endpoint.key})
    connection.getresponse()
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    assert provider.gone.wait(20)
    assert counted(relay).lower_bound


def test_the_end_of_a_turn_ends_what_is_asked(relay: Relay, provider: Provider) -> None:
    provider.hangs, provider.pieces = True, (sse(WORDS),)
    asking = threading.Thread(target=lambda: ask(relay))
    asking.start()
    while not provider.asked:
        asking.join(0.01)
    assert counted(relay).lower_bound
    assert provider.gone.wait(20)
    asking.join(20)
    assert not asking.is_alive()


def test_a_provider_that_is_not_there_is_told_and_has_used_nothing(unused_address: str) -> None:
    with open_relay(Endpoint(KEY, "K"), unused_address) as relay:
        status, _, content = ask(relay)
        assert (status, f"cannot connect to {urlsplit(unused_address).netloc}: " in content.decode()) == (502, True)
        assert_nothing_used(relay)


@pytest.fixture
def unused_address() -> Iterator[str]:
    """Somewhere nobody listens, and nobody else will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def test_a_call_too_many_is_not_passed_on_and_its_answer_is_counted(relay: Relay, provider: Provider) -> None:
    provider.pieces = (sse(WORDS, CALL)[:-9], sse(WORDS, CALL)[-9:], sse(END))
    assert ask(relay)[2] == sse(WORDS, CALL, END)
    assert not relay.held
    late: list[Any] = []
    asking = threading.Thread(target=lambda: late.append(ask(relay)))
    asking.start()
    assert relay.gate
    assert relay.gate.shut.wait(20)
    assert relay.held
    metering = counted(relay)
    asking.join(20)
    assert [one[2] for one in late] == [sse(WORDS)]
    assert metering.wire
    assert (metering.wire.usage, metering.lower_bound) == (USED + USED, False)


def test_where_the_program_told_what_it_saw_a_held_answer_is_no_difference(relay: Relay, provider: Provider) -> None:
    provider.pieces = (sse(CALL, END),)
    ask(relay)
    threading.Thread(target=lambda: ask(relay), daemon=True).start()
    assert relay.gate
    assert relay.gate.shut.wait(20)
    turn = relay.metered(Turn(Ended.LIMIT, "", USED, 1, None))
    assert (turn.usage, turn.metering and turn.metering.notes) == (USED + USED, ())


def test_a_program_of_which_nothing_came_by_is_taken_at_its_word(relay: Relay) -> None:
    assert relay.metered(Turn(Ended.COMPLETED, "", USED, 1, None)).usage == USED


def test_the_operators_proxy_is_used_and_knows_the_way(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", provider.url.replace("//", "//user:word@"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with open_relay(Endpoint(KEY, "K"), "http://provider.invalid") as relay:
        assert ask(relay)[0] == 200
    tunnel, request = provider.asked
    assert (tunnel[:2], tunnel[2]["Proxy-Authorization"]) == (("CONNECT", "provider.invalid:80"), "Basic dXNlcjp3b3Jk")
    assert (request[1], request[2]["host"]) == ("/v1/responses?x=1", "provider.invalid")
    place = Route.to("http://provider.invalid").place
    assert place == f"provider.invalid by the proxy {urlsplit(provider.url).netloc}"


@pytest.mark.parametrize("address", ["nowhere", "ftp://x", "http://", "http://x:99999999"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="must begin with http"):
        Route.to(address)


def test_who_can_be_connected_to(provider: Provider, unused_address: str) -> None:
    assert why_unreachable(provider.url) == ""
    assert "cannot connect to" in why_unreachable(unused_address)
    assert "cannot connect to provider.invalid" in why_unreachable("https://provider.invalid")


def test_a_server_without_tls_is_no_provider_at_an_https_address(provider: Provider) -> None:
    assert why_unreachable(provider.url.replace("http", "https"), 5).startswith("cannot connect to 127.0.0.1")


def test_who_accepts_and_says_nothing_is_not_waited_for(unused_listener: str) -> None:
    assert why_unreachable(unused_listener, 0.5).endswith((" no answer in time", "no answer within 0.5 s"))


@pytest.fixture
def unused_listener() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as held:
        yield f"https://127.0.0.1:{held.getsockname()[1]}"
