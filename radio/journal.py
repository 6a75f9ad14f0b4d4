"""Two files that the hub keeps true beside its store: the event log for readers, and each lane's mailbox."""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from radio.errors import StoreError
from radio.events import decode
from radio.store import Record, Store

_logger = logging.getLogger(__name__)
_TAIL = 1 << 16


class Journal:
    """`events.jsonl`: every stored event, a line each. After a kill it is made whole again from the store."""

    def __init__(self, path: Path, store: Store, stored: int) -> None:
        """Open the log.

        Args:
            stored: the number of the store's last event.

        Raises:
            StoreError: the log holds more than the store, which has lost what was acknowledged; or it is none of a hub's.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            last = self._cut_to_whole_lines()
        except ValueError as error:
            os.close(self._descriptor)
            raise StoreError(
                f"the event log {path} ends with what no hub wrote: move it away, and it is written anew from the store"
            ) from error
        if last > stored:
            os.close(self._descriptor)
            raise StoreError(
                f"the store has lost what was acknowledged: it ends at event {stored}, the log {path} at {last}; "
                "or the log is of another store"
            )
        batch: list[Record] = []
        for record in store.replay(after=last):
            batch.append(record)
            if len(batch) == 500:
                self.append(batch)
                batch.clear()
        self.append(batch)

    def _cut_to_whole_lines(self) -> int:
        """Drop a line that a kill cut off; returns the number of the last whole one."""
        size = os.fstat(self._descriptor).st_size
        end, tail = size, b""
        while end > 0 and tail.count(b"\n") < 2:
            start = max(0, end - _TAIL)
            tail = os.pread(self._descriptor, end - start, start) + tail
            end = start
        whole, newline, rest = tail.rpartition(b"\n")
        if rest:
            os.ftruncate(self._descriptor, size - len(rest))
        return decode(whole.rpartition(b"\n")[2]).seq if newline else 0

    def append(self, records: Sequence[Record]) -> None:
        content = memoryview(b"".join(record.line + b"\n" for record in records))
        while content:
            content = content[os.write(self._descriptor, content) :]

    def close(self) -> None:
        os.close(self._descriptor)


class Mailboxes:
    """One file a lane, not empty exactly while something waits there, so that an empty boundary costs a `[ -s ]`."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths
        self._full: dict[str, bool | None] = dict.fromkeys(paths)
        self._descriptors: dict[str, int] = {}

    def set(self, lane: str, full: bool) -> None:
        """Say whether something waits for a lane."""
        if lane not in self._paths or self._full[lane] is full:
            return
        try:
            # Its length alone says it: a hole of one byte costs the file system nothing to make or to drop.
            os.ftruncate(self._open(lane), int(full))
        except OSError as error:
            # Tampered with; the lane's canary and counters will show what it missed.
            _logger.error("cannot write the mailbox of lane %s: %s", lane, error)
            return
        self._full[lane] = full

    def _open(self, lane: str) -> int:
        """The mailbox's descriptor; a new one where somebody removed the file."""
        known = self._descriptors.get(lane)
        if known is not None:
            if os.fstat(known).st_nlink:
                return known
            os.close(self._descriptors.pop(lane))
        # The folder may be in a lane's hands: no link is followed, and nothing but a plain file is written.
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self._descriptors[lane] = os.open(self._paths[lane], flags, 0o644)
        return self._descriptors[lane]

    def close(self) -> None:
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()
