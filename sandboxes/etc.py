"""The /etc that sandboxes see: what programs need of the machine's own, and a fixed user. One mount instead of dozens."""

import os
import shutil
import threading
from pathlib import Path

from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder

_FIXED = Path(__file__).parent / "local_files"
_NEEDED = (
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "host.conf",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
_lock = threading.Lock()
_prepared: tuple[int, Path] | None = None  # this process's number and folder; guarded by _lock


def prepared_etc() -> Path:
    """The folder to mount as /etc, made once per process.

    Raises:
        SandboxError: it can't be made.
    """
    global _prepared
    with _lock:
        if _prepared is None or _prepared[0] != os.getpid():
            _prepared = (os.getpid(), _prepare())
        return _prepared[1]


def _prepare() -> Path:
    folder = scratch_folder("etc")
    try:
        for name in _NEEDED:
            _copy(Path("/etc", name), folder / name)
        for fixed in _FIXED.iterdir():
            shutil.copyfile(fixed, folder / fixed.name)
        (folder / "resolv.conf").touch()
    except OSError as error:
        remove_tree(folder)
        raise SandboxError(f"cannot prepare a sandbox's /etc: {error.strerror} ({error.filename})") from error
    return folder


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a folder; links in a folder stay links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source.resolve(), target, symlinks=True, ignore=_unreadable)
    elif os.access(source, os.R_OK):
        shutil.copyfile(source, target)


def _unreadable(folder: str, names: list[str]) -> set[str]:
    """What only the superuser may read is not for sandboxes, whoever started the bench."""
    unreadable = set()
    for name in names:
        path = Path(folder, name)
        if not path.is_symlink() and not path.stat().st_mode & 0o004:
            unreadable.add(name)
    return unreadable
