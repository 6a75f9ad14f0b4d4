"""What a scenario is: schedule x observation x communication, as data. Any two differ in named fields only."""

from dataclasses import dataclass, fields
from enum import StrEnum

from radio.phase_texts import Listening as Listening


class Group(StrEnum):
    """Where the catalogue lists a scenario; the first four are ParallACT's."""

    ONE_AGENT = "one-agent"
    SERIAL = "serial"
    PARALLEL = "parallel"
    GOLD_TESTS = "gold-tests"
    RADIO = "radio"
    PROTOCOL = "protocol"
    CONTROL = "control"
    OWN = "own"


class Schedule(StrEnum):
    SINGLE = "single"
    SERIAL = "serial"
    PARALLEL = "parallel"


class Requirement(StrEnum):
    """Whose requirement a lane is given."""

    OWN = "own"
    BOTH = "both"


class History(StrEnum):
    """What a later serial turn sees: the files only, or the earlier steps' diffs too."""

    REPO = "repo"
    DIFFS = "diffs"


class GoldTests(StrEnum):
    NONE = "none"
    OWN = "own"
    ALL = "all"


class Channel(StrEnum):
    NONE = "none"
    MESSAGE = "message"
    SYNC = "sync"
    RADIO = "radio"


class Store(StrEnum):
    NONE = "none"
    FILE = "file"
    REDIS = "redis"
    SQLITE = "sqlite"


class Protocol(StrEnum):
    NONE = "none"
    FIVE_PHASE = "five-phase"


@dataclass(frozen=True)
class Scenario:
    """One scenario.

    Attributes:
        name: how it is asked for.
        group: where the catalogue lists it.
        upper_bound: it uses what separate principals would not give (both requirements in one place, held-out tests).
        schedule: one lane; turns after one another; lanes at the same time.
        order: of a serial schedule, the side of each turn.
        requirement: whose requirement each lane is given.
        history: what a later serial turn sees of the earlier ones.
        aware: each lane is told, in one fixed sentence, that another agent works on the same repository.
        gold_tests: which held-out tests a lane may read.
        radar: the hub tells lanes where their edits stop merging.
        delegate: the one agent must give each requirement to a subagent of its own.
        channel, store: how lanes may talk, and what keeps their messages.
        listening: how a message gets before a lane's model.
        protocol: the phases that lanes go through.
        envelope, limits, dispositions, drain_at_stop: parts of the control plane.
        resume_session: a lane's later turn continues its earlier session.
        contradictory_only: played on contradictory pairs only.
    """

    name: str
    group: Group
    schedule: Schedule
    upper_bound: bool = False
    order: tuple[str, ...] = ()
    requirement: Requirement = Requirement.OWN
    history: History = History.REPO
    aware: bool = False
    gold_tests: GoldTests = GoldTests.NONE
    radar: bool = False
    delegate: bool = False
    channel: Channel = Channel.NONE
    store: Store = Store.NONE
    listening: Listening = Listening.NONE
    protocol: Protocol = Protocol.NONE
    envelope: bool = False
    limits: bool = False
    dispositions: bool = False
    drain_at_stop: bool = False
    resume_session: bool = False
    contradictory_only: bool = False

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes' names: `both` for the one agent of a single schedule, else the sides."""
        return ("both",) if self.schedule is Schedule.SINGLE else ("a", "b")

    def as_record(self) -> dict[str, str | bool | list[str]]:
        """The fields as they are kept in `run.json`."""
        record: dict[str, str | bool | list[str]] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            record[field.name] = list(value) if isinstance(value, tuple) else value
        return record


def differing_fields(one: Scenario, other: Scenario) -> list[tuple[str, object, object]]:
    """The fields, beside name and group, in which two scenarios differ: (field, value of one, value of other)."""
    return [
        (field.name, getattr(one, field.name), getattr(other, field.name))
        for field in fields(Scenario)
        if field.name not in {"name", "group"} and getattr(one, field.name) != getattr(other, field.name)
    ]
