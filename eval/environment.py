"""An instance's environment on this machine: built from its lock, or the one that its container image holds."""

import hashlib
from dataclasses import replace
from pathlib import Path

from instances.errors import InstanceError
from instances.model import EnvironmentSpec, ImageSpec
from sandboxes.environments import Environment, ensure_environment
from sandboxes.errors import SetupError

IMAGE_SANDBOX = "docker"


def environment_of(spec: EnvironmentSpec, sandbox: str) -> Environment:
    """What lanes and gradings of an instance see, built or fetched now if it was not yet.

    Args:
        sandbox: the name of the sandboxes that it is for.

    Raises:
        SetupError: it cannot be had, or needs containers where the sandboxes are none.
    """
    try:
        locks = spec.read_locks()
    except InstanceError as error:
        raise SetupError(str(error)) from error
    if spec.image is None:
        return ensure_environment(spec.interpreter, *locks)
    if sandbox != IMAGE_SANDBOX:
        raise SetupError(f"its tests need a container image of its own: use --sandbox {IMAGE_SANDBOX}")
    image = _image_id(spec.image)
    if spec.lock is not None:
        built = ensure_environment(spec.interpreter, *locks)
        return replace(
            built, image=image, digest=_digest(built.digest, image), description=f"{built.description} in {image[:19]}"
        )
    executable = Path(spec.executable)
    digest = _digest(spec.interpreter, spec.executable, image)
    return Environment(digest, spec.interpreter, executable, (), f"{executable} of the image {image[:19]}", image)


def _image_id(spec: ImageSpec) -> str:
    from sandboxes.docker_images import built_image, pinned_image

    return built_image(spec.build) if spec.build else pinned_image(spec.name, spec.id)


def _digest(*facts: str) -> str:
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:40]
