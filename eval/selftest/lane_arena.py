"""Two lanes of one cell without communication: one attacks, the other leaves its secrets where it can."""

from collections.abc import Mapping
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
    """The commands of hostile agents."""

    attacks: tuple[Attack, ...] = (*HUNTS, *LANE_ATTACKS)

    def untried(self) -> Mapping[str, str]:
        """See `Arena.untried`."""
        folder = scratch_folder("control")
        try:
            with prepared_ground() as ground:
                failing = hunts_that_fail_unprotected(ground, folder / "hunt")
                with in_parallel() as pool:
                    works = pool.map(lambda one: _works(one, ground, folder), LANE_ATTACKS)
                    failing += [one.name for one, worked in zip(LANE_ATTACKS, works, strict=True) if not worked]
        except OSError as error:
            return dict.fromkeys((one.name for one in self.attacks), f"{error.strerror} ({error.filename})")
        finally:
            remove_tree(folder)
        return dict.fromkeys(failing, _NOT_HERE)

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """See `Arena.gains`."""
        with prepared_ground() as ground:
            rounds = [hunt_round(ground), *(Round(one.name, one.deed(ground)) for one in LANE_ATTACKS)]
            cell = play_rounds(ground.pair, "parallel-unaware", rounds, sandboxes, ResultsFolder(folder / "results"))
            if cell.record.status is not Status.FAILED:
                told = f"its cell counts as {cell.record.status}: {cell.record.reason}"
                return dict.fromkeys((one.name for one in self.attacks), told)
            gains = gains_of(ground, cell.heard[HUNT])
            gains.update({one.name: one.gained(ground, cell, one.name) for one in LANE_ATTACKS})
            return {name: gain for name, gain in gains.items() if gain}


def _works(attack: LaneAttack, ground: Ground, folder: Path) -> bool:
    own = folder / f"attack-{LANE_ATTACKS.index(attack)}"
    own.mkdir(parents=True)
    return attack.works(ground, own)
