"""The first process of a container: starts commands on descriptors that the bench hands over, and ends all that they started.

It runs on the container's own Python (3.9 or later) and imports nothing of the bench. Argument: the path of the bench's socket.
Commands are started in its own folder. Requests come on that one connection, each as a length, a JSON text and descriptors:

- `{"argv", "environment", "seconds"}` with four descriptors: the command's stdin, stdout and stderr, and its line.
  On the line goes one JSON text when nothing of the command is left: `{"status"}`, `{"timed_out"}` or `{"error"}`. A byte from
  the bench on it, or its end, ends the command.
- `{"listen": [address, port]}` with a line: each connection that is made to the address is handed over on it.

When the connection ends, the bench is gone: everything is ended, and the container with it. No process in the container can
stop, trace or end this one: it is the first of its namespace, and not dumpable.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PR_SET_DUMPABLE = 4
_PATIENCE_SECONDS = 10.0
_DESCRIPTORS = 4
_LENGTH_BYTES = 4
_LIBC = ctypes.CDLL(None)


@dataclass
class Command:
    """A command that runs."""

    pid: int
    line: socket.socket
    deadline: float


class Supervisor:
    """One loop over the connection, the commands' lines, the listeners and the ends of processes."""

    def __init__(self, connection: socket.socket, offer: int) -> None:
        self._offer = offer
        self._connection = connection
        self._commands: dict[int, Command] = {}  # by the line's descriptor
        self._listeners: dict[int, tuple[socket.socket, socket.socket]] = {}  # listener and line, by the listener's
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._awake, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll.register(self._awake, select.POLLIN)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def serve(self) -> None:
        """Until the bench is gone."""
        while True:
            for descriptor, _ in self._poll.poll(self._milliseconds_left()):
                if descriptor == self._connection.fileno():
                    if not self._request():
                        end_everything()
                        return
                elif descriptor == self._awake:
                    os.read(self._awake, 4096)
                elif descriptor in self._listeners:
                    self._hand_over(*self._listeners[descriptor])
                elif descriptor in self._commands:
                    self._finish(self._commands[descriptor], {"timed_out": True})
            self._reap()
            for command in [each for each in self._commands.values() if each.deadline <= time.monotonic()]:
                self._finish(command, {"timed_out": True})

    def _milliseconds_left(self) -> int | None:
        if not self._commands:
            return None
        left = min(command.deadline for command in self._commands.values()) - time.monotonic()
        return max(0, min(int(left * 1000) + 1, 1 << 30))

    def _request(self) -> bool:
        """Take one request; False at the end of the connection."""
        head, descriptors = _receive(self._connection, _LENGTH_BYTES)
        if len(head) < _LENGTH_BYTES:
            return False
        body = b""
        size = int.from_bytes(head, "big")
        while len(body) < size:
            piece = self._connection.recv(size - len(body))
            if not piece:
                return False
            body += piece
        request = json.loads(body)
        line = socket.socket(fileno=descriptors[-1])
        try:
            if "listen" in request:
                self._listen(request["listen"], line)
            else:
                self._start(request, descriptors[:-1], line)
        except (OSError, ValueError) as error:
            _say(line, {"error": getattr(error, "strerror", None) or str(error)})
            line.close()
        finally:
            for descriptor in descriptors[:-1]:
                os.close(descriptor)
        return True

    def _start(self, request: dict[str, Any], streams: list[int], line: socket.socket) -> None:
        variables = {os.fsencode(name): os.fsencode(value) for name, value in request["environment"].items()}
        # A command is offered before this process when the container runs out of memory: it inherits what stands here meanwhile.
        os.pwrite(self._offer, b"900", 0)
        try:
            pid = os.posix_spawn(
                _program(os.fsencode(request["argv"][0]), variables.get(b"PATH", b"")),
                [os.fsencode(argument) for argument in request["argv"]],
                variables,
                file_actions=[(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)],
                setsid=True,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT],
            )
        finally:
            os.pwrite(self._offer, b"0", 0)
        command = Command(pid, line, time.monotonic() + request["seconds"])
        self._commands[line.fileno()] = command
        self._poll.register(line, select.POLLIN)

    def _listen(self, address: list[Any], line: socket.socket) -> None:
        listener = socket.create_server((address[0], address[1]), backlog=128)
        self._listeners[listener.fileno()] = (listener, line)
        self._poll.register(listener, select.POLLIN)
        _say(line, {"listening": True})

    def _hand_over(self, listener: socket.socket, line: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the caller is gone already, or the bench no longer takes any
            made, _ = listener.accept()
            with made:
                line.sendmsg([b"c"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [made.fileno()]))])

    def _reap(self) -> None:
        """Take the ends of processes; a command whose own process has ended is over."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for command in list(self._commands.values()):
                if command.pid == pid:
                    self._finish(command, {"status": os.waitstatus_to_exitcode(status)})

    def _finish(self, command: Command, how: dict[str, Any]) -> None:
        """End what a command has left, and say how it ended."""
        del self._commands[command.line.fileno()]
        self._poll.unregister(command.line)
        # A process that left its command's session is nobody's while several commands run; it goes with the last of them.
        gone = end_session(command.pid) if self._commands else end_everything()
        _say(command.line, how if gone else {"error": "processes of the command could not be ended"})
        command.line.close()


def _receive(connection: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """The start of a request, and the descriptors that came with it."""
    descriptors = array.array("i")
    data, ancillary, _, _ = connection.recvmsg(size, socket.CMSG_SPACE(_DESCRIPTORS * descriptors.itemsize), socket.MSG_WAITALL)
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return data, list(descriptors)


def _program(name: bytes, path: bytes) -> bytes:
    """The file of a program by the command's own PATH."""
    if b"/" in name:
        return name
    for folder in path.split(b":"):
        candidate = os.path.join(folder, name)  # noqa: PTH118 - once a command, must be quick
        if os.access(candidate, os.X_OK):
            return candidate
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def _say(line: socket.socket, how: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the bench no longer listens
        line.sendall(json.dumps(how).encode())


def end_everything() -> bool:
    """End every process but this one; False when some could not be ended."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.0005)


def end_session(leader: int) -> bool:
    """End the processes of a command's session."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while members := [pid for pid, session in _sessions() if session == leader]:
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline:
            return False
        time.sleep(0.0005)
    return True


def _sessions() -> list[tuple[int, int]]:
    """Each process that is alive, with its session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = (folder / "stat").read_bytes().rpartition(b") ")[2].split()
            if fields[0] not in (b"Z", b"X"):
                found.append((int(folder.name), int(fields[3])))
    return found


def main() -> None:
    offer = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)  # once not dumpable, it could not
    _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    Supervisor(connection, offer).serve()


if __name__ == "__main__":
    main()
