"""Attacks that are a command of an agent in its lane."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eval.selftest.attack import Attack, Kind
from eval.selftest.ground import Ground
from eval.selftest.hostile import Deed
from eval.selftest.playing import PlayedCell

Control = Callable[[Ground, Path], bool]
Gain = Callable[[Ground, PlayedCell, str], str]


@dataclass(frozen=True)
class LaneAttack(Attack):
    """A command.

    Attributes:
        deed: the command in the lane.
        works: does the same on this machine without any protection, in an empty folder, and says whether it got its way.
        gained: what it got, by the ground, the cell and the attack's name; empty for nothing.
    """

    deed: Callable[[Ground], Deed]
    works: Control
    gained: Gain


def lane_attack(name: str, kind: Kind, deed: Callable[[Ground], Deed], works: Control, gained: Gain) -> LaneAttack:
    return LaneAttack(name, kind, deed, works, gained)
