"""The seam of a wire format: how a program's request is read and how the answer is put."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from harnesses.scripted_model.conversation import Answer, Request
from harnesses.scripted_model.faults import FaultKind
from sandboxes.usage import Usage


@dataclass(frozen=True)
class Event:
    """One server-sent event.

    Attributes:
        data: its payload; a text is sent as it stands.
        name: its event field, where the wire has one.
        reported: what has been reported to the program once this was sent, where it changes.
        half: a stream that is cut or hangs does so after this one.
    """

    data: Mapping[str, Any] | str
    name: str = ""
    reported: Usage | None = None
    half: bool = False


class Wire(Protocol):
    name: str
    path: str

    def read(self, body: Mapping[str, Any]) -> Request:
        """Raises KeyError, TypeError, ValueError or AttributeError for what is no request of this wire."""
        ...

    def reported(self, usage: Usage) -> Usage:
        """What of a usage this wire can tell."""
        ...

    def whole(self, answer: Answer, fault: FaultKind | None) -> Mapping[str, Any]:
        """The answer as one object."""
        ...

    def events(self, answer: Answer, request: Request, fault: FaultKind | None) -> Iterator[Event]:
        """The answer as a stream."""
        ...

    def error(self, kind: str, message: str) -> Mapping[str, Any]: ...


def text_of(content: object) -> str:
    """The text in a message's content: a text itself, or the texts of its blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(block) for block in content)
    if isinstance(content, dict):
        return text_of(content.get("text", content.get("content", "")))
    return ""
