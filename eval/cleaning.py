"""Removing what killed runs left: containers, networks and volumes by label, scratch folders, half-written cells."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from eval.storage import ResultsFolder
from sandboxes.docker_engine import Engine, lacking_sdk
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_abandoned
from sandboxes.leftovers import leftovers, remove


def clean(run: Path | None) -> Iterator[str]:
    """Clean up after one run, or after all that no process is running any more; gives a line for each thing done.

    Raises:
        SetupError: the folder holds no run, or another process is running it.
        SandboxError: the engine refuses to remove something.
    """
    if run is not None:
        results = ResultsFolder(run)
        results.manifest()
        with results.in_use():
            half = [path for path in (*results.cells.glob(".*"), results.work) if path.exists()]
            results.clear_leftovers()
            if half:
                yield f"removed what was half written in {run}"
            yield from _clean_engine(run)
        return
    if removed := remove_abandoned():
        yield f"removed the scratch folders of {removed} killed process(es)"
    yield from _clean_engine(None)


def _clean_engine(run: Path | None) -> Iterator[str]:
    if lacking := lacking_sdk():
        yield f"no containers looked for: {lacking}"
        return
    try:
        engine = Engine()
    except SandboxError as error:
        yield f"no containers looked for: {error}"
        return
    with closing(engine):
        for left in leftovers(engine, run):
            yield f"removed {left}" if remove(engine, left) else f"NOT removed, the engine does not answer: {left}"
