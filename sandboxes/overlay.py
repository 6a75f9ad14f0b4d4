"""Workspaces as overlays: one prepared checkout below, never written, and a layer of the lane's own above it."""

import contextlib
import ctypes
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sandboxes.errors import SandboxError

_SOURCE = "crosstalk"
_TREE = "tree"
_ALL_USERS = ["0", "0", "4294967295"]
_MNT_DETACH = 2
_MS_NOSUID, _MS_NODEV = 2, 4
_OPTIONS_LIMIT = 4000  # the kernel takes a page
_LIBC = ctypes.CDLL(None, use_errno=True)


def try_overlay(lower: Path, workspace: Path) -> bool:
    """Mount an overlay over a folder at an empty one; False, and nothing done, where this machine or the paths do not allow it.

    What is written goes into a folder beside the workspace. `remove_tree` of a folder above unmounts it.
    """
    if os.getuid() != 0 or Path("/proc/self/uid_map").read_text(encoding="ascii").split() != _ALL_USERS:
        return False  # the layers' marks, and so what is captured, need the rights of the machine's own root
    layers = Path(tempfile.mkdtemp(prefix=f".{workspace.name}-", dir=workspace.parent))
    upper, work = layers / "upper", layers / "work"
    # Folders of the lower layer can be renamed as elsewhere; nothing need survive a power cut.
    options = f"lowerdir={lower},upperdir={upper},workdir={work},redirect_dir=on,volatile"
    if len(os.fsencode(options)) > _OPTIONS_LIMIT or any(re.search(r"[,:\\]", str(path)) for path in (lower, layers)):
        layers.rmdir()
        return False
    upper.mkdir()
    work.mkdir()
    upper.chmod(lower.stat().st_mode & 0o777)
    if _mount(workspace, options):
        return True
    with contextlib.suppress(OSError):
        for folder in (work / "work", work, upper, layers):
            if folder.exists():
                folder.rmdir()
    return False


def note_lower(workspace: Path, tree: str) -> None:
    """Note which tree the lower layer of the overlay at a workspace holds."""
    for one in _our_mounts():
        if one.target == workspace:
            (one.upper.parent / _TREE).write_text(tree, encoding="ascii")


def upper_over(workspace: Path, tree: str) -> Path | None:
    """The upper layer of an overlay over just this tree; `None` where a workspace is no such thing."""
    if os.getuid() != 0:
        return None
    for one in _our_mounts():
        if one.target == workspace.absolute():
            try:
                lower = (one.upper.parent / _TREE).read_text(encoding="ascii")
            except OSError:
                return None
            return one.upper if lower == tree else None
    return None


def layer_of(workspace: Path) -> Path:
    """The folder that holds what is written in a workspace: an overlay's upper layer, else the workspace itself."""
    if os.getuid() == 0:
        for one in _our_mounts():
            if one.target == workspace.absolute():
                return one.upper
    return workspace


def unmount_below(folder: Path) -> list[Path]:
    """Unmount this bench's overlays at and below a folder; gives back the folders of their layers.

    Raises:
        SandboxError: one can't be.
    """
    if os.getuid() != 0:
        return []
    found = [one for one in _our_mounts() if one.target == folder.absolute() or folder.absolute() in one.target.parents]
    for one in reversed(found):
        if _LIBC.umount2(os.fsencode(one.target), _MNT_DETACH) != 0:
            raise SandboxError(f"cannot unmount {one.target}: {os.strerror(ctypes.get_errno())}")
    return [one.upper.parent for one in found]


def _mount(target: Path, options: str) -> bool:
    arguments = (_SOURCE.encode(), os.fsencode(target), b"overlay", ctypes.c_ulong(_MS_NOSUID | _MS_NODEV), os.fsencode(options))
    return bool(_LIBC.mount(*arguments) == 0)


@dataclass(frozen=True)
class _Mounted:
    target: Path
    upper: Path


def _our_mounts() -> list[_Mounted]:
    """This bench's overlays, the oldest first."""
    found = []
    for line in Path("/proc/self/mounts").read_bytes().splitlines():
        source, target, kind, options, *_ = line.split(b" ")
        upper = re.search(rb"(?:^|,)upperdir=([^,]*)", options)
        if (source, kind) == (_SOURCE.encode(), b"overlay") and upper:
            found.append(_Mounted(_path(target), _path(upper[1])))
    return found


def _path(escaped: bytes) -> Path:
    return Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), escaped)))
