"""Packages for node, as a package-lock.json pins them: installed once by npm, without running any of their scripts."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandboxes.base import Mount
from sandboxes.built_folders import Environment, built, checked
from sandboxes.errors import SetupError

PACKAGES_TARGET = "/node_modules"
_FORMAT = 1
_PINNED = ("sha512-", "sha256-", "sha384-")


def with_packages(node: Environment, npm_lock: bytes) -> Environment:
    """An environment of node with the packages of a lock mounted where every folder's modules are found at last.

    Raises:
        SetupError: the lock pins not everything, or cannot be installed.
    """
    packages = _packages(npm_lock)
    digest = hashlib.sha256(f"{_FORMAT} {node.digest}\0".encode() + npm_lock).hexdigest()[:40]
    folder = built(digest, "node_modules", lambda partial, _: _install(partial, npm_lock, packages))
    mount = Mount(folder / "node_modules", PACKAGES_TARGET)
    names = " ".join(f"{path.rpartition('node_modules/')[2]} {one['version']}" for path, one in packages.items() if path)
    return replace(node, digest=digest, mounts=(*node.mounts, mount), description=f"{node.description}, {names}")


def _packages(npm_lock: bytes) -> dict[str, Any]:
    try:
        packages = json.loads(npm_lock)["packages"]
        unpinned = [path for path, one in packages.items() if path and not str(one.get("integrity", "")).startswith(_PINNED)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SetupError("an npm lock must be a package-lock.json of version 2 or later") from error
    if unpinned or "" not in packages:
        raise SetupError(f"an npm lock must pin every package by its integrity: {', '.join(unpinned) or 'it has no root'}")
    return dict(packages)


def _install(partial: Path, npm_lock: bytes, packages: dict[str, Any]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SetupError("cannot install the packages of an npm lock: install npm")
    partial.mkdir()
    (partial / "package-lock.json").write_bytes(npm_lock)
    (partial / "package.json").write_text(json.dumps(packages[""]), encoding="utf-8")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    checked([npm, "ci", *options], "install the packages of the npm lock", cwd=partial)
    (partial / "node_modules").mkdir(exist_ok=True)
