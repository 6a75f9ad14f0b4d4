"""What is on disk in a folder that may be hostile: no link is followed, no size or depth is trusted."""

import errno
import os
import stat
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sandboxes.errors import SandboxError
from sandboxes.git_objects import refused_name

# Deeper or longer than any repository; beyond it a checkout elsewhere could not be made.
DEPTH_LIMIT = 128
PATH_LIMIT = 3_000
# The kernel's marks on a folder of an upper layer: renamed, or in the place of another.
_MOVED_OR_NEW = frozenset({"trusted.overlay.redirect", "trusted.overlay.opaque"})
_NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC
_USABLE_FOLDER = stat.S_IRUSR | stat.S_IXUSR
# A link by now, a socket, or no folder any more: it was something else when it was listed.
_CHANGED_KIND = frozenset({errno.ELOOP, errno.ENXIO, errno.ENOTDIR})


class Kind(StrEnum):
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    SKIPPED = "skipped"
    BELOW = "below"  # untouched: as in the layer under an overlay, with all that is in it


@dataclass(frozen=True)
class Found:
    """One thing met on the walk; `folder` is the open descriptor of its folder, until the walk goes on.

    Attributes:
        path: from the root of the walk, with slashes.
        reason: why it is skipped; empty for the other kinds.
    """

    path: bytes
    kind: Kind
    status: os.stat_result
    folder: int
    reason: str = ""

    @property
    def name(self) -> bytes:
        return self.path.rpartition(b"/")[2]

    @property
    def is_program(self) -> bool:
        return bool(self.status.st_mode & stat.S_IXUSR)


@dataclass(frozen=True)
class Content:
    """A file's bytes, and what `fstat` said of it before they were read."""

    data: bytes
    status: os.stat_result


def walk(root: Path, upper: Path | None = None) -> Generator[Found, None, None]:
    """Everything below a folder, each folder before what is in it. Close the iterator if you leave it early.

    Of an overlay whose upper layer is given, what has nothing in that layer is untouched, and is not entered or looked at.
    Folders and files that their owner made unreadable are opened up. What vanishes meanwhile is left out.

    Raises:
        SandboxError: a folder can't be read.
    """
    root = root.absolute()
    try:
        mode = root.lstat().st_mode
        parent = os.open(root.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            top = _open_folder(parent, os.fsencode(root.name), mode)
        finally:
            os.close(parent)
    except OSError as error:
        raise SandboxError(f"cannot read the folder {root}: {error.strerror}") from error
    if top is None:
        raise SandboxError(f"cannot read the folder {root}: it is missing, or no folder")
    layer = None
    try:
        if upper is not None:
            layer = _open_layer(None, os.fsencode(upper))
        yield from _walk_folder(top, layer, b"", 1)
    finally:
        os.close(top)
        if layer is not None:
            os.close(layer)


def read_file(found: Found) -> Content | None:
    """A file's bytes, at most as many as it had when it was opened; `None` when it is no longer a file.

    Raises:
        SandboxError: it can't be read.
    """
    try:
        descriptor = _open(found.folder, found.name, os.O_RDONLY | os.O_NONBLOCK)
        if descriptor is None:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            return Content(_read(descriptor, status.st_size), status)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unreadable(found.path, error) from error


def read_link(found: Found) -> bytes | None:
    """Where a symbolic link points; `None` when it is no longer one."""
    try:
        return os.readlink(found.name, dir_fd=found.folder)
    except OSError:
        return None


def _walk_folder(folder: int, layer: int | None, prefix: bytes, depth: int) -> Iterator[Found]:
    """A folder by its descriptor; `layer` is the same in the upper layer, `None` where all is to be looked at."""
    below: list[Found] = []
    try:
        with os.scandir(folder) as listing:
            for item in listing:
                found = _look_at(item, folder, layer, prefix, depth)
                if found is None:
                    continue
                if found.kind is Kind.FOLDER:
                    below.append(found)
                yield found
    except OSError as error:
        raise _unreadable(prefix, error) from error
    for found in below:
        try:
            descriptor = _open_folder(folder, found.name, found.status.st_mode)
        except OSError as error:
            raise _unreadable(found.path, error) from error
        if descriptor is None:
            continue
        inner = None if layer is None else _open_layer(layer, found.name)
        try:
            yield from _walk_folder(descriptor, inner, found.path + b"/", depth + 1)
        finally:
            os.close(descriptor)
            if inner is not None:
                os.close(inner)


def _open_layer(above: int | None, name: bytes) -> int | None:
    """A folder of the upper layer; `None` where what is below it is not what stands at the same path in the lower one."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK, dir_fd=above)
    except OSError:
        return None
    if _MOVED_OR_NEW.intersection(os.listxattr(descriptor)):
        os.close(descriptor)
        return None
    return descriptor


def _is_untouched(name: bytes, layer: int) -> bool:
    try:
        os.stat(name, dir_fd=layer, follow_symlinks=False)
    except FileNotFoundError:
        return True
    return False


def _look_at(item: "os.DirEntry[str]", folder: int, layer: int | None, prefix: bytes, depth: int) -> Found | None:
    name = os.fsencode(item.name)
    path = prefix + name
    try:
        status = item.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    is_link = stat.S_ISLNK(status.st_mode)
    if path == b".git":
        return None  # the agent's own repository: never read, never of interest
    if layer is not None and _is_untouched(name, layer):
        return Found(path, Kind.BELOW, status, folder)
    if reason := refused_name(name, is_link=is_link):
        return Found(path, Kind.SKIPPED, status, folder, reason)
    if len(path) > PATH_LIMIT:
        return Found(path, Kind.SKIPPED, status, folder, f"the path is longer than {PATH_LIMIT} bytes")
    if is_link:
        return Found(path, Kind.LINK, status, folder)
    if stat.S_ISREG(status.st_mode):
        return Found(path, Kind.FILE, status, folder)
    if stat.S_ISDIR(status.st_mode):
        if depth >= DEPTH_LIMIT:
            return Found(path, Kind.SKIPPED, status, folder, f"more than {DEPTH_LIMIT} folders deep")
        return Found(path, Kind.FOLDER, status, folder)
    return Found(path, Kind.SKIPPED, status, folder, _special_kind(status.st_mode))


def _special_kind(mode: int) -> str:
    names = {stat.S_IFSOCK: "a socket", stat.S_IFIFO: "a named pipe"}
    return names.get(stat.S_IFMT(mode), "a device")


def _open_folder(parent: int, name: bytes, mode: int) -> int | None:
    if mode & _USABLE_FOLDER != _USABLE_FOLDER:
        # Without the right to search, a folder can be listed while nothing in it can be looked at.
        try:
            _open_up(parent, name)
        except FileNotFoundError:
            return None
    return _open(parent, name, os.O_RDONLY | os.O_DIRECTORY)


def _open(folder: int, name: bytes, flags: int) -> int | None:
    """Open without following a link; `None` when it is gone or something else by now."""
    for attempt in ("as it is", "opened up"):
        try:
            return os.open(name, flags | _NO_LINK, dir_fd=folder)
        except FileNotFoundError:
            return None
        except PermissionError:
            if attempt == "opened up":
                raise
            _open_up(folder, name)
        except OSError as error:
            if error.errno in _CHANGED_KIND:
                return None
            raise
    return None


def _open_up(folder: int, name: bytes) -> None:
    """Give the owner the right to read; through a descriptor, so that no link put in its place is followed."""
    descriptor = os.open(name, os.O_PATH | _NO_LINK, dir_fd=folder)
    try:
        mode = os.fstat(descriptor).st_mode
        wanted = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR | stat.S_IWUSR
        if not stat.S_ISLNK(mode):
            os.chmod(f"/proc/self/fd/{descriptor}", stat.S_IMODE(mode) | wanted)  # noqa: PTH101 - not a place in the tree
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int) -> bytes:
    """At most `size` bytes, so that a file that goes on growing has an end."""
    pieces = []
    while size > 0 and (piece := os.read(descriptor, min(size, 1 << 24))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _unreadable(path: bytes, error: OSError) -> SandboxError:
    shown = path.decode("utf-8", "backslashreplace") or "the workspace"
    return SandboxError(f"cannot read {shown!r} in the workspace: {error.strerror}")
