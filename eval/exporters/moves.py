"""A turn's transcript, whichever program wrote it, as moves: what was said, which tools were called, what they gave."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool call; `identity` is empty where the program gives none."""

    identity: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What a tool gave; without `identity` it is the newest call's."""

    identity: str
    content: str


@dataclass(frozen=True)
class Move:
    """Something that happened.

    Attributes:
        source: `system`, `user` or `agent`.
        message: what was said; may be empty where calls or results are all.
    """

    source: str
    message: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


def moves_of(lines: Sequence[Line]) -> tuple[list[Move], int]:
    """The moves of a transcript, and how many of its lines are none of these: counts, notices, of no form that is known."""
    found: list[Move] = []
    others = 0
    for line in lines:
        read = next((list(reader(line)) for reader in _READERS if _fits(reader, line)), [])
        found += read
        others += not read
    return _without_repeated_prompt(found), others


def _without_repeated_prompt(moves: list[Move]) -> list[Move]:
    """The prompt stands first, as the bench gave it; programs say it again."""
    return [move for number, move in enumerate(moves) if number == 0 or move != moves[0]]


def _fits(reader: "Callable[[Line], Iterator[Move]]", line: Line) -> bool:
    return next(reader(line), None) is not None


def _plain(line: Line) -> Iterator[Move]:
    """Lines with a role: the replay harness's, and chat messages as mini-swe-agent keeps them."""
    role = line.get("role")
    text = line.get("text", line.get("content"))
    said = text if isinstance(text, str) else "" if text is None else json.dumps(text)
    if role in ("prompt", "user"):
        yield Move("user", said)
    elif role == "system":
        yield Move("system", said)
    elif role == "tool":
        yield Move("user", results=(Result(str(line.get("tool_call_id", "")), said),))
    elif role == "assistant":
        calls = [_chat_call(one) for one in _list(line.get("tool_calls"))]
        if isinstance(line.get("tool"), str):
            yield Move("agent", calls=(Call("", line["tool"], {"input": said}),))
        else:
            yield Move("agent", said, str(line.get("reasoning_content") or ""), tuple(calls))


def _chat_call(call: Line) -> Call:
    function = call.get("function") or {}
    return Call(str(call.get("id", "")), str(function.get("name", "")), _arguments(function.get("arguments")))


def _claude(line: Line) -> Iterator[Move]:
    """Claude Code's stream: messages of content blocks."""
    message = line.get("message")
    if line.get("type") not in ("assistant", "user") or not isinstance(message, Mapping):
        return
    blocks = message.get("content")
    if isinstance(blocks, str):
        yield Move("agent" if line["type"] == "assistant" else "user", blocks)
        return
    for block in _list(blocks):
        kind = block.get("type")
        if kind == "text":
            yield Move("agent" if line["type"] == "assistant" else "user", str(block.get("text", "")))
        elif kind == "thinking":
            yield Move("agent", reasoning=str(block.get("thinking", "")))
        elif kind == "tool_use":
            call = Call(str(block.get("id", "")), str(block.get("name", "")), _arguments(block.get("input")))
            yield Move("agent", calls=(call,))
        elif kind == "tool_result":
            yield Move("user", results=(Result(str(block.get("tool_use_id", "")), _text(block.get("content"))),))


def _codex(line: Line) -> Iterator[Move]:
    """Codex's events: an item a line, when it is completed."""
    item = line.get("item")
    if line.get("type") != "item.completed" or not isinstance(item, Mapping):
        return
    kind, identity = item.get("type"), str(item.get("id", ""))
    if kind == "agent_message":
        yield Move("agent", str(item.get("text", "")))
    elif kind == "reasoning":
        yield Move("agent", reasoning=str(item.get("text", "")))
    elif isinstance(kind, str):
        output = item.get("aggregated_output", item.get("result"))
        inputs = {key: value for key, value in item.items() if key not in {"id", "type", "aggregated_output", "result"}}
        yield Move("agent", calls=(Call(identity, kind, inputs),))
        yield Move("user", results=(Result(identity, _text(output)),))


def _opencode(line: Line) -> Iterator[Move]:
    """OpenCode's events: a part a line."""
    part = line.get("part")
    if not isinstance(part, Mapping):
        return
    if line.get("type") == "text":
        yield Move("agent", str(part.get("text", "")))
    elif line.get("type") == "reasoning":
        yield Move("agent", reasoning=str(part.get("text", "")))
    elif line.get("type") == "tool_use":
        state = part.get("state") if isinstance(part.get("state"), Mapping) else {}
        identity = str(part.get("callID", ""))
        yield Move("agent", calls=(Call(identity, str(part.get("tool", "")), _arguments(dict(state or {}).get("input"))),))
        yield Move("user", results=(Result(identity, _text(dict(state or {}).get("output", dict(state or {}).get("error")))),))


_READERS = (_plain, _claude, _codex, _opencode)


def _list(value: object) -> list[Line]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _arguments(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {"input": value}
    return value if isinstance(value, Mapping) else {} if value is None else {"input": value}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, Mapping) and isinstance(one.get("text"), str) for one in value):
        return "\n".join(one["text"] for one in value)
    return "" if value is None else json.dumps(value)
