"""The default store: SQLite in WAL mode, owned by one process, a batch a transaction."""

import json
import os
import sqlite3
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from radio import owned_file
from radio.errors import StoreError
from radio.store import Namespace, Record

_TABLES = """
CREATE TABLE IF NOT EXISTS records (seq INTEGER PRIMARY KEY, thread TEXT NOT NULL, line BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS owner (run TEXT NOT NULL, cell TEXT NOT NULL);
"""
_PAGE = 500
# Folding the WAL in waits for the disk, and every answer of the hub with it: rarely, then (16 MiB), and at the end.
_PAGES_OF_WAL = 4000


class SqliteStore:
    """`synchronous=NORMAL` in WAL keeps what was committed through any kill of a process (not through a power cut).

    Which records are of which thread is known here in memory: an index in the file would cost each commit a page more.
    """

    def __init__(self, path: Path, namespace: Namespace) -> None:
        self._lock = owned_file.take(path)
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10)
            # One owner: no other process needs to be asked for leave at each transaction.
            self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(f"PRAGMA wal_autocheckpoint={_PAGES_OF_WAL}")
            self._connection.executescript(_TABLES)
            self._claim(path, namespace)
            self._threads = self._numbers_by_thread()
        except sqlite3.Error as error:
            os.close(self._lock)
            raise StoreError(f"the radio's store {path} cannot be used: {error}") from error
        except StoreError:
            self._connection.close()
            os.close(self._lock)
            raise

    def _claim(self, path: Path, namespace: Namespace) -> None:
        """A file belongs to one cell for ever, so that no cell can come upon another's messages."""
        row = self._connection.execute("SELECT run, cell FROM owner").fetchone()
        if row is None:
            self._connection.execute("INSERT INTO owner VALUES (?, ?)", (namespace.run, namespace.cell))
        elif row != (namespace.run, namespace.cell):
            raise StoreError(f"the store {path} holds the radio of cell {row[1]} of run {row[0]}, not of this one")

    def _numbers_by_thread(self) -> "defaultdict[str, array[int]]":
        threads: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        for thread, seq in self._connection.execute("SELECT thread, seq FROM records WHERE thread <> '' ORDER BY seq"):
            threads[thread].append(seq)
        return threads

    def append(self, records: Sequence[Record]) -> None:
        try:
            # The write lock first: a transaction that reads before it writes can fail at once, whatever the timeout.
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(
                    "INSERT INTO records VALUES (?, ?, ?)",
                    [(record.seq, record.thread, record.line) for record in records],
                )
            except sqlite3.Error:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"the radio's store did not take a batch: {error}") from error
        for record in records:
            if record.thread:
                self._threads[record.thread].append(record.seq)

    def thread(self, thread: str, after: int = 0) -> Iterator[Record]:
        numbers = self._threads.get(thread, array("q"))
        query = "SELECT seq, thread, line FROM records WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
        for start in range(bisect_right(numbers, after), len(numbers), _PAGE):
            page = json.dumps(list(numbers[start : start + _PAGE]))
            for row in self._rows(query, page):
                yield Record(*row)

    def replay(self, after: int = 0) -> Iterator[Record]:
        """In pages, because a cursor that stays open over a long replay would keep the WAL from being folded in."""
        query = "SELECT seq, thread, line FROM records WHERE seq > ? ORDER BY seq LIMIT ?"
        while True:
            rows = self._rows(query, after, _PAGE)
            for row in rows:
                yield Record(*row)
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def read(self, seq: int) -> Record | None:
        rows = self._rows("SELECT seq, thread, line FROM records WHERE seq = ?", seq)
        return Record(*rows[0]) if rows else None

    def _rows(self, query: str, *values: int | str) -> list[tuple[int, str, bytes]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the radio's store cannot be read: {error}") from error

    def forget(self) -> None:
        """The file goes with its folder."""

    def close(self) -> None:
        self._connection.close()
        os.close(self._lock)
