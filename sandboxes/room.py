"""Keeps the disks below the sandboxes usable: each may fill so much, and what ran on a full disk proves nothing."""

import contextlib
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from sandboxes.base import SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.overlay import layer_of

# Below this the commands of every lane meet a full disk, by no fault of theirs.
_LEAST_BYTES = 128 << 20
_LEAST_FILES = 2_000
_EVERY_SECONDS = 0.25
# Folders are measured anew when their disk has lost this part of what they may grow by; until then they can't be over.
_PART = 16
_VANISHED = (FileNotFoundError, NotADirectoryError)


class Room:
    """What the folders that one sandbox writes into may fill of their disks.

    To measure a folder takes long, to ask its file system how full it is takes no time: so that is asked often, and the folders
    measured only after the disk has lost a good deal. Files that are open and have no name any more are not found by that; they
    can fill the disk, and are gone with the command that `look` ends for it.

    Args:
        folders: on the host.
        growth_bytes, growth_files: what they may grow by together from now on.
    """

    def __init__(self, folders: Sequence[Path], growth_bytes: int, growth_files: int) -> None:
        self._folders = folders
        self._most = (growth_bytes, growth_files)
        self._free = self._left()
        try:
            self._base = _held(folders)
        except OSError as error:
            raise SandboxError(f"cannot measure {error.filename!r}: {error.strerror}") from error
        self._next = 0.0

    def due(self) -> float:
        """When to look next, by `time.monotonic`."""
        return self._next

    def look(self) -> str:
        """Why the command that runs in the sandbox must be ended now; empty where it need not.

        Raises:
            SandboxError: a disk is full, whoever filled it.
        """
        self._next = time.monotonic() + _EVERY_SECONDS
        left = self._left()
        lost = (self._free[0] - left[0], self._free[1] - left[1])
        if lost[0] * _PART < self._most[0] and lost[1] * _PART < self._most[1]:
            # What others freed meanwhile must not hide what is written next.
            self._free = (max(self._free[0], left[0]), max(self._free[1], left[1]))
            return ""
        try:
            holds = _held(self._folders)
        except OSError as error:
            return f"its folders have grown and cannot be measured: {error.strerror}"
        self._free = left
        self._next = time.monotonic() + _EVERY_SECONDS
        if holds[0] - self._base[0] > self._most[0]:
            return f"its folders have grown by more than {self._most[0] / (1 << 30):g} GB"
        if holds[1] - self._base[1] > self._most[1]:
            return f"its folders have grown by more than {self._most[1]:,} files"
        return ""

    def require(self) -> None:
        """Raises SandboxError where a disk is full: what a command that has just ended says then may be the disk's doing."""
        self._left()

    def _left(self) -> tuple[int, int]:
        """Bytes and files that the folders' disks have room for, one disk under two folders counted twice.

        Raises:
            SandboxError: one has none.
        """
        size = count = 0
        for folder in self._folders:
            try:
                status = os.statvfs(folder)
            except FileNotFoundError:  # a lane without walls may remove its own folder
                continue
            free = status.f_bavail * status.f_frsize
            # Some file systems make room for files as they come, and say that they have none at all.
            files = status.f_favail if status.f_files else _LEAST_FILES
            if free < _LEAST_BYTES or files < _LEAST_FILES:
                what = f"{free >> 20} MB" if free < _LEAST_BYTES else f"{files} files"
                raise SandboxError(f"the disk of {folder} is full: there is room for {what} only; free some")
            size, count = size + free, count + files
        return size, count


def room_of(spec: SandboxSpec) -> Room:
    """Raises SandboxError where the disk of what a sandbox writes into is full already."""
    folders = [layer_of(spec.workspace), *(mount.source for mount in spec.mounts if mount.writable)]
    return Room(folders, spec.growth_bytes, spec.growth_files)


def _held(folders: Sequence[Path]) -> tuple[int, int]:
    """Bytes on disk and files in some folders; links are not followed, and what vanishes meanwhile is not counted.

    Raises:
        OSError: a folder cannot be entered, as one whose path is too long: much may be in it.
    """
    size = count = 0
    linked: set[int] = set()  # a file of several names fills the disk once
    waiting = [os.fsencode(folder) for folder in folders]
    while waiting:
        with contextlib.suppress(*_VANISHED), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(*_VANISHED):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                    elif status.st_nlink > 1:
                        if status.st_ino in linked:
                            continue
                        linked.add(status.st_ino)
                    size += status.st_blocks * 512
                    count += 1
    return size, count
