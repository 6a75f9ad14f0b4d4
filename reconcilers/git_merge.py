"""Git's own three-way merge of the two trees; a conflict is a failure, recorded hunk by hunk."""

from reconcilers.base import Combined, CombineStatus, Edit, Hunk
from reconcilers.markers import conflict_hunks
from sandboxes.gitstore import GitStore, Merged


class GitMerge:
    """Merges with ort in both orders; clean only if both are, and are equal."""

    name = "git-merge"
    _APPLIER = "git merge-tree, ort"

    def combine(self, store: GitStore, base: str, first: Edit, second: Edit) -> Combined:
        """Combine two edits of the tree `base`.

        Raises:
            SandboxError: git itself broke.
        """
        trees = []
        for one, other in ((first, second), (second, first)):
            merged = store.merge(base, one.tree, other.tree)
            if merged.tree is None:
                return self._conflict(merged, one.lane, other.lane)
            trees.append(merged.tree)
        if trees[0] != trees[1]:
            paths = ", ".join(map(ascii, store.changed_paths(trees[0], trees[1])))
            reason = f"the two orders of merging give different trees: {paths}"
            return Combined(self.name, CombineStatus.CONFLICT, None, reason=reason, detail=self._APPLIER)
        return Combined(self.name, CombineStatus.CLEAN, trees[0], detail=f"{self._APPLIER}, both orders")

    def _conflict(self, merged: Merged, ours: str, theirs: str) -> Combined:
        hunks: list[Hunk] = []
        for path, text in merged.conflicts.items():
            found = conflict_hunks(path, text, merged.labels, (ours, theirs))
            # Where the files themselves collide (deleted here, changed there) there is no place, only git's word.
            said = [_with_lanes(line, merged.labels, (ours, theirs)) for line in merged.reasons.get(path, ())]
            hunks += found or [Hunk(path, None, line) for line in said or ["conflict"]]
        files = len({hunk.path for hunk in hunks})
        reason = f"{len(hunks)} conflict{'s' * (len(hunks) != 1)} in {files} file{'s' * (files != 1)}"
        message = _with_lanes(merged.message, merged.labels, (ours, theirs))
        return Combined(
            self.name,
            CombineStatus.CONFLICT,
            None,
            reason=reason,
            conflicts=tuple(hunks),
            detail=f"{self._APPLIER}: {message}",
        )


def _with_lanes(text: str, labels: tuple[str, str], lanes: tuple[str, str]) -> str:
    for label, lane in zip(labels, lanes, strict=True):
        text = text.replace(label, lane)
    return text
