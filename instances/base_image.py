"""Bases of kind `image`: a folder of a container image, as SWE-Bench Pro ships its repositories, without its history.

The image is never started: what is in it cannot do anything here.
"""

import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from instances.errors import InstanceError
from instances.fetched import beside, drop, put_in_place
from instances.programs import output_of

# By this label what a killed fetch left in the engine is found again.
LABEL = "crosstalk.base"
_PASSED = re.compile(r"DOCKER_.*|XDG_RUNTIME_DIR|HOME|PATH|LD_LIBRARY_PATH")
_HISTORY = ".git"


def fetch(image: str, identity: str, folder: str, exclude: Sequence[str], target: Path) -> None:
    """Put a folder of an image in place.

    Args:
        image: its name; it is pulled where the engine does not have it.
        identity: the digest that the engine calls its id, `sha256:` first.
        folder: an absolute path in it.
        exclude: globs of what is left out, besides every `.git`.

    Raises:
        InstanceError: there is no engine, image or folder, the image is another, or what is in the folder makes no tree.
    """
    with beside(target) as scratch:
        tree = scratch / "tree"
        docker = _Docker(f"{image}: cannot take {folder} from it", scratch)
        _check(docker, image, identity)
        container = docker("create", "--label", f"{LABEL}={identity}", "--network=none", "--entrypoint=/", image).strip()
        try:
            docker("cp", "--quiet", f"{container}:{folder.rstrip('/')}/.", str(tree))
        finally:
            docker("rm", "--force", "--volumes", container)
        _forget_history(tree)
        drop(tree, exclude)
        _make_plain(tree, docker.what)
        put_in_place(tree, target)


class _Docker:
    """Runs the engine's command."""

    def __init__(self, what: str, folder: Path) -> None:
        self.what = what
        self._folder = folder
        self._environment = {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)} | {"LC_ALL": "C"}

    def __call__(self, *arguments: str) -> str:
        return output_of(["docker", *arguments], self.what, self._environment, self._folder).decode(errors="replace")


def _check(docker: _Docker, image: str, identity: str) -> None:
    asked = ("image", "inspect", "--format", "{{.Id}}", image)
    try:
        found = docker(*asked)
    except InstanceError as error:
        if "No such image" not in str(error):
            raise
        docker("pull", "--quiet", image)
        found = docker(*asked)
    if found.strip() != identity:
        raise InstanceError(f"{image}: the image's id is {found.strip()}, the instance says {identity}")


def _forget_history(tree: Path) -> None:
    """Later commits, the answer among them, are in it."""
    for parent, folders, files in os.walk(tree):
        if _HISTORY in folders:
            folders.remove(_HISTORY)
            shutil.rmtree(Path(parent, _HISTORY))
        if _HISTORY in files or Path(parent, _HISTORY).is_symlink():
            Path(parent, _HISTORY).unlink()


def _make_plain(tree: Path, what: str) -> None:
    """Everything readable and writable by us; links stay inside, and there are files, folders and links only."""
    for parent, folders, files in os.walk(tree):
        for name in (*folders, *files):
            path = Path(parent, name)
            mode = path.lstat().st_mode
            where = path.relative_to(tree)
            if stat.S_ISLNK(mode):
                leads_to = os.path.normpath(where.parent / path.readlink())
                if leads_to.startswith(("..", "/")):
                    raise InstanceError(f"{what}: the link {where} leads out of the folder; leave it out by `exclude`")
            elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                raise InstanceError(f"{what}: {where} is no file, folder or link; leave it out by `exclude`")
            else:
                program = stat.S_ISDIR(mode) or mode & stat.S_IXUSR
                path.chmod(0o755 if program else 0o644)
