"""Keeping the history short."""

from __future__ import annotations

from datetime import datetime, timedelta

from nightshift.history import History, RunRecord, Status


def protected(history: History) -> set[int]:
    """Places in the history of records that stay whatever their age: the last run, and the last good one, of each job."""
    last: dict[str, int] = {}
    last_good: dict[str, int] = {}
    records = list(history)
    for place, record in enumerate(records):
        for found, counts in ((last, True), (last_good, record.status is Status.OK)):
            if counts and (record.job not in found or records[found[record.job]].started <= record.started):
                found[record.job] = place
    return {*last.values(), *last_good.values()}


def prune(history: History, keep_seconds: float, now: datetime) -> list[RunRecord]:
    """Remove the records that started longer ago than ``keep_seconds``, and return them."""
    oldest = now - timedelta(seconds=keep_seconds)
    stays = protected(history)
    kept, removed = [], []
    for place, record in enumerate(history):
        (kept if record.started >= oldest or place in stays else removed).append(record)
    if removed:
        history.replace(kept)
    return removed
