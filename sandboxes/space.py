"""Whether a disk has room for what is about to be written."""

import shutil
from pathlib import Path

from sandboxes.errors import SetupError

# Less than a run's first minutes may need; a disk that runs full in the middle costs the work of all lanes.
LEAST_FREE_BYTES = 1 << 30


def require_space(*folders: Path) -> None:
    """Make sure that the disks of some folders, which need not exist yet, have room.

    Raises:
        SetupError: one has not.
    """
    for folder in folders:
        existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
        free = shutil.disk_usage(existing).free
        if free < LEAST_FREE_BYTES:
            needed = f"{LEAST_FREE_BYTES >> 20} MB are needed"
            raise SetupError(
                f"{folder}: only {free >> 20} MB free on its disk, {needed}; free some (`crosstalk clean`), or use another"
            )
