"""The seam of a store: an ordered record of one cell's radio that outlives any kill, owned by one hub at a time.

The hub alone decides; a store only keeps. It is given each event once, with the hub's own sequence number, in
batches that are kept as a whole or not at all, and it can give them back in order, or those of one thread.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandboxes.errors import SetupError

_NAMESPACE = re.compile(r"[A-Za-z0-9._@+-]{1,100}\Z")


@dataclass(frozen=True)
class Record:
    """One event as stored: its number, the thread whose conversation it is part of (or ""), the encoded line."""

    seq: int
    thread: str
    line: bytes


class Store(Protocol):
    def append(self, records: Sequence[Record]) -> None:
        """Keep a batch. When this returns, no kill of any process loses it.

        Raises:
            StoreError: the batch was not kept, or another hub owns the store now.
        """
        ...

    def replay(self, after: int = 0) -> Iterator[Record]:
        """All records with a number above `after`, in order."""
        ...

    def read(self, seq: int) -> Record | None: ...

    def thread(self, thread: str, after: int = 0) -> Iterator[Record]:
        """The records of one thread with a number above `after`, in order."""
        ...

    def forget(self) -> None:
        """Remove what a server that serves other cells too keeps of this one. Files stay: they go with their folder."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Namespace:
    """Whose radio it is. Equal lane names in other cells or runs on the same server are other lanes."""

    run: str
    cell: str

    def __post_init__(self) -> None:
        for part in (self.run, self.cell):
            if not _NAMESPACE.match(part):
                raise SetupError(f"{part!r} is no name for a run or cell: letters, digits and ._@+- only, 100 at most")


def open_store(address: str, namespace: Namespace, *, real: bool) -> Store:
    """Open a store by its address: `sqlite:PATH`, `file:PATH`, `redis://...`, `unix:///path/redis.sock`.

    Args:
        real: a run that counts. A Redis that would lose messages with its process is refused then.

    Raises:
        SetupError: the address cannot be used as asked.
        StoreError: the store does not answer, or is owned by a living hub.
    """
    scheme, _, rest = address.partition(":")
    if scheme in ("sqlite", "file") and not Path(rest).name:
        raise SetupError(f"the store {address!r} names no file: {scheme}:PATH")
    if scheme == "sqlite":
        from radio.sqlite_store import SqliteStore

        return SqliteStore(Path(rest), namespace)
    if scheme == "file":
        from radio.file_store import FileStore

        return FileStore(Path(rest), namespace)
    if scheme in ("redis", "rediss", "unix"):
        from radio.redis_store import RedisStore

        return RedisStore(address, namespace, real=real)
    raise SetupError(f"no such store: {address!r}; use sqlite:PATH, file:PATH, redis://HOST:PORT/N or unix://SOCKET")
