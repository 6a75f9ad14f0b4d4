"""The way to the Docker engine, or to Podman by its compatible socket: bounded calls, and its errors in our words."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sandboxes.errors import SandboxError

IMAGE_VARIABLE = "CROSSTALK_DOCKER_IMAGE"
DEFAULT_IMAGE = "crosstalk-base:latest"
_CALL_SECONDS = 120
_REMOVAL_SECONDS = 10
_BUILD_SECONDS = 1800


def lacking_sdk() -> str:
    """What to do where the SDK is missing; empty where it is there."""
    return "" if find_spec("docker") else "the package docker is not installed: pip install 'crosstalk-bench[docker]'"


class Engine:
    """One engine, asked by several threads. Every call ends: a hanging engine is an error after a while.

    Raises:
        SandboxError: the SDK is missing, or no engine answers.
    """

    def __init__(self) -> None:
        if lacking := lacking_sdk():
            raise SandboxError(lacking)
        self._sdk: Any = import_module("docker")
        self._builder: Any = None
        with explained("reach the engine"):
            self.api: Any = self._client(_CALL_SECONDS)
            self._brief: Any = self._client(_REMOVAL_SECONDS)
            version: Mapping[str, Any] = self.api.version()
        self.is_podman = any("podman" in str(one.get("Name", "")).lower() for one in version.get("Components") or [])
        self.version = f"{'podman' if self.is_podman else 'docker'} {version.get('Version', 'unknown')}"

    def close(self) -> None:
        """End the connections."""
        self.api.close()
        self._brief.close()
        if self._builder is not None:
            self._builder.close()

    def _client(self, seconds: float) -> Any:
        variables = self._sdk.utils.kwargs_from_env(environment=os.environ)
        return self._sdk.APIClient(version="auto", timeout=seconds, **variables)

    @property
    def types(self) -> Any:
        """The SDK's descriptions of mounts and limits."""
        return self._sdk.types

    @property
    def builder(self) -> Any:
        """The same engine, for calls that say nothing for long; it ends with `close`."""
        if self._builder is None:
            self._builder = self._client(_BUILD_SECONDS)
        return self._builder

    def image_id(self, name: str) -> str | None:
        """The id of an image; `None` where the engine does not have it.

        Raises:
            SandboxError: the engine does not say.
        """
        try:
            with explained(f"look at the image {name}"):
                return str(self.api.inspect_image(name)["Id"])
        except SandboxError as error:
            if isinstance(error.__cause__, self._sdk.errors.ImageNotFound):
                return None
            raise

    def image(self) -> str:
        """The id of the image that containers start from, where an instance brings none.

        Raises:
            SandboxError: there is none; the text says how to make it.
        """
        name = os.environ.get(IMAGE_VARIABLE) or DEFAULT_IMAGE
        if found := self.image_id(name):
            return found
        how = "load it" if os.environ.get(IMAGE_VARIABLE) else f"run scripts/docker_base_image, or name one in {IMAGE_VARIABLE}"
        raise SandboxError(f"the engine has no image {name}: {how}")

    def remove(self, container: str) -> bool:
        """Remove a container, whatever runs in it; False when the engine did not do so in time."""
        try:
            with explained(f"remove the container {container}"):
                self._brief.remove_container(container, force=True, v=True)
        except SandboxError as error:
            # Gone, or going: a container goes by itself when its first process ends.
            status = getattr(getattr(error.__cause__, "response", None), "status_code", None)
            return status in (404, 409)
        return True


@contextmanager
def explained(aim: str) -> Iterator[None]:
    """Turn whatever a call of the engine raises into one clear line.

    Raises:
        SandboxError: in its place.
    """
    errors: Any = import_module("docker.errors")
    network: Any = import_module("requests.exceptions")
    try:
        yield
    except errors.APIError as error:
        raise SandboxError(f"docker cannot {aim}: {error.explanation or error}") from error
    except (network.Timeout, TimeoutError) as error:
        raise SandboxError(f"docker cannot {aim}: the engine does not answer; is it hanging?") from error
    except (errors.DockerException, network.RequestException, OSError) as error:
        raise SandboxError(
            f"docker cannot {aim}: {_innermost(error)}; start the engine (`systemctl start docker`, or `dockerd`), "
            "or set DOCKER_HOST to its socket, Podman's too"
        ) from error


def _innermost(error: BaseException) -> str:
    """The error that is behind what the libraries have wrapped around it."""
    while (behind := error.__cause__ or error.__context__) is not None:
        error = behind
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
