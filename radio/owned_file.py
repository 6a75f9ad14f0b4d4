"""A store's file: one owner, and no file system whose locks can't be trusted."""

import errno
import fcntl
import os
from pathlib import Path

from radio.errors import StoreError
from sandboxes.errors import SetupError

# A lock taken here may not be seen from another machine or from the other side of a virtual machine's share, and
# SQLite's shared memory is not shared at all.
NETWORK_TYPES = frozenset(
    [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.mergerfs",
        "fuse.osxfs",
        "fuse.grpcfuse",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",
        "smb2",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "fuse.vmhgfs-fuse",
    ]
)


def refuse_network_file_system(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> None:
    """Raise SetupError when the path lies on a network or virtual machine share, by the kernel's list of mounts."""
    place = path.resolve()
    best = (-1, "")
    for line in mounts.read_text(errors="surrogateescape").splitlines():
        left, _, right = line.partition(" - ")
        mount_point = Path(left.split()[4].encode().decode("unicode_escape"))
        if place.is_relative_to(mount_point):
            best = max(best, (len(mount_point.parts), right.split()[0]), key=lambda entry: entry[0])
    if best[1] in NETWORK_TYPES:
        raise SetupError(
            f"the radio's store {path} lies on a {best[1]} file system, where locks do not hold; "
            "choose a local folder, or Redis when lanes are on several machines"
        )


def take(path: Path) -> int:
    """Lock a store's file for this process and return the lock's descriptor. A kill of the owner frees it.

    Raises:
        SetupError: the file is on a file system where a lock would not hold.
        StoreError: a living hub owns it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_network_file_system(path.parent)
    descriptor = os.open(path.with_name(path.name + ".owner"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise StoreError(f"another hub owns the store {path}; one process owns a cell's radio") from None
        raise StoreError(f"cannot lock the store {path}: {error.strerror}") from error
    return descriptor
