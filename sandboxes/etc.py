"""The /etc that sandboxes see: what programs need of the machine's own, and a fixed user, in a few mounts."""

import os
import shutil
import threading
from pathlib import Path

from sandboxes.base import Mount
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder

_FIXED = Path(__file__).parent / "local_files"
_COPIED = (
    "host.conf",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "protocols",
    "services",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "timezone",
)
# Folders of many entries, for which a mount is quicker than a copy.
_MOUNTED = ("alternatives", "pki/ca-trust/extracted", "pki/tls/certs", "ssl/certs")
_lock = threading.Lock()
_prepared: tuple[int, Path] | None = None  # this process's number and folder; guarded by _lock


def etc_mounts(*, network: bool) -> tuple[Mount, ...]:
    """What to mount for /etc; the folder that most of it comes from is made once per process.

    Raises:
        SandboxError: it can't be made.
    """
    global _prepared
    with _lock:
        if _prepared is None or _prepared[0] != os.getpid():
            _prepared = (os.getpid(), _prepare())
        folder = _prepared[1]
    further = (*_MOUNTED, "resolv.conf") if network else _MOUNTED
    found = [Mount(Path("/etc", name).resolve(), f"/etc/{name}") for name in further if Path("/etc", name).exists()]
    return (Mount(folder, "/etc"), *found)


def _prepare() -> Path:
    folder = scratch_folder("etc")
    try:
        for name in _COPIED:
            _copy(Path("/etc", name), folder / name)
        for fixed in _FIXED.iterdir():
            shutil.copyfile(fixed, folder / fixed.name)
        for name in _MOUNTED:  # a place to mount on
            (folder / name).mkdir(parents=True)
        (folder / "resolv.conf").touch()
    except OSError as error:
        remove_tree(folder)
        raise SandboxError(f"cannot prepare a sandbox's /etc: {error.strerror} ({error.filename})") from error
    return folder


def _copy(source: Path, target: Path) -> None:
    """Copy a file, or the files right in a folder: what everyone may read, whoever started the bench."""
    if source.is_dir():
        for path in source.iterdir():
            if not path.is_dir():
                _copy(path, target / path.name)
    elif source.is_file() and source.stat().st_mode & 0o004:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
