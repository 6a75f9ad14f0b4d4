"""A wanted base, fetched and pinned: its `base` entry, and its files."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

from instances import base_git, base_npm, base_sdist
from instances.bases import BaseSpec, base_directory
from instances.errors import InstanceError
from instances.scaffold.wanted import WantedBase

_NO_FILES_OF_ITS_OWN = shutil.ignore_patterns(
    ".git", "__pycache__", "*.pyc", "node_modules", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"
)
_MOST_BYTES = 50 << 20


def pinned(wanted: WantedBase, folder: Path) -> tuple[dict[str, Any], Path]:
    """The `base` entry, and where the base's files are: copied to `folder/base` where they are a directory's, else in the cache.

    Raises:
        InstanceError: the base cannot be fetched, or is too large to be one.
    """
    entry: dict[str, Any] = {"kind": wanted.kind}
    if wanted.kind == "directory":
        assert wanted.directory is not None
        _copy(wanted.directory, folder / "base")
        return entry, folder / "base"
    if wanted.kind == "git":
        entry |= {"url": wanted.url, "commit": base_git.commit_of(wanted.url, wanted.commit)}
    elif wanted.kind == "npm":
        archive = base_npm.archive_of(wanted.name, wanted.version)
        entry |= {"name": wanted.name, "version": wanted.version, "integrity": base_npm.integrity_of(archive)}
    else:
        archive = base_sdist.archive_of(wanted.name, wanted.version)
        entry |= {"name": wanted.name, "version": wanted.version, "sha256": hashlib.sha256(archive).hexdigest()}
    return entry, base_directory(BaseSpec(**entry), folder)


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source, target, symlinks=True, ignore=_NO_FILES_OF_ITS_OWN)
    except (OSError, shutil.Error) as error:
        raise InstanceError(f"{source}: cannot copy it: {error}") from error
    size = sum(os.lstat(path).st_size for path in target.rglob("*"))
    if size > _MOST_BYTES:
        raise InstanceError(f"{source} holds {size >> 20} MB; a base may have {_MOST_BYTES >> 20}: leave out what no agent needs")
    if not any(path.is_file() for path in target.rglob("*")):
        raise InstanceError(f"{source}: there is no file in it that could be a base")
