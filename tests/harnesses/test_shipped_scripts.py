"""Every script that a shipped pair brings can be played: a wrong one would end a run in its middle."""

from pathlib import Path

import pytest

from harnesses.base import ReplaySource
from harnesses.script import load_script
from instances.load import load_all
from instances.model import Instance

SCRIPTS = [(one, path) for one in load_all() for path in sorted((one.folder / "replay").glob("*.json"))]


@pytest.mark.parametrize(("instance", "path"), SCRIPTS, ids=[f"{one.id}-{path.name}" for one, path in SCRIPTS])
@pytest.mark.parametrize("governed", [False, True])
def test_a_shipped_script_can_be_played(instance: Instance, path: Path, governed: bool) -> None:
    source = ReplaySource(path, instance.patch, "references/a", "radio", "hook", envelope=governed, dispositions=governed)
    assert load_script(source).turns
