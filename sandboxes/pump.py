"""Moves a program's input and output through pipes, in bounded memory, until it ends."""

import contextlib
import fcntl
import os
import selectors
import time
from collections import deque
from typing import IO

from sandboxes.base import OutputWatch
from sandboxes.room import Room

_CHUNK = 1 << 16
_PIPE_BYTES = 1 << 20
_SHORTEST_SECONDS = 0.001
Streams = tuple[IO[bytes] | None, IO[bytes] | None, IO[bytes] | None]


class Kept:
    """The head and the tail of a stream, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self._head_limit = limit // 2
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.dropped = 0

    def add(self, piece: bytes) -> None:
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if not piece:
            return
        self._tail.append(piece)
        self._tail_size += len(piece)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._drop(self._tail.popleft())

    def _drop(self, piece: bytes) -> None:
        self._tail_size -= len(piece)
        self.dropped += len(piece)

    def content(self) -> bytes:
        """What was kept; where the middle is missing, a line says how much."""
        tail = b"".join(self._tail)
        excess = len(tail) - self._tail_limit
        if excess > 0:
            self._tail = deque([tail[excess:]])
            self._drop(tail[:excess])
            tail = tail[excess:]
        if not self.dropped:
            return bytes(self._head) + tail
        return bytes(self._head) + b"\n[... %d bytes left out ...]\n" % self.dropped + tail


class Pump:
    """Feeds stdin and drains stdout and stderr of one program, and sees when it ends.

    Args:
        streams: our ends of its stdin, stdout and stderr, where there are any; the pump closes stdin, its caller the others.
        stdin: what is written to it.
        limit: bytes kept of each of stdout and stderr.
        watch: is given stdout as it comes.
        room: what the program may fill of the disk; it is ended when that is over.

    Attributes:
        over: why the program must be ended before its deadline, by its room; empty where it need not.
    """

    def __init__(
        self, streams: Streams, stdin: bytes, limit: int, watch: OutputWatch | None = None, room: Room | None = None
    ) -> None:
        self._stdin, stdout, stderr = streams
        self._watch = watch
        self._room = room
        self.over = ""
        self._input = memoryview(stdin)
        self.stdout = Kept(limit)
        self.stderr = Kept(limit)
        if watch is not None and stdout is not None:
            _widen(stdout.fileno())
        self._open: dict[int, Kept] = {}
        for stream, kept in ((stdout, self.stdout), (stderr, self.stderr)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self._open[stream.fileno()] = kept
        if self._stdin is not None:
            os.set_blocking(self._stdin.fileno(), False)

    def until_exit(self, exit_descriptor: int, deadline: float) -> bool:
        """Move bytes until a descriptor, readable at the program's end, says so; False when it must be ended before.

        Raises:
            SandboxError: the disk is full.
        """
        if self._room is not None:
            self._room.require()
        with selectors.PollSelector() as selector:
            selector.register(exit_descriptor, selectors.EVENT_READ)
            for descriptor in self._open:
                selector.register(descriptor, selectors.EVENT_READ)
            if self._stdin is not None:
                selector.register(self._stdin.fileno(), selectors.EVENT_WRITE)
            ended = self._move(selector, exit_descriptor, deadline)
        if ended and self._room is not None:
            self._room.require()
        return ended

    def _move(self, selector: selectors.BaseSelector, exit_descriptor: int, deadline: float) -> bool:
        while (left := self._left(deadline)) > 0:
            for key, _ in selector.select(left):
                descriptor = key.fd
                if descriptor == exit_descriptor:
                    return True
                if descriptor in self._open:
                    if not self._read(descriptor):
                        selector.unregister(descriptor)
                elif not self._feed():
                    selector.unregister(descriptor)
                    assert self._stdin is not None
                    self._stdin.close()
        return False

    def _left(self, deadline: float) -> float:
        """Seconds until something must be looked at again; none when the program must be ended."""
        due = deadline if self._watch is None else min(deadline, self._watch.deadline())
        left = due - time.monotonic()
        if self._room is None or left <= 0:
            return left
        if time.monotonic() >= self._room.due():
            self.over = self._room.look()
        return 0.0 if self.over else min(left, max(_SHORTEST_SECONDS, self._room.due() - time.monotonic()))

    def _feed(self) -> bool:
        """Write some input; False when all is written or nobody reads it any more."""
        assert self._stdin is not None
        try:
            written = os.write(self._stdin.fileno(), self._input[:_CHUNK])
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        self._input = self._input[written:]
        return len(self._input) > 0

    def _read(self, descriptor: int) -> bool:
        """Read some output; False at its end."""
        piece = os.read(descriptor, _CHUNK)
        kept = self._open[descriptor]
        kept.add(piece)
        if self._watch is not None and kept is self.stdout and piece:
            self._watch.received(piece)
        if not piece:
            del self._open[descriptor]
        return bool(piece)

    def drain(self) -> None:
        """Read what is left in the pipes after all writers ended; never waits."""
        for descriptor in list(self._open):
            try:
                while self._read(descriptor):
                    pass
            except BlockingIOError:  # a writer outside the tree holds the pipe open, and has written nothing
                continue


def _widen(descriptor: int) -> None:
    """Make a pipe as large as one may: there are programs that leave out what their reader had not taken when they end."""
    with contextlib.suppress(OSError):  # the user's pipes hold as much as they may already
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
