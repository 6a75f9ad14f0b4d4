"""The sandboxes of this machine: bubblewrap, and plain execution for where bubblewrap is missing."""

import itertools
import os
import resource
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandboxes.base import ExecResult, Mount, OutputWatch, SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.etc import etc_mounts
from sandboxes.exec import run
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.isolation import Walls, bubblewraps_advice, ensure_isolation
from sandboxes.own_folders import hidden_targets
from sandboxes.processes import MARKER
from sandboxes.room import room_of
from sandboxes.syscall_filter import keyring_filter

WORKSPACE = "/workspace"
HOME = "/home/agent"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_TEMPORARY_BYTES = 2 << 30
_SHARED_MEMORY_BYTES = 256 << 20
_FILE_BYTES = 4 << 30
_OPEN_FILES = 8192
_WALLS = Walls("bubblewrap", ("user", "mnt", "pid", "ipc", "uts", "net"), ("/", "/usr", "/etc", "/dev"), bubblewraps_advice)
_DATA_BYTES = 8 << 30

# Sets the limits that need no control group, and offers itself first when the machine runs out of memory; then becomes
# the program. The three descriptors are bubblewrap's.
_LIMITS = 'ulimit -c 0; ulimit -n "$1"; ulimit -f "$2"; ulimit -d "$3"; { echo 900 > /proc/$$/oom_score_adj; } 2>/dev/null; '
_WITH_LIMITS = _LIMITS + 'shift 3; exec "$@"'
_IN_BUBBLEWRAP = _LIMITS + 'exec 3>"$4" 4<"$5" 5<"$6"; shift 6; exec "$0" --json-status-fd 3 --seccomp 5 --args 4 -- "$@"'


class LocalSandboxFactory:
    """Bubblewrap: the lane sees its workspace, the system's programs, and what is mounted for it."""

    name = "local"
    isolated = True

    def prove(self) -> None:
        """Raises SandboxError when bubblewrap is missing or does not isolate."""
        ensure_isolation(find_bubblewrap(), _WALLS, _open_unproved)

    def versions(self) -> dict[str, str]:
        """None: it holds the machine's own programs."""
        return {}

    def open(self, spec: SandboxSpec) -> "LocalSandbox":
        """Open a sandbox, once it is proved in this process that bubblewrap isolates.

        Raises:
            SandboxError: bubblewrap is missing or does not isolate, or a host path of the spec does not exist.
        """
        self.prove()
        _refuse_image(spec)
        return _open_unproved(spec)


class UnisolatedSandboxFactory:
    """No isolation at all: the lane's programs run as the caller, in the workspace."""

    name = "unisolated"
    isolated = False

    def prove(self) -> None:
        """There is nothing to prove."""

    def versions(self) -> dict[str, str]:
        """None: it holds the machine's own programs."""
        return {}

    def open(self, spec: SandboxSpec) -> "UnisolatedSandbox":
        """Raises SandboxError when a host path of the spec does not exist."""
        spec.check()
        _refuse_image(spec)
        return UnisolatedSandbox(spec)


def _refuse_image(spec: SandboxSpec) -> None:
    if spec.image:
        raise SandboxError(f"only containers start from an image, such as {spec.image}: use --sandbox docker")


def find_bubblewrap() -> str:
    """The path of bubblewrap.

    Raises:
        SandboxError: there is none; the text says how to get it.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError(
            "bubblewrap (bwrap) is not installed: install the package `bubblewrap`, 0.8 or later, or use the sandbox `unisolated`"
        )
    return program


class LocalSandbox:
    """One lane's place inside bubblewrap. /tmp and the home folder are new for every command."""

    name = LocalSandboxFactory.name
    isolated = True
    workspace = WORKSPACE

    def __init__(self, spec: SandboxSpec, program: str) -> None:
        self._program = program
        self._network = spec.network
        self._room = room_of(spec)
        self._environment = {**_environment(_PATH, HOME, "/tmp"), **spec.environment}
        self._support = scratch_folder("sandbox")
        self._arguments = self._support / "arguments"
        self._filter = self._support / "filter"
        self._filter.write_bytes(keyring_filter())
        self._numbers = itertools.count()
        empty = self._support / "empty"
        empty.mkdir()
        arguments = [*_namespaces(spec), *_system(spec), *_own(spec), *_hidden(spec, empty)]
        arguments += ["--remount-ro", "/", "--chdir", WORKSPACE]
        self._arguments.write_bytes(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))

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
        status = self._support / f"status-{next(self._numbers)}"
        limits = _limits()
        files = (str(status), str(self._arguments), str(self._filter))
        command = ["/bin/sh", "-c", _IN_BUBBLEWRAP, self._program, *limits, *files, *argv]
        result = run(
            command,
            timeout=timeout,
            stdin=stdin,
            environment={**self._environment, **(environment or {})},
            output_limit=output_limit,
            watch=watch,
            room=self._room,
        )
        # Bubblewrap notes an exit code only when the program was started: so no program can feign a broken sandbox.
        started = status.is_file() and b'"exit-code"' in status.read_bytes()
        status.unlink(missing_ok=True)
        if not started and not result.timed_out:
            raise SandboxError(f"the sandbox could not run {argv[0]!r}: {_last_line(result)}")
        return result

    def reach(self, url: str) -> None:
        """See `Sandbox.reach`: the network is the host's, or none."""
        if not self._network:
            raise SandboxError(f"cannot reach {url}: the sandbox has no network")

    def path_inside(self, mount_target: str) -> str:
        """The target itself."""
        return mount_target

    def close(self) -> None:
        """Remove what the sandbox kept outside; every command's processes are gone already."""
        remove_tree(self._support)


class UnisolatedSandbox:
    """One lane's place with no isolation: its own home and temporary folder, and that is all."""

    name = UnisolatedSandboxFactory.name
    isolated = False

    def __init__(self, spec: SandboxSpec) -> None:
        self.workspace = str(spec.workspace.absolute())
        self._room = room_of(spec)
        self._sources = {mount.target: str(mount.source.absolute()) for mount in spec.mounts}
        self._support = scratch_folder("sandbox")
        home, temporary = self._support / "home", self._support / "tmp"
        home.mkdir()
        temporary.mkdir()
        path = os.environ.get("PATH", os.defpath)
        self._environment = {**_environment(path, str(home), str(temporary)), **spec.environment}

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
        variables = {**self._environment, **(environment or {})}
        if not argv or shutil.which(argv[0], path=variables.get("PATH")) is None:
            raise SandboxError(f"the sandbox could not run {' '.join(argv[:1])!r}: no such program")
        return run(
            ["/bin/sh", "-c", _WITH_LIMITS, "sh", *_limits(), *argv],
            timeout=timeout,
            stdin=stdin,
            cwd=Path(self.workspace),
            environment=variables,
            output_limit=output_limit,
            watch=watch,
            room=self._room,
        )

    def reach(self, url: str) -> None:
        """See `Sandbox.reach`: there is nothing to be opened."""

    def path_inside(self, mount_target: str) -> str:
        """The host path that is mounted at the target elsewhere."""
        return self._sources.get(mount_target, mount_target)

    def close(self) -> None:
        """Remove the home and the temporary folder."""
        remove_tree(self._support)


def _open_unproved(spec: SandboxSpec) -> LocalSandbox:
    spec.check()
    return LocalSandbox(spec, find_bubblewrap())


def _environment(path: str, home: str, temporary: str) -> dict[str, str]:
    return {"PATH": path, "HOME": home, "TMPDIR": temporary, "USER": "agent", "LC_ALL": "C.UTF-8"}


def _namespaces(spec: SandboxSpec) -> list[str]:
    unshared = ["user", "pid", "ipc", "uts"] + ([] if spec.network else ["net"])
    return [
        *(f"--unshare-{name}" for name in unshared),
        "--unshare-cgroup-try",
        *("--uid", "1000", "--gid", "1000"),
        *("--cap-drop", "ALL"),
        *("--hostname", "localhost"),
        *("--unsetenv", MARKER),
        "--die-with-parent",
        "--new-session",
    ]


def _system(spec: SandboxSpec) -> list[str]:
    """The system's programs and the few files of /etc that they need."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in _TOP_LEVEL:
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    for mount in etc_mounts(network=spec.network):
        arguments += ["--ro-bind", str(mount.source), mount.target]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += ["--perms", "1777", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"]
    return [*arguments, "--remount-ro", "/dev"]


def _own(spec: SandboxSpec) -> list[str]:
    """The lane's own folders, then what is mounted for it."""
    arguments = ["--perms", "1777", "--size", str(_TEMPORARY_BYTES), "--tmpfs", "/tmp"]
    arguments += ["--size", str(_TEMPORARY_BYTES), "--tmpfs", HOME]
    arguments += ["--bind", str(spec.workspace.absolute()), WORKSPACE]
    for mount in spec.mounts:
        bind = "--bind" if mount.writable else "--ro-bind"
        arguments += [bind, str(mount.source.absolute()), mount.target]
    return arguments


def _hidden(spec: SandboxSpec, empty: Path) -> list[str]:
    """An empty folder over each of the bench's own that would be seen, as when it is installed below /usr."""
    return [
        argument
        for target in hidden_targets([Mount(Path("/usr"), "/usr"), *spec.mounts])
        for argument in ("--ro-bind", str(empty), target)
    ]


def _limits() -> list[str]:
    """Open files, the size of a file and of a program's data, in the shell's units; never more than the caller has."""
    return [
        _at_most(resource.RLIMIT_NOFILE, _OPEN_FILES, 1),
        _at_most(resource.RLIMIT_FSIZE, _FILE_BYTES, 512),
        _at_most(resource.RLIMIT_DATA, _DATA_BYTES, 1024),
    ]


def _at_most(limit: int, wanted: int, unit: int) -> str:
    hard = resource.getrlimit(limit)[1]
    return str((wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)) // unit)


def _last_line(result: ExecResult) -> str:
    lines = result.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"bubblewrap ended with {result.returncode} and said nothing"
