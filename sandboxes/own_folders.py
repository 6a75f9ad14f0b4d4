"""The bench's own folders, which no lane may see: the data set, the tests and the records' makers are in them."""

from collections.abc import Iterable
from pathlib import Path

from sandboxes.base import Mount

_ROOT = Path(__file__).absolute().parents[1]
_OWN_FOLDERS = ("instances", "scenarios", "harnesses", "reconcilers", "radio", "eval", "sandboxes", "tests", "docs", ".git")


def hidden_targets(mounts: Iterable[Mount]) -> list[str]:
    """Where in a sandbox the bench's own folders would be seen through a mount of what they are installed in."""
    own = [_ROOT / name for name in _OWN_FOLDERS if (_ROOT / name).is_dir()]
    return [
        str(Path(mount.target, folder.relative_to(mount.source.absolute())))
        for mount in mounts
        for folder in own
        if folder.is_relative_to(mount.source.absolute()) and folder != mount.source.absolute()
    ]
