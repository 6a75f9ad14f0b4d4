"""One connection, whatever it sends or leaves unread, neither ends the hub, nor fills it, nor keeps others out."""

import asyncio
import contextlib
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.errors import HubUnreachable
from radio.hub_process import Budget, HubProcess
from radio.wire import Connection, Gate, Request

MakeHub = Callable[..., HubProcess]
BODY_LIMIT = 1000
BEARER = "Authorization: Bearer right\r\n"


def who(authorization: str) -> str | None:
    return "lane" if authorization == "Bearer right" else None


def echo(request: Request, connection: Connection) -> None:
    """Answers with the body, or says that it was not given one; `/later` in a later turn, `/never` and `/broken` not at all."""
    if request.path == "/never":
        return
    if request.path == "/broken":
        raise ValueError("a fault of this request's own")
    body = b"none" if request.body is None else b"[" + request.body + b"]"
    if request.path == "/large":
        body = b"x" * (1 << 20)
    if request.path == "/later":
        asyncio.get_running_loop().call_soon(connection.reply, 200, body, "text/plain")
    else:
        connection.reply(200, body, "text/plain")


class Wire:
    """A server of nothing but connections, in a thread of its own."""

    def __init__(self, path: Path, gate: Gate) -> None:
        self.path, self.gate = path, gate
        self.faults: list[object] = []
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda _, context: self.faults.append(context))
        make = self._loop.create_unix_server(lambda: Connection(echo, BODY_LIMIT, self.gate), str(self.path), backlog=1024)
        server = self._loop.run_until_complete(make)
        self._loop.call_soon(self._ready.set)
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    def connect(self) -> socket.socket:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(20)
        line.connect(str(self.path))
        return line

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Callable[..., Wire]]:
    wires: list[Wire] = []

    def make(**options: float) -> Wire:
        wires.append(Wire(tmp_path / f"{len(wires)}.sock", Gate(who, **options)))  # type: ignore[arg-type] # by name
        return wires[-1]

    yield make
    for one in wires:
        one.stop()


def everything(line: socket.socket) -> bytes:
    """What comes until the other side ends the line."""
    got = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := line.recv(1 << 16):
            got += piece
    return got


def request(path: str, body: bytes = b"", more: str = BEARER) -> bytes:
    return f"POST {path} HTTP/1.1\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Pipe(asyncio.Transport):
    """Keeps what is written, and says whether it is being read from."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reading = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def close(self) -> None:
        self.reading = False

    abort = close


@given(
    st.lists(st.tuples(st.sampled_from(["/now", "/later"]), st.binary(max_size=1500), st.booleans()), max_size=12),
    st.lists(st.integers(1, 400), min_size=1, max_size=8),
)
def test_however_requests_come_in_pieces_each_is_answered_once_and_in_order(
    requests: list[tuple[str, bytes, bool]], pieces: list[int]
) -> None:
    stream = b"".join(request(path, body, BEARER if known else "") for path, body, known in requests)

    async def talk() -> bytes:
        pipe, connection = Pipe(), Connection(echo, BODY_LIMIT, Gate(who))
        connection.connection_made(pipe)
        rest, turn = stream, 0
        while rest:
            size = pieces[turn % len(pieces)]
            connection.data_received(rest[:size])
            rest, turn = rest[size:], turn + 1
            await asyncio.sleep(0)
        for _ in requests:
            await asyncio.sleep(0)
        connection.connection_lost(None)
        return pipe.written

    bodies = [(b"[" + body + b"]") if len(body) <= BODY_LIMIT and (known or not body) else b"none" for _, body, known in requests]
    written = asyncio.run(talk())
    for body in bodies:
        head, _, written = written.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert written[: len(body)] == body
        written = written[len(body) :]
    assert written == b""


def test_a_hub_answers_thousands_of_requests_that_were_sent_at_once(make_hub: MakeHub) -> None:
    hub = make_hub()
    process = hub.pid
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(20)
        line.connect(str(hub.socket))
        sender = threading.Thread(target=line.sendall, args=(b"GET /healthz HTTP/1.1\r\n\r\n" * 5000,))
        sender.start()
        got = b""
        while got.count(b"crosstalk radio\n") < 5000:
            piece = line.recv(1 << 16)
            assert piece, "the line was cut"
            got += piece
        sender.join()
    assert hub.admin("state")["lanes"]
    assert (hub.pid, hub.restarts) == (process, 0)


def test_a_fault_of_one_request_ends_its_connection_alone(wire: Callable[..., Wire]) -> None:
    server = wire()
    with server.connect() as broken, server.connect() as other:
        broken.sendall(request("/now", b"1") + request("/broken") + request("/now", b"2"))
        assert b"[2]" not in everything(broken)
        other.sendall(request("/now", b"3", BEARER + "Connection: close\r\n"))
        assert everything(other).endswith(b"[3]")
    assert server.faults == []


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"POST /v1/se",
        request("/now", b"x" * 500)[:-1],
        request("/now", b"x" * 500, "")[:-1],
        request("/now", b"x" * 5000)[:-1],
        request("/now") + b"P",
        request("/large") * 20,  # and none of the replies is read
    ],
)
def test_what_stays_unfinished_is_ended(wire: Callable[..., Wire], half: bytes) -> None:
    server = wire(seconds=0.1)
    with server.connect() as line, server.connect() as patient:
        patient.sendall(request("/now", b"first"))
        assert patient.recv(1 << 16).endswith(b"[first]")
        line.sendall(half)
        if b"/large" in half:
            while server.gate._present and len(server.gate._present) > 1:
                threading.Event().wait(0.01)
        assert everything(line).count(b"HTTP/1.1 200") < 20
        # A connection that is known, and owes nothing, may be idle.
        patient.sendall(request("/now", b"second", BEARER + "Connection: close\r\n"))
        assert everything(patient).endswith(b"[second]")


def test_connections_beyond_the_bound_push_out_strangers_and_no_one_else(wire: Callable[..., Wire]) -> None:
    server = wire(most=20, most_of_one=10)
    with contextlib.ExitStack() as stack:
        known = [stack.enter_context(server.connect()) for _ in range(10)]
        for line in known:
            line.sendall(request("/now", b"1"))
            assert line.recv(1 << 16).endswith(b"[1]")
        strangers = [stack.enter_context(server.connect()) for _ in range(40)]
        assert everything(strangers[0]) == b""
        for line in known:
            line.sendall(request("/now", b"2"))
            assert line.recv(1 << 16).endswith(b"[2]")
    assert server.faults == []


def test_a_callers_oldest_idle_connection_gives_way_to_its_newest(wire: Callable[..., Wire]) -> None:
    server = wire(most=20, most_of_one=3)

    def ask(line: socket.socket, *more: str) -> bytes:
        """What is answered, which says that what came behind it is being worked on."""
        line.sendall(request("/now", b"1") + b"".join(request(path) for path in more))
        return line.recv(1 << 16)

    with contextlib.ExitStack() as stack:
        busy, idle, other, fourth, fifth = (stack.enter_context(server.connect()) for _ in range(5))
        assert ask(busy, "/never").endswith(b"[1]")
        assert ask(idle).endswith(b"[1]")
        assert ask(other).endswith(b"[1]")
        assert ask(fourth, "/never").endswith(b"[1]")
        assert everything(idle) == b"", "the oldest that has nothing to do has gone"
        assert ask(other, "/never").endswith(b"[1]")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            assert ask(fifth) == b"", "all are at work, and none of them is broken off"
    assert server.faults == []


def test_who_does_not_read_is_not_read_from() -> None:
    async def talk() -> None:
        pipe, connection = Pipe(), Connection(echo, BODY_LIMIT, Gate(who))
        connection.connection_made(pipe)
        connection.pause_writing()
        assert not pipe.reading
        connection.data_received(request("/now", b"1") * 100)
        assert pipe.written == b""
        connection.resume_writing()
        assert pipe.reading
        assert pipe.written.count(b"[1]") == 100
        waiting = request("/later") + b"x" * 70_000
        connection.data_received(waiting)
        assert not pipe.reading
        connection.connection_lost(None)

    asyncio.run(talk())


def test_bodies_of_strangers_are_not_kept() -> None:
    async def talk() -> None:
        connection = Connection(echo, 1 << 20, Gate(who))
        connection.connection_made(Pipe())
        connection.data_received(request("/now", b"x" * 900_000, "Authorization: Bearer wrong\r\n")[:-1])
        assert len(connection._buffer) == 0
        connection.connection_lost(None)

    asyncio.run(talk())


def test_a_hub_without_a_descriptor_to_spare_goes_on(make_hub: MakeHub) -> None:
    hub = make_hub()
    process = hub.pid
    a = hub.client("a")
    thread = a.create_thread("plan")
    resource.prlimit(process, resource.RLIMIT_NOFILE, (40, 40))
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            line = stack.enter_context(socket.socket(socket.AF_UNIX))
            with contextlib.suppress(OSError):  # one too many is closed at once
                line.connect(str(hub.socket))
                line.sendall(b"POST /v1/se")
        assert a.send_message(thread, "still here", ["b"])
    with hub.lanes["b"].client() as b:
        assert b.inbox()["messages"]
    assert (hub.pid, hub.restarts) == (process, 0)


def test_unasked_restarts_are_counted(make_hub: MakeHub, kill_hub: Callable[[HubProcess], None]) -> None:
    hub = make_hub()
    assert hub.restarts == 0
    kill_hub(hub)
    assert hub.admin("state")["lanes"]
    assert hub.restarts == 1
    hub.stop()
    assert hub.restarts == 1
    with pytest.raises(HubUnreachable):
        hub.admin("state")


@given(st.lists(st.floats(0, 50), max_size=60), st.integers(1, 5))
def test_starts_are_bounded_within_any_time_and_never_refused_for_ever(gaps: list[float], most: int) -> None:
    budget, now, starts = Budget(most, 100.0), 0.0, list[float]()
    for gap in gaps:
        now += gap
        pause = budget.pause(now)
        assert 0 <= pause <= 100 + 1e-6
        now += pause
        starts.append(now)
    for first, later in zip(starts, starts[most:], strict=False):
        assert later - first >= 100 - 1e-6


def test_lanes_that_hold_every_connection_do_not_shut_the_engine_out(make_hub: MakeHub) -> None:
    hub = make_hub()
    with contextlib.ExitStack() as stack:
        for name in ("a", "b"):
            head = f"POST /v1/status HTTP/1.1\r\nAuthorization: Bearer {hub.lanes[name].token}\r\nContent-Length: 2\r\n\r\n{{}}"
            for _ in range(256):
                line = stack.enter_context(socket.socket(socket.AF_UNIX))
                line.connect(str(hub.socket))
                line.sendall(head.encode())
                assert line.recv(1 << 16)
        hub.finish("a")
        assert hub.counters()["a"]["finished"]
    assert hub.restarts == 0
