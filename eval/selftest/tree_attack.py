"""Attacks that are a hostile final tree: whoever grades it with the plain runner takes it for solved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eval.selftest.attack import Attack, Kind


class Believes(StrEnum):
    """What a plain grading goes by."""

    STATUS = "exit status"
    REPORT = "report file"
    OUTPUT = "printed summary"


@dataclass(frozen=True)
class TreeAttack(Attack):
    """A tree that is as wrong as the base, and calls itself right.

    Attributes:
        files: texts by path, laid over the base; `home`: likewise, in the home folder of the agent.
        links: targets of symbolic links by path.
        believes: what the plain grading goes by that it deceives.
        suite: the suite that it is graded by.
        command: the plain runner, where it is not the language's usual one.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    home: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    believes: Believes = Believes.STATUS
    suite: str = "joint"
    command: tuple[str, ...] = ()


def attack(name: str, kind: Kind, files: Mapping[str, str], believes: Believes = Believes.STATUS) -> TreeAttack:
    """The common form: files alone."""
    return TreeAttack(name, kind, files, believes=believes)
