"""Ending every program of this process at once, when the user interrupts a run."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from sandboxes.errors import BenchError


class StoppedError(BenchError):
    """The run was interrupted: what a program gave so far means nothing."""


_lock = Lock()
_running: dict[object, Callable[[], None]] = {}  # what ends each program that runs; guarded by _lock
_stopping = False  # guarded by _lock


@contextmanager
def stoppable(end: Callable[[], None]) -> Iterator[None]:
    """For as long as a program runs: an interrupt ends it, by `end`, which must not wait and must be good until then.

    Raises:
        StoppedError: there was an interrupt; the program was told to end.
    """
    key = object()
    with _lock:
        _running[key] = end
        if _stopping:
            end()
    try:
        yield
    finally:
        with _lock:
            del _running[key]
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
        for end in _running.values():
            with contextlib.suppress(OSError):  # it has ended by itself
                end()
    try:
        yield
    finally:
        with _lock:
            _stopping = False
