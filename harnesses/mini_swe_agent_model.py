"""The model of a turn of mini-swe-agent: its own LiteLLM model, with a deadline and bounded retries, every token counted."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harnesses.base import Ended, Failure, Limits, Metering
from harnesses.endpoint import masked
from harnesses.mini_swe_agent_parts import Parts
from harnesses.streams.base import Verdict, text
from sandboxes.chat_usage import chat_usage
from sandboxes.errors import BenchError
from sandboxes.usage import Usage, longest_prompt
from sandboxes.waiting import call_within, pause

_FIRST_WAIT = 2.0
_LONGEST_WAIT = 60.0
_GRACE = 5.0
_BY_STATUS = {401: Failure.AUTH, 402: Failure.AUTH, 403: Failure.AUTH, 429: Failure.RATE_LIMIT}
_UNPAID = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_RETRYABLE = frozenset({408, 409, 425, 429})


class TurnOver(Exception):
    """The turn ends here, as the verdict says."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


@dataclass(frozen=True)
class Asking:
    """How a turn's model is asked.

    Attributes:
        name: the model's, as LiteLLM takes it.
        silence: seconds without an answer that are a hang.
        retries: how often a request that failed is repeated.
        deadline: the end of the turn, by `time.monotonic`.
        limits: of the turn.
        secrets: what must not get into a reason.
    """

    name: str
    silence: float
    retries: int
    deadline: float
    limits: Limits
    secrets: tuple[str, ...] = ()

    def left(self) -> float:
        """The seconds until the deadline."""
        return self.deadline - time.monotonic()

    def out_of_time(self) -> Verdict:
        return Verdict(Ended.LIMIT, f"{self.limits.max_minutes:g} minutes")


@dataclass(frozen=True)
class _Failed:
    """A request without an answer: what it comes to, and when to repeat it, if ever."""

    verdict: Verdict
    retryable: bool = False
    retry_after: float | None = None


class LaneModel:
    """A model as `DefaultAgent` takes it.

    Attributes:
        usage: of all answers so far.
        newest: the newest answer's message, also where it held no usable command.
    """

    def __init__(self, parts: Parts, inner: Any, asking: Asking) -> None:
        """A model for one turn.

        Args:
            parts: the package.
            inner: the package's own model, which forms requests and reads answers.
            asking: how it is asked.
        """
        self.config = inner.config
        self.usage = Usage()
        self._answers: list[Usage] = []
        self.newest: dict[str, Any] = {}
        self._parts, self._inner, self._asking = parts, inner, asking
        self._broken = 0
        self._untold = 0
        self._waiting = False

    def query(self, messages: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
        """The next answer, with the commands in it under `extra`.

        Raises:
            TurnOver: there is none to be had.
            FormatError: it holds no usable command; its tokens are counted.
            StoppedError: the user interrupted the run.
        """
        prepared = self._inner._prepare_messages_for_api(messages)
        response, told = self._answer(prepared)
        usage = chat_usage(told.get("usage"))
        self._untold += usage.output is None
        self.usage += usage
        self._answers.append(usage)
        self.newest = response.choices[0].message.model_dump()
        actions = self._inner._parse_actions(response)
        return {**self.newest, "extra": {"actions": actions, "usage": usage.as_record()}}

    def format_message(self, **fields: Any) -> dict[str, Any]:
        """As the package does it."""
        message: dict[str, Any] = self._inner.format_message(**fields)
        return message

    def format_observation_messages(
        self, message: dict[str, Any], outputs: list[dict[str, Any]], template_vars: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """As the package does it; commands without an output are told not to have been run."""
        formed: list[dict[str, Any]] = self._inner.format_observation_messages(message, outputs, template_vars)
        return formed

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        """The settings of the model, without what it is asked with, where a key may be."""
        return {"model_name": self._asking.name, **more}

    def metering(self) -> Metering:
        """Where the usage comes from: there is but one count, that of the answers."""
        notes = []
        if self._untold:
            notes.append("the provider left out a response's usage")
        if self._broken:
            notes.append(f"{self._broken} answers broke off, whose usage nobody has told")
        lower_bound = self._waiting or self._broken > 0
        return Metering(self.usage, lower_bound=lower_bound, notes=tuple(notes), longest_prompt=longest_prompt(self._answers))

    def _answer(self, messages: list[dict[str, Any]]) -> tuple[Any, Mapping[str, Any]]:
        """The answer to a conversation, as LiteLLM gives it and as plain data."""
        trouble: Verdict | None = None
        for number in range(self._asking.retries + 1):
            seconds = min(self._asking.silence, self._asking.left())
            if seconds <= 0:
                # Time lost to a failing provider is not the agent's.
                raise TurnOver(trouble or self._asking.out_of_time())
            try:
                answer = self._ask(messages, seconds)
            except _RequestError as error:
                failed = error.failed
            else:
                if answer is not None:
                    return answer
                raise TurnOver(self._silent(seconds, trouble))
            if not failed.retryable or number == self._asking.retries:
                raise TurnOver(failed.verdict)
            trouble = failed.verdict
            asked = _FIRST_WAIT * 2**number if failed.retry_after is None else failed.retry_after
            pause(max(0.0, min(asked, _LONGEST_WAIT, self._asking.left())))
        raise AssertionError("unreachable: the last round returns or raises")

    def _silent(self, seconds: float, trouble: Verdict | None) -> Verdict:
        if seconds < self._asking.silence:
            return trouble or self._asking.out_of_time()
        return Verdict(Ended.INFRASTRUCTURE, f"no answer of the model within {seconds:g} s", Failure.HANG)

    def _ask(self, messages: list[dict[str, Any]], seconds: float) -> tuple[Any, Mapping[str, Any]] | None:
        """One request; `None` where its time was over."""
        # The answer is asked for as a whole: of a stream without usage LiteLLM makes up the counts.
        how = {"stream": False, "num_retries": 0, "max_retries": 0, "timeout": seconds + _GRACE}

        def exchange() -> tuple[Any, Mapping[str, Any]]:
            response = self._inner._query(messages, **how)
            return response, response.model_dump()

        self._waiting = True
        try:
            answer = call_within(seconds, exchange)
        except BenchError:
            raise
        except Exception as error:
            self._waiting = False
            raise _RequestError(self._failed(error)) from error
        self._waiting = answer is None
        return answer

    def _failed(self, error: Exception) -> _Failed:
        known = self._parts.litellm.exceptions
        said = text(masked(str(error).encode(), self._asking.secrets).decode("utf-8", "replace"))
        if isinstance(error, known.ContextWindowExceededError):
            return _Failed(Verdict(Ended.LIMIT, f"the model takes no conversation as long as this one: {said}"))
        # LiteLLM gives a status of its own to what never was answered; only an answer has headers.
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        status = getattr(error, "status_code", None)
        refused = isinstance(error, known.AuthenticationError) or _UNPAID.search(said) is not None
        if refused or (headers and isinstance(status, int)):
            failure = Failure.AUTH if refused else _failure(status or 0)
            retryable = failure is not Failure.AUTH and ((status or 0) >= 500 or status in _RETRYABLE)
            return _Failed(Verdict(Ended.INFRASTRUCTURE, said, failure), retryable, _seconds(headers.get("retry-after")))
        self._broken += not _never_connected(error)
        retryable = isinstance(error, known.APIConnectionError | known.InternalServerError | known.Timeout)
        return _Failed(Verdict(Ended.INFRASTRUCTURE, said, Failure.PROVIDER), retryable)


class _RequestError(Exception):
    def __init__(self, failed: _Failed) -> None:
        super().__init__(failed.verdict.reason)
        self.failed = failed


def _failure(status: int) -> Failure:
    return Failure.OVERLOADED if status >= 500 else _BY_STATUS.get(status, Failure.PROVIDER)


def _seconds(header: str | None) -> float | None:
    """The seconds that a `retry-after` names; `None` where it is missing or names a date."""
    return float(header) if header and re.fullmatch(r"\d{1,6}(\.\d+)?", header) else None


def _never_connected(error: BaseException) -> bool:
    """Whether nobody was there to be asked, so that nothing can have been used up."""
    seen: BaseException | None = error
    while seen is not None:
        if type(seen).__name__ in ("ConnectError", "ConnectTimeout"):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
