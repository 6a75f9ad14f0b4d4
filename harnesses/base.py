"""The seam of a harness: the agent program that works in a lane."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from sandboxes.base import Mount, Sandbox
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


class Failure(StrEnum):
    """What broke where a turn ended as `infrastructure`."""

    RATE_LIMIT = "rate-limit"
    OVERLOADED = "overloaded"
    AUTH = "auth"  # everybody's: a campaign pauses
    PROVIDER = "provider"  # any other answer of the provider that is no model's
    CRASH = "crash"  # the program ended without its closing event
    NO_FIRST_EVENT = "no-first-event"
    HANG = "hang"  # the program waited for its model and nothing came


@dataclass(frozen=True)
class Wire:
    """A second count of a turn: what the provider itself reported, read between it and the program.

    Attributes:
        usage: the sum over all that was asked; unknown where the provider left a usage out.
        lower_bound: answers broke off whose usage nobody has told.
        problems: why a part is unknown.
        readable: the provider's answers could be read at all.
        exchanges: a mapping for each request of the program, and one for what came of it.
        difference: the program's own count minus this one.
    """

    usage: Usage
    lower_bound: bool = False
    problems: tuple[str, ...] = ()
    readable: bool = True
    exchanges: tuple[Mapping[str, Any], ...] = ()
    difference: Usage | None = None


@dataclass(frozen=True)
class Metering:
    """Where a turn's usage comes from.

    Attributes:
        responses: the sum over the responses that were seen, each counted once.
        closing: the program's own closing total over all its models; `None` where it did not get so far.
        abandoned: of `responses`, those that broke off and that the program does not count itself.
        by_model: the closing total's table.
        cost_usd: the program's own estimate.
        lower_bound: tokens are known to be missing.
        notes: what does not fit together.
        wire: the count of the gateway, where the program was behind one.
        longest_prompt: tokens of the largest prompt of one request; `None` where not all of them are known.
        held: what answers used that were kept from the program, so that its own count cannot have it.
    """

    responses: Usage
    closing: Usage | None = None
    abandoned: Usage = field(default_factory=Usage)
    by_model: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = None
    lower_bound: bool = False
    notes: tuple[str, ...] = ()
    wire: Wire | None = None
    longest_prompt: int | None = None
    held: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Turn:
    """One invocation of a harness in a lane.

    Attributes:
        ended, reason: how it ended; the reason is empty when it completed.
        usage: of this turn alone.
        steps: tool calls made.
        session: what a later turn of the lane resumes, if the harness can.
        transcript: what was said and done, one mapping a line.
        failure: what broke, where it ended as infrastructure.
        metering: where the usage comes from, for programs that report it.
        labels: what a reader of the record is to know, such as background tasks that were alive at the end.
        subagents: how many of the steps handed work to a subagent of the program's own.
        summary: the agent's closing words; empty where it said none.
    """

    ended: Ended
    reason: str
    usage: Usage
    steps: int
    session: str | None
    transcript: tuple[dict[str, Any], ...] = ()
    failure: Failure | None = None
    metering: Metering | None = None
    labels: tuple[str, ...] = ()
    subagents: int = 0
    summary: str = ""


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
        channel, listening, envelope, dispositions: the scenario's, which decide what a script's `say` and the like are.
        delegates: the lane's agent has to give each request to a subagent.
    """

    script: Path
    patch: Callable[[str], bytes]
    reference: str
    channel: str = "none"
    listening: str = "none"
    envelope: bool = False
    dispositions: bool = False
    delegates: bool = False


@dataclass(frozen=True)
class Fitting:
    """What a harness's program needs of a lane's sandbox, beside what every lane has."""

    mounts: tuple[Mount, ...] = ()
    network: bool = False


@dataclass(frozen=True)
class Company:
    """The lanes of one cell that play at the same time: what all of them call it, and how many they are."""

    name: str
    lanes: int


@dataclass(frozen=True)
class Lane:
    """One agent's run context.

    Attributes:
        name: `a`, `b`, or `both` for the one agent of a single schedule.
        workspace: the folder on the host.
        sandbox: where the lane's commands run.
        boundary: to be called after each step; returns what surfaces before the next model call, empty for nothing.
        replay: what a scripted agent plays.
        listening: how messages get before the lane's model (`none`, `pull`, `foreground`, `watcher`, `hook`).
        stopping: to be called when a scripted agent is about to stop, with its last step; what it returns is shown once more.
        pause: to be called by a scripted agent that waits for another's message: the others move until something has come
            for it, True; or nothing will come any more, False.
        hook: the command, as seen inside, that a real program must call at each step boundary and before it stops, with the
            event's name; the sandbox's environment holds what it needs. Where `listening` is not `hook` it does nothing: it is
            called all the same, so that its cost is no difference between scenarios. `None` outside of a run.
        turn: 1 for the lane's first turn.
        company: the lanes that play at the same time; `None` for one that plays alone.
    """

    name: str
    workspace: Path
    sandbox: Sandbox
    boundary: Callable[[Step], str]
    replay: ReplaySource
    listening: str = "none"
    stopping: Callable[[int], str] = lambda step: ""
    pause: Callable[[], bool] = lambda: False
    hook: str | None = None
    turn: int = 1
    company: Company | None = None


class Demands(Protocol):
    """What of a scenario a harness may have to honour."""

    @property
    def name(self) -> str: ...
    @property
    def channel(self) -> str: ...
    @property
    def listening(self) -> str: ...
    @property
    def protocol(self) -> str: ...
    @property
    def delegate(self) -> bool: ...
    @property
    def resume_session(self) -> bool: ...


class Harness(Protocol):
    """An agent program.

    `scripted` is true where no model is called. A `stepwise` one is moved by the engine, one lane at a time and with the
    engine's own delivery at step boundaries; a program of its own runs freely and has messages brought by its hook.
    """

    name: str
    scripted: bool
    stepwise: bool

    def refuses(self, scenario: Demands) -> str | None:
        """Why this harness cannot honour a scenario, told before anything runs; `None` where it can."""
        ...

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        """What an instance with this `replay/` folder lacks to be played under a scenario; `None` where nothing is missing."""
        ...

    def versions(self) -> dict[str, str]:
        """The programs and versions that are frozen in the run."""
        ...

    def fitting(self, private: Path) -> Fitting:
        """What the lane's sandbox must hold for the program.

        Args:
            private: a folder of the lane's own, that stays for all its turns.

        Raises:
            SetupError: the program is missing.
        """
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
