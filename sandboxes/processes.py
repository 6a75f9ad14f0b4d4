"""Finding and ending every process of one command, also those that left its process group.

A command's processes are known by their session or process group, by their parent, or by a mark in a variable
that each of them inherits. Only a process that did all of this escapes: it left the session, outlived its
parent and threw its environment away. Out of a sandbox's own process namespace there is no such escape.
"""

import os
import re
import secrets
import signal
import time
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sandboxes.errors import SandboxError

MARKER = "CROSSTALK_EXEC"
_PATIENCE_SECONDS = 10.0
_EXITING_FLAG = 0x4  # PF_EXITING in the kernel's task flags
_WIDEST_RANGE = 4096


@dataclass(frozen=True)
class _Process:
    pid: int
    parent: int
    group: int
    session: int
    exiting: bool
    started: int


def new_marker() -> tuple[str, dict[str, str]]:
    """A new mark, and the variable that carries it, together with the marks that this process itself bears."""
    mark = secrets.token_hex(8)
    return mark, {MARKER: f"{os.environ.get(MARKER, '')}:{mark}"}


def end_leftovers(leader: int, mark: str, *, lived_seconds: float) -> None:
    """End what a command left behind. Its leader must have ended and must not have been reaped yet.

    Processes started after the leader have later numbers, so after a short command only few are looked at.

    Raises:
        SandboxError: a process could not be ended.
    """
    newest = _newest_pid()
    short = lived_seconds < 0.25 and leader <= newest <= leader + _WIDEST_RANGE
    seen = newest
    candidates: Iterable[int] = range(leader + 1, newest + 1) if short else _all_pids()
    exiting: list[_Process] = []
    looked_at: set[int] = set()
    while True:
        found = [process for process in _look_at(candidates) if process.pid != leader]
        looked_at.update(process.pid for process in found)
        ours = [process for process in found if not process.exiting and _belongs(process, leader, frozenset(), mark)]
        # Looked at once more, because a process that began to exit meanwhile had no mark left to read.
        exiting += [process for process in _look_at(process.pid for process in found) if process.exiting]
        if ours:
            end_tree(leader, mark, {process.pid: process.started for process in ours})
        newest = _newest_pid()
        if newest == seen:
            break
        candidates = range(seen + 1, newest + 1) if seen < newest <= seen + _WIDEST_RANGE else _all_pids()
        seen = newest
    if exiting:
        parents = {process.parent for process in _look_at(looked_at)}
        _wait_for_exits([process for process in exiting if not _was_alone(process, parents)])


def end_tree(leader: int, mark: str, known: Mapping[int, int] | None = None) -> None:
    """End a command's leader and everything it started. The leader must not have been reaped yet.

    Args:
        leader: the command's own process.
        mark: what its processes carry.
        known: processes of the command, number to start time, which may have no mark left to read.

    Raises:
        SandboxError: a process could not be ended.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    members = dict(known or {})
    while True:
        newest = _newest_pid()
        living, ended = _living_members(leader, members, mark)
        for process in living:
            _kill(process.pid)
        if not living and (not ended or _newest_pid() == newest):
            return
        if time.monotonic() > deadline:
            numbers = ", ".join(str(process.pid) for process in living)
            raise SandboxError(f"processes {numbers} of a command could not be ended; end them by hand")
        time.sleep(0.0005)


def _living_members(leader: int, members: dict[int, int], mark: str) -> tuple[list[_Process], list[_Process]]:
    """The living processes of the tree, and those that are as good as gone.

    `members` (number to start time) grows by what was found.
    """
    processes = {process.pid: process for process in _look_at(_all_pids())}
    for pid, started in list(members.items()):
        if pid in processes and processes[pid].started != started:
            del members[pid]
    found: dict[int, _Process] = {}
    grown = True
    while grown:
        parents = frozenset(members) | {leader}
        new = [
            process
            for process in processes.values()
            if process.pid not in found and (process.pid in parents or _belongs(process, leader, parents, "" if found else mark))
        ]
        grown = bool(new)
        found.update((process.pid, process) for process in new)
        members.update((process.pid, process.started) for process in new)
    everyones_parents = {process.parent for process in processes.values()}
    ended = [process for process in found.values() if process.exiting and _was_alone(process, everyones_parents)]
    return [process for process in found.values() if process not in ended], ended


def _was_alone(process: _Process, parents: Container[int]) -> bool:
    """Whether an ending process was the first of a process namespace in which no other is left.

    It ends the others only at the end of its own way out, which is long; once they are gone, so is all that matters.
    """
    if process.pid in parents:
        return False
    numbers = re.search(rb"^NSpid:(.*)$", _read(f"/proc/{process.pid}/status"), re.MULTILINE)
    return numbers is not None and len(numbers[1].split()) > 1 and numbers[1].split()[-1] == b"1"


def _belongs(process: _Process, leader: int, parents: frozenset[int], mark: str) -> bool:
    if leader in (process.session, process.group) or process.parent in parents:
        return True
    return bool(mark) and mark.encode() in _read(f"/proc/{process.pid}/environ")


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # gone by itself; or another user's, and then the caller's deadline names it


def _wait_for_exits(exiting: list[_Process]) -> None:
    """Wait for processes that are ending, whose mark can't be read any more, and so for what they take with them."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while exiting and time.monotonic() < deadline:
        now = {process.pid: process.started for process in _look_at(process.pid for process in exiting)}
        exiting = [process for process in exiting if now.get(process.pid) == process.started]
        if exiting:
            time.sleep(0.0005)


def _look_at(pids: Iterable[int]) -> Iterator[_Process]:
    """The processes that are alive among some numbers (a zombie is not)."""
    for pid in pids:
        stat = _read(f"/proc/{pid}/stat")
        if not stat:
            continue
        fields = stat.rpartition(b") ")[2].split()
        if fields[0] not in (b"Z", b"X"):
            exiting = bool(int(fields[6]) & _EXITING_FLAG)
            parent, group, session = int(fields[1]), int(fields[2]), int(fields[3])
            yield _Process(pid, parent, group, session, exiting, int(fields[19]))


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - once a command, must be quick


def _newest_pid() -> int:
    """The number given out last in this process namespace; 0 where the kernel does not say."""
    fields = _read("/proc/loadavg").split()
    return int(fields[4]) if len(fields) > 4 else 0


def _read(path: str) -> bytes:
    """A file of /proc; empty when its process is gone or another user's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        pieces = []
        while piece := os.read(descriptor, 1 << 16):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:  # the process ended meanwhile
        return b""
    finally:
        os.close(descriptor)
