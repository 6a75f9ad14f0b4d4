"""A task whose repository and environment are in a container image: pinned by the engine's id, its interpreter found in it."""

from dataclasses import replace

from eval.environment import IMAGE_SANDBOX
from instances.importers.raw import RawBase
from instances.importers.rejects import Code, RejectedError
from instances.model import EnvironmentSpec, ImageSpec
from sandboxes.base import SandboxFactory, SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder

_PROGRAMS = {"python": "python python3", "node": "node", "go": "go"}
_SECONDS = 60.0


def pinned(base: RawBase, sandboxes: SandboxFactory) -> RawBase:
    """The base with the image's id, and the interpreter's path in it.

    Raises:
        RejectedError: the sandboxes are no containers, the engine cannot have the image, or it has no interpreter.
        SandboxError: containers do not work here.
    """
    given = dict(base.environment or {})
    name = str(dict(given["image"])["name"])  # type: ignore[call-overload]  # it is ours: an object with a name
    if sandboxes.name != IMAGE_SANDBOX:
        raise RejectedError(Code.NEEDS_DOCKER, f"it is in the image {name}: use --sandbox {IMAGE_SANDBOX}")
    identity = _identity(name)
    executable = _executable(name, identity, base.interpreter, sandboxes)
    environment = {**given, "image": {"name": name, "id": identity}, "executable": executable}
    return replace(base, entry={**base.entry, "id": identity}, environment=environment)


def spec_of(base: RawBase, roots: tuple[str, ...]) -> EnvironmentSpec:
    """The environment of a pinned base."""
    given = dict(base.environment or {})
    image = dict(given["image"])  # type: ignore[call-overload]
    return EnvironmentSpec(
        interpreter=base.interpreter,
        lock=None,
        source_roots=roots,
        image=ImageSpec(image["name"], image["id"]),
        executable=str(given["executable"]),
    )


def _identity(name: str) -> str:
    from sandboxes.docker_engine import Engine, explained

    engine = Engine()
    try:
        found = engine.image_id(name)
        if found is None:
            with explained(f"pull the image {name}"):
                engine.api.pull(name)
            found = engine.image_id(name)
    except SandboxError as error:
        raise RejectedError(Code.NEEDS_DOCKER, f"the engine cannot have its image: {error}") from error
    finally:
        engine.close()
    if found is None:
        raise RejectedError(Code.NEEDS_DOCKER, f"the engine has no image {name}")
    return found


def _executable(name: str, identity: str, interpreter: str, sandboxes: SandboxFactory) -> str:
    folder = scratch_folder("image")
    try:
        sandbox = sandboxes.open(SandboxSpec(folder, image=identity, owner="import"))
        try:
            look = f'for one in {_PROGRAMS[interpreter]}; do command -v "$one" && exit; done; exit 1'
            result = sandbox.run(["/bin/sh", "-c", look], timeout=_SECONDS)
        finally:
            sandbox.close()
    except SandboxError as error:
        raise RejectedError(Code.NEEDS_DOCKER, f"a container of its image does not start: {error}") from error
    finally:
        remove_tree(folder)
    found = result.stdout.decode(errors="replace").strip()
    if not result.ok or not found.startswith("/"):
        raise RejectedError(Code.UNSUPPORTED_LANGUAGE, f"the image {name} has no {interpreter} on its path")
    return found
