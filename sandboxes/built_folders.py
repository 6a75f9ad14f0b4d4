"""Folders that test environments are made of: each built once below the cache folder, then whole and read-only."""

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandboxes.base import ExecResult, Mount
from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import run
from sandboxes.folders import remove_tree

_BUILD_SECONDS = 900.0
_PASSED_TO_INSTALLERS = re.compile(
    r"PIP_.*|(npm_config|NPM_CONFIG)_.*|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|"
    r"REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|HOME|XDG_(CONFIG|CACHE|DATA)_HOME|XDG_CONFIG_DIRS|NETRC|TMPDIR|PATH|LD_LIBRARY_PATH"
)


@dataclass(frozen=True)
class Environment:
    """An interpreter and the packages that tests need.

    Attributes:
        digest: names the lock, the interpreter's version and the platform.
        interpreter: `python`, `node` or `go`.
        executable: the interpreter's path, the same on the host and inside a sandbox that has the mounts.
        mounts: what a sandbox must mount, read-only.
        description: for records, such as `CPython 3.11.7`.
        image: the id of the container image that it is used in; empty for the sandbox's own.
    """

    digest: str
    interpreter: str
    executable: Path
    mounts: tuple[Mount, ...]
    description: str
    image: str = ""


def cache_folder() -> Path:
    """Where the bench keeps what it can fetch or build again."""
    if own := os.environ.get("CROSSTALK_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache").absolute() / "crosstalk"


def built(digest: str, proof: str, build: Callable[[Path, Path], None]) -> Path:
    """The folder of a digest, built now if it is not there; several processes may ask at once.

    Args:
        proof: a path in it that is there when it can be used.
        build: fills the first folder, which is not there yet and will be renamed to the second.

    Raises:
        SetupError: it can't be built.
    """
    folder = cache_folder() / "environments" / digest
    if (folder / proof).exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if not (folder / proof).exists():
                remove_tree(folder)
                _build_beside(folder, build)
    except OSError as error:
        raise SetupError(f"cannot build a test environment: {error.strerror} ({error.filename})") from error
    except SandboxError as error:
        raise SetupError(f"cannot build a test environment: {error}") from error
    return folder


def _build_beside(folder: Path, build: Callable[[Path, Path], None]) -> None:
    """Build beside and rename, so that what is in place is whole."""
    partial = folder.with_suffix(".partial")
    remove_tree(partial)
    try:
        build(partial, folder)
        _forbid_writing(partial)
        partial.rename(folder)
    finally:
        remove_tree(partial)


def mounts_of(*paths: Path) -> tuple[Mount, ...]:
    """Mounts of host paths at the same place, without folders in /usr, which every sandbox has of the same system.

    A single program of /usr is mounted all the same: a container's own may be missing, or of another version.
    """
    wanted = dict.fromkeys(path.absolute() for path in paths)
    return tuple(Mount(path, str(path)) for path in wanted if path.parts[:2] != ("/", "usr") or path.is_file())


def checked(argv: Sequence[str], aim: str, variables: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
    """Run an installer, with those of the caller's variables that it may need, and the given ones.

    Raises:
        SetupError: it failed; the text says what could not be done and why.
    """
    environment = {**_installers_environment(os.environ), **(variables or {})}
    result = run(argv, timeout=_BUILD_SECONDS, environment=environment, cwd=cwd)
    if result.timed_out:
        raise SetupError(f"cannot {aim}: it took over {_BUILD_SECONDS:.0f} s; is the package index in reach?")
    if not result.ok:
        raise SetupError(f"cannot {aim}: {said(result)}")


def _installers_environment(caller: Mapping[str, str]) -> dict[str, str]:
    """What of the caller's environment pip and npm may need: their settings, proxies, certificates, where caches are."""
    return {name: value for name, value in caller.items() if _PASSED_TO_INSTALLERS.fullmatch(name)} | {"LC_ALL": "C.UTF-8"}


def said(result: ExecResult) -> str:
    """The line that says most of what a failed command wrote."""
    lines = [line.strip() for line in (result.stderr + result.stdout).decode(errors="replace").splitlines()]
    telling = [line for line in lines if line.startswith("ERROR:")] or [line for line in lines if line]
    if telling and "from versions: none" in telling[0]:
        return f"{telling[0]}; is the package index in reach?"
    return telling[0] if telling else f"status {result.returncode}"


def _forbid_writing(folder: Path) -> None:
    for parent, _, files in os.walk(folder, topdown=False):
        for path in (*(Path(parent, name) for name in files), Path(parent)):
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
