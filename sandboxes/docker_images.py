"""Images that an instance brings: a pinned one, or one built from its Dockerfile. Their own entry points are never used."""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

from sandboxes.docker_engine import Engine, explained
from sandboxes.errors import SandboxError, SetupError

_TAG = "crosstalk-instance"


def pinned_image(name: str, identity: str) -> str:
    """Make sure that the engine has an image, pulling it where it does not.

    Args:
        name: with tag or digest.
        identity: the digest that the engine calls its id, `sha256:` first.

    Raises:
        SetupError: there is no such image, or it is another.
    """
    with _engine() as engine:
        found = engine.image_id(name)
        if found is None:
            with explained(f"pull the image {name}"):
                engine.api.pull(name)
            found = engine.image_id(name)
    if found != identity:
        raise SetupError(f"the image {name} is {found or 'not there'}, and the instance says {identity}")
    return identity


def built_image(folder: Path) -> str:
    """The id of the image of a Dockerfile, built now if the engine does not have it.

    It is known by the files of its folder. What the Dockerfile fetches is as pinned as it is there; the id is recorded.

    Raises:
        SetupError: it cannot be built; the text has the build's last words.
    """
    tag = f"{_TAG}:{_digest(folder)}"
    with _engine() as engine:
        found = engine.image_id(tag)
        if found is None:
            with explained(f"build {folder / 'Dockerfile'}"):
                for event in engine.builder.build(path=str(folder), tag=tag, rm=True, forcerm=True, decode=True):
                    if error := event.get("error"):
                        raise SetupError(f"cannot build {folder / 'Dockerfile'}: {_one_line(error)}")
            found = engine.image_id(tag)
    if found is None:
        raise SetupError(f"cannot build {folder / 'Dockerfile'}: the engine made no image of it")
    return found


def variables_of(engine: Engine, image: str) -> dict[str, str]:
    """The variables that an image sets."""
    with explained(f"look at the image {image}"):
        given: list[str] = engine.api.inspect_image(image)["Config"].get("Env") or []
    pairs = (one.partition("=") for one in given)
    return {name: value for name, _, value in pairs}


@contextlib.contextmanager
def _engine() -> Iterator[Engine]:
    try:
        engine = Engine()
        try:
            yield engine
        finally:
            engine.close()
    except SandboxError as error:
        raise SetupError(str(error)) from error


def _digest(folder: Path) -> str:
    """Of the files that a build sees: their paths, modes and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        content = b"folder" if path.is_dir() else path.readlink().as_posix().encode() if path.is_symlink() else path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{path.lstat().st_mode:o}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
