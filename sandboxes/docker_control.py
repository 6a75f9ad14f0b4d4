"""The bench's side of a container: a socket to its supervisor, on which commands and their pipes are handed over.

The engine has no part in it: a command costs no call of it, and goes on, and is ended in time, while the engine hangs.
"""

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any

from sandboxes.base import ExecResult, OutputWatch
from sandboxes.errors import SandboxError
from sandboxes.pump import Pump, Streams
from sandboxes.room import Room
from sandboxes.stopping import check_not_stopping, stoppable

# How much later than the bench the container ends a command by itself; so it does when the bench is stopped or slow.
_GRACE_SECONDS = 5.0
_PATIENCE_SECONDS = 15.0
_REPLY_BYTES = 1 << 16
SOCKET = "socket"


@dataclass(frozen=True)
class Command:
    """What is run: the program and all its variables."""

    argv: Sequence[str]
    environment: Mapping[str, str]


class Control:
    """The connection to one container's supervisor.

    It listens before the container starts, and takes the first that comes: nothing else runs in there yet. Commands may be
    run by several threads, or from a watch; requests are sent under one lock.
    """

    def __init__(self, folder: Path, room: Room | None = None) -> None:
        self._room = room
        self._path = folder / SOCKET
        self._listener = socket.socket(socket.AF_UNIX)
        self._connection: socket.socket | None = None
        self._lock = Lock()
        here = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:  # a socket's address is short, a path may be long
            self._listener.bind(f"/proc/self/fd/{here}/{SOCKET}")
        finally:
            os.close(here)
        self._path.chmod(0o600)
        self._listener.listen(1)

    def wait(self, seconds: float) -> bool:
        """Whether the supervisor has called within a time; then nothing else can call any more."""
        self._listener.settimeout(seconds)
        try:
            self._connection, _ = self._listener.accept()
        except TimeoutError:
            return False
        self._connection.setblocking(True)
        self._listener.close()
        self._path.unlink()
        return True

    def run(self, command: Command, *, timeout: float, stdin: bytes, output_limit: int, watch: OutputWatch | None) -> ExecResult:
        """See `Sandbox.run`."""
        check_not_stopping()
        started = time.monotonic()
        facts = {"argv": list(command.argv), "environment": dict(command.environment)}
        with contextlib.ExitStack() as ends:
            line, streams = self._start({**facts, "seconds": timeout + _GRACE_SECONDS}, ends, feeds=bool(stdin))
            pump = Pump(streams, stdin, output_limit, watch, self._room)
            try:
                with stoppable(line.end):
                    in_time = pump.until_exit(line.fileno(), started + timeout)
            except BaseException:  # an interrupt too must not leave a process behind
                line.end()
                with contextlib.suppress(SandboxError):
                    line.outcome()
                raise
            if not in_time:
                line.end()
            how = line.outcome()
            pump.drain()
        if "error" in how:
            raise SandboxError(f"the sandbox could not run {command.argv[0]!r}: {how['error']}")
        timed_out = "timed_out" in how or not in_time
        return ExecResult(
            returncode=None if timed_out else how["status"],
            stdout=pump.stdout.content(),
            stderr=pump.stderr.content(),
            timed_out=timed_out,
            truncated=pump.stdout.dropped > 0 or pump.stderr.dropped > 0,
            duration_seconds=time.monotonic() - started,
            over=pump.over,
        )

    def _start(self, request: Mapping[str, Any], ends: contextlib.ExitStack, *, feeds: bool) -> "tuple[Line, Streams]":
        """Hand over a command with its streams; what is opened is closed at the end of the stack."""
        stdin, stdin_of_ours = _pipe(writing=True) if feeds else (os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), None)
        stdout, stdout_of_ours = _pipe(writing=False)
        stderr, stderr_of_ours = _pipe(writing=False)
        streams = (stdin_of_ours, stdout_of_ours, stderr_of_ours)
        for stream in streams:
            if stream is not None:
                ends.enter_context(stream)
        try:
            return ends.enter_context(self.ask(request, (stdin, stdout, stderr))), streams
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)

    def ask(self, request: Mapping[str, Any], descriptors: Sequence[int] = ()) -> "Line":
        """Send a request with descriptors, and a line for its answers.

        Raises:
            SandboxError: the container has ended.
        """
        body = json.dumps(request).encode()
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                if self._connection is None:
                    raise SandboxError("the container has no supervisor")
                head = len(body).to_bytes(4, "big")
                socket.send_fds(self._connection, [head], [*descriptors, theirs.fileno()])
                self._connection.sendall(body)
        except OSError as error:
            ours.close()
            raise SandboxError(f"the container has ended: {error.strerror}") from error
        return Line(ours)

    def close(self, seconds: float = _PATIENCE_SECONDS) -> bool:
        """Have everything in the container ended; False when that could not be seen within a time."""
        self._listener.close()
        if self._connection is None:
            return True
        with self._connection as connection, contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(seconds)
            try:
                return connection.recv(1) == b""
            except TimeoutError:
                return False
        return True


class Line:
    """What tells of one request."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def fileno(self) -> int:
        return self.connection.fileno()

    def end(self) -> None:
        """Have the command ended; returns at once."""
        with contextlib.suppress(OSError):
            self.connection.send(b"K", socket.MSG_DONTWAIT)

    def outcome(self) -> dict[str, Any]:
        """The answer.

        Raises:
            SandboxError: the container ended before there was one, or hangs.
        """
        waiting = select.poll()
        waiting.register(self.connection, select.POLLIN)
        pieces = b""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            if not waiting.poll(left * 1000):
                break
            try:
                piece = self.connection.recv(_REPLY_BYTES)
            except ConnectionError:
                piece = b""
            pieces += piece
            try:
                found: dict[str, Any] = json.loads(pieces)
            except ValueError:
                if piece:
                    continue
                raise SandboxError("the container ended under a command; was it removed, or the engine restarted?") from None
            return found
        raise SandboxError(f"the container does not answer: it said nothing for {_PATIENCE_SECONDS:g} s")

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def _pipe(*, writing: bool) -> tuple[int, IO[bytes]]:
    """A pipe: the command's end, and ours."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    theirs, ours = (reader, writer) if writing else (writer, reader)
    return theirs, os.fdopen(ours, "wb" if writing else "rb", buffering=0)
