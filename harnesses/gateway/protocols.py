"""The three protocols that programs speak: what of a request is passed on, how LiteLLM is asked, how its answer is put.

Only a protocol's own fields are passed on: LiteLLM would take its settings from the same place, and a lane could have it send
the provider's key elsewhere.
"""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MESSAGES = _names(
    "messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences thinking output_config"
)
_RESPONSES = _names(
    "input instructions tools tool_choice parallel_tool_calls reasoning store stream text include temperature "
    "top_p max_output_tokens prompt_cache_key truncation"
)
_CHAT = _names(
    "messages tools tool_choice parallel_tool_calls stream stream_options temperature top_p max_tokens "
    "max_completion_tokens stop seed reasoning_effort response_format n frequency_penalty presence_penalty"
)
# What a program does itself. Tools that a provider or LiteLLM would serve reach the network, past the lane's sandbox.
_OWN_TOOLS = frozenset({None, "custom", "function", "namespace", "local_shell", "shell", "apply_patch"})


@dataclass(frozen=True)
class Way:
    """How a run's model is reached.

    Attributes:
        model: as LiteLLM takes it.
        arguments: further ones of each request: an endpoint's address, a key.
        chat: it is asked by chat completions, also where LiteLLM would rather use another protocol.
        address: where it is asked, as far as that is known.
    """

    model: str
    arguments: Mapping[str, Any]
    chat: bool = False
    address: str | None = None


class Spoken(Protocol):
    name: str
    path: str

    def ask(self, litellm: Any, body: Mapping[str, Any], way: Way) -> Any:
        """What LiteLLM returns, to be awaited."""
        ...

    def frames(self, answer: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        """The server-sent events of a streamed answer."""
        ...

    def error(self, status: int, message: str) -> Mapping[str, Any]: ...


class AnthropicMessages:
    name = "anthropic-messages"
    path = "messages"

    def ask(self, litellm: Any, body: Mapping[str, Any], way: Way) -> Any:
        return litellm.anthropic_messages(model=way.model, **way.arguments, **_passed(body, _MESSAGES))

    async def frames(self, answer: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        async for event in answer:
            if isinstance(event, bytes | str):
                yield event if isinstance(event, bytes) else event.encode()
            else:
                data = _plain(event)
                yield _frame(data, str(data.get("type", "")))

    def error(self, status: int, message: str) -> Mapping[str, Any]:
        kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large"}
        kinds |= {402: "billing_error", 429: "rate_limit_error", 529: "overloaded_error"}
        kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


class _OpenAI:
    def error(self, status: int, message: str) -> Mapping[str, Any]:
        kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
        kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


class OpenAIResponses(_OpenAI):
    name = "openai-responses"
    path = "responses"

    def ask(self, litellm: Any, body: Mapping[str, Any], way: Way) -> Any:
        how = {"use_chat_completions_api": True} if way.chat else {}
        return litellm.aresponses(model=way.model, **way.arguments, **how, **_passed(body, _RESPONSES))

    async def frames(self, answer: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        async for event in answer:
            data = _plain(event)
            yield _frame(data, str(data.get("type", "")))


class OpenAIChat(_OpenAI):
    name = "openai-chat"
    path = "chat/completions"

    def ask(self, litellm: Any, body: Mapping[str, Any], way: Way) -> Any:
        asked = _passed(body, _CHAT)
        if asked.get("stream"):
            asked["stream_options"] = {"include_usage": True}
        return litellm.acompletion(model=way.model, **way.arguments, **asked)

    async def frames(self, answer: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        async for chunk in answer:
            yield _frame(_plain(chunk))
        yield b"data: [DONE]\n\n"


SPOKEN: tuple[Spoken, ...] = (AnthropicMessages(), OpenAIResponses(), OpenAIChat())


def whole(answer: Any) -> bytes:
    """An answer that is not streamed."""
    return json.dumps(_plain(answer), default=str).encode()


def _passed(body: Mapping[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    passed = {name: value for name, value in body.items() if name in fields and value is not None}
    if "tools" in passed:
        passed["tools"] = [tool for tool in passed["tools"] if tool.get("type") in _OWN_TOOLS]
        if not passed["tools"]:
            passed.pop("tools")
            passed.pop("tool_choice", None)
    return passed


def _plain(event: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = event.model_dump(mode="json", exclude_none=True) if hasattr(event, "model_dump") else dict(event)
    return dumped


def _frame(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, default=str)}\n\n".encode()
