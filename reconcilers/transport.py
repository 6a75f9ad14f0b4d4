"""The seam to a model: messages go out, one text comes back, and what it cost is counted even where it failed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sandboxes.errors import HarnessError, SetupError
from sandboxes.usage import Usage
from sandboxes.waiting import pause

_LONGEST_WAIT = 60.0
_NOT_FOUND = 404
_RETRYABLE = frozenset({408, 409, 425, 429})


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    role: Role
    text: str


class Finish(StrEnum):
    """Why an answer ended; `UNKNOWN` where the provider does not say."""

    STOP = "stop"
    LENGTH = "length"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Completion:
    """One answer; `usage` counts whatever was charged on the way to it too, and is unknown where the provider is silent."""

    text: str
    usage: Usage
    finish: Finish


class Transport(Protocol):
    model: str

    def complete(self, messages: Sequence[Message]) -> Completion:
        """Ask the model once; retries of failed requests are the transport's own, and are counted.

        Raises:
            TransportError: there is no answer to be had.
            SetupError: the model is not to be had as it was named.
            StoppedError: the user interrupted the run.
        """
        ...


class TransportError(HarnessError):
    """No answer came from the provider; nothing is said about the model's work.

    Attributes:
        usage: what was used up all the same; unknown where an answer broke off.
        status: the provider's HTTP status, where there was one.
        retry_after: the seconds that the provider asks to wait.
    """

    def __init__(self, message: str, usage: Usage, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.usage = usage
        self.status = status
        self.retry_after = retry_after


class PromptTooLongError(TransportError):
    """The model takes no prompt as long as this one."""


@dataclass(frozen=True)
class Retries:
    """How often a request that failed is sent again, and how long to wait before the first time; then twice as long."""

    times: int = 4
    first_wait: float = 2.0


def finish_of(reason: object) -> Finish:
    """A provider's word for why an answer ended."""
    if reason in ("stop", "end_turn", "stop_sequence", "eos"):
        return Finish.STOP
    if reason in ("length", "max_tokens", "model_length"):
        return Finish.LENGTH
    return Finish.UNKNOWN if reason in (None, "") else Finish.OTHER


class FailedRequest(Exception):
    """One request that brought no answer.

    Attributes:
        message: the provider's, or the network's.
        usage: what it cost: nothing where it was refused, unknown where it was not answered to the end.
        status: the HTTP status.
        retry_after: the seconds that the provider asks to wait.
        too_long: it was refused for the prompt's length.
    """

    def __init__(
        self,
        message: str,
        usage: Usage,
        status: int | None = None,
        *,
        retry_after: float | None = None,
        too_long: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.usage = usage
        self.status = status
        self.retry_after = retry_after
        self.too_long = too_long

    @property
    def is_retryable(self) -> bool:
        return not self.too_long and (self.status is None or self.status in _RETRYABLE or self.status >= 500)


def seconds_of(header: str | None) -> float | None:
    """The seconds that a `retry-after` names; `None` where it is missing or names a date."""
    return float(header) if header and re.fullmatch(r"\d{1,6}(\.\d+)?", header) else None


def with_retries(send: Callable[[], Completion], retries: Retries) -> Completion:
    """Send a request until it is answered; what the failed ones cost is added to the answer.

    Raises:
        TransportError: it was refused, or not answered in so many times.
        SetupError: there is no such model or address.
        StoppedError: the user interrupted the run.
    """
    lost = Usage()
    for number in range(retries.times + 1):
        try:
            answer = send()
        except FailedRequest as failed:
            lost += failed.usage
            if failed.status == _NOT_FOUND:
                raise SetupError(f"{failed.message}; is the model's name right, and its address?") from failed
            if failed.too_long:
                raise PromptTooLongError(failed.message, lost, failed.status) from failed
            if not failed.is_retryable or number == retries.times:
                after = f" (request {number + 1})" if number else ""
                raise TransportError(failed.message + after, lost, failed.status, failed.retry_after) from failed
            asked = retries.first_wait * 2**number if failed.retry_after is None else failed.retry_after
            pause(min(asked, _LONGEST_WAIT))
        else:
            return Completion(answer.text, lost + answer.usage, answer.finish)
    raise AssertionError("unreachable: the last round returns or raises")
