"""The hostile agent: it does one attack after another in its lane, and hands out what it got to see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier, Event

from harnesses.base import Demands, Ended, Fitting, Lane, Limits, Step, Turn
from sandboxes.base import ExecResult
from sandboxes.usage import Usage

OUTPUT_LIMIT = 1 << 20
_COMPANION_SECONDS = 120.0
_OTHER_LANE = "b"


@dataclass(frozen=True)
class Deed:
    """One command of an agent."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    seconds: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def shell(cls, script: str, stdin: bytes = b"", seconds: float = 60.0) -> "Deed":
        return cls(("sh", "-c", script), stdin, seconds)

    @classmethod
    def python(cls, program: Path, *arguments: str, seconds: float = 60.0) -> "Deed":
        """A program of `deeds/`, which the lane's own Python reads from its standard input."""
        return cls(("python3", "-", *arguments), program.read_bytes(), seconds)


@dataclass(frozen=True)
class Round:
    """What the lanes do at the same time: the attacker's deed, and, where there is one, what the other lane does meanwhile.

    A companion prints a line when it is ready and goes on printing; it is ended when the deed is done.
    """

    name: str
    deed: Deed
    companion: Deed | None = None


class Until:
    """Ends a companion once the deed is done."""

    def __init__(self, ready: Event, done: Event) -> None:
        self._ready, self._done = ready, done

    def received(self, piece: bytes) -> None:
        self._ready.set()

    def deadline(self) -> float:
        return -float("inf") if self._done.is_set() else float("inf")


class HostileHarness:
    """Plays rounds. `heard` is what the attacker's commands gave, by round; of the other lane nothing is asked."""

    name = "hostile"
    scripted = True
    stepwise = False

    def __init__(self, rounds: Sequence[Round]) -> None:
        self.rounds = tuple(rounds)
        self.heard: dict[str, ExecResult] = {}
        self._ready = [Event() for _ in rounds]
        self._done = [Event() for _ in rounds]
        self._over = Barrier(2)

    def refuses(self, scenario: Demands) -> str | None:
        return None

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        return None

    def versions(self) -> dict[str, str]:
        return {}

    def fitting(self, private: Path) -> Fitting:
        return Fitting()

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """Every round, in step with the other lane where there is one."""
        try:
            for number, one in enumerate(self.rounds):
                if lane.name == _OTHER_LANE:
                    self._accompany(lane, number, one.companion)
                else:
                    self._attack(lane, number, one)
                if lane.company:
                    self._over.wait(_COMPANION_SECONDS)
                lane.boundary(Step(number + 1, "run", one.name))
        except BaseException:
            self._over.abort()
            for event in (*self._ready, *self._done):
                event.set()
            raise
        return Turn(Ended.COMPLETED, "", Usage(0, 0, 0, 0), len(self.rounds), "1", summary="Done.")

    def _attack(self, lane: Lane, number: int, one: Round) -> None:
        if one.companion is not None:
            self._ready[number].wait(_COMPANION_SECONDS)
        try:
            self.heard[one.name] = _do(lane, one.deed)
        finally:
            self._done[number].set()

    def _accompany(self, lane: Lane, number: int, deed: Deed | None) -> None:
        if deed is not None:
            watch = Until(self._ready[number], self._done[number])
            lane.sandbox.run(deed.argv, stdin=deed.stdin, timeout=_COMPANION_SECONDS, environment=deed.environment, watch=watch)
            self._ready[number].set()
        self._done[number].wait(_COMPANION_SECONDS)


def _do(lane: Lane, deed: Deed) -> ExecResult:
    return lane.sandbox.run(
        deed.argv, stdin=deed.stdin, timeout=deed.seconds, environment=deed.environment, output_limit=OUTPUT_LIMIT
    )
