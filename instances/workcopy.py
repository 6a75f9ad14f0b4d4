"""A pair's base laid out as a git repository to work in, and what was done there saved as a reference or control."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from instances.edscript import from_patch
from instances.errors import InstanceError
from instances.model import Instance
from instances.programs import output_of

_SETTINGS = ("user.name=author", "user.email=author@localhost", "core.hooksPath=/dev/null", "core.autocrlf=false", "gc.auto=0")
_NAMES = re.compile(r"references/(a|b|joint)|controls/(half_a|half_b|alternative|divergent)")
_IGNORED = "__pycache__/\n*.pyc\n.pytest_cache/\nnode_modules/\n.venv/\n"


def checkout(instance: Instance, target: Path, patch: str | None) -> None:
    """Lay the base out, with one commit, and a patch of the pair applied on top of it.

    Raises:
        InstanceError: the folder is there already, or there is no such patch, or it does not apply; nothing is left behind.
    """
    if target.exists():
        raise InstanceError(f"{target} is there already, and is left as it is")
    content = instance.patch(patch) if patch else b""
    if not target.absolute().parent.is_dir():
        raise InstanceError(f"{target.parent}: no such folder")
    with tempfile.TemporaryDirectory(dir=target.absolute().parent, prefix=".checkout-") as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(instance.base_directory(), tree, symlinks=True)
        _git(tree, "init", "--quiet", "--template=")
        _git(tree, "add", "--all", "--force")
        _git(tree, "commit", "--quiet", "--no-verify", "--message", f"the base of {instance.id}")
        (tree / ".git" / "info").mkdir(exist_ok=True)
        (tree / ".git" / "info" / "exclude").write_text(_IGNORED, encoding="utf-8")
        if content:
            _git(tree, "apply", "--whitespace=nowarn", "-", stdin=content)
        tree.rename(target)


def save(instance: Instance, name: str, work: Path) -> Path:
    """Write what differs from the base in a work folder as the pair's patch of a name, and return the file.

    Raises:
        InstanceError: the name is no reference's or control's, the folder is no checkout, or nothing differs in it.
    """
    if not _NAMES.fullmatch(name):
        raise InstanceError(
            f"{name!r} is no patch of a pair: write references/a, b or joint, or controls/half_a, half_b, alternative, divergent"
        )
    if not (work / ".git").exists():
        raise InstanceError(f"{work}: no checkout; make one with `crosstalk instances checkout`")
    _git(work, "add", "--all")
    options = (
        "--cached",
        "--binary",
        "--full-index",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    )
    patch = _git(work, "diff", *options, "HEAD")
    if not patch:
        raise InstanceError(f"{work}: nothing differs from the base")
    plain, script = instance.folder / f"{name}.patch", instance.folder / f"{name}.ed"
    fetched = instance.base.kind != "directory"
    target = script if fetched else plain
    content = from_patch(patch) if fetched else patch
    target.parent.mkdir(exist_ok=True)
    beside = target.with_name(f".{target.name}.new")
    beside.write_bytes(content)
    beside.replace(target)
    (plain if fetched else script).unlink(missing_ok=True)
    return target


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    return output_of(["git", *settings, *arguments], str(folder), variables, folder, stdin)
