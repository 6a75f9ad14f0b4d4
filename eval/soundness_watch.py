"""`crosstalk check ID --watch`: looks at a pair again whenever a file of it is saved, and says in words what to fix next."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from eval.lint_command import lint_findings
from eval.soundness import ROUNDS, Soundness, check, known_sound
from instances.errors import InstanceError
from instances.files import own_paths
from instances.lint import Finding, Level
from instances.load import load, one_of
from instances.model import Instance
from sandboxes.base import SandboxFactory
from sandboxes.errors import BenchError
from sandboxes.stopping import StoppedError

_POLL_SECONDS = 0.4
_LIST = "AUTHORING.md"

States = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Status:
    """What is known of the pair as it is on disk.

    Attributes:
        sound: `None` where it could not be found out.
        where: what to look at first, empty where nothing is to be done.
        what: what is wrong, or that nothing is.
        fix: what to do about it.
        more: how many further faults there are.
    """

    sound: bool | None
    what: str
    where: str = ""
    fix: str = ""
    more: int = 0


def watched_folder(term: str) -> Path:
    """The folder of the one instance that an id or a path names; a path need not hold a valid one.

    Raises:
        InstanceError: it names none, or several.
    """
    path = Path(term)
    return path.resolve() if (path / "instance.json").is_file() else one_of(term).folder


def watch(folder: Path, sandboxes: SandboxFactory, tell: Callable[[str], None]) -> Status:
    """Look and wait by turns until an interrupt; what was known last is returned.

    Args:
        tell: hears of each thing in one or several lines.
    """
    status, states = Status(None, "interrupted before there was a verdict"), _states(folder)
    tell(f"watching {folder} (Ctrl-C ends it)")
    try:
        while True:
            states = _settled(folder)
            found = _look(folder, sandboxes, tell)
            if _states(folder) != states:
                continue  # saved meanwhile: what was found is about another state
            status = found
            tell(_said(status))
            while _states(folder) == states:
                time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        if _states(folder) != states:
            return Status(None, "interrupted before what was saved last had been looked at")
        return status


def _look(folder: Path, sandboxes: SandboxFactory, tell: Callable[[str], None]) -> Status:
    try:
        instance = load(folder)
        errors = [one for one in lint_findings(instance) if one.level is Level.ERROR]
        now = [one for one in errors if one.file != _LIST]
        if now:
            return _of_lint(now)
        if not errors and known_sound(instance):
            return _sound()
        return _checked(instance, sandboxes, errors, tell)
    except StoppedError:
        raise
    except (InstanceError, BenchError) as error:
        return Status(False if isinstance(error, InstanceError) else None, str(error), where="this first")


def _checked(instance: Instance, sandboxes: SandboxFactory, errors: list[Finding], tell: Callable[[str], None]) -> Status:
    """One quick round, and where that finds nothing all of them."""
    tell(f"{_clock()}  one round over {instance.id} ...")
    found = check(instance, sandboxes, rounds=1)
    if found.problems:
        return _of_check(found)
    if errors:
        return Status(False, f"one round found nothing wrong, but {_LIST} is still there", _LIST, "remove it when all is done")
    tell(f"{_clock()}  one round found nothing wrong; {ROUNDS} rounds ...")
    found = check(instance, sandboxes)
    return _of_check(found) if found.problems else _sound()


def _sound() -> Status:
    return Status(True, f"SOUND: all rules hold, {ROUNDS} rounds with equal verdicts")


def _of_lint(found: list[Finding]) -> Status:
    return Status(False, found[0].what, found[0].place, found[0].fix, len(found) - 1)


def _of_check(found: Soundness) -> Status:
    first = found.problems[0]
    return Status(False, f"rule: {first.check}", first.file or "instance.json", first.detail, len(found.problems) - 1)


def _said(status: Status) -> str:
    if not status.where:
        return f"{_clock()}  {status.what}"
    more = [f"({status.more} more behind it)"] if status.more else []
    return "\n          ".join([f"{_clock()}  NEXT: {status.where}", status.what, *filter(None, [status.fix]), *more])


def _clock() -> str:
    return datetime.now().strftime("%H:%M:%S")


def _settled(folder: Path) -> States:
    """The states once nothing was saved for a moment: several files are often saved at once."""
    states = _states(folder)
    while True:
        time.sleep(_POLL_SECONDS / 2)
        now = _states(folder)
        if now == states:
            return now
        states = now


def _states(folder: Path) -> States:
    """When each of the pair's own files was written, and how large it is."""
    found = {}
    for path in own_paths(folder):
        try:
            state = path.stat()
        except OSError:
            continue  # gone since it was listed, or a link that leads nowhere
        found[str(path)] = (state.st_mtime_ns, state.st_size)
    return found
