"""Anthropic Messages, as Claude Code speaks it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from harnesses.scripted_model.conversation import Answer, Part, Request, Role
from harnesses.scripted_model.faults import FaultKind
from harnesses.scripted_model.wires import Event, text_of
from sandboxes.usage import Usage


class AnthropicMessages:
    """Input excludes what is read from the cache and what is written to it."""

    name = "anthropic-messages"
    path = "/v1/messages"

    def read(self, body: Mapping[str, Any]) -> Request:
        parts: list[Part] = []
        for message in body["messages"]:
            said = message["role"] == "assistant"
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            for block in blocks:
                call = block["type"] == "tool_use"
                text = json.dumps(block["input"]) if call else text_of(block)
                parts.append(Part(Role.SAID if said else Role.HEARD, text, block["id"] if call else ""))
        tools = frozenset(tool["name"] for tool in body.get("tools", ()))
        return Request(str(body["model"]), bool(body.get("stream")), tools, tuple(parts))

    def reported(self, usage: Usage) -> Usage:
        return usage

    def whole(self, answer: Answer, fault: FaultKind | None) -> Mapping[str, Any]:
        content = [{"type": "text", "text": answer.text}] if answer.text else []
        message = self._message(answer, answer.usage)
        if fault is FaultKind.NO_USAGE:
            del message["usage"]
        return {**message, "content": [*content, *_calls(answer)], "stop_reason": _stop_reason(answer)}

    def events(self, answer: Answer, request: Request, fault: FaultKind | None) -> Iterator[Event]:
        untold = fault is FaultKind.NO_USAGE
        begun = Usage(answer.usage.input, answer.usage.cache_write, answer.usage.cache_read, 1)
        # The odd place: all of the usage comes at the end only.
        first = Usage() if untold or fault is FaultKind.ODD_USAGE else begun
        start = {"type": "message_start", "message": self._message(answer, first)}
        yield Event(start, "message_start", reported=None if untold else first)
        blocks: list[dict[str, Any]] = ([{"type": "text", "text": answer.text}] if answer.text else []) + _calls(answer)
        for index, block in enumerate(blocks):
            yield from _block_events(index, block)
        told = {} if untold else _usage(answer.usage)
        end = {"type": "message_delta", "delta": {"stop_reason": _stop_reason(answer), "stop_sequence": None}, "usage": told}
        yield Event(end, "message_delta", reported=None if untold else answer.usage)
        yield Event({"type": "message_stop"}, "message_stop")

    def error(self, kind: str, message: str) -> Mapping[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": message}}

    def _message(self, answer: Answer, usage: Usage) -> dict[str, Any]:
        return {
            "id": answer.id,
            "type": "message",
            "role": "assistant",
            "model": answer.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(usage),
        }


def _block_events(index: int, block: dict[str, Any]) -> Iterator[Event]:
    if block["type"] == "text":
        begun = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    start = {"type": "content_block_start", "index": index, "content_block": begun}
    yield Event(start, "content_block_start", half=index == 0)
    yield Event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
    yield Event({"type": "content_block_stop", "index": index}, "content_block_stop")


def _calls(answer: Answer) -> list[dict[str, Any]]:
    if answer.call is None:
        return []
    return [{"type": "tool_use", "id": answer.call.id, "name": answer.call.name, "input": answer.call.arguments}]


def _stop_reason(answer: Answer) -> str:
    return "tool_use" if answer.call else "end_turn"


def _usage(usage: Usage) -> dict[str, int | None]:
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
    }
