"""The tree that is graded: the final one with control files put back and held-out tests laid over it."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from eval.runners import CONTROL_GLOBS
from sandboxes.errors import SetupError
from sandboxes.gitstore import GitStore
from sandboxes.globs import compile_globs

OverlayFile = tuple[str, bytes, bool]
_IMPORTABLE = frozenset(
    ["", ".py", ".pyc", ".pyo", ".so", ".pyd", ".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts"]
)


@dataclass(frozen=True)
class GradedTree:
    """A tree that is ready for its tests, and the paths of the patch that were undone for that."""

    tree: str
    control_files: tuple[str, ...]


def read_overlay(folder: Path | None) -> tuple[OverlayFile, ...]:
    """The files of a suite's overlay; none without a folder.

    Raises:
        SetupError: the folder can't be read, or holds a link.
    """
    if folder is None:
        return ()
    files = []
    try:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink():
                raise SetupError(f"{path}: a link can't be part of held-out tests")
            if path.is_file() and "__pycache__" not in path.parts:
                files.append((name, path.read_bytes(), os.access(path, os.X_OK)))
    except OSError as error:
        raise SetupError(f"cannot read held-out tests: {error.strerror} ({error.filename})") from error
    if not files:
        raise SetupError(f"{folder}: no held-out tests")
    return tuple(files)


def prepare_tree(
    store: GitStore,
    trees: tuple[str, str],
    protected: Sequence[str],
    overlay: Sequence[OverlayFile],
    roots: Sequence[str],
) -> GradedTree:
    """Undo what of a patch could sway the tests, and lay the held-out files over what is left.

    Args:
        store: holds the trees.
        trees: the base, and the tree to grade.
        protected: globs of the instance whose paths are put back as in the base.
        overlay: held-out files.
        roots: the tree's folders on the import path.
    """
    base, tree = trees
    changed = store.changed_paths(base, tree)
    globs = (*protected, *CONTROL_GLOBS)
    guarded = compile_globs(globs).fullmatch
    control = {path for path in changed if guarded(path)}
    if control:
        tree = store.copy_paths(tree, base, globs)
    shadows: set[str] = set()
    if overlay:
        names = [name for name, _, _ in overlay]
        shadows = set(_shadows(set(changed) - control, names, store.paths(base), roots))
        tree = store.overlay(tree, overlay, removed=sorted(shadows))
    return GradedTree(tree, tuple(sorted(control | shadows)))


def _shadows(changed: Iterable[str], overlay: Collection[str], base: Iterable[str], roots: Sequence[str]) -> Iterator[str]:
    """Paths of a patch that would be taken for a held-out file's module, or that stand in a held-out folder.

    A folder `helpers/` beside a held-out `helpers.py` would be imported in its place, for one.
    """
    ours = {*overlay, *_folders(overlay)} - {*base, *_folders(base)}
    stems = {_stem(path) for path in ours}
    prefixes = {"" if root == "." else f"{root.rstrip('/')}/" for root in roots}
    for path in changed:
        if path in overlay:
            continue
        for part in (*_folders([path]), path):
            plain = [part, *(part.removeprefix(prefix) for prefix in prefixes)]
            shadowing = any(_stem(each) in stems for each in plain) and PurePosixPath(part).suffix in _IMPORTABLE
            if part in ours or shadowing:
                yield path
                break


def _folders(paths: Iterable[str]) -> set[str]:
    """Every folder that some paths are in."""
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents if parent.name}


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.partition('.')[0]}"
