"""Bases: the repository before either change, as a folder on disk. A fetched base is cached by digest and checked against it."""

import fnmatch
import hashlib
import importlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instances.errors import InstanceError
from instances.files import digest_of, holds_compiled, is_compiled, own_paths


@dataclass(frozen=True)
class BaseSpec:
    """Where a base comes from.

    Attributes:
        kind: `directory` or `sdist`.
        name, version, sha256: the published archive, of kind `sdist` only.
        exclude: globs of the archive's paths that are left out of the tree.
    """

    kind: str
    name: str = ""
    version: str = ""
    sha256: str = ""
    exclude: tuple[str, ...] = ()

    def describe(self) -> str:
        return f"{self.name} {self.version} (sdist)" if self.kind == "sdist" else "own base"


def cache_root() -> Path:
    """The folder of everything that can be fetched or built again."""
    if named := os.environ.get("CROSSTALK_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crosstalk"


def base_directory(spec: BaseSpec, instance_folder: Path) -> Path:
    """The folder that holds the base's files.

    Raises:
        InstanceError: the base is missing, cannot be fetched, or is not what its digest says.
    """
    if spec.kind == "directory":
        folder = instance_folder / "base"
        if not folder.is_dir():
            raise InstanceError(f"{folder}: no such folder; a base of kind directory holds its files there")
        return _without_compiled(folder) if holds_compiled(folder) else folder
    key = hashlib.sha256("\0".join((spec.sha256, *spec.exclude)).encode()).hexdigest()[:32]
    cached = cache_root() / "bases" / key
    if not cached.is_dir():
        _fetch_sdist(spec, cached)
    return cached


def _without_compiled(folder: Path) -> Path:
    """A copy of a base that an interpreter has compiled files in, as installing a package does."""
    states = [f"{path.relative_to(folder)} {path.lstat().st_mode}" for path in own_paths(folder)]
    key = hashlib.sha256("\0".join([digest_of(folder), *states]).encode(errors="surrogateescape")).hexdigest()[:32]
    target = cache_root() / "bases" / f"own-{key}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copy-") as scratch:
        copy = Path(scratch) / "base"
        shutil.copytree(folder, copy, symlinks=True, ignore=_compiled_names)
        _put_in_place(copy, target)
    return target


def _compiled_names(_: str, names: list[str]) -> list[str]:
    return [name for name in names if is_compiled(Path(name))]


def _put_in_place(folder: Path, target: Path) -> None:
    try:
        folder.rename(target)
    except OSError:
        # Another process renamed its own copy, of the same digest, into place first.
        if not target.is_dir():
            raise


def _fetch_sdist(spec: BaseSpec, target: Path) -> None:
    archive = _download(spec)
    found = hashlib.sha256(archive).hexdigest()
    if found != spec.sha256:
        raise InstanceError(f"{spec.name} {spec.version}: the sdist's sha256 is {found}, the instance says {spec.sha256}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        packed = Path(scratch) / "archive.tar.gz"
        packed.write_bytes(archive)
        unpacked = Path(scratch) / "unpacked"
        with tarfile.open(packed) as tar:
            tar.extractall(unpacked, filter="data")
        tops = list(unpacked.iterdir())
        if len(tops) != 1 or not tops[0].is_dir():
            raise InstanceError(f"{spec.name} {spec.version}: the sdist does not hold one top folder")
        _drop(tops[0], spec.exclude)
        _put_in_place(tops[0], target)


def _drop(root: Path, globs: Iterable[str]) -> None:
    for glob in globs:
        for path in sorted(root.rglob("*"), reverse=True):
            if fnmatch.fnmatchcase(path.relative_to(root).as_posix(), glob):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def _download(spec: BaseSpec) -> bytes:
    from unearth import PackageFinder

    finder = PackageFinder(index_urls=_index_urls(), no_binary=[":all:"])
    try:
        matches = list(finder.find_matches(f"{spec.name}=={spec.version}"))
        links = [match.link for match in matches if match.link and not match.link.is_wheel]
        if not links:
            raise InstanceError(f"{spec.name} {spec.version}: the package index has no sdist of it")
        response = finder.session.get(links[0].normalized)
        response.raise_for_status()
        return bytes(response.content)
    except InstanceError:
        raise
    except Exception as error:  # whatever the network library raises means the same to the user
        raise InstanceError(
            f"{spec.name} {spec.version}: cannot fetch the sdist ({type(error).__name__}: {error}); "
            "check the network or PIP_INDEX_URL"
        ) from error


def _index_urls() -> list[str]:
    """The package indexes that pip is set up with: its environment variables, its configuration, its default."""
    extra = os.environ.get("PIP_EXTRA_INDEX_URL", "").split()
    if url := os.environ.get("PIP_INDEX_URL"):
        return [url, *extra]
    try:
        return [_pip_default_index(), *extra]
    except ImportError as error:
        raise InstanceError("pip is not installed beside Crosstalk: set PIP_INDEX_URL to a package index") from error


def _pip_default_index() -> str:
    configuration: Any = importlib.import_module("pip._internal.configuration")
    settings = configuration.Configuration(isolated=False)
    settings.load()
    for name, value in settings.items():
        if name in {"global.index-url", "install.index-url"}:
            return str(value)
    index: Any = importlib.import_module("pip._internal.models.index")
    return str(index.PyPI.simple_url)
