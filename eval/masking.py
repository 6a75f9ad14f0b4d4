"""What must not get into any record.

No lane is given a provider's key, but what a lane can read of the machine, without walls above all, may hold one.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from harnesses.endpoint import masked

STRUCK_OUT = "a key of the operator's stood in the patch: it is struck out of the file, and what was graded is the patch with it"
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
# What is shorter and was not named as a key may well be an ordinary word, which a patch must not lose.
_SHORTEST_UNNAMED = 16


def operators_secrets(*named: str | None) -> list[str]:
    """The keys in this process's environment: those of the variables that were named, and what calls itself a key or a token."""
    return [
        value for name, value in os.environ.items() if name in named or (_SECRET.search(name) and len(value) >= _SHORTEST_UNNAMED)
    ]


def mask_files(folder: Path, secrets: Sequence[str]) -> None:
    """Strike secrets out of every file in a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if (clean := masked(content, secrets)) != content:
                path.write_bytes(clean)
