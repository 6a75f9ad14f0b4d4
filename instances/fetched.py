"""Fetched bases on disk: an archive's one top folder, what is left out of it, and the cache, where only whole folders are."""

import fnmatch
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from instances.errors import InstanceError


def cache_root() -> Path:
    """The folder of everything that can be fetched or built again."""
    if named := os.environ.get("CROSSTALK_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crosstalk"


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A scratch folder on the same disk as a folder that is to be put in place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        yield Path(scratch)


def put_in_place(folder: Path, target: Path) -> None:
    """Rename a whole folder into the cache."""
    try:
        folder.rename(target)
    except OSError:
        # Another process renamed its own copy, of the same digest, into place first.
        if not target.is_dir():
            raise


def unpack(archive: bytes, exclude: Iterable[str], target: Path, what: str) -> None:
    """Put the one top folder of a .tar.gz in place, without what is excluded.

    Raises:
        InstanceError: the archive is no such archive; the text starts with `what`.
    """
    with beside(target) as scratch:
        packed, unpacked = scratch / "archive.tar.gz", scratch / "unpacked"
        packed.write_bytes(archive)
        try:
            with tarfile.open(packed) as tar:
                tar.extractall(unpacked, filter="data")
        except tarfile.TarError as error:
            raise InstanceError(f"{what}: cannot unpack it: {error}") from error
        tops = list(unpacked.iterdir())
        if len(tops) != 1 or not tops[0].is_dir():
            raise InstanceError(f"{what} does not hold one top folder")
        drop(tops[0], exclude)
        put_in_place(tops[0], target)


def drop(root: Path, globs: Iterable[str]) -> None:
    """Remove what the globs match below a folder."""
    for glob in globs:
        for path in sorted(root.rglob("*"), reverse=True):
            if fnmatch.fnmatchcase(path.relative_to(root).as_posix(), glob):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
