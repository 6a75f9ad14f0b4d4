"""The seam of a harness: the agent program that works in a lane."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from sandboxes.base import Sandbox
from sandboxes.usage import Usage


class Ended(StrEnum):
    """How a turn ended. `limit` is graded like any other; `infrastructure` is never the agent's doing."""

    COMPLETED = "completed"
    LIMIT = "limit"
    INFRASTRUCTURE = "infrastructure"


@dataclass(frozen=True)
class Limits:
    """What one turn may use, equal in every scenario."""

    max_steps: int = 200
    max_minutes: float = 30.0


@dataclass(frozen=True)
class Turn:
    """One invocation of a harness in a lane.

    Attributes:
        ended, reason: how it ended; the reason is empty when it completed.
        usage: of this turn alone.
        steps: tool calls made.
        session: what a later turn of the lane resumes, if the harness can.
        transcript: what was said and done, one mapping a line.
    """

    ended: Ended
    reason: str
    usage: Usage
    steps: int
    session: str | None
    transcript: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Step:
    """One tool call that has just ended in a lane."""

    number: int
    tool: str
    detail: str


@dataclass(frozen=True)
class ReplaySource:
    """What a scripted agent plays in a lane: an instance's script file where there is one, else the lane's reference.

    Attributes:
        script: the lane's script, which need not exist.
        patch: gives a patch of the instance by name, such as `references/a`.
        reference: the patch name that is applied where there is no script.
    """

    script: Path
    patch: Callable[[str], bytes]
    reference: str


@dataclass(frozen=True)
class Lane:
    """One agent's run context.

    Attributes:
        name: `a`, `b`, or `both` for the one agent of a single schedule.
        workspace: the folder on the host.
        sandbox: where the lane's commands run.
        boundary: to be called after each step; returns what surfaces before the next model call, empty for nothing.
        replay: what a scripted agent plays.
    """

    name: str
    workspace: Path
    sandbox: Sandbox
    boundary: Callable[[Step], str]
    replay: ReplaySource


class Demands(Protocol):
    """What of a scenario a harness may have to honour."""

    @property
    def name(self) -> str: ...
    @property
    def channel(self) -> str: ...
    @property
    def listening(self) -> str: ...
    @property
    def delegate(self) -> bool: ...
    @property
    def resume_session(self) -> bool: ...


class Harness(Protocol):
    """An agent program. `scripted` is true where no model is called."""

    name: str
    scripted: bool

    def refuses(self, scenario: Demands) -> str | None:
        """Why this harness cannot honour a scenario, told before anything runs; `None` where it can."""
        ...

    def versions(self) -> dict[str, str]:
        """The programs and versions that are frozen in the run."""
        ...

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """Play one turn.

        Raises:
            HarnessError: the program could not be driven.
            SandboxError: the sandbox broke.
        """
        ...


@dataclass(frozen=True)
class Configuration:
    """Harness + model + its parameters; one column of a comparison."""

    harness: str
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"{self.harness}/{self.model}" if self.model else self.harness
