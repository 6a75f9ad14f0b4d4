"""What a container is made of: mounts, limits, labels, and as little power as possible."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandboxes.base import Mount, SandboxSpec
from sandboxes.docker_engine import Engine
from sandboxes.own_folders import hidden_targets

WORKSPACE = "/workspace"
HOME = "/home/agent"
OWN = "/.crosstalk"
LABEL = "crosstalk"
RUN_LABEL, CELL_LABEL, PROCESS_LABEL, HOST_LABEL = (f"{LABEL}.{name}" for name in ("run", "cell", "process", "host"))
_SUPERVISOR = Path(__file__).parent / "docker_files"
_TEMPORARY_BYTES = 2 << 30
_SHARED_MEMORY_BYTES = 256 << 20
_FILE_BYTES = 4 << 30
_DATA_BYTES = 8 << 30
_MEMORY_BYTES = 8 << 30
_OPEN_FILES = 8192
_PROCESSES = 2048
_PODMANS_PROCESSES = 1 << 15
_PROCESSORS = 4


@dataclass(frozen=True)
class Origin:
    """Whose a container is.

    Attributes:
        run: the run's results folder, or empty for what belongs to no run.
        process: a folder that is locked for as long as the process lives that opened the container.
    """

    run: str
    process: str

    def labels(self, owner: str) -> dict[str, str]:
        return {RUN_LABEL: self.run, CELL_LABEL: owner, PROCESS_LABEL: self.process, HOST_LABEL: socket.gethostname()}


@dataclass(frozen=True)
class Support:
    """A sandbox's own folders and files on the host: the socket's folder, an empty folder, and files for /etc."""

    control: Path
    empty: Path
    etc: Path


def write_support(folder: Path) -> Support:
    """Lay out what a container is given beside its spec."""
    support = Support(folder / "control", folder / "empty", folder / "etc")
    for each in (support.control, support.empty, support.etc):
        each.mkdir()
    user, group = os.getuid(), os.getgid()
    people = {"root:x:0:0:root:/root:/usr/sbin/nologin": 0, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin": 65534}
    others = [line for line, number in people.items() if number != user]
    _write(support.etc / "passwd", [*others, f"agent:x:{user}:{group}:agent:{HOME}:/bin/sh"])
    names = {0: "root", 65534: "nogroup", group: "agent"}
    _write(support.etc / "group", [f"{name}:x:{number}:" for number, name in names.items()])
    _write(support.etc / "hosts", ["127.0.0.1 localhost", "::1 localhost"])
    return support


def container_options(
    engine: Engine, image: str, spec: SandboxSpec, support: Support, labels: Mapping[str, str]
) -> dict[str, Any]:
    """The arguments of the SDK's `create_container`."""
    api, types = engine.api, engine.types
    # As the caller, so that files come back owned by it; Podman without root maps that user to its own root otherwise.
    user_mode = {"userns_mode": "keep-id"} if engine.is_podman and os.getuid() != 0 else {}
    ulimits = [("core", 0), ("nofile", _OPEN_FILES), ("fsize", _FILE_BYTES), ("data", _DATA_BYTES)]
    if engine.is_podman:  # its own default may be above what its service may set; `pids_limit` is what bounds a container
        ulimits.append(("nproc", _PODMANS_PROCESSES))
    memory = min(_MEMORY_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    writable = f"rw,exec,nosuid,nodev,size={_TEMPORARY_BYTES}"
    # Podman's tmpfs has no owner but root; nobody else is in there.
    home = "mode=1777" if engine.is_podman else f"mode=700,uid={os.getuid()},gid={os.getgid()}"
    host_config = api.create_host_config(
        network_mode="none",
        read_only=True,
        auto_remove=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        mounts=[_mount(types, each) for each in _mounts(spec, support)],
        tmpfs={"/tmp": f"{writable},mode=1777", HOME: f"{writable},{home}"},
        shm_size=_SHARED_MEMORY_BYTES,
        ulimits=[types.Ulimit(name=name, soft=value, hard=value) for name, value in ulimits],
        mem_limit=memory,
        memswap_limit=memory,
        nano_cpus=min(_PROCESSORS, os.cpu_count() or 1) * 1_000_000_000,
        pids_limit=_PROCESSES,
        log_config=types.LogConfig(type="none"),
        **user_mode,
    )
    return {
        "image": image,
        "entrypoint": ["python3", "-I", "-S", "-B", "-X", "utf8", f"{OWN}/bin/supervisor.py", f"{OWN}/control/socket"],
        "command": [],
        "user": f"{os.getuid()}:{os.getgid()}",
        "working_dir": WORKSPACE,
        "hostname": "localhost",
        "labels": dict(labels),
        "stop_signal": "SIGKILL",
        "host_config": host_config,
    }


def _mounts(spec: SandboxSpec, support: Support) -> Sequence[Mount]:
    own = [Mount(_SUPERVISOR, f"{OWN}/bin"), Mount(support.control, f"{OWN}/control")]
    own += [Mount(path, f"/etc/{path.name}") for path in sorted(support.etc.iterdir())]
    given = [Mount(spec.workspace, WORKSPACE, writable=True), *spec.mounts]
    hidden = [Mount(support.empty, target) for target in hidden_targets(given)]
    # Of two at one place the later holds, as it does elsewhere.
    return list({mount.target: mount for mount in [*own, *given, *hidden]}.values())


def _mount(types: Any, mount: Mount) -> Any:
    return types.Mount(mount.target, str(mount.source.absolute()), type="bind", read_only=not mount.writable)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
