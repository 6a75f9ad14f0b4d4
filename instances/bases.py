"""Bases: the repository before either change, as a folder on disk. A fetched base is cached by digest and checked against it."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from instances import base_git, base_image, base_npm, base_sdist
from instances.errors import InstanceError
from instances.fetched import beside, cache_root, put_in_place, unpack
from instances.files import digest_of, holds_compiled, is_compiled, own_paths

__all__ = ["BaseSpec", "base_directory", "cache_root"]


@dataclass(frozen=True)
class BaseSpec:
    """Where a base comes from.

    Attributes:
        kind: `directory`, `sdist`, `npm`, `git` or `image`.
        name, version: the published archive, of the kinds `sdist` and `npm`.
        sha256: the sdist's digest, in hexadecimal.
        integrity: the npm tarball's digest, as `sha512-` and base64.
        url, commit: the repository and the full name of the commit, of kind `git`.
        image, id, folder: a container image's name and digest, and the repository's folder in it, of kind `image`.
        exclude: globs of a fetched base's paths that are left out of the tree.
    """

    kind: str
    name: str = ""
    version: str = ""
    sha256: str = ""
    integrity: str = ""
    url: str = ""
    commit: str = ""
    image: str = ""
    id: str = ""
    folder: str = ""
    exclude: tuple[str, ...] = ()

    def describe(self) -> str:
        """In a few words, for lists."""
        if self.kind == "directory":
            return "own base"
        places = {"git": f"{self.url} {self.commit[:12]}", "image": f"{self.image} {self.folder}"}
        return f"{places.get(self.kind, f'{self.name} {self.version}')} ({self.kind})"

    @property
    def key(self) -> str:
        """What two pairs on the same fetched base have in common, whatever they leave out of it."""
        return {"git": f"git {self.commit}", "image": f"image {self.id} {self.folder}"}.get(
            self.kind, f"{self.kind} {self.name} {self.version}"
        )

    @property
    def pin(self) -> str:
        """What the base's content is pinned by."""
        return self.sha256 or self.integrity or self.commit or f"{self.id} {self.folder}"


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
    key = hashlib.sha256("\0".join((spec.pin, *spec.exclude)).encode()).hexdigest()[:32]
    cached = cache_root() / "bases" / key
    if not cached.is_dir():
        _fetch(spec, cached)
    return cached


def _fetch(spec: BaseSpec, target: Path) -> None:
    what = f"{spec.name} {spec.version}: the {spec.kind} archive"
    if spec.kind == "git":
        base_git.fetch(spec.url, spec.commit, spec.exclude, target)
    elif spec.kind == "image":
        base_image.fetch(spec.image, spec.id, spec.folder, spec.exclude, target)
    elif spec.kind == "npm":
        unpack(base_npm.download(spec.name, spec.version, spec.integrity), spec.exclude, target, what)
    else:
        unpack(base_sdist.download(spec.name, spec.version, spec.sha256), spec.exclude, target, what)


def _without_compiled(folder: Path) -> Path:
    """A copy of a base that an interpreter has compiled files in, as installing a package does."""
    states = [f"{path.relative_to(folder)} {path.lstat().st_mode}" for path in own_paths(folder)]
    key = hashlib.sha256("\0".join([digest_of(folder), *states]).encode(errors="surrogateescape")).hexdigest()[:32]
    target = cache_root() / "bases" / f"own-{key}"
    if target.is_dir():
        return target
    with beside(target) as scratch:
        copy = scratch / "base"
        shutil.copytree(folder, copy, symlinks=True, ignore=_compiled_names)
        put_in_place(copy, target)
    return target


def _compiled_names(_: str, names: list[str]) -> list[str]:
    return [name for name in names if is_compiled(Path(name))]
