"""Waits that the user's interrupt ends at once, and that end in any case."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sandboxes.stopping import check_not_stopping

_T = TypeVar("_T")
_POLL_SECONDS = 0.1


def pause(seconds: float) -> None:
    """Wait so long.

    Raises:
        StoppedError: the user interrupted the run.
    """
    until = time.monotonic() + seconds
    check_not_stopping()
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _POLL_SECONDS))
        check_not_stopping()


def call_within(seconds: float, call: Callable[[], _T], abort: Callable[[], None] = lambda: None) -> _T | None:
    """What a blocking call returns; `None` when the time is over. The user's interrupt ends the wait at once.

    Args:
        seconds: until it is given up.
        call: is run in a thread of its own.
        abort: makes the call end, as far as anything can.

    Raises:
        StoppedError: the user interrupted the run.
        Exception: whatever the call raises.
    """
    returned: list[_T] = []
    raised: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            returned.append(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            raised.append(error)
        finally:
            ended.set()

    check_not_stopping()
    until = time.monotonic() + seconds
    threading.Thread(target=work, name="model-request", daemon=True).start()
    try:
        while not ended.wait(min(_POLL_SECONDS, max(until - time.monotonic(), 0))):
            check_not_stopping()
            if time.monotonic() >= until:
                return None
    finally:
        if not ended.is_set():
            abort()
    if raised:
        raise raised[0]
    return returned[0]
