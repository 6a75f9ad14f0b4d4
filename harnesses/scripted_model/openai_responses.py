"""OpenAI Responses, as Codex speaks it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harnesses.scripted_model.conversation import Answer, Part, Request, Role
from harnesses.scripted_model.faults import FaultKind
from harnesses.scripted_model.wires import Event, text_of
from sandboxes.usage import Usage


class OpenAIResponses:
    """Input includes what was read from the cache and what was written to it."""

    name = "openai-responses"
    path = "/v1/responses"

    def read(self, body: Mapping[str, Any]) -> Request:
        given = body["input"]
        items = [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else given
        parts: list[Part] = []
        for item in items:
            kind = item.get("type", "message")
            if kind == "message" and item["role"] != "system":
                # A developer's message may carry what a hook brought, so it counts as heard.
                parts.append(Part(Role.SAID if item["role"] == "assistant" else Role.HEARD, text_of(item["content"])))
            elif kind == "function_call":
                parts.append(Part(Role.SAID, item["arguments"], item["call_id"]))
            elif kind == "function_call_output":
                parts.append(Part(Role.HEARD, text_of(item["output"])))
        return Request(str(body["model"]), bool(body.get("stream")), frozenset(_tools(body)), tuple(parts))

    def reported(self, usage: Usage) -> Usage:
        return usage

    def whole(self, answer: Answer, fault: FaultKind | None) -> Mapping[str, Any]:
        done = _response(answer, "completed", _items(answer))
        return done if fault is FaultKind.NO_USAGE else {**done, "usage": _usage(answer.usage)}

    def events(self, answer: Answer, request: Request, fault: FaultKind | None) -> Iterator[Event]:
        yield _event({"type": "response.created", "response": _response(answer, "in_progress", [])})
        items = _items(answer)
        for index, item in enumerate(items):
            begun = {**item, "status": "in_progress"}
            added = {"type": "response.output_item.added", "output_index": index, "item": begun}
            yield _event(added, half=index == 0)
            yield _event({"type": "response.output_item.done", "output_index": index, "item": item})
        completed = {"type": "response.completed", "response": self.whole(answer, fault)}
        yield _event(completed, reported=None if fault is FaultKind.NO_USAGE else answer.usage)

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def _tools(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        name = str(tool.get("name", tool.get("type")))
        if tool.get("type") == "namespace":
            yield from (f"{name}.{one['name']}" for one in tool["tools"])
        else:
            yield name


def _event(data: Mapping[str, Any], reported: Usage | None = None, half: bool = False) -> Event:
    return Event(data, str(data["type"]), reported, half)


def _response(answer: Answer, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": answer.id,
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": answer.model,
        "output": output,
        "usage": None,
    }


def _items(answer: Answer) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        items.append(
            {"id": f"{answer.id}_text", "type": "message", "role": "assistant", "status": "completed", "content": content}
        )
    if answer.call:
        namespace, _, name = answer.call.name.rpartition(".")
        items.append(
            {
                "id": f"{answer.id}_call",
                "type": "function_call",
                "status": "completed",
                "call_id": answer.call.id,
                "name": name,
                **({"namespace": namespace} if namespace else {}),
                "arguments": json.dumps(answer.call.arguments),
            }
        )
    return items


def _usage(usage: Usage) -> dict[str, Any]:
    given = (usage.input or 0) + (usage.cache_write or 0) + (usage.cache_read or 0)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + (usage.output or 0),
    }
