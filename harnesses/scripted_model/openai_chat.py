"""OpenAI Chat Completions, as litellm and OpenCode speak it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harnesses.scripted_model.conversation import Answer, Part, Request, Role
from harnesses.scripted_model.faults import FaultKind
from harnesses.scripted_model.wires import Event, text_of
from sandboxes.usage import Usage


class OpenAIChat:
    """The prompt's tokens include what was read from the cache; there is no word for what was written to it."""

    name = "openai-chat"
    path = "/v1/chat/completions"

    def read(self, body: Mapping[str, Any]) -> Request:
        parts: list[Part] = []
        for message in body["messages"]:
            role = message["role"]
            if role in ("system", "developer"):
                continue
            said = Role.SAID if role == "assistant" else Role.HEARD
            if text := text_of(message.get("content")):
                parts.append(Part(said, text))
            for call in message.get("tool_calls") or ():
                parts.append(Part(said, call["function"]["arguments"], call["id"]))
        tools = frozenset(tool["function"]["name"] for tool in body.get("tools") or ())
        options = body.get("stream_options") or {}
        return Request(str(body["model"]), bool(body.get("stream")), tools, tuple(parts), bool(options.get("include_usage")))

    def reported(self, usage: Usage) -> Usage:
        return Usage(input=_sum(usage.input, usage.cache_write), cache_read=usage.cache_read, output=usage.output)

    def whole(self, answer: Answer, fault: FaultKind | None) -> Mapping[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
        if answer.call:
            message["tool_calls"] = [_call(answer)]
        choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
        usage = {} if fault is FaultKind.NO_USAGE else {"usage": _usage(answer.usage)}
        return {**_head(answer, "chat.completion"), "choices": [choice], **usage}

    def events(self, answer: Answer, request: Request, fault: FaultKind | None) -> Iterator[Event]:
        head = _head(answer, "chat.completion.chunk")

        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield Event(chunk({"role": "assistant", "content": ""}), half=True)
        if answer.text:
            yield Event(chunk({"content": answer.text}))
        if answer.call:
            yield Event(chunk({"tool_calls": [{"index": 0, **_call(answer)}]}))
        yield Event(chunk({}, _finish(answer)))
        if request.wants_usage and fault is not FaultKind.NO_USAGE:
            told = {**head, "choices": [], "usage": _usage(answer.usage)}
            yield Event(told, reported=self.reported(answer.usage))
        if fault is FaultKind.ODD_USAGE:
            # The chunk with the usage has no choices, and is not the last one.
            yield Event(chunk({}))
        yield Event("[DONE]")

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def _head(answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": answer.id, "object": kind, "created": 0, "model": answer.model}


def _call(answer: Answer) -> dict[str, Any]:
    assert answer.call is not None
    arguments = json.dumps(answer.call.arguments)
    return {"id": answer.call.id, "type": "function", "function": {"name": answer.call.name, "arguments": arguments}}


def _finish(answer: Answer) -> str:
    return "tool_calls" if answer.call else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    prompt = (usage.input or 0) + (usage.cache_write or 0) + (usage.cache_read or 0)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + (usage.output or 0),
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
