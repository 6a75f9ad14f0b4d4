"""Hostile trees: written by an agent in its lane, taken up by the recorder, graded."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from eval.environment import environment_of
from eval.records import Status
from eval.selftest.arena import in_parallel
from eval.selftest.attack import Kind
from eval.selftest.hostile import Deed, Round
from eval.selftest.packing import packed
from eval.selftest.pair_files import Language, write_pair
from eval.selftest.plain_grading import PlainGrading
from eval.selftest.playing import PlayedCell, play_rounds
from eval.selftest.tree_attack import TreeAttack
from eval.storage import ResultsFolder
from sandboxes.base import SandboxFactory
from sandboxes.errors import SetupError
from sandboxes.folders import remove_tree, scratch_folder

_UNPACK = (
    "find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} + && tar xf - && "
    'if [ -d .home ]; then cp -R .home/. "$HOME/" && rm -rf .home; fi'
)
_HONEST = "the right edit"


class TreeArena:
    """The hostile trees of one language."""

    def __init__(self, language: Language, attacks: Sequence[TreeAttack]) -> None:
        self._language = language
        self.attacks = tuple(attacks)

    def untried(self) -> Mapping[str, str]:
        """See `Arena.untried`: whom the plain runner does not take for solved."""
        folder = scratch_folder("pair")
        try:
            environment = environment_of(write_pair(folder / "labels", self._language, {}).environment, "local")
        except SetupError as error:
            return dict.fromkeys((one.name for one in self.attacks), str(error))
        finally:
            remove_tree(folder)
        plain = PlainGrading(self._language, environment)
        if fault := plain.fault():
            return dict.fromkeys((one.name for one in self.attacks), fault)
        with in_parallel() as pool:
            passes = pool.map(plain.passes, self.attacks)
            return {
                one.name: f"the plain {self._language.runner} is not deceived by it here"
                for one, passed in zip(self.attacks, passes, strict=True)
                if not passed
            }

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """See `Arena.gains`. An honest tree is graded among them, so that nothing is beaten by a grading that passes nothing."""
        pair = write_pair(folder / "data" / "labels", self._language, {})
        honest = TreeAttack(_HONEST, Kind.EDIT, {self._language.source: self._language.right})
        rounds = [Round(one.name, self._deed(one)) for one in (honest, *self.attacks)]
        cell = play_rounds(pair, "oracle", rounds, sandboxes, ResultsFolder(folder / "results"))
        if cell.record.status is not Status.FAILED:
            told = f"its cell counts as {cell.record.status}: {cell.record.reason}"
            return dict.fromkeys((one.name for one in self.attacks), told)
        if (reason := self._graded(cell, _HONEST, "joint")) != "passed":
            return dict.fromkeys((one.name for one in self.attacks), f"nothing passes here, not even the right edit: {reason}")
        with in_parallel() as pool:
            reasons = pool.map(lambda one: self._graded(cell, one.name, one.suite), self.attacks)
            return {
                one.name: "it was graded as solved" if reason == "passed" else reason
                for one, reason in zip(self.attacks, reasons, strict=True)
                if reason == "passed" or reason.startswith("NOT")
            }

    def _deed(self, attack: TreeAttack) -> Deed:
        files = {**self._language.base, **attack.files, **{f".home/{path}": text for path, text in attack.home.items()}}
        return Deed.shell(_UNPACK, packed(files, attack.links))

    def _graded(self, cell: PlayedCell, name: str, suite: str) -> str:
        """Why a round's tree does not pass a suite; `passed` where it does."""
        if not cell.heard[name].ok:
            return f"NOT PLAYED: {cell.heard[name].stderr.decode(errors='replace')[-200:]}"
        tree = cell.trees.get(name)
        return "NOT PLAYED: nothing was recorded" if tree is None else cell.pair.grade(tree, suite).reason
