"""Any model that LiteLLM knows, by its name there; the library is imported when the first model is asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

from reconcilers.transport import (
    Completion,
    FailedRequest,
    Message,
    Retries,
    finish_of,
    seconds_of,
    with_retries,
)
from sandboxes.chat_usage import chat_usage
from sandboxes.errors import SetupError
from sandboxes.litellm_library import load_litellm
from sandboxes.usage import UNKNOWN_USAGE, Usage
from sandboxes.waiting import call_within

_SHOWN_ERROR = 500


class LitellmTransport:
    """Asks for whole answers: of a stream without usage LiteLLM makes up the counts, of a whole answer it gives zeros,
    which are taken for the unknown that they stand for. Prices are not looked up here."""

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        key: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout: float = 900.0,
        retries: Retries | None = None,
    ) -> None:
        """Load LiteLLM; nothing is sent yet.

        Args:
            model: as LiteLLM takes it: `anthropic/claude-...`, `deepseek/deepseek-chat`, `openai/<name>`.
            url: the endpoint, where it is not the provider's own.
            key: the key, where it is not in the provider's own variable.
            parameters: further arguments of each request, such as `temperature`.
            timeout: seconds for one request.
            retries: of a request that failed; LiteLLM's own and its clients' are turned off.

        Raises:
            SetupError: LiteLLM is not installed.
        """
        self.model = model
        self._arguments = {"api_base": url, "api_key": key, **(parameters or {})}
        self._key = key
        self._timeout = timeout
        self._retries = retries or Retries()
        self._litellm = _load()

    def complete(self, messages: Sequence[Message]) -> Completion:
        """See `Transport.complete`."""
        put = [{"role": one.role.value, "content": one.text} for one in messages]
        return with_retries(lambda: self._send(put), self._retries)

    def _send(self, messages: list[dict[str, str]]) -> Completion:
        answer = call_within(self._timeout, lambda: self._exchange(messages), lambda: None)
        if answer is None:
            raise FailedRequest(f"{self.model} did not answer within {self._timeout:g} s", UNKNOWN_USAGE)
        return answer

    def _exchange(self, messages: list[dict[str, str]]) -> Completion:
        try:
            response = self._litellm.completion(
                model=self.model,
                messages=messages,
                stream=False,
                timeout=self._timeout,
                num_retries=0,
                max_retries=0,
                **self._arguments,
            )
            reported = response.model_dump()
        except Exception as error:
            raise self._failed(error) from error
        choices = reported.get("choices") or [{}]
        text = (choices[0].get("message") or {}).get("content")
        return Completion(
            text if isinstance(text, str) else "",
            chat_usage(reported.get("usage")),
            finish_of(choices[0].get("finish_reason")),
        )

    def _failed(self, error: Exception) -> Exception:
        said = " ".join(str(error).split())[:_SHOWN_ERROR]
        said = said.replace(self._key, "(key)") if self._key else said
        if "LLM Provider NOT provided" in said:
            return SetupError(
                f"LiteLLM knows no provider of {self.model!r}; put one in front, as openai/{self.model}, "
                "or name the endpoint's address"
            )
        status = getattr(error, "status_code", None)
        # LiteLLM gives a status of its own to what never was answered; only an answer has headers.
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        too_long = isinstance(error, self._litellm.exceptions.ContextWindowExceededError)
        return FailedRequest(
            f"{self.model} was not answered: {said}",
            Usage() if headers or too_long else UNKNOWN_USAGE,
            status if isinstance(status, int) else None,
            retry_after=seconds_of(headers.get("retry-after")),
            too_long=too_long,
        )


def _load() -> Any:
    try:
        return load_litellm()
    except ImportError as error:
        raise SetupError(
            f"LiteLLM is not to be had ({error}); install it with: pip install 'crosstalk-bench[litellm]', "
            "or name the address of an endpoint that speaks OpenAI's chat completions"
        ) from error
