"""The seam of a sandbox: a place where commands of a lane or of a grading run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sandboxes.errors import SandboxError


@dataclass(frozen=True)
class ExecResult:
    """How one command ended.

    Attributes:
        returncode: the exit status; negative for a signal; `None` when the deadline ended it.
        stdout, stderr: bytes, head and tail kept when over the limit.
        timed_out: the deadline passed and the whole process tree was killed.
        truncated: some output was dropped from the middle.
        duration_seconds: wall time.
        over: why it was ended before its deadline, which then counts as `timed_out`: what it filled of the disk; else empty.
    """

    returncode: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool
    duration_seconds: float
    over: str = ""

    @property
    def ok(self) -> bool:
        return self.returncode == 0


@dataclass(frozen=True)
class Mount:
    """A host path as it is seen inside, read-only unless said otherwise."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class SandboxSpec:
    """What a sandbox holds.

    Attributes:
        workspace: the host folder that is the sandbox's working folder, writable.
        mounts: further host paths, such as an environment, in order.
        environment: variables; nothing else of the caller's environment is passed on.
        network: whether the sandbox may reach what it is told to by `Sandbox.reach`; the local ones then have the host's network.
        growth_bytes, growth_files: what the folders that it writes into may grow by; a command that goes beyond is ended.
        image: the id of the container image that it starts from, for sandboxes that are containers; empty for their own.
        owner: what it is for, such as a cell's name; by it what a killed run left is told apart.
    """

    workspace: Path
    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    network: bool = False
    owner: str = ""
    image: str = ""
    growth_bytes: int = 4 << 30
    growth_files: int = 1_000_000

    def check(self) -> None:
        """Raises SandboxError when a host path does not exist."""
        for path in (self.workspace, *(mount.source for mount in self.mounts)):
            if not path.exists():
                raise SandboxError(f"cannot open a sandbox: {path} does not exist")


class OutputWatch(Protocol):
    """Follows what a command puts out while it runs, and may end it early."""

    def received(self, piece: bytes) -> None:
        """A piece of stdout, as it was read; the command may be blocked until this returns."""
        ...

    def deadline(self) -> float:
        """When the command is to be ended, by `time.monotonic`, if its timeout is not earlier; asked again after every piece."""
        ...


class Sandbox(Protocol):
    """One open sandbox. Everything started in it is gone when `close` returns."""

    name: str
    isolated: bool
    workspace: str  # the working folder's path as seen inside

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
        """Run a command in the working folder and wait for it, `timeout` seconds at most.

        When it returns, every process that the command started is gone. A watch that ended it early shows as `timed_out`.

        Raises:
            SandboxError: the sandbox itself could not run the command.
        """
        ...

    def reach(self, url: str) -> None:
        """Let commands reach the host and port of an address, such as a model's endpoint; a sealed sandbox reaches no other.

        Raises:
            SandboxError: it was opened without network, or has ended.
        """
        ...

    def path_inside(self, mount_target: str) -> str:
        """The path at which a mount's target is seen by commands (the host path where nothing is mounted)."""
        ...

    def close(self) -> None: ...


class SandboxFactory(Protocol):
    name: str
    isolated: bool

    def prove(self) -> None:
        """Make sure that sandboxes of this kind work here.

        Raises:
            SandboxError: they do not; the text says why and what to do.
        """
        ...

    def versions(self) -> dict[str, str]:
        """What of the sandbox is frozen in a run, because a verdict may hang on it.

        Raises:
            SandboxError: sandboxes of this kind do not work here.
        """
        ...

    def open(self, spec: SandboxSpec) -> Sandbox:
        """Raises SandboxError when the sandbox cannot be made."""
        ...
