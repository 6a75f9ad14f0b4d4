"""Both patches applied in turn, mechanically, in both orders; failure in either, or unequal trees, is a conflict."""

from reconcilers.base import Combined, CombineStatus, Edit
from sandboxes.gitstore import GitStore


class Concat:
    """Applies the lanes' patches with a strict `git apply`: no fuzz, no reverse guess, no three-way merge."""

    name = "concat"
    _APPLIER = "git apply"

    def combine(self, store: GitStore, base: str, first: Edit, second: Edit) -> Combined:
        """Combine two edits of the tree `base`.

        Raises:
            SandboxError: git itself broke.
        """
        trees = []
        for one, other in ((first, second), (second, first)):
            tree = base
            for edit in (one, other):
                applied = store.apply(tree, edit.patch)
                if applied.tree is None:
                    order = f"{one.lane} then {other.lane}: the patch of {edit.lane} does not apply"
                    return self._conflict(order, applied.message)
                tree = applied.tree
            trees.append(tree)
        if trees[0] != trees[1]:
            orders = f"{first.lane} then {second.lane}, and {second.lane} then {first.lane}"
            paths = store.changed_paths(trees[0], trees[1])
            return self._conflict(f"{orders}, give different trees", "differing: " + ", ".join(map(ascii, paths)))
        return Combined(self.name, CombineStatus.CLEAN, trees[0], detail=f"{self._APPLIER}, both orders")

    def _conflict(self, reason: str, said: str) -> Combined:
        first_line = said.partition("\n")[0]
        return Combined(
            self.name,
            CombineStatus.CONFLICT,
            None,
            reason=f"{reason}: {first_line}",
            detail=f"{self._APPLIER}: {said}",
        )
