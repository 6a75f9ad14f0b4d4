"""What a group of attacks has in common: how each is shown to work unprotected, and how all are played."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from eval.selftest.attack import Attack, Result
from sandboxes.base import SandboxFactory

WORKERS = 2


class Arena(Protocol):
    """A group of attacks."""

    @property
    def attacks(self) -> Sequence[Attack]: ...

    def untried(self) -> Mapping[str, str]:
        """Which attacks could not be shown to work on an unprotected control, and why."""
        ...

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """What each attack got from the bench, played in an empty folder: by name, of those that got something."""
        ...


@dataclass
class Shown:
    """An arena with its controls, which are shown once, whatever it is played in afterwards."""

    arena: Arena
    _untried: Mapping[str, str] | None = field(default=None)

    def play(self, sandboxes: SandboxFactory, folder: Path) -> list[Result]:
        """Every attack of the arena, its control before it is played."""
        if self._untried is None:
            self._untried = self.arena.untried()
        tried = any(one.name not in self._untried for one in self.arena.attacks)
        gains = self.arena.gains(sandboxes, folder) if tried else {}
        return [
            Result(one, self._untried.get(one.name, ""), "" if one.name in self._untried else gains.get(one.name, ""))
            for one in self.arena.attacks
        ]


def in_parallel(pool_size: int = WORKERS) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(pool_size, thread_name_prefix="attack")
