"""Ending every program of this process at once, when the user interrupts a run."""

import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sandboxes.errors import BenchError


class StoppedError(BenchError):
    """The run was interrupted: what a program gave so far means nothing."""


_lock = Lock()
_running: set[int] = set()  # leaders that are not reaped yet; guarded by _lock
_stopping = False  # guarded by _lock


@contextmanager
def stoppable(leader: int) -> Iterator[None]:
    """For as long as a program runs: an interrupt ends it. The leader must not be reaped inside.

    Raises:
        StoppedError: there was an interrupt; the leader was told to end.
    """
    with _lock:
        _running.add(leader)
        if _stopping:
            os.kill(leader, signal.SIGKILL)
    try:
        yield
    finally:
        with _lock:
            _running.discard(leader)
            stopped = _stopping
    if stopped:
        raise StoppedError("interrupted")


def check_not_stopping() -> None:
    """Raises StoppedError while programs are refused."""
    with _lock:
        if _stopping:
            raise StoppedError("interrupted")


@contextmanager
def no_programs() -> Iterator[None]:
    """End all that runs, and refuse to start anything until the block is left."""
    global _stopping
    with _lock:
        _stopping = True
        for leader in _running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(leader, signal.SIGKILL)
    try:
        yield
    finally:
        with _lock:
            _stopping = False
