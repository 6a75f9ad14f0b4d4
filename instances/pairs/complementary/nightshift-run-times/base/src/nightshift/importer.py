"""Taking over the run records that agents on other machines have written."""

from __future__ import annotations

import os
from pathlib import Path

from nightshift.errors import HistoryError
from nightshift.history import LOCAL, History, read_lines


def import_file(history: History, path: str | os.PathLike[str], host: str) -> int:
    """Append the records of a file as those of a host, each only once, and return how many were new.

    Raises:
        HistoryError: the file cannot be read, or the host's name is none.
    """
    if not host or host == LOCAL:
        raise HistoryError("an import needs the name of the host")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise HistoryError(f"cannot read {path}: {error}") from None
    known = {(record.job, record.started, record.host) for record in history}
    count = 0
    for record in read_lines(text):
        record = record.on(host)
        key = (record.job, record.started, record.host)
        if key not in known:
            known.add(key)
            history.append(record)
            count += 1
    return count
