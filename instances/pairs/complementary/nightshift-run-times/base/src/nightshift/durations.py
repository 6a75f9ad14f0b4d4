"""Lengths of time as people write them: ``90s``, ``5m``, ``1h30m``, ``30d``."""

from __future__ import annotations

import re

from nightshift.errors import JobFileError

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_WHOLE = re.compile(r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+(?:\.\d+)?)s)?")


def parse(text: str) -> float:
    """The length in seconds.

    Raises:
        JobFileError: it is not written as a length of time.
    """
    found = _WHOLE.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise JobFileError(f"{text!r} is not a length of time such as 90s or 1h30m")
    return float(sum(float(value) * UNITS[unit] for unit, value in found.groupdict().items() if value))


def write(seconds: float) -> str:
    """The length as ``parse`` reads it, in the largest units that fit."""
    parts = []
    for unit in ("d", "h", "m"):
        count, seconds = divmod(seconds, UNITS[unit])
        if count:
            parts.append(f"{int(count)}{unit}")
    if seconds or not parts:
        parts.append(f"{seconds:g}s")
    return "".join(parts)
