"""Which paths a tree's own ignore files name."""

import os

from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.git_command import GitCommand, message_of
from sandboxes.git_objects import LINK_MODE, Entries
from sandboxes.gitstore import GitStore

# So that git takes what follows as a path, even when it begins like a pattern with a colon.
_AS_PATH = b"./"


def ignored_paths(store: GitStore, base: Entries, paths: list[bytes]) -> list[bytes]:
    """Those of some paths that the ignore files of a tree name, by git's own rules.

    Raises:
        SandboxError: git failed.
    """
    ignore_files = {
        path: entry for path, entry in base.items() if path.rpartition(b"/")[2] == b".gitignore" and entry.mode != LINK_MODE
    }
    if not paths or not ignore_files:
        return []
    folder = scratch_folder("ignore")
    try:
        for path, entry in ignore_files.items():
            target = folder / os.fsdecode(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(store.read_blob(entry.blob))
        result = GitCommand(store.path).attempt(
            ["-c", "core.bare=false", "check-ignore", "--no-index", "-z", "--stdin"],
            stdin=b"".join(_AS_PATH + path + b"\0" for path in paths),
            variables={"GIT_WORK_TREE": os.fspath(folder), "GIT_INDEX_FILE": f"{folder}/.git-no-index"},
        )
    finally:
        remove_tree(folder)
    if result.returncode not in (0, 1):
        raise SandboxError(f"git check-ignore failed ({result.returncode}): {message_of(result)}")
    return [path.removeprefix(_AS_PATH) for path in result.stdout.split(b"\0") if path]
