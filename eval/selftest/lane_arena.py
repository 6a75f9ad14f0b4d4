"""Two lanes of one cell without communication: one attacks, the other leaves its secrets where it can."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from eval.records import Status
from eval.selftest.arena import in_parallel
from eval.selftest.attack import Attack
from eval.selftest.ground import Ground, prepared_ground
from eval.selftest.hostile import Round
from eval.selftest.hunts import HUNT, HUNTS, gains_of, hunt_round, hunts_that_fail_unprotected
from eval.selftest.lane_attack import LaneAttack
from eval.selftest.lane_table import LANE_ATTACKS
from eval.selftest.playing import play_rounds
from eval.storage import ResultsFolder
from sandboxes.base import SandboxFactory
from sandboxes.folders import remove_tree, scratch_folder

_NOT_HERE = "it does not get its way on this machine without any protection either"


class LaneArena:
    """The commands of hostile agents; `hunting` is the hunt for all that lies anywhere."""

    def __init__(self, commands: Sequence[LaneAttack] = LANE_ATTACKS, *, hunting: bool = True) -> None:
        self._commands = tuple(commands)
        self._hunting = hunting
        self.attacks: tuple[Attack, ...] = (*(HUNTS if hunting else ()), *commands)

    def untried(self) -> Mapping[str, str]:
        """See `Arena.untried`."""
        folder = scratch_folder("control")
        try:
            with prepared_ground() as ground:
                failing = hunts_that_fail_unprotected(ground, folder / "hunt") if self._hunting else []
                with in_parallel() as pool:
                    works = pool.map(lambda number: self._works(number, ground, folder), range(len(self._commands)))
                    failing += [one.name for one, worked in zip(self._commands, works, strict=True) if not worked]
        except OSError as error:
            return dict.fromkeys((one.name for one in self.attacks), f"{error.strerror} ({error.filename})")
        finally:
            remove_tree(folder)
        return dict.fromkeys(failing, _NOT_HERE)

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """See `Arena.gains`."""
        with prepared_ground() as ground:
            rounds = [
                *([hunt_round(ground)] if self._hunting else []),
                *(Round(one.name, one.deed(ground)) for one in self._commands),
            ]
            cell = play_rounds(ground.pair, "parallel-unaware", rounds, sandboxes, ResultsFolder(folder / "results"))
            if cell.record.status is not Status.FAILED:
                told = f"its cell counts as {cell.record.status}: {cell.record.reason}"
                return dict.fromkeys((one.name for one in self.attacks), told)
            gains = gains_of(ground, cell.heard[HUNT]) if self._hunting else {}
            gains.update({one.name: one.gained(ground, cell, one.name) for one in self._commands})
            return {name: gain for name, gain in gains.items() if gain}

    def _works(self, number: int, ground: Ground, folder: Path) -> bool:
        own = folder / f"command-{number}"
        own.mkdir(parents=True)
        return self._commands[number].works(ground, own)
