"""The results folder: written beside and renamed into place, so that nothing is ever half there."""

import contextlib
import errno
import fcntl
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from eval.records import CellEntry, CellRecord, RunManifest
from sandboxes.errors import SandboxError, SetupError
from sandboxes.folders import remove_tree

MANIFEST = "run.json"
RECORD = "record.json"
ATTEMPTS = "attempts.jsonl"
LOCK = ".lock"
_UNWRITABLE = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EEXIST,
}
_Model = TypeVar("_Model", bound=BaseModel)


class ResultsFolder:
    """`results/<run>`: `run.json`, `cells/<cell>/`, `gradings/`, and `work/` while it runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells = path / "cells"
        self.gradings = path / "gradings"
        self.discarded = path / "discarded"
        self.work = path / "work"

    def create(self, manifest: RunManifest) -> None:
        """Make the folder and freeze the plan in it.

        Raises:
            SetupError: the folder holds a run already, or cannot be written.
        """
        self.refuse_taken()
        with explained(self.path):
            self.cells.mkdir(parents=True)
            self.replace_manifest(manifest)

    def replace_manifest(self, manifest: RunManifest) -> None:
        """Raises SetupError where it cannot be written; the one before stands then."""
        with explained(self.path):
            write_text(self.path / MANIFEST, manifest.model_dump_json(indent=1) + "\n")

    def refuse_taken(self) -> None:
        """Raises SetupError where there is something already."""
        if (self.path / MANIFEST).exists():
            raise SetupError(f"{self.path}: holds a run already; `crosstalk resume {self.path}`, or choose another --out")
        if self.path.is_dir() and any(self.path.iterdir()):
            raise SetupError(f"{self.path}: is not empty; choose another --out")

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Hold the folder for this process, so that no two runs write into it.

        Raises:
            SetupError: another process runs it.
        """
        with explained(self.path), (self.path / LOCK).open("a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                owner = lock.read().strip() or "unknown"
                raise SetupError(f"{self.path}: process {owner} is running this folder; wait for it or end it") from error
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield

    def manifest(self) -> RunManifest:
        """Raises SetupError where the folder holds no readable run."""
        return _read(self.path / MANIFEST, RunManifest, f"{self.path}: no run here (no readable {MANIFEST})")

    def record(self, cell: CellEntry) -> CellRecord | None:
        """A finished cell's record; `None` when the cell is not finished, or its record is damaged or another cell's."""
        try:
            record = CellRecord.model_validate_json((self.cells / cell.cell / RECORD).read_bytes())
        except (OSError, ValidationError):
            return None
        found = (record.cell, record.instance, record.scenario, record.repeat)
        return record if found == (cell.cell, cell.instance, cell.scenario, cell.repeat) else None

    def damaged(self, cell: CellEntry) -> bool:
        """Whether there is something of a cell that is no record of it."""
        return self.record(cell) is None and (self.cells / cell.cell).exists()

    def records(self) -> Iterator[CellRecord]:
        """The finished cells' records, in the plan's order."""
        for entry in self.manifest().cells:
            if record := self.record(entry):
                yield record

    def discarded_records(self) -> Iterator[CellRecord]:
        """The records of attempts that were run again."""
        for path in sorted(self.discarded.glob(f"*/{RECORD}")):
            with contextlib.suppress(OSError, ValidationError):
                yield CellRecord.model_validate_json(path.read_bytes())

    def begin(self, cell: str) -> None:
        """Note that an attempt is begun, so that one that is cut off before it has a record is not forgotten."""
        with explained(self.path), (self.path / ATTEMPTS).open("a", encoding="utf-8") as log:
            log.write(json_lines([{"cell": cell, "begun": datetime.now(UTC).isoformat(timespec="seconds")}]))

    def lost_attempts(self) -> int:
        """How many attempts have no readable record, so that nobody knows what they used; those that run now are none of them."""
        begun = Counter(self._begun())
        kept = Counter(path.name for path in self.cells.glob("[!.]*"))
        kept.update(path.name.rpartition(".")[0] for path in self.discarded.glob("*"))
        if self._held():
            kept.update(path.name[1:].rpartition(".")[0] for path in self.cells.glob(".*"))
        cut_off = sum(max(count - kept[cell], 0) for cell, count in begun.items())
        damaged = sum(1 for cell in self.manifest().cells if self.damaged(cell))
        return cut_off + damaged + len(list(self.discarded.glob("*"))) - len(list(self.discarded_records()))

    def _begun(self) -> Iterator[str]:
        """The cells of the attempts that were begun; a line that was cut short is passed over."""
        with contextlib.suppress(OSError):
            for line in (self.path / ATTEMPTS).read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    yield str(json.loads(line)["cell"])

    def _held(self) -> bool:
        """Whether a process, this one or another, runs the folder."""
        try:
            with (self.path / LOCK).open(encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def discard(self, cell: str) -> None:
        """Put a cell's attempt aside, so that it can be run again."""
        with explained(self.path):
            self.discarded.mkdir(exist_ok=True)
            number = 1 + sum(1 for _ in self.discarded.glob(f"{cell}.*"))
            (self.cells / cell).rename(self.discarded / f"{cell}.{number}")

    @contextmanager
    def cell_folder(self, cell: str) -> Iterator[Path]:
        """A folder to write a cell's files into; renamed into place at the end, gone if anything failed."""
        beside = self.cells / f".{cell}.{os.getpid()}"
        shutil.rmtree(beside, ignore_errors=True)
        try:
            with explained(self.path):
                beside.mkdir()
                yield beside
                beside.rename(self.cells / cell)
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def clear_leftovers(self) -> None:
        """Remove what a killed run left half done."""
        for path in (*self.cells.glob(".*"), self.work):
            with contextlib.suppress(SandboxError):  # what cannot be removed is in nobody's way
                remove_tree(path)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn a disk that is full or not writable into one clear line.

    Raises:
        SetupError: in place of such an OSError.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        mend = "free space" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "make it writable"
        raise SetupError(f"{path}: cannot write: {error.strerror}; {mend}, or choose another --out") from error


def is_full_or_read_only(error: Exception) -> bool:
    """Whether an error says that the disk takes nothing more, which no other cell would survive either."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def write_text(path: Path, text: str) -> None:
    """Write a file beside and rename it into place."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.rename(path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def json_lines(entries: Any) -> str:
    """One JSON text a line; a byte of a name that is no UTF-8 stays an escape."""
    return "".join(json.dumps(entry, ensure_ascii=True) + "\n" for entry in entries)


def _read(path: Path, model: type[_Model], problem: str) -> _Model:
    try:
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SetupError(f"{problem}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "(top)"
        raise SetupError(f"{problem}: {where}: {first['msg']}") from error
