"""A transport gives one answer, counts what was charged on the way to it, and never takes silence for nothing."""

import sys
import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import pytest
from canned_model import KEY, Canned, serving
from hypothesis import given, settings
from hypothesis import strategies as st

from reconcilers.http_transport import HttpTransport
from reconcilers.registry import reconciler_named, transport_for
from reconcilers.transport import Finish, Message, PromptTooLongError, Retries, Role, Transport, TransportError
from sandboxes.chat_usage import chat_usage
from sandboxes.errors import SetupError
from sandboxes.stopping import StoppedError, no_programs
from sandboxes.usage import UNKNOWN_USAGE, Usage

ASKED = [Message(Role.SYSTEM, "be brief"), Message(Role.USER, "q \U0001f600")]
NO_WAIT = Retries(2, 0.0)
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 40}}
COUNTED = Usage(input=60, cache_read=40, output=10)


def over_http(url: str, **more: Any) -> Transport:
    return HttpTransport(url, "x/none", KEY, retries=NO_WAIT, **more)


def over_litellm(url: str, **more: Any) -> Transport:
    if find_spec("litellm") is None:
        pytest.skip("litellm is missing: pip install 'crosstalk-bench[litellm]'")
    from reconcilers.litellm_transport import LitellmTransport

    return LitellmTransport("openai/x/none", url=url, key=KEY, retries=NO_WAIT, **more)


Make = Callable[..., Transport]
# What LiteLLM brings along warns on import, of what is none of ours.
both = pytest.mark.parametrize(
    "make",
    [over_http, pytest.param(over_litellm, marks=pytest.mark.filterwarnings("ignore"))],
    ids=["http", "litellm"],
)


@both
def test_an_answer_comes_with_its_usage_whatever_the_models_name(make: Make) -> None:
    with serving([Canned("yes", USAGE, how="whole")]) as endpoint:
        completion = make(endpoint.url, parameters={"temperature": 0.5}).complete(ASKED)
    assert (completion.text, completion.usage, completion.finish) == ("yes", COUNTED, Finish.STOP)
    request = endpoint.requests[0]
    assert request["model"] == "x/none"
    assert request["temperature"] == 0.5
    assert [one["content"] for one in request["messages"]] == [one.text for one in ASKED]
    assert endpoint.keys == [f"Bearer {KEY}"]


@both
def test_missing_usage_is_unknown(make: Make) -> None:
    with serving([Canned("yes", None, how="whole")]) as endpoint:
        assert make(endpoint.url).complete(ASKED).usage == UNKNOWN_USAGE


@both
def test_a_limit_that_was_reached_is_told(make: Make) -> None:
    with serving([Canned("ye", finish="length", how="whole")]) as endpoint:
        assert make(endpoint.url).complete(ASKED).finish is Finish.LENGTH


@both
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_request_is_sent_again_only_so_often_in_one_layer(make: Make, status: int) -> None:
    with serving([Canned("slow", status=status)] * 2 + [Canned("yes", USAGE, how="whole")]) as endpoint:
        assert make(endpoint.url).complete(ASKED).usage == COUNTED
        assert len(endpoint.requests) == 3
    with serving([Canned("slow", status=status)], again=True) as endpoint:
        with pytest.raises(TransportError, match="slow") as raised:
            make(endpoint.url).complete(ASKED)
        assert len(endpoint.requests) == 3
    assert raised.value.status == status
    assert raised.value.usage == Usage()


@both
@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (401, "bad key " + KEY, TransportError),
        (403, "no", TransportError),
        (404, "no such model", SetupError),
        (400, "prompt is too long: maximum context length is 9", PromptTooLongError),
    ],
)
def test_what_will_not_change_is_not_asked_again(make: Make, status: int, text: str, kind: type[Exception]) -> None:
    with serving([Canned(text, status=status)], again=True) as endpoint:
        with pytest.raises(kind) as raised:
            make(endpoint.url).complete(ASKED)
        assert len(endpoint.requests) == 1
    assert KEY not in str(raised.value)


@both
def test_nobody_there_is_an_error_of_the_machine(make: Make) -> None:
    with serving([]) as endpoint:
        pass
    with pytest.raises(TransportError):
        make(endpoint.url).complete(ASKED)


@both
def test_a_deadline_holds(make: Make) -> None:
    hung = serving([Canned("", how="hang")], again=True)
    with hung as endpoint, pytest.raises(TransportError, match="within 0.3 s|timed out") as raised:
        make(endpoint.url, timeout=0.3).complete(ASKED)
    assert raised.value.usage == UNKNOWN_USAGE


@both
def test_an_interrupt_ends_the_wait(make: Make) -> None:
    with serving([Canned("", how="hang")]) as endpoint:
        ended = threading.Event()
        transport = make(endpoint.url)

        def interrupt() -> None:
            endpoint.hung.wait()
            with no_programs():
                ended.wait()

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with pytest.raises(StoppedError):
                transport.complete(ASKED)
        finally:
            ended.set()
            thread.join()


# --- streams


@pytest.mark.parametrize("how", ["stream", "odd", "growing", "whole"])
def test_usage_is_taken_from_wherever_it_comes(how: str) -> None:
    with serving([Canned("yes \u00e9", USAGE, how=how)]) as endpoint:
        completion = over_http(endpoint.url).complete(ASKED)
    assert (completion.text, completion.usage, completion.finish) == ("yes \u00e9", COUNTED, Finish.STOP)
    assert endpoint.requests[0]["stream_options"] == {"include_usage": True}


def test_a_stream_without_usage_or_reason_is_unknown() -> None:
    with serving([Canned("yes", None, finish=None)]) as endpoint:
        completion = over_http(endpoint.url).complete(ASKED)
    assert (completion.text, completion.usage, completion.finish) == ("yes", UNKNOWN_USAGE, Finish.UNKNOWN)


def test_what_a_stream_cost_that_broke_off_is_unknown_even_after_a_good_one() -> None:
    with serving([Canned("yes", USAGE, how="cut"), Canned("yes", USAGE)]) as endpoint:
        completion = over_http(endpoint.url).complete(ASKED)
        assert len(endpoint.requests) == 2
    assert (completion.text, completion.usage) == ("yes", UNKNOWN_USAGE)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"choices": [1]}', b'{"choices": 1}', b'{"error": {"message": "overloaded"}}']
)
def test_what_is_no_answer_is_an_error(body: bytes) -> None:
    with serving([Canned(body.decode(), how="raw")], again=True) as endpoint, pytest.raises(TransportError, match="broke off"):
        over_http(endpoint.url).complete(ASKED)


def test_a_field_can_be_left_out_for_an_endpoint_that_refuses_it() -> None:
    with serving([Canned("yes", how="whole")]) as endpoint:
        over_http(endpoint.url, parameters={"stream_options": None, "stream": False}).complete(ASKED)
    assert "stream_options" not in endpoint.requests[0]
    assert endpoint.requests[0]["stream"] is False


@pytest.mark.parametrize("url", ["", "127.0.0.1:80", "ftp://x/v1", "http:///v1"])
def test_what_is_no_address_is_a_mistake(url: str) -> None:
    with pytest.raises(SetupError, match="no address"):
        HttpTransport(url, "m")


def test_a_key_that_cannot_be_one_is_a_mistake_and_is_not_shown() -> None:
    with pytest.raises(SetupError) as raised:
        HttpTransport("http://127.0.0.1/v1", "m", "sk-secret\nx")
    assert "sk-secret" not in str(raised.value)


# --- usage


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        # As LiteLLM puts Anthropic's: the prompt contains what was read and written.
        (
            {
                "prompt_tokens": 98805,
                "completion_tokens": 5120,
                "total_tokens": 103925,
                "prompt_tokens_details": {"cached_tokens": 66360, "cache_write_tokens": 32435, "cache_creation_tokens": 32435},
                "cache_creation_input_tokens": 32435,
                "cache_read_input_tokens": 66360,
            },
            Usage(10, 32435, 66360, 5120),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 6, "prompt_cache_miss_tokens": 3},
            Usage(3, 0, 6, 1),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(9, 0, 0, 1)),
        # What was thought is in the total only.
        ({"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 40}, Usage(9, 0, 0, 31)),
        # What contradicts itself is not known.
        (
            {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 10}},
            Usage(None, None, None, 1),
        ),
        ({"prompt_tokens": 9}, Usage(9, 0, 0, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, UNKNOWN_USAGE),
        ({"prompt_tokens": "9", "completion_tokens": True}, UNKNOWN_USAGE),
        ({}, UNKNOWN_USAGE),
        (None, UNKNOWN_USAGE),
    ],
)
def test_every_providers_usage_comes_to_four_disjoint_counts(reported: object, usage: Usage) -> None:
    assert chat_usage(reported) == usage


def test_the_paper_weights_hold_for_a_cached_prompt() -> None:
    details = {"cached_tokens": 66360, "cache_creation_tokens": 32435}
    reported = {"prompt_tokens": 98805, "completion_tokens": 5120, "prompt_tokens_details": details}
    assert chat_usage(reported).effective_tokens == 64681


NUMBERS = st.one_of(st.none(), st.integers(-5, 50), st.booleans(), st.text(max_size=2))
NAMES = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "cached_tokens",
    "cache_read_input_tokens",
    "cache_creation_tokens",
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), NUMBERS), st.dictionaries(st.sampled_from(NAMES), NUMBERS))
def test_no_count_is_negative_and_the_prompt_is_counted_once(reported: Mapping[str, Any], details: Mapping[str, Any]) -> None:
    usage = chat_usage({**reported, "prompt_tokens_details": details})
    parts = (usage.input, usage.cache_write, usage.cache_read)
    assert all(part is None or part >= 0 for part in (*parts, usage.output))
    if None not in parts:
        assert sum(part or 0 for part in parts) == reported["prompt_tokens"]


# --- by name


def test_the_way_to_a_model_is_chosen_by_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", f" {KEY}\n")
    with serving([Canned("yes")]) as endpoint:
        transport_for("m", url=endpoint.url, key_variable="SHOP_KEY").complete(ASKED)
        assert endpoint.keys == [f"Bearer {KEY}"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-this-address")
    with serving([Canned("yes")]) as endpoint:
        transport_for("m", url=endpoint.url).complete(ASKED)
        assert endpoint.keys == [None]
    with pytest.raises(SetupError, match="OTHER_KEY holds no key"):
        transport_for("m", url="http://127.0.0.1/v1", key_variable="OTHER_KEY")


def test_without_litellm_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(SetupError, match=r"crosstalk-bench\[litellm\]"):
        transport_for("deepseek/deepseek-chat")


def test_the_model_reconciler_needs_a_model() -> None:
    with pytest.raises(SetupError, match="which model"):
        reconciler_named("model")
    with pytest.raises(SetupError, match="concat, git-merge, model"):
        reconciler_named("magic")
    assert reconciler_named("model", HttpTransport("http://127.0.0.1/v1", "m")).name == "model"
