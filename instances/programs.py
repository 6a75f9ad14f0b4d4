"""How a base that takes a program to fetch is fetched. This room starts none itself: whoever may, says how."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from instances.errors import InstanceError

FETCH_SECONDS = 600.0
_MOST_BYTES = 2 << 30


class Ran(Protocol):
    """How a program ended."""

    @property
    def ok(self) -> bool: ...
    @property
    def stdout(self) -> bytes: ...
    @property
    def stderr(self) -> bytes: ...


class Run(Protocol):
    """Runs a program to its end, `timeout` seconds at most, with no variables but `environment`."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes = b"",
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        output_limit: int = 1 << 20,
    ) -> Ran: ...


_way: list[Run] = []


def start_with(run: Run) -> None:
    """Say how programs are started; the last that was said holds."""
    _way[:] = [run]


def output_of(argv: Sequence[str], what: str, environment: Mapping[str, str], cwd: Path, stdin: bytes = b"") -> bytes:
    """What a program puts out.

    Args:
        what: what it is for, as the start of an error's text, such as `left-pad 1.3.0: cannot fetch it`.

    Raises:
        InstanceError: it failed, or cannot be started.
    """
    if not _way:
        raise InstanceError(f"{what}: {argv[0]} is needed, and nothing said how programs are started; import eval first")
    try:
        ran = _way[0](argv, timeout=FETCH_SECONDS, stdin=stdin, cwd=cwd, environment=environment, output_limit=_MOST_BYTES)
    except InstanceError:
        raise
    except Exception as error:  # the room that starts programs has errors of its own
        raise InstanceError(f"{what}: {error}") from error
    if not ran.ok:
        raise InstanceError(f"{what}: {_said(ran)}")
    return ran.stdout


def _said(ran: Ran) -> str:
    lines = [line.strip() for line in (ran.stderr + ran.stdout).decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "npm error ", "npm ERR! "))] or lines
    return telling[0] if telling else "it failed and said nothing"
