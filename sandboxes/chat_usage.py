"""What providers of chat completions report to have been used, brought to four disjoint counts."""

from collections.abc import Iterable, Mapping
from typing import Any

from sandboxes.usage import UNKNOWN_USAGE, Usage

_READ = ("cache_read_input_tokens", "prompt_cache_hit_tokens")
_WRITTEN = ("cache_creation_input_tokens",)
_READ_DETAIL = ("cached_tokens",)
_WRITTEN_DETAIL = ("cache_write_tokens", "cache_creation_tokens")


def chat_usage(reported: object) -> Usage:
    """The usage object of a chat completion; what it does not say, or says inconsistently, is unknown.

    The prompt's tokens contain those read from the cache and those written to it, as OpenAI counts and as
    LiteLLM translates everybody's; the answer's contain what the model thought.
    """
    if not isinstance(reported, Mapping):
        return UNKNOWN_USAGE
    prompt, output, total = (_count(reported, [name]) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    if not prompt and not output:
        # No request has an empty prompt: these are the zeros of something that fills in what it was not told.
        return UNKNOWN_USAGE
    if prompt is not None and output is not None and total is not None:
        # Some providers leave what the model thought out of the answer's tokens, and count it in the total.
        output = max(output, total - prompt)
    details = reported.get("prompt_tokens_details")
    details = details if isinstance(details, Mapping) else {}
    read = _first_of(_count(details, _READ_DETAIL), _count(reported, _READ))
    written = _first_of(_count(details, _WRITTEN_DETAIL), _count(reported, _WRITTEN))
    if prompt is None or prompt < read + written:
        return Usage(None, None, None, output)
    return Usage(input=prompt - read - written, cache_write=written, cache_read=read, output=output)


def last_of(reported: Iterable[object]) -> object:
    """Of the usages on a stream's chunks, the final one: that with the most output, where several grow."""
    final: object = None
    for one in reported:
        if isinstance(one, Mapping) and one and (final is None or _output(one) >= _output(final)):
            final = one
    return final


def _output(reported: object) -> int:
    return (_count(reported, ["completion_tokens"]) or 0) if isinstance(reported, Mapping) else 0


def _first_of(*counts: int | None) -> int:
    return next((count for count in counts if count), 0)


def _count(reported: Mapping[str, Any], names: Iterable[str]) -> int | None:
    for name in names:
        value = reported.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
