"""Scratch folders of this process, gone when it ends; a killed process's go when the next one needs some."""

import atexit
import fcntl
import itertools
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandboxes.errors import SandboxError
from sandboxes.overlay import unmount_below

_PREFIX = "crosstalk-scratch-"
_UNNAMED = "crosstalk-new-"
_LOCK_NAME = ".in-use"
_lock = threading.Lock()
_root: tuple[int, Path] | None = None  # this process's number and root folder; guarded by _lock


def scratch_folder(prefix: str) -> Path:
    """A new empty folder of this process. Its maker removes it with `remove_tree`; the process's end does too.

    Raises:
        SandboxError: it can't be made.
    """
    try:
        return Path(tempfile.mkdtemp(prefix=f"{prefix}-", dir=process_root()))
    except OSError as error:
        raise SandboxError(f"cannot make a scratch folder: {error.strerror} ({error.filename})") from error


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A scratch folder for as long as a block lasts. Raises as `scratch_folder` and `remove_tree` do."""
    folder = scratch_folder(prefix)
    try:
        yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder, also one that holds folders nobody may enter, or too deep ones, or workspaces. A missing one is fine.

    Raises:
        SandboxError: something in it can't be removed.
    """
    for layers in unmount_below(folder):
        if folder not in layers.parents:
            remove_tree(layers)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        try:
            _flatten(folder)
            shutil.rmtree(folder)
        except OSError as error:
            raise SandboxError(f"cannot remove {error.filename}: {error.strerror}") from error


def _flatten(folder: Path) -> None:
    """Move every folder in a folder to its top, and let the owner into each, so that no path is long. Follows no link."""
    numbers = itertools.count()
    folder.chmod(stat.S_IRWXU)
    pending = [folder]
    while pending:
        current = pending.pop()
        for entry in list(os.scandir(current)):
            if entry.is_dir(follow_symlinks=False):
                above = Path(entry.path)
                above.chmod(stat.S_IRWXU)
                pending.append(above.rename(folder / f".removed-{os.getpid()}-{next(numbers)}"))


def process_root() -> Path:
    global _root
    with _lock:
        if _root is None or _root[0] != os.getpid():
            _root = (os.getpid(), _new_root())
        return _root[1]


def _new_root() -> Path:
    parent = Path(tempfile.gettempdir())
    remove_abandoned()
    # Under its name only once it is locked: an abandoned-looking one would be removed by another process that starts now.
    unnamed = Path(tempfile.mkdtemp(prefix=_UNNAMED, dir=parent))
    descriptor = os.open(unnamed / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # held, with its descriptor, until the process ends in whatever way
    root = unnamed.rename(parent / f"{_PREFIX}{unnamed.name.removeprefix(_UNNAMED)}")
    atexit.register(_remove_own, root, os.getpid())
    return root


def _remove_own(root: Path, owner: int) -> None:
    if os.getpid() == owner:
        remove_tree(root)


def remove_abandoned() -> int:
    """Remove what killed processes of this user left in the folder for temporary files; gives back how many they were."""
    return sum(_remove_if_abandoned(root) for root in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"))


def _remove_if_abandoned(root: Path) -> bool:
    """Remove a process's folder, unless the process lives; False where it does, or it is another user's."""
    descriptor = _lock_of(root)
    if descriptor is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(root)
    except (OSError, SandboxError):
        return False  # in use; or not removable, and then not in the way either
    finally:
        os.close(descriptor)
    return True


def is_in_use(root: Path) -> bool:
    """Whether the process that a process's folder belongs to lives; where that cannot be known, it does."""
    try:
        descriptor = os.open(root / _LOCK_NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock_of(root: Path) -> int | None:
    """A descriptor of the lock in a folder of this user; `None` where there is none."""
    try:
        found = root.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return None
        return os.open(root / _LOCK_NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None  # just being made, or just removed by another
