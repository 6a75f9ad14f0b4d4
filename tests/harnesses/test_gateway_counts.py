"""What is read from the bytes of a provider's answer: four disjoint counts, however they are cut, and never a made-up one."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnesses.base import Ended, Metering, Turn, Wire
from harnesses.gateway.harness import metered_by
from harnesses.gateway.ledger import LEFT_OUT, UNREADABLE, LedgerFile, read_ledger
from harnesses.gateway.reported import UsageReader
from harnesses.gateway.tap import Attempt, Exchange
from sandboxes.usage import UNKNOWN_USAGE, Usage

EVENTS = "text/event-stream; charset=utf-8"
numbers = st.integers(min_value=0, max_value=10**7)
usages = st.builds(Usage, input=numbers, cache_write=numbers, cache_read=numbers, output=st.integers(1, 10**6))


def reader(
    events: Sequence[Mapping[str, Any]], *, kind: str = EVENTS, cuts: Sequence[int] = (), encoding: str = ""
) -> UsageReader:
    text = b"".join(b"event: x\ndata: %s\n\n" % json.dumps(one).encode() for one in events)
    content = text if kind == EVENTS else json.dumps(events[0] if len(events) == 1 else events).encode()
    made = UsageReader(kind, encoding)
    edges = [0, *sorted(cut % (len(content) + 1) for cut in cuts), len(content)]
    for begin, end in zip(edges, edges[1:], strict=False):
        made.feed(content[begin:end])
    made.end()
    return made


def chat(usage: Usage) -> list[Mapping[str, Any]]:
    assert usage.input is not None
    assert usage.cache_read is not None
    assert usage.cache_write is not None
    details = {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write}
    prompt = usage.input + usage.cache_read + usage.cache_write
    told = {"prompt_tokens": prompt, "completion_tokens": usage.output, "prompt_tokens_details": details}
    return [
        {"choices": [{"delta": {"content": '{"usage": {"prompt_tokens": 1}}'}}], "usage": None},
        {"choices": [], "usage": told},
    ]


def responses(usage: Usage) -> list[Mapping[str, Any]]:
    told = chat(usage)[1]["usage"]
    counts = {
        "input_tokens": told["prompt_tokens"],
        "output_tokens": usage.output,
        "input_tokens_details": told["prompt_tokens_details"],
    }
    begun = {"type": "response.created", "response": {"object": "response", "usage": None}}
    return [begun, {"type": "response.completed", "response": {"object": "response", "usage": counts}}]


def anthropic(usage: Usage) -> list[Mapping[str, Any]]:
    counts = {"input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_write}
    counts["cache_read_input_tokens"] = usage.cache_read
    begun = {"type": "message_start", "message": {"type": "message", "usage": {**counts, "output_tokens": 1}}}
    return [begun, {"type": "message_delta", "usage": {"output_tokens": usage.output}}]


@pytest.mark.parametrize("form", [chat, responses, anthropic])
@given(usage=usages, cuts=st.lists(numbers, max_size=5))
def test_a_stream_is_read_however_it_is_cut(form: Any, usage: Usage, cuts: list[int]) -> None:
    read = reader(form(usage), cuts=cuts)
    assert (read.final, read.usage()) == (True, usage)


@pytest.mark.parametrize("form", [chat, responses, anthropic])
@given(usage=usages)
def test_a_stream_that_broke_off_has_not_said_its_last_word(form: Any, usage: Usage) -> None:
    read = reader(form(usage)[:1])
    assert not read.final
    begun = Usage(usage.input, usage.cache_write, usage.cache_read, 1)
    assert read.usage() == (begun if form is anthropic else UNKNOWN_USAGE)


@given(usage=usages)
def test_a_whole_answer_is_read(usage: Usage) -> None:
    counts = anthropic(usage)[0]["message"]["usage"] | {"output_tokens": usage.output}
    whole = [
        responses(usage)[1]["response"],
        {"choices": [], "usage": chat(usage)[1]["usage"]},
        {"type": "message", "usage": counts},
    ]
    for answer in whole:
        read = reader([answer], kind="application/json")
        assert (read.final, read.usage()) == (True, usage)


@pytest.mark.parametrize("kind", [EVENTS, "application/json"])
def test_geminis_thoughts_are_output_and_its_prompt_holds_what_was_cached(kind: str) -> None:
    early = {"usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 1}}
    told = {"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 10, "thoughtsTokenCount": 5}
    assert reader([early, {"usageMetadata": told}], kind=kind).usage() == Usage(input=60, cache_read=40, output=15)


@given(st.binary(max_size=300), st.sampled_from([EVENTS, "application/json", "", "text/html"]))
def test_nothing_is_made_of_bytes_that_say_nothing(content: bytes, kind: str) -> None:
    made = UsageReader(kind, "")
    made.feed(content)
    made.end()
    assert (made.usage(), made.final) == (UNKNOWN_USAGE, False)


@pytest.mark.parametrize(("kind", "encoding"), [("application/vnd.amazon.eventstream", ""), (EVENTS, "br")])
def test_a_format_that_is_not_understood_is_said_to_be_unreadable(kind: str, encoding: str) -> None:
    assert not reader(chat(Usage(1, 2, 3, 4)), kind=kind, encoding=encoding).readable


def attempt(
    events: Sequence[Mapping[str, Any]] | None, *, status: int | None = 200, ended: bool = True, kind: str = EVENTS
) -> Attempt:
    read = reader(events, kind=kind) if events is not None else None
    return Attempt(status=status, reader=read, ended=ended)


def ledger(folder: Path, *exchanges: Exchange | None) -> Wire:
    file = LedgerFile(folder / "a.jsonl")
    for one in exchanges:
        number = file.asked("openai-chat", "x")
        if one is not None:
            file.came(number, 200, one)
    file.close()
    return read_ledger(folder / "a.jsonl")


ONE, MORE = Usage(1, 2, 3, 4), Usage(10, 20, 30, 40)


def test_every_attempt_counts_and_a_refused_one_nothing(tmp_path: Path) -> None:
    twice = Exchange([attempt(chat(ONE)), attempt(None, status=429), attempt(anthropic(MORE))])
    wire = ledger(tmp_path, twice, Exchange([attempt(chat(ONE))]), Exchange([Attempt(unconnected=True)]))
    assert (wire.usage, wire.lower_bound, wire.problems, wire.readable) == (ONE + ONE + MORE, False, (), True)


@pytest.mark.parametrize(
    "last",
    [None, Exchange([Attempt()]), Exchange([attempt(chat(ONE)[:1], ended=False)])],
    ids=["gateway died", "never answered", "broke off"],
)
def test_an_answer_of_which_nobody_told_makes_a_lower_bound(tmp_path: Path, last: Exchange | None) -> None:
    wire = ledger(tmp_path, Exchange([attempt(chat(ONE))]), last)
    assert (wire.usage, wire.lower_bound) == (ONE, True)


def test_of_a_broken_answer_counts_what_was_told(tmp_path: Path) -> None:
    wire = ledger(tmp_path, Exchange([attempt(anthropic(MORE)[:1], ended=False)]))
    assert (wire.usage, wire.lower_bound) == (Usage(10, 20, 30, 1), True)


def test_a_line_that_the_gateways_death_tore_makes_a_lower_bound(tmp_path: Path) -> None:
    ledger(tmp_path, Exchange([attempt(chat(ONE))]))
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write('{"request": 2, "proto')
    wire = read_ledger(tmp_path / "a.jsonl")
    assert (wire.usage, wire.lower_bound) == (ONE, True)


def turn(usage: Usage) -> Turn:
    return Turn(Ended.COMPLETED, "", usage, 1, None, metering=Metering(usage, closing=usage))


def test_where_the_counts_differ_the_providers_counts_and_the_difference_is_told(tmp_path: Path) -> None:
    made = metered_by(turn(MORE), ledger(tmp_path, Exchange([attempt(chat(ONE))])), "deepseek/deepseek-chat")
    assert made.usage == ONE
    assert made.metering
    assert made.metering.wire
    assert made.metering.wire.difference == Usage(9, 18, 27, 36)
    assert made.metering.closing == MORE
    assert made.metering.by_model == {"deepseek/deepseek-chat": ONE}
    said = "the program's own count differs from the gateway's: input +9, cache write +18, cache read +27, output +36"
    assert made.metering.notes == (said,)


def test_where_the_provider_told_nothing_the_programs_made_up_count_does_not_stand(tmp_path: Path) -> None:
    made = metered_by(turn(MORE), ledger(tmp_path, Exchange([attempt([{"choices": []}])])), "x/y")
    assert (made.usage, made.metering and made.metering.notes) == (UNKNOWN_USAGE, (LEFT_OUT,))


def test_where_the_answers_cannot_be_read_the_programs_count_stands(tmp_path: Path) -> None:
    wire = ledger(tmp_path, Exchange([attempt([{}], kind="application/vnd.amazon.eventstream")]))
    made = metered_by(turn(MORE), wire, "bedrock/y")
    assert (made.usage, made.metering and made.metering.notes) == (MORE, (UNREADABLE,))
