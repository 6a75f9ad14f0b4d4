"""A store in one plain file of JSON lines, for the file channels: the event log itself, and nothing beside it."""

import json
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

from radio import owned_file
from radio.errors import StoreError
from radio.store import Namespace, Record


class FileStore:
    """Lines are appended with one write a batch; a batch cut off by a kill is cut away at the next start.

    A batch ends with a mark, so that it is kept as a whole or not at all.
    """

    def __init__(self, path: Path, namespace: Namespace) -> None:
        self._lock = owned_file.take(path)
        self._path = path
        self._threads: dict[str, array[int]] = {}
        self._offsets = array("q", [0])
        if path.exists() and not path.is_file():
            os.close(self._lock)
            raise StoreError(f"the radio's store {path} is no plain file")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            self._end = self._recover(namespace)
        except StoreError:
            self.close()
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self.close()
            raise StoreError(f"the radio's store {path} holds what no hub wrote: {error}"[:300]) from error

    def _recover(self, namespace: Namespace) -> int:
        """Index the whole batches, cut off an unfinished one, and return where the next is written."""
        head = _mark({"run": namespace.run, "cell": namespace.cell})
        end = 0
        pending: list[tuple[int, str, int]] = []
        with self._path.open("rb") as file:
            first = file.readline()
            if first and first != head:
                raise StoreError(f"the store {self._path} holds the radio of another cell, or is no radio store")
            if not first:
                os.pwrite(self._descriptor, head, 0)
                return len(head)
            end = offset = len(first)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                fields = json.loads(line)
                if "batch" in fields:
                    end = offset + len(line)
                    for seq, thread, place in pending:
                        self._note(seq, thread, place)
                    pending.clear()
                else:
                    pending.append((fields["seq"], fields.get("thread", ""), offset))
                offset += len(line)
        os.ftruncate(self._descriptor, end)
        return end

    def _note(self, seq: int, thread: str, offset: int) -> None:
        self._offsets.append(offset)
        if thread:
            self._threads.setdefault(thread, array("q")).append(seq)

    def append(self, records: Sequence[Record]) -> None:
        expected = range(len(self._offsets), len(self._offsets) + len(records))
        if [record.seq for record in records] != list(expected):
            raise StoreError(f"the store {self._path} was given a batch out of order")
        content = b"".join(record.line + b"\n" for record in records) + _mark({"batch": len(records)})
        written = 0
        try:
            while written < len(content):
                written += os.pwrite(self._descriptor, content[written:], self._end + written)
        except OSError as error:
            os.ftruncate(self._descriptor, self._end)
            raise StoreError(f"the radio's store {self._path} did not take a batch: {error.strerror}") from error
        place = self._end
        for record in records:
            self._note(record.seq, record.thread, place)
            place += len(record.line) + 1
        self._end += len(content)

    def replay(self, after: int = 0) -> Iterator[Record]:
        for seq in range(after + 1, len(self._offsets)):
            record = self.read(seq)
            if record is not None:
                yield record

    def thread(self, thread: str, after: int = 0) -> Iterator[Record]:
        for seq in list(self._threads.get(thread, ())):
            record = self.read(seq) if seq > after else None
            if record is not None:
                yield record

    def read(self, seq: int) -> Record | None:
        if not 0 < seq < len(self._offsets):
            return None
        line = bytearray()
        offset = self._offsets[seq]
        while b"\n" not in line:
            piece = os.pread(self._descriptor, 1 << 14, offset + len(line))
            if not piece:
                raise StoreError(f"the radio's store {self._path} was cut off under the hub")
            line += piece
        whole = bytes(line.partition(b"\n")[0])
        return Record(seq, json.loads(whole).get("thread", ""), whole)

    def forget(self) -> None:
        """The file goes with its folder."""

    def close(self) -> None:
        os.close(self._descriptor)
        os.close(self._lock)


def _mark(fields: dict[str, str] | dict[str, int]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"
