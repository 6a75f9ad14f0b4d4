"""What killed processes left in the engine: found by label, and never taken from a process that lives."""

import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandboxes.docker_engine import Engine, explained
from sandboxes.docker_options import CELL_LABEL, HOST_LABEL, PROCESS_LABEL, RUN_LABEL
from sandboxes.folders import is_in_use

# Of containers that a base's files are taken from; they are never started, and gone within minutes.
_BASE_LABEL = "crosstalk.base"
_BASE_SECONDS = 3600


@dataclass(frozen=True)
class Leftover:
    """A container, network or volume whose process is gone.

    Attributes:
        kind: `container`, `network` or `volume`.
        name: by which the engine knows it.
        run: the results folder of its run; empty for what belonged to none.
        cell: what it was for.
    """

    kind: str
    name: str
    run: str
    cell: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name[:12] if self.kind == 'container' else self.name} of {self.cell or 'nothing named'}"


def leftovers(engine: Engine, run: Path | None = None) -> list[Leftover]:
    """What is left of one run, or of all.

    Raises:
        SandboxError: the engine does not say.
    """
    wanted = None if run is None else str(run.absolute())
    with explained("list what is left"):
        return [one for one in _labelled(engine.api) if wanted in (None, one.run)]


def remove(engine: Engine, left: Leftover) -> bool:
    """Remove what is left; False when the engine did not in time.

    Raises:
        SandboxError: it refuses.
    """
    if left.kind == "container":
        return engine.remove(left.name)
    with explained(f"remove the {left.kind} {left.name}"):
        if left.kind == "network":
            engine.api.remove_network(left.name)
        else:
            engine.api.remove_volume(left.name)
    return True


def _labelled(api: Any) -> Iterator[Leftover]:
    filters = {"label": [PROCESS_LABEL]}
    for one in api.containers(all=True, filters=filters):
        yield from _of_the_dead("container", one["Id"], one.get("Labels"))
    for one in api.containers(all=True, filters={"label": [_BASE_LABEL]}):
        if one["Created"] < time.time() - _BASE_SECONDS:
            yield Leftover("container", one["Id"], "", "a base")
    for one in api.networks(filters=filters):
        yield from _of_the_dead("network", one["Id"], one.get("Labels"))
    for one in api.volumes(filters=filters).get("Volumes") or []:
        yield from _of_the_dead("volume", one["Name"], one.get("Labels"))


def _of_the_dead(kind: str, name: str, labels: Mapping[str, str] | None) -> Iterator[Leftover]:
    """The thing, unless its process lives, or cannot be seen from here."""
    found = labels or {}
    if found.get(HOST_LABEL) == socket.gethostname() and not is_in_use(Path(found[PROCESS_LABEL])):
        yield Leftover(kind, name, found.get(RUN_LABEL, ""), found.get(CELL_LABEL, ""))
