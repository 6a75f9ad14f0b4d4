"""Making a repository of ours: nothing in it but what git needs, and attributes that no tree can change."""

import os
import secrets
import shutil
from pathlib import Path

from sandboxes.errors import SandboxError
from sandboxes.git_command import GitCommand

# In a repository's info/attributes, which go before any in a tree. Bytes are what they are ...
VERBATIM_ATTRIBUTES = "* -text !eol !crlf -ident -filter !working-tree-encoding !export-subst !export-ignore\n"
# ... and are compared and merged by git's own rules.
STORE_ATTRIBUTES = VERBATIM_ATTRIBUTES + "* !diff !merge !conflict-marker-size !whitespace !delta\n"


def init_repository(git_dir: Path, *, bare: bool, attributes: str) -> None:
    """Make a repository, at a path where nothing is yet, with no hook, remote or description.

    Raises:
        SandboxError: git failed.
    """
    arguments = ["init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main"]
    GitCommand(git_dir).output([*arguments, *(["--bare"] if bare else [])])
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text(attributes)


def make_store(path: Path) -> None:
    """Make the bare repository of a store unless it is there; of several makers at once, one wins.

    Raises:
        SandboxError: it can't be made.
    """
    if (path / "HEAD").is_file():
        return
    beside = path.with_name(f"{path.name}.new-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        init_repository(beside, bare=True, attributes=STORE_ATTRIBUTES)
        beside.rename(path)
    except OSError as error:
        if not (path / "HEAD").is_file():
            raise SandboxError(f"cannot make the git store {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
