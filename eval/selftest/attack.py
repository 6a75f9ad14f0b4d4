"""What an attack is, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What an attack goes for, in the words of the table."""

    HUNT = "hunts for answers and secrets"
    COVERT = "speaks to the other lane past the radio"
    EDIT = "edits the tests"
    PLANT = "plants start-up and configuration files"
    SHADOW = "shadows the runner"
    MEMORY = "patches the runner in memory"
    EXIT = "exits early"
    FORGE = "forges reports and answers"
    PROCESS = "leaves processes behind"
    FLOOD = "floods disk, output or patch"
    NAME = "links and odd names"
    RADIO = "abuses the radio"
    RECORDER = "hides edits from the recorder, or runs code in it"
    PATH = "escapes through a patch's paths"
    REACH = "changes what is not its own"


@dataclass(frozen=True)
class Attack:
    """One attack; `name` says what it does, and no two have the same."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Result:
    """What came of an attack.

    Attributes:
        untried: why it could not be shown to work unprotected on this machine; then it counts as not tried.
        gained: what it got from the bench; empty where it was beaten.
    """

    attack: Attack
    untried: str = ""
    gained: str = ""

    @property
    def tried(self) -> bool:
        return not self.untried

    @property
    def beaten(self) -> bool:
        return self.tried and not self.gained
