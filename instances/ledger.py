"""What is noted of instances: by the data set's makers in its ledger, and by `check` on this machine in the cache."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from instances.difficulty import Difficulty
from instances.fetched import cache_root
from instances.load import PAIRS
from instances.model import Instance

LEDGER = Path(__file__).parent / "soundness.json"


def evidence_folder(instance: Instance) -> Path:
    """Where `check` keeps what it found of this very state of an instance."""
    return cache_root() / "soundness" / f"{instance.id}-{instance.digest[:16]}"


def notes(instance: Instance) -> Iterator[Mapping[str, Any]]:
    """What is noted of this very state of the instance: the data set's note first, then this machine's."""
    places = [(LEDGER, instance.id)] if PAIRS in instance.folder.parents else []
    for path, key in (*places, (evidence_folder(instance) / "soundness.json", "")):
        data = _read(path)
        entry = data.get(key, {}) if key else data
        if entry.get("digest") == instance.digest:
            yield entry


def difficulty_of(instance: Instance) -> Difficulty | None:
    """What was counted in this very state of the instance; `None` where nothing is noted."""
    found = (Difficulty.of_data(note.get("difficulty")) for note in notes(instance))
    return next((one for one in found if one is not None), None)


def recorded_difficulty(instance: Instance) -> Difficulty | None:
    """The same by the data set's own ledger alone, which says one thing on every machine."""
    entry = _read(LEDGER).get(instance.id, {})
    return Difficulty.of_data(entry.get("difficulty")) if entry.get("digest") == instance.digest else None


def _read(path: Path) -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return data
