"""What any wire format's request and answer come down to."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sandboxes.usage import Usage

BYTES_PER_TOKEN = 4


class Role(StrEnum):
    """Whether the model was given a part of the conversation or put it out itself."""

    HEARD = "heard"
    SAID = "said"


@dataclass(frozen=True)
class Part:
    """One part of a conversation; `call` is the id of the tool call that it makes, empty where it makes none."""

    role: Role
    text: str
    call: str = ""


@dataclass(frozen=True)
class Request:
    """One request of a program.

    Attributes:
        model: the model it asked for.
        stream: whether it wants server-sent events.
        tools: the names of the tools that it offers.
        parts: the conversation so far; the system's instructions are not part of it.
        wants_usage: whether a chat stream is to end with its usage.
    """

    model: str
    stream: bool
    tools: frozenset[str]
    parts: tuple[Part, ...]
    wants_usage: bool = True


@dataclass(frozen=True)
class ToolCall:
    """A call; the `name` of a tool in a namespace is `namespace.name`."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server answers: a text, or one tool call; and what it reports to have cost."""

    id: str
    model: str
    text: str
    call: ToolCall | None
    usage: Usage


def tokens(text: str) -> int:
    """A token for every four bytes, as the replay harness counts."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def conversation_usage(parts: tuple[Part, ...], output: str, uncached: int) -> Usage:
    """What a model with a prompt cache would have charged: what the call before had read is cached, what is new is written.

    Args:
        parts: the conversation that the call reads.
        output: what it puts out.
        uncached: how many of the new tokens are reported as read without the cache.
    """
    last = len(parts)
    while last and parts[last - 1].role is Role.HEARD:
        last -= 1
    while last and parts[last - 1].role is Role.SAID:
        last -= 1
    read = sum(tokens(part.text) for part in parts[:last])
    new = sum(tokens(part.text) for part in parts[last:])
    plain = min(uncached, new)
    return Usage(input=plain, cache_write=new - plain, cache_read=read, output=tokens(output))
