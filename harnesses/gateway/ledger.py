"""The gateway's count: a file a turn, a line for each request of the program and one for what came of it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from harnesses.base import Wire
from harnesses.gateway.tap import Attempt, Exchange
from sandboxes.usage import UNKNOWN_USAGE, Usage

_COUNTS = ("input", "cache_write", "cache_read", "output")


class LedgerFile:
    """Written by the gateway while a turn lasts; each line is on disk before anything else happens."""

    def __init__(self, path: Path) -> None:
        """Raises OSError: it cannot be written."""
        self._file: IO[str] = path.open("a", encoding="utf-8")
        self._requests = 0

    def asked(self, protocol: str, model: str) -> int:
        """A program asks; the request's number is returned."""
        self._requests += 1
        self._put({"request": self._requests, "protocol": protocol, "asked_for": model})
        return self._requests

    def came(self, request: int, status: int | None, exchange: Exchange) -> None:
        """What a request came to; `status` is what the program was told, `None` where it was gone."""
        usage, lower_bound, problem = _sum(exchange.attempts)
        self._put({"request": request, "status": status, "usage": _counts(usage), "lower_bound": lower_bound, "problem": problem})

    def close(self) -> None:
        self._file.close()

    def _put(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


LEFT_OUT = "the provider left out a response's usage"
UNREADABLE = "the gateway cannot read the usage in this provider's answers"


def read_ledger(path: Path) -> Wire:
    """The count of a turn; a request of which nothing came makes it a lower bound."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    lines, torn = _lines(text)
    came = {line["request"]: line for line in lines if "usage" in line}
    asked = {line["request"] for line in lines}
    usage = sum((Usage(*(line["usage"][name] for name in _COUNTS)) for line in came.values()), Usage())
    lower_bound = torn or bool(asked - came.keys()) or any(line["lower_bound"] for line in came.values())
    problems = {line["problem"] for line in came.values()} - {""}
    return Wire(usage, lower_bound, tuple(sorted(problems)), UNREADABLE not in problems, tuple(lines))


def _lines(text: str) -> tuple[list[dict[str, Any]], bool]:
    """The lines, and whether one is torn: the gateway died while it wrote."""
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            return lines, True
    return lines, False


def _sum(attempts: Iterable[Attempt]) -> tuple[Usage, bool, str]:
    """All that the attempts of one request have used, whether that is a lower bound, and why a part of it is unknown."""
    total, lower_bound, problem = Usage(), False, ""
    for one in attempts:
        if one.reader is None:
            # Refused, or nobody there: nothing was used. Asked and never answered: nobody knows.
            lower_bound |= one.status is None and not one.unconnected
        elif one.reader.final:
            total += one.reader.usage()
            problem = problem or (LEFT_OUT if one.reader.usage().output is None else "")
        elif one.ended:
            total += UNKNOWN_USAGE
            problem = LEFT_OUT if one.reader.readable else UNREADABLE
        else:
            lower_bound = True
            total += one.reader.usage() if one.reader.usage() != UNKNOWN_USAGE else Usage()
    return total, lower_bound, problem


def _counts(usage: Usage) -> dict[str, int | None]:
    return {name: getattr(usage, name) for name in _COUNTS}
