"""The one way the bench starts a program: list arguments, a deadline, bounded output, nothing left behind."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandboxes.base import ExecResult, OutputWatch
from sandboxes.errors import SandboxError
from sandboxes.processes import end_leftovers, end_tree, new_marker
from sandboxes.pump import Kept, Pump
from sandboxes.room import Room
from sandboxes.stopping import check_not_stopping, stoppable


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
    room: Room | None = None,
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
        room: what it may fill of the disk.

    Raises:
        SandboxError: the program could not be started, a process of it could not be ended, or the disk is full.
        StoppedError: the user interrupted the run.
    """
    check_not_stopping()
    started = time.monotonic()
    mark, marker = new_marker()
    variables = {**(clean_environment() if environment is None else environment), **marker}
    child = _start(argv, cwd, variables, bool(stdin), stdout_file)
    try:
        with stoppable(lambda: os.kill(child.pid, signal.SIGKILL)):
            pump = Pump((child.stdin, child.stdout, child.stderr), stdin, output_limit, watch, room)
            timed_out = not _until_exit(pump, child.pid, started + timeout)
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
        over=pump.over,
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


def _until_exit(pump: Pump, leader: int, deadline: float) -> bool:
    exit_descriptor = os.pidfd_open(leader)
    try:
        return pump.until_exit(exit_descriptor, deadline)
    finally:
        os.close(exit_descriptor)


def _head_and_tail_of(path: Path, limit: int) -> Kept:
    kept = Kept(limit)
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
