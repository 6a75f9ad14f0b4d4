"""Containers: one a lane or a grading, without network, with limits, and with a supervisor that takes its commands."""

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from sandboxes.base import ExecResult, OutputWatch, SandboxSpec
from sandboxes.docker_control import Command, Control
from sandboxes.docker_engine import Engine, explained
from sandboxes.docker_images import variables_of
from sandboxes.docker_options import HOME, WORKSPACE, Origin, container_options, write_support
from sandboxes.docker_reach import Reach
from sandboxes.errors import SandboxError
from sandboxes.folders import process_root, remove_tree, scratch_folder
from sandboxes.isolation import Walls, ensure_isolation
from sandboxes.leftovers import leftovers, remove
from sandboxes.room import room_of
from sandboxes.stopping import check_not_stopping

_log = logging.getLogger(__name__)
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_START_SECONDS = 60.0
_POLL_SECONDS = 0.25


def _advice() -> str:
    return "see docs/threat-model.md, or use another sandbox"


_WALLS = Walls("docker", ("mnt", "pid", "ipc", "uts", "net"), ("/", "/usr", "/etc"), _advice)


class DockerSandboxFactory:
    """Containers of one run; `run` is its results folder, empty for what belongs to none."""

    name = "docker"
    isolated = True

    def __init__(self, run: Path | None = None) -> None:
        self._run = str(run.absolute()) if run else ""
        self._lock = Lock()
        self._engine: Engine | None = None  # made on first use, under _lock
        self._image = ""

    def prove(self) -> None:
        """Raises SandboxError when there is no SDK, engine or image, or containers do not isolate."""
        _, image = self._ready()
        ensure_isolation(f"docker {image}", _WALLS, self._open_unproved)

    def open(self, spec: SandboxSpec) -> "DockerSandbox":
        """Start a container, once it is proved in this process that they isolate.

        Raises:
            SandboxError: see `prove`; or a host path of the spec does not exist, or the container did not start.
        """
        self.prove()
        return self._open_unproved(spec)

    def versions(self) -> dict[str, str]:
        """The engine and the image."""
        engine, image = self._ready()
        return {"engine": engine.version, "image": image}

    def _ready(self) -> tuple[Engine, str]:
        with self._lock:
            if self._engine is None:
                engine = Engine()
                try:
                    self._image = engine.image()
                    for left in leftovers(engine):  # of killed processes, as their scratch folders
                        remove(engine, left)
                except SandboxError:
                    engine.close()
                    raise
                self._engine = engine
            return self._engine, self._image

    def _open_unproved(self, spec: SandboxSpec) -> "DockerSandbox":
        check_not_stopping()
        spec.check()
        engine, image = self._ready()
        return DockerSandbox(engine, spec.image or image, spec, Origin(self._run, str(process_root())))


class DockerSandbox:
    """One container. /tmp and the home folder are new in it, and stay for all its commands."""

    name = DockerSandboxFactory.name
    isolated = True
    workspace = WORKSPACE

    def __init__(self, engine: Engine, image: str, spec: SandboxSpec, origin: Origin) -> None:
        own = {"PATH": _PATH, "HOME": HOME, "TMPDIR": "/tmp", "USER": "agent", "LC_ALL": "C.UTF-8"}
        self._environment = {**own, **spec.environment}
        if spec.image:
            self._environment = _with_images_own(variables_of(engine, spec.image), self._environment)
        self._network = spec.network
        self._engine = engine
        self._container = ""
        room = room_of(spec)
        self._folder = scratch_folder("sandbox")
        support = write_support(self._folder)
        self._control = Control(support.control, room)
        self._reach = Reach(self._control, support.etc / "hosts")
        try:
            options = container_options(engine, image, spec, support, origin.labels(spec.owner))
            with explained("make a container"):
                self._container = engine.api.create_container(**options)["Id"]
            with explained("start a container"):
                engine.api.start(self._container)
            self._await_supervisor()
        except BaseException:
            self.close()
            raise

    def _await_supervisor(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._control.wait(_POLL_SECONDS):
            with explained("start a container"):
                state = self._engine.api.inspect_container(self._container)["State"]
            if not state["Running"] or time.monotonic() > deadline:
                needed = "the image needs python3, 3.9 or later"
                raise SandboxError(f"docker cannot start a container: its supervisor did not call; {needed}")

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        output_limit: int = 1 << 20,
        watch: OutputWatch | None = None,
    ) -> ExecResult:
        """See `Sandbox.run`."""
        command = Command(argv, {**self._environment, **(environment or {})})
        return self._control.run(command, timeout=timeout, stdin=stdin, output_limit=output_limit, watch=watch)

    def reach(self, url: str) -> None:
        """See `Sandbox.reach`."""
        if not self._network:
            raise SandboxError(f"cannot reach {url}: the sandbox has no network")
        self._reach.allow(url)

    def path_inside(self, mount_target: str) -> str:
        """The target itself."""
        return mount_target

    def close(self) -> None:
        """End everything in the container, without the engine's help, and have it removed."""
        self._reach.close()
        ended = self._control.close()
        removed = not self._container or self._engine.remove(self._container)
        remove_tree(self._folder)
        if not removed and not ended:
            raise SandboxError(f"the container {self._container[:12]} can be neither ended nor removed; see `crosstalk clean`")
        if not removed:
            _log.warning("the engine did not remove the container %s in time; `crosstalk clean` does", self._container[:12])


def _with_images_own(images: Mapping[str, str], ours: Mapping[str, str]) -> dict[str, str]:
    """Our variables before those of an image; its programs are found after ours."""
    folders = dict.fromkeys([*ours["PATH"].split(":"), *images.get("PATH", "").split(":")])
    return {**images, **ours, "PATH": ":".join(folder for folder in folders if folder)}
