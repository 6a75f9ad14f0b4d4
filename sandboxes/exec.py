"""The one way the bench starts a program: list arguments, a deadline, bounded output, nothing left behind."""

import contextlib
import fcntl
import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandboxes.base import ExecResult, OutputWatch
from sandboxes.errors import SandboxError
from sandboxes.processes import end_leftovers, end_tree, new_marker
from sandboxes.stopping import check_not_stopping, stoppable

_CHUNK = 1 << 16
_PIPE_BYTES = 1 << 20


def clean_environment() -> dict[str, str]:
    """What a program gets when nothing is said: where programs are, and a fixed locale."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


def run(  # noqa: PLR0913 - the one exec helper; each option is independent of the others
    argv: Sequence[str],
    *,
    timeout: float,
    stdin: bytes = b"",
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    output_limit: int = 1 << 20,
    stdout_file: Path | None = None,
    watch: OutputWatch | None = None,
) -> ExecResult:
    """Run a program to its end, or to the deadline, and end everything that it started.

    When the program itself has ended, processes that it left in the background are killed at once.

    Args:
        argv: the program, looked up in the environment's PATH, and its arguments. No shell.
        timeout: seconds until the whole process tree is killed.
        stdin: what the program reads; closed afterwards.
        cwd: the folder to run in; the caller's own by default.
        environment: all variables the program gets; `clean_environment()` by default, never the caller's own.
        output_limit: bytes kept of each of stdout and stderr: of more, the head and the tail.
        stdout_file: the program writes its whole stdout into this file; the result holds head and tail.
        watch: is given stdout as it comes, and may end the program before the timeout. Not with `stdout_file`.

    Raises:
        SandboxError: the program could not be started, or a process of it could not be ended.
        StoppedError: the user interrupted the run.
    """
    check_not_stopping()
    started = time.monotonic()
    mark, marker = new_marker()
    variables = {**(clean_environment() if environment is None else environment), **marker}
    child = _start(argv, cwd, variables, bool(stdin), stdout_file)
    try:
        with stoppable(child.pid):
            pump = _Pump(child, stdin, output_limit, watch)
            timed_out = not pump.until_exit(started + timeout)
            if timed_out:
                end_tree(child.pid, mark)
            else:
                end_leftovers(child.pid, mark, lived_seconds=time.monotonic() - started)
            pump.drain()
    except BaseException:  # an interrupt too must not leave a process behind
        end_tree(child.pid, mark)
        raise
    finally:
        returncode = child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()
    output, errors = pump.stdout, pump.stderr
    if stdout_file is not None:
        output = _head_and_tail_of(stdout_file, output_limit)
    return ExecResult(
        returncode=None if timed_out else returncode,
        stdout=output.content(),
        stderr=errors.content(),
        timed_out=timed_out,
        truncated=output.dropped > 0 or errors.dropped > 0,
        duration_seconds=time.monotonic() - started,
    )


def _start(
    argv: Sequence[str], cwd: Path | None, variables: Mapping[str, str], feeds: bool, stdout_file: Path | None
) -> subprocess.Popen[bytes]:
    if not argv:
        raise SandboxError("cannot run an empty command")
    target: int = subprocess.PIPE
    try:
        if stdout_file is not None:
            target = os.open(stdout_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        return subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE if feeds else subprocess.DEVNULL,
            stdout=target,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=variables,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        raise SandboxError(f"cannot start {argv[0]!r}: {reason}{where}") from error
    finally:
        if target >= 0:
            os.close(target)


class _Kept:
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


class _Pump:
    """Feeds stdin and drains stdout and stderr of one child, and sees when it ends."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes, limit: int, watch: OutputWatch | None) -> None:
        self._child = child
        self._watch = watch
        self._input = memoryview(stdin)
        self.stdout = _Kept(limit)
        self.stderr = _Kept(limit)
        if watch is not None and child.stdout is not None:
            _widen(child.stdout.fileno())
        self._open: dict[int, _Kept] = {}
        for stream, kept in ((child.stdout, self.stdout), (child.stderr, self.stderr)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self._open[stream.fileno()] = kept
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)

    def until_exit(self, deadline: float) -> bool:
        """Move bytes until the child ends; False when the deadline comes first."""
        exit_descriptor = os.pidfd_open(self._child.pid)
        try:
            with selectors.PollSelector() as selector:
                selector.register(exit_descriptor, selectors.EVENT_READ)
                for descriptor in self._open:
                    selector.register(descriptor, selectors.EVENT_READ)
                if self._child.stdin is not None:
                    selector.register(self._child.stdin.fileno(), selectors.EVENT_WRITE)
                return self._move(selector, exit_descriptor, deadline)
        finally:
            os.close(exit_descriptor)

    def _move(self, selector: selectors.BaseSelector, exit_descriptor: int, deadline: float) -> bool:
        while (left := self._due(deadline) - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                descriptor = key.fd
                if descriptor == exit_descriptor:
                    return True
                if descriptor in self._open:
                    if not self._read(descriptor):
                        selector.unregister(descriptor)
                elif not self._feed():
                    selector.unregister(descriptor)
                    assert self._child.stdin is not None
                    self._child.stdin.close()
        return False

    def _due(self, deadline: float) -> float:
        return deadline if self._watch is None else min(deadline, self._watch.deadline())

    def _feed(self) -> bool:
        """Write some input; False when all is written or nobody reads it any more."""
        assert self._child.stdin is not None
        try:
            written = os.write(self._child.stdin.fileno(), self._input[:_CHUNK])
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


def _head_and_tail_of(path: Path, limit: int) -> _Kept:
    kept = _Kept(limit)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= limit:
            kept.add(file.read())
            return kept
        kept.add(file.read(limit // 2))
        file.seek(size - (limit - limit // 2))
        kept.dropped = file.tell() - limit // 2
        kept.add(file.read(limit - limit // 2))
    return kept
