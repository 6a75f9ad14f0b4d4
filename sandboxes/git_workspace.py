"""A lane's workspace with a repository of the lane's own, laid over or copied from one prepared per history."""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree
from sandboxes.git_command import GitCommand
from sandboxes.git_objects import ObjectWriter
from sandboxes.git_repository import VERBATIM_ATTRIBUTES, init_repository
from sandboxes.overlay import note_lower, try_overlay
from sandboxes.tree_copy import copy_tree

# Part of the key of a prepared checkout: raised when what is prepared changes.
_FORMAT = 1
_LANE_CONFIG = """\
[user]
\tname = Lane
\temail = lane@crosstalk.invalid
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""


class PreparedCheckouts:
    """Checkouts of a store's trees, one per history, made once and kept in the store's folder."""

    def __init__(self, store: Path, writer: ObjectWriter) -> None:
        self._folder = store / "prepared"
        self._git = GitCommand(store)
        self._writer = writer

    def path(self, history: Sequence[str]) -> Path:
        """The prepared checkout of a history, made when it is missing. To be copied or overlaid, never written.

        Raises:
            SandboxError: it can't be made.
        """
        if not history:
            raise SandboxError("a workspace needs at least one tree")
        key = hashlib.sha256("\n".join([str(_FORMAT), *history]).encode()).hexdigest()[:40]
        prepared = self._folder / key
        if prepared.is_dir():
            return prepared
        try:
            with self._locked(key):
                if not prepared.is_dir():
                    self._make(prepared, history)
        except OSError as error:
            raise SandboxError(f"cannot prepare a checkout: {error.strerror} ({error.filename})") from error
        return prepared

    def lay_out(self, history: Sequence[str], workspace: Path) -> None:
        """Lay the prepared checkout of a history over a new or empty folder, or copy it and make its index fit the copy.

        Raises:
            SandboxError: the folder is not empty, or the copy failed.
        """
        prepared = self.path(history)
        try:
            workspace.mkdir(parents=True, exist_ok=True)
            if any(workspace.iterdir()):
                raise SandboxError(f"cannot prepare a workspace in {workspace}: it is not empty")
            if try_overlay(prepared, workspace):
                note_lower(workspace, history[-1])
                return
            copy_tree(prepared, workspace)
        except OSError as error:
            raise SandboxError(f"cannot lay out a checkout in {workspace}: {error}") from error
        # The copies have other inodes, so that without this git would read each file at the first status.
        GitCommand(workspace / ".git").output(
            ["update-index", "-q", "--refresh"], variables={"GIT_WORK_TREE": os.fspath(workspace)}
        )

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        self._folder.mkdir(exist_ok=True)
        with (self._folder / f"{key}.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make(self, prepared: Path, history: Sequence[str]) -> None:
        commit = ""
        for number, tree in enumerate(history):
            message = f"step {number}" if number else "base"
            commit = self._writer.commit(tree, [commit] if commit else [], message)
        checkout = prepared.with_name(f"{prepared.name}.new")
        remove_tree(checkout)  # of a maker that was killed
        checkout.mkdir()
        git_dir = checkout / ".git"
        init_repository(git_dir, bare=False, attributes=VERBATIM_ATTRIBUTES)
        with (git_dir / "config").open("a") as config:
            config.write(_LANE_CONFIG)
        packs = git_dir / "objects" / "pack"
        packs.mkdir(exist_ok=True)
        # What the last commit reaches, and nothing else of the store.
        self._git.output(
            ["pack-objects", "--revs", "--quiet", "--window=0", "--threads=1", os.fspath(packs / "pack")],
            stdin=f"{commit}\n".encode(),
        )
        (git_dir / "refs" / "heads" / "main").write_text(f"{commit}\n")
        write_files(GitCommand(git_dir), history[-1], checkout, git_dir / "index")
        checkout.rename(prepared)


def write_files(git: GitCommand, tree: str, folder: Path, index: Path) -> None:
    """Write a tree's files into an empty folder, and the index that goes with them.

    Raises:
        SandboxError: git failed.
    """
    git.output(
        ["-c", "core.bare=false", "read-tree", "--reset", "-u", tree],
        variables={"GIT_WORK_TREE": os.fspath(folder), "GIT_INDEX_FILE": os.fspath(index)},
    )
