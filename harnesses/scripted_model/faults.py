"""How the server can be told to fail."""

import re
from dataclasses import dataclass
from enum import StrEnum

from sandboxes.errors import SetupError


class FaultKind(StrEnum):
    RATE_LIMIT = "429"
    OVERLOADED = "529"
    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    BROKEN = "500"
    CUT = "cut"  # the stream ends half-way
    HANG_BEFORE = "hang-before"  # nothing is ever sent
    HANG_AFTER = "hang-after"  # the stream stops half-way, and stays open
    NO_USAGE = "no-usage"
    ODD_USAGE = "odd-usage"  # usage on a chunk where few look for it
    LONG_LINE = "long-line"  # one event with a very long line


STATUS = {
    FaultKind.RATE_LIMIT: (429, "rate_limit_error", "This request would exceed the rate limit."),
    FaultKind.OVERLOADED: (529, "overloaded_error", "Overloaded"),
    FaultKind.UNAUTHORIZED: (401, "authentication_error", "invalid x-api-key"),
    FaultKind.FORBIDDEN: (403, "permission_error", "This key may not use this model."),
    FaultKind.BROKEN: (500, "api_error", "Internal server error"),
}
FOREVER = 1 << 30
_FAULT = re.compile(r"(?P<kind>[a-z0-9-]+)(@(?P<request>[0-9]+)(x(?P<times>[0-9]+|\*))?)?")


@dataclass(frozen=True)
class Fault:
    """A failure from the lane's n-th model request on, for some requests."""

    kind: FaultKind
    request: int = 1
    times: int = 1

    def strikes(self, request: int) -> bool:
        return self.request <= request < self.request + self.times


def parse_fault(text: str) -> Fault:
    """A fault as the command line gives it: `KIND`, `KIND@REQUEST` or `KIND@REQUESTxTIMES`; `x*` is for ever.

    Raises:
        SetupError: it is none.
    """
    found = _FAULT.fullmatch(text)
    if found is None or found["kind"] not in set(FaultKind):
        kinds = ", ".join(FaultKind)
        raise SetupError(f"no failure {text!r}: it is KIND, KIND@REQUEST or KIND@REQUESTxTIMES, KIND one of {kinds}")
    times = FOREVER if found["times"] == "*" else int(found["times"] or 1)
    return Fault(FaultKind(found["kind"]), int(found["request"] or 1), times)
