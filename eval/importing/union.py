"""A merge that keeps both sides' lines wherever they collide, as git's merge driver `union` does: file by file, no renames."""

from pathlib import Path

from sandboxes.exec import run
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.git_objects import PROGRAM_MODE, path_bytes
from sandboxes.gitstore import GitStore

_SECONDS = 60.0


def union_merge(store: GitStore, base: str, ours: str, theirs: str) -> str | None:
    """The merged tree; `None` where a file that one side changed is deleted by the other, or is binary.

    Raises:
        SandboxError: git broke.
    """
    own, other = (set(store.changed_paths(base, tree)) for tree in (ours, theirs))
    tree = store.copy_paths(ours, theirs, [_literal(path) for path in sorted(other - own)]) if other - own else ours
    folder = scratch_folder("union")
    try:
        for path in sorted(own & other):
            merged = _merged(store, (base, ours, theirs), path, folder)
            if merged is None:
                return None
            mode = store.entries(ours)[path_bytes(path)].mode
            tree = store.overlay(tree, [(path, merged, mode == PROGRAM_MODE)])
    finally:
        remove_tree(folder)
    return tree


def _literal(path: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def _merged(store: GitStore, trees: tuple[str, str, str], path: str, folder: Path) -> bytes | None:
    base, ours, theirs = (store.read_file(tree, path) for tree in trees)
    if ours is None or theirs is None:
        return None
    names = [folder / name for name in ("ours", "base", "theirs")]
    for name, content in zip(names, (ours, base or b"", theirs), strict=True):
        name.write_bytes(content)
    result = run(["git", "merge-file", "-p", "--union", *map(str, names)], timeout=_SECONDS, output_limit=1 << 28, cwd=folder)
    return result.stdout if result.ok else None
