"""What a provider says to have been used, read from the very bytes that it answers, before LiteLLM has touched them.

LiteLLM makes up the counts of an answer that has none; here such an answer's usage is unknown.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sandboxes.chat_usage import chat_usage, last_of
from sandboxes.usage import UNKNOWN_USAGE, Usage

_ANTHROPIC = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_BEGINNINGS = frozenset({"message_start", "response.created"})
_ENDS = frozenset({"message_stop", "response.completed", "response.incomplete", "response.failed", "error"})


class UsageReader:
    """Reads one answer, in whichever of the providers' formats it comes.

    Attributes:
        readable: its format is one that is understood.
    """

    def __init__(self, content_type: str, encoding: str) -> None:
        """Read an answer that has these headers."""
        kind = content_type.partition(";")[0].strip().lower()
        self._by_lines = kind in ("text/event-stream", "application/x-ndjson", "application/jsonl")
        self.readable = encoding in ("", "identity") and (self._by_lines or kind.endswith("json"))
        self._rest = bytearray()
        self._chat: list[object] = []
        self._anthropic: dict[str, int] = {}
        self._last_responses: Mapping[str, Any] = {}
        self._last_gemini: Mapping[str, Any] = {}
        self._anthropic_ended = False
        self._begun = self._finished = False

    def feed(self, piece: bytes) -> None:
        """Take a piece of the answer."""
        if not self.readable:
            return
        self._rest += piece
        if self._by_lines:
            *lines, rest = self._rest.split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                self._see(line)

    def end(self) -> None:
        """The answer has come to its end."""
        if self.readable:
            self._see(self._rest)
        self._rest = bytearray()

    @property
    def unfinished(self) -> bool:
        """Whether a stream has ended without the word that its format has for the end: some break off without an error."""
        return self._by_lines and self._begun and not self._finished

    @property
    def final(self) -> bool:
        """Whether the last word on the usage has been said."""
        return bool(self._chat or self._last_responses or self._last_gemini or self._anthropic_ended)

    def usage(self) -> Usage:
        """What has been told so far; what was not told, or inconsistently, is unknown."""
        if self._chat:
            return chat_usage(last_of(self._chat))
        if self._last_responses:
            return chat_usage(_as_chat(self._last_responses))
        if self._last_gemini:
            return chat_usage(_gemini_as_chat(self._last_gemini))
        if any(self._anthropic.values()):
            return Usage(*(self._anthropic.get(name, 0) for name in _ANTHROPIC))
        return UNKNOWN_USAGE

    def _see(self, line: bytes | bytearray) -> None:
        content = line.strip().removeprefix(b"data:")
        if not content.lstrip().startswith((b"{", b"[")):
            return
        try:
            told = json.loads(content)
        except ValueError:
            return
        for one in told if isinstance(told, list) else [told]:
            if isinstance(one, Mapping):
                self._event(one)

    def _event(self, event: Mapping[str, Any]) -> None:
        choices = event.get("choices") or event.get("candidates")
        kind = str(event.get("type"))
        self._begun |= bool(choices) or kind in _BEGINNINGS
        self._finished |= kind in _ENDS or "error" in event or any(map(_has_reason, choices or ()))
        if isinstance(gemini := event.get("usageMetadata"), Mapping):
            self._last_gemini = gemini
        for holder in (event, event.get("message"), event.get("response"), event.get("x_groq")):
            usage = holder.get("usage") if isinstance(holder, Mapping) else None
            if not isinstance(usage, Mapping):
                continue
            if "prompt_tokens" in usage or "completion_tokens" in usage:
                self._chat.append(usage)
            elif _is_of_responses(holder):
                self._last_responses = usage
            elif "input_tokens" in usage or "output_tokens" in usage:
                self._anthropic_usage(usage)
                self._anthropic_ended |= event.get("type") != "message_start"

    def _anthropic_usage(self, usage: Mapping[str, Any]) -> None:
        for name in _ANTHROPIC:
            value = usage.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                self._anthropic[name] = max(value, self._anthropic.get(name, 0))


def _has_reason(choice: object) -> bool:
    return isinstance(choice, Mapping) and any(choice.get(name) for name in ("finish_reason", "finishReason"))


def _is_of_responses(holder: object) -> bool:
    return isinstance(holder, Mapping) and holder.get("object") == "response"


def _as_chat(usage: Mapping[str, Any]) -> dict[str, Any]:
    """The usage of OpenAI's Responses, in which the input too contains what came from the cache, in the words of chat."""
    words = {
        "prompt_tokens": "input_tokens",
        "completion_tokens": "output_tokens",
        "prompt_tokens_details": "input_tokens_details",
    }
    return {ours: usage.get(theirs) for ours, theirs in words.items()}


def _gemini_as_chat(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Gemini's: the prompt contains what came from the cache; thoughts and tools' prompts stand beside."""
    return {
        "prompt_tokens": _sum(usage, ("promptTokenCount", "toolUsePromptTokenCount")),
        "completion_tokens": _sum(usage, ("candidatesTokenCount", "thoughtsTokenCount")),
        "prompt_tokens_details": {"cached_tokens": usage.get("cachedContentTokenCount")},
    }


def _sum(usage: Mapping[str, Any], names: Iterable[str]) -> int | None:
    told = [value for name in names if isinstance(value := usage.get(name), int)]
    return sum(told) if told else None
