"""What the radio costs, each figure beside its floor in the same run. `scripts/bench radio` runs it.

Floors: for messages raw Redis publish/subscribe; for a step boundary `sh -c true`, and `sh` with `curl` to a server that does
nothing.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import selectors
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from radio.errors import HubUnreachable
from radio.hub_process import COMMANDS, HubProcess
from radio.policy import Limits, Policy
from radio.replay import read_events, summarise
from radio.wire import Connection, Request
from sandboxes import exec as processes

OPEN = Limits(messages_per_minute=10**9, total_messages=10**9, threads=10**6, requests_per_minute=10**9)
_STAMP = re.compile(rb"stamp=(\d+)")
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Figure:
    """One line of the report: what was measured, the floor's value, ours, and the goal for their ratio (or for ours)."""

    name: str
    floor: float | None
    ours: float
    unit: str
    goal: str


# -- a client for many connections at once, the same for both sides


@dataclass
class Peer:
    """One connection: what to send, and how to take whole answers out of its buffer."""

    sock: socket.socket
    buffer: bytearray


def connect(path: str) -> Peer:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.connect(path)
    return Peer(sock, bytearray())


def http_answers(buffer: bytearray) -> Iterator[bytes]:
    while (end := buffer.find(b"\r\n\r\n")) >= 0:
        head = bytes(buffer[:end])
        length = int(head.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        if len(buffer) < end + 4 + length:
            return
        body = bytes(buffer[end + 4 : end + 4 + length])
        del buffer[: end + 4 + length]
        yield body


def http_request(operation: str, token: str, fields: Mapping[str, Any]) -> bytes:
    body = json.dumps(fields).encode()
    head = (
        f"POST /v1/{operation} HTTP/1.1\r\nAuthorization: Bearer {token}\r\nAccept: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def resp_lines(buffer: bytearray) -> Iterator[bytes]:
    """Simple replies of Redis: one line each."""
    while (end := buffer.find(b"\r\n")) >= 0:
        line = bytes(buffer[:end])
        del buffer[: end + 2]
        yield line


def resp_command(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


@dataclass(frozen=True)
class Traffic:
    """How much each of some connections sends: `count` messages, `pause` seconds between them (0: as fast as answered)."""

    path: str
    tokens: tuple[str, ...]
    names: tuple[str, ...]
    count: int
    pause: float
    redis: bool


def send_all(traffic: Traffic, go: Any) -> None:
    """The senders' process: on each connection one message at a time."""
    peers = [connect(traffic.path) for _ in traffic.names]
    threads = [f"to-{name}" for name in traffic.names]
    go.wait()
    start = time.perf_counter()
    total = len(peers) * traffic.count
    left = [traffic.count] * len(peers)
    free: list[tuple[float, int]] = [(start + traffic.pause * number / len(peers), number) for number in range(len(peers))]
    done = 0
    with selectors.DefaultSelector() as selector:
        for number, peer in enumerate(peers):
            selector.register(peer.sock, selectors.EVENT_READ, number)
        while done < total:
            now = time.perf_counter()
            for due, number in [entry for entry in free if entry[0] <= now]:
                free.remove((due, number))
                peers[number].sock.sendall(_message(traffic, number, threads[number]))
                left[number] -= 1
            waits = max(0.0, min((due for due, _ in free), default=now + 1) - time.perf_counter())
            for key, _ in selector.select(waits):
                number = key.data
                peers[number].buffer += peers[number].sock.recv(1 << 16)
                answers = resp_lines(peers[number].buffer) if traffic.redis else http_answers(peers[number].buffer)
                for _ in answers:
                    done += 1
                    if left[number]:
                        due = start + traffic.pause * (number / len(peers) + traffic.count - left[number])
                        free.append((max(due, time.perf_counter()) if traffic.pause else 0.0, number))
    for peer in peers:
        peer.sock.close()


def _message(traffic: Traffic, number: int, thread: str) -> bytes:
    stamp = f"stamp={time.perf_counter_ns()} " + "x" * 180
    if traffic.redis:
        return resp_command(b"PUBLISH", traffic.names[number].encode(), stamp.encode())
    fields = {"thread": thread, "content": stamp, "mentions": [traffic.names[number]]}
    return http_request("send_message", traffic.tokens[number], fields)


def receive_all(traffic: Traffic, ready: Any, results: Any) -> None:
    """The receivers' process: each lane waits; what it was shown last is confirmed with the next wait."""
    peers = [connect(traffic.path) for _ in traffic.names]
    for number, peer in enumerate(peers):
        first = resp_command(b"SUBSCRIBE", traffic.names[number].encode()) if traffic.redis else _wait(traffic, number, "")
        peer.sock.sendall(first)
    expected = len(peers) * traffic.count
    seconds: list[float] = []
    ready.set()
    with selectors.DefaultSelector() as selector:
        for number, peer in enumerate(peers):
            selector.register(peer.sock, selectors.EVENT_READ, number)
        while len(seconds) < expected:
            for key, _ in selector.select(_PATIENCE_SECONDS):
                peer = peers[key.data]
                peer.buffer += peer.sock.recv(1 << 20)
                now = time.perf_counter_ns()
                if traffic.redis:
                    found = _STAMP.findall(peer.buffer[: peer.buffer.rfind(b"\r\n") + 2])
                    del peer.buffer[: peer.buffer.rfind(b"\r\n") + 2]
                    seconds += [(now - int(stamp)) / 1e9 for stamp in found]
                    continue
                for body in http_answers(peer.buffer):
                    seconds += [(now - int(stamp)) / 1e9 for stamp in _STAMP.findall(body)]
                    lease = json.loads(body)["lease"]
                    peer.sock.sendall(_wait(traffic, key.data, lease))
    results.put((time.perf_counter(), seconds))
    for peer in peers:
        peer.sock.close()


def _wait(traffic: Traffic, number: int, lease: str) -> bytes:
    # In the background, as a watcher: each lane sends at the same time, so that its waiting keeps nobody up.
    fields = {"snapshot": "none", "timeout": 80, "confirm": lease, "background": True}
    return http_request("wait_for_mention", traffic.tokens[number], fields)


def run_traffic(sending: Traffic, receiving: Traffic) -> tuple[list[float], float]:
    """Latencies in seconds, and messages a second."""
    context = multiprocessing.get_context("spawn")
    ready, go, results = context.Event(), context.Event(), context.Queue()
    receiver = context.Process(target=receive_all, args=(receiving, ready, results))
    sender = context.Process(target=send_all, args=(sending, go))
    receiver.start()
    sender.start()
    ready.wait(_PATIENCE_SECONDS)
    time.sleep(0.3)
    started = time.perf_counter()
    go.set()
    ended, seconds = results.get(timeout=10 * _PATIENCE_SECONDS)
    sender.join()
    receiver.join()
    return seconds, len(seconds) / (ended - started)


# -- the two sides


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis on a unix socket, with nothing to keep."""
    folder = Path(tempfile.mkdtemp(prefix="crosstalk-bench-"))
    path = folder / "redis.sock"
    arguments = ["redis-server", "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)]
    server = threading.Thread(target=lambda: processes.run(arguments, timeout=3600), daemon=True)
    server.start()
    while not path.exists():
        time.sleep(0.01)
    try:
        yield str(path)
    finally:
        peer = connect(str(path))
        peer.sock.sendall(resp_command(b"SHUTDOWN", b"NOSAVE"))
        peer.sock.close()
        server.join(10)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def hub(lanes: Sequence[str], **options: Any) -> Iterator[HubProcess]:
    folder = Path(tempfile.mkdtemp(prefix="crosstalk-bench-"))
    try:
        with HubProcess(folder, "bench", "cell", lanes, limits=options.pop("limits", OPEN), **options) as running:
            yield running
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lane_names(count: int) -> tuple[str, ...]:
    return tuple(f"lane{number}" for number in range(count))


def radio_traffic(running: HubProcess, count: int, pause: float) -> tuple[Traffic, Traffic]:
    """Each lane sends to the next one, round in a ring."""
    names = tuple(running.lanes)
    receivers = names[1:] + names[:1]
    for sender, receiver in zip(names, receivers, strict=True):
        with running.lanes[sender].client() as client:
            client.create_thread(f"to-{receiver}", [receiver])
    tokens = tuple(running.lanes[name].token for name in names)
    sending = Traffic(str(running.socket), tokens, receivers, count, pause, redis=False)
    receiving = Traffic(
        str(running.socket), tuple(running.lanes[name].token for name in receivers), receivers, count, 0, redis=False
    )
    return sending, receiving


def message_figures(lanes: int, messages: int) -> list[Figure]:
    """Send to visible, at a steady pace, and as fast as it goes."""
    paced = max(20, messages // (4 * lanes))
    pause = lanes / 400  # 400 messages a second over all lanes
    with redis_server() as path:
        names = lane_names(lanes)
        floor, _ = run_traffic(*[Traffic(path, names, names, paced, pause, redis=True)] * 2)
        _, floor_rate = run_traffic(*[Traffic(path, names, names, messages // lanes, 0, redis=True)] * 2)
    with hub(lane_names(lanes)) as running:
        ours, _ = run_traffic(*radio_traffic(running, paced, pause))
    with hub(lane_names(lanes)) as running:
        _, rate = run_traffic(*radio_traffic(running, messages // lanes, 0))
    floor.sort()
    ours.sort()
    return [
        Figure(
            f"send to visible, p50, {lanes} lanes", 1e3 * statistics.median(floor), 1e3 * statistics.median(ours), "ms", "<= 3x"
        ),
        Figure(f"send to visible, p99, {lanes} lanes", 1e3 * _p99(floor), 1e3 * _p99(ours), "ms", ""),
        Figure(f"messages a second, {lanes} lanes", floor_rate, rate, "/s", ">= 5000"),
    ]


def _p99(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


# -- a step boundary


def spawn_seconds(argv: Sequence[str], environment: Mapping[str, str], before: Callable[[], object], rounds: int) -> float:
    """The median time of a program from start to end, after `before` each time."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    seconds = []
    for _ in range(rounds):
        before()
        started = time.perf_counter()
        process = os.posix_spawn(argv[0], list(argv), dict(environment), file_actions=quiet)
        _, status = os.waitpid(process, 0)
        seconds.append(time.perf_counter() - started)
        if status:
            raise SystemExit(f"{argv} ended with status {status}")
    return statistics.median(seconds)


def serve_nothing(path: str) -> None:
    """A server that answers every request with nothing, over the hub's own protocol code."""

    def handle(request: Request, connection: Connection) -> None:
        connection.reply(200, b"", "text/plain")

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(handle, 1 << 20), path)
        await server.serve_forever()

    uvloop.run(serve())


def boundary_figures(rounds: int) -> list[Figure]:
    """The mailbox check with nothing waiting, and with something."""
    shell = shutil.which("sh") or "/bin/sh"
    path = {"PATH": os.environ["PATH"]}
    with hub(["a", "b"]) as running:
        client = running.client("a")
        thread = client.create_thread("plan")
        environment = {**path, **running.lanes["b"].environment()}
        hook = [shell, str(COMMANDS / "radio-hook"), "PostToolUse"]
        nothing = spawn_seconds([shell, "-c", "true"], path, _nothing, rounds)
        empty = spawn_seconds(hook, environment, _nothing, rounds)
        socket_path = str(running.directory / "nothing.sock")
        server = multiprocessing.get_context("spawn").Process(target=serve_nothing, args=(socket_path,))
        server.start()
        while not Path(socket_path).exists():
            time.sleep(0.01)
        fetch = f"curl -q -s --unix-socket {socket_path} http://x/"
        floor = spawn_seconds([shell, "-c", f"{fetch}; true"], path, _nothing, rounds)
        waiting = spawn_seconds(hook, environment, lambda: client.send_message(thread, "x" * 200, ["b"]), rounds)
        server.terminate()
        server.join()
    return [
        Figure("step boundary, nothing waiting (floor: sh -c true)", 1e3 * nothing, 1e3 * empty, "ms", "<= 1.5x"),
        Figure(
            "step boundary, a message waiting (floor: sh and curl to an empty server)",
            1e3 * floor,
            1e3 * waiting,
            "ms",
            "<= 1.3x",
        ),
    ]


def _nothing() -> None:
    """Nothing has to be done before."""


# -- snapshots


def snapshot_figures(messages: int) -> list[Figure]:
    """What a conversation of k messages costs the one who hears each of them, in tokens and in the hub's time."""
    tokens: dict[str, int] = {}
    seconds: dict[str, float] = {}
    for mode in ("full", "delta", "none"):
        with hub(["a", "b"], policy=Policy(snapshot_bytes=1 << 30)) as running:
            a, b = running.client("a"), running.client("b")
            thread = a.create_thread("plan")
            tokens[mode], times = 0, []
            for number in range(messages):
                a.send_message(thread, f"aside {number} " + "x" * 100)
                a.send_message(thread, f"to b {number} " + "x" * 100, ["b"])
                started = time.perf_counter()
                heard = b.wait_for_mention(5, mode)
                times.append(time.perf_counter() - started)
                tokens[mode] += heard["snapshot_tokens"]
            seconds[mode] = statistics.median(times[-messages // 4 :])
    return [
        Figure(f"snapshot tokens of {2 * messages} messages, full", None, tokens["full"], "tokens", ""),
        Figure(f"snapshot tokens of {2 * messages} messages, delta", None, tokens["delta"], "tokens", "linear"),
        Figure(
            f"snapshot tokens a message, delta, {2 * messages} messages", None, tokens["delta"] / messages, "tokens", "constant"
        ),
        Figure(
            "a wait that is answered at once, full (floor: without a snapshot)",
            1e3 * seconds["none"],
            1e3 * seconds["full"],
            "ms",
            "",
        ),
        Figure(
            "a wait that is answered at once, delta (floor: without a snapshot)",
            1e3 * seconds["none"],
            1e3 * seconds["delta"],
            "ms",
            "",
        ),
    ]


# -- a long run


def soak_figures(seconds: float, lanes: int) -> list[Figure]:
    """Many lanes for a long time, the hub killed now and then: nothing lost, nothing twice, flat memory and descriptors."""
    names = lane_names(lanes)
    heard: dict[str, list[str]] = {name: [] for name in names}
    sent: dict[str, list[str]] = {name: [] for name in names}
    until = time.monotonic() + seconds
    sizes: list[tuple[int, int]] = []
    with hub(names, policy=Policy(lease_seconds=1.0)) as running:
        with running.lanes[names[0]].client() as client:
            thread = client.create_thread("plan")

        def talk(name: str, peer: str) -> None:
            with running.lanes[name].client() as client:
                while time.monotonic() < until:
                    sent[peer].append(client.send_message(thread, "y" * 200, [peer]))
                    heard[name] += client.call("inbox")["messages"] and client.inbox()["messages"]
                    time.sleep(0.5)

        agents = [threading.Thread(target=talk, args=pair) for pair in zip(names, names[1:] + names[:1], strict=True)]
        for agent in agents:
            agent.start()
        next_kill = time.monotonic() + 20
        while time.monotonic() < until:
            time.sleep(2)
            try:
                sizes.append(_size_of(running.pid))
                if time.monotonic() > next_kill:
                    os.kill(running.pid, signal.SIGKILL)
                    next_kill = time.monotonic() + 20
            except (ProcessLookupError, FileNotFoundError, HubUnreachable):
                continue  # it is coming back
        for agent in agents:
            agent.join()
        for name in names:
            with running.lanes[name].client() as client:
                while more := client.inbox()["messages"]:
                    heard[name] += more
        running.stop()
        counted = summarise(list(read_events(running.events)))
    lost = sum(len(set(sent[name]) - set(heard[name])) for name in names)
    twice = sum(len(heard[name]) - len(set(heard[name])) for name in names)
    disorder = sum(heard[name] != sorted(heard[name], key=lambda one: int(one[1:])) for name in names)
    quarter = max(1, len(sizes) // 4)
    early, late = sizes[quarter : 2 * quarter], sizes[-quarter:]
    return [
        Figure(
            f"messages in {seconds:.0f} s over {lanes} lanes, {running.starts} starts of the hub",
            None,
            sum(map(len, sent.values())),
            "",
            "",
        ),
        Figure("lost", None, lost, "", "= 0"),
        Figure("shown twice", None, twice, "", "= 0"),
        Figure("lanes that saw them out of order", None, disorder, "", "= 0"),
        Figure("shown, by the log", sum(map(len, sent.values())), sum(lane.shown for lane in counted.values()), "", "equal"),
        Figure("hub's memory late in the run (floor: early)", _mean(early, 0) / 2**20, _mean(late, 0) / 2**20, "MiB", "flat"),
        Figure("hub's descriptors late in the run (floor: early)", _mean(early, 1), _mean(late, 1), "", "flat"),
    ]


def _size_of(process: int) -> tuple[int, int]:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path(f"/proc/{process}/fd").iterdir()))


def _mean(sizes: Sequence[tuple[int, int]], which: int) -> float:
    return statistics.fmean(size[which] for size in sizes) if sizes else 0.0


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lanes", type=int, nargs="*", default=[2, 8, 64])
    parser.add_argument("--messages", type=int, default=20_000, help="sent in each throughput run")
    parser.add_argument("--rounds", type=int, default=150, help="of each step boundary")
    parser.add_argument("--soak", type=float, default=0, help="seconds of the long run; 600 is the full one")
    parser.add_argument("--only", choices=["messages", "boundary", "snapshots", "soak"])
    options = parser.parse_args()
    figures: list[Figure] = []
    if options.only in (None, "messages"):
        if shutil.which("redis-server") is None:
            raise SystemExit("the floor of the messages needs redis-server")
        for lanes in options.lanes:
            figures += message_figures(lanes, options.messages)
    if options.only in (None, "boundary"):
        figures += boundary_figures(options.rounds)
    if options.only in (None, "snapshots"):
        for messages in (50, 200):
            figures += snapshot_figures(messages)
    if options.soak:
        figures += soak_figures(options.soak, max(options.lanes))
    for figure in figures:
        print(_line(figure))
    return 0


def _line(figure: Figure) -> str:
    floor = "-" if figure.floor is None else f"{figure.floor:.3g}" if figure.floor < 1000 else f"{figure.floor:.0f}"
    ours = f"{figure.ours:.3g}" if figure.ours < 1000 else f"{figure.ours:.0f}"
    ratio = f"{figure.ours / figure.floor:.2f}x" if figure.floor else ""
    return f"{figure.name:78} floor {floor:>8}  ours {ours:>8} {figure.unit:7} {ratio:>7}  goal {figure.goal}"


if __name__ == "__main__":
    sys.exit(main())
