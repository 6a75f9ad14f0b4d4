"""What a job can do. Programs add their own with ``Actions.add``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nightshift.clock import Clock
from nightshift.errors import ActionFailed, JobFileError


@dataclass(frozen=True)
class Context:
    """What an action is told."""

    job: str
    attempt: int
    options: dict[str, Any]
    clock: Clock

    def option(self, name: str) -> Any:
        """An option that must be there."""
        if name not in self.options:
            raise ActionFailed(f"{self.job} has no option {name!r}")
        return self.options[name]


Action = Callable[[Context], "str | None"]


class Actions:
    """Actions by name. An action may return a message for the history; it fails by raising."""

    def __init__(self) -> None:
        self._actions: dict[str, Action] = {
            "wait": wait,
            "write": write,
            "remove": remove,
            "require": require,
            "flaky": flaky,
        }

    def add(self, name: str, action: Action) -> None:
        self._actions[name] = action

    def get(self, name: str) -> Action:
        try:
            return self._actions[name]
        except KeyError:
            raise JobFileError(f"no action {name}") from None


def wait(context: Context) -> str | None:
    """Let some time pass."""
    context.clock.sleep(float(context.option("seconds")))
    return None


def write(context: Context) -> str | None:
    """Write a text to a file."""
    path = Path(context.option("file"))
    path.write_text(str(context.options.get("text", "")), encoding="utf-8")
    return f"wrote {path.name}"


def remove(context: Context) -> str | None:
    """Remove a file, which may be gone already."""
    path = Path(context.option("file"))
    existed = path.exists()
    path.unlink(missing_ok=True)
    return f"removed {path.name}" if existed else None


def require(context: Context) -> str | None:
    """Fail unless a file is there."""
    path = Path(context.option("file"))
    if not path.exists():
        raise ActionFailed(f"{path.name} is missing")
    return None


def flaky(context: Context) -> str | None:
    """Work for some seconds, and fail before the attempt given as ``succeeds``: for rehearsing retries."""
    context.clock.sleep(float(context.options.get("seconds", 0)))
    if context.attempt < int(context.option("succeeds")):
        raise ActionFailed(f"attempt {context.attempt} failed")
    return None
