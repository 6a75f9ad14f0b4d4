"""The gateway by itself: whose key opens what, what is passed on to the provider, what comes of failures, what is told first."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from canned_model import Canned, Endpoint, serving

from eval.doctor import examine
from harnesses.gateway.process import Account, Gateway, ModelAddress, open_gateway
from harnesses.gateway.vendors import is_own
from harnesses.registry import ModelWay, open_harness
from sandboxes.errors import SetupError
from sandboxes.usage import UNKNOWN_USAGE, Usage

needs_litellm = pytest.mark.skipif(not find_spec("litellm"), reason="litellm is missing: pip install 'crosstalk-bench[litellm]'")
ROOT = Path(__file__).parents[2]
PROVIDERS_KEY = "sk-provider-77aa20b1c4"
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 40}}
COUNTED = Usage(input=60, cache_read=40, output=10)
QUESTION = {"model": "whatever", "max_tokens": 50, "messages": [{"role": "user", "content": "q"}]}


@contextmanager
def standing(monkeypatch: pytest.MonkeyPatch, *answers: Canned) -> Iterator[tuple[Gateway, Endpoint]]:
    monkeypatch.setenv("OWN_KEY", PROVIDERS_KEY)
    with serving(answers) as endpoint, open_gateway(ModelAddress("canned", endpoint.url, "OWN_KEY")) as gateway:
        yield gateway, endpoint


def ask(
    account: Account, body: Mapping[str, Any], *, path: str = "/v1/messages", key: str | None = None
) -> tuple[int, str, dict[str, str]]:
    """Status, body, and headers of an answer."""
    address = urllib.parse.urlsplit(account.url)
    headers = {"x-api-key": key or account.key, "content-type": "application/json"}
    with closing(http.client.HTTPConnection(address.netloc, timeout=60)) as connection:
        connection.request("POST", address.path + path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}


def services() -> set[int]:
    """The processes of this process's gateways."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            said, status = (path / "cmdline").read_bytes(), (path / "status").read_text()
        except OSError:
            continue
        if b"harnesses.gateway.service" in said and f"PPid:\t{os.getpid()}\n" in status:
            found.add(int(path.name))
    return found


@needs_litellm
def test_a_key_opens_its_own_turn_only_and_only_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    others = services()
    with standing(monkeypatch, Canned("yes", USAGE, how="whole"), Canned("no", USAGE, how="whole")) as (gateway, endpoint):
        a, b, later = gateway.open("a", 1), gateway.open("b", 1), gateway.open("a", 2)
        for key in (b.key, later.key, PROVIDERS_KEY, "none"):
            assert ask(a, QUESTION, key=key)[0] == 401
        assert (ask(a, QUESTION)[0], endpoint.keys) == (200, [f"Bearer {PROVIDERS_KEY}"])
        assert gateway.settle(a).usage == COUNTED
        assert ask(a, QUESTION)[0] == 401
        assert [gateway.settle(one).usage for one in (b, later)] == [Usage(), Usage()]
        assert len(endpoint.requests) == 1
        (process,) = services() - others
        assert PROVIDERS_KEY.encode() not in Path(f"/proc/{process}/cmdline").read_bytes()
    assert services() == others


@needs_litellm
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
def test_only_the_protocols_own_fields_are_passed_on(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """A lane must not have the provider's key sent elsewhere, nor settle how it is counted."""
    with serving([]) as elsewhere, standing(monkeypatch, Canned("yes", USAGE, how="whole")) as (gateway, endpoint):
        account = gateway.open("a", 1)
        theirs: dict[str, Any] = {
            "api_base": elsewhere.url,
            "base_url": elsewhere.url,
            "api_key": "k",
            "custom_llm_provider": "deepseek",
        }
        theirs |= {"mock_response": "made up", "fallbacks": ["x"], "extra_headers": {"authorization": "k"}, "input": "q"}
        theirs["tools"] = [{"type": "web_search_20250305", "name": "web_search"}, {"type": "mcp", "server_url": elsewhere.url}]
        status, said, _ = ask(account, {**QUESTION, **theirs}, path=path)
        assert (status, "yes" in said) == (200, True)
        assert elsewhere.requests == []
        assert endpoint.keys == [f"Bearer {PROVIDERS_KEY}"]
        assert endpoint.requests[0]["model"] == "canned"
        assert "tools" not in endpoint.requests[0]
        assert gateway.settle(account).usage == COUNTED


@needs_litellm
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504, 529])
def test_the_providers_status_comes_out_as_it_went_in(standing_one: tuple[Gateway, str], status: int, path: str) -> None:
    gateway, _ = standing_one
    account = gateway.open(f"fails-{status}", 1)
    got, said, headers = ask(account, {**QUESTION, "input": "q", "max_tokens": status, "max_output_tokens": status}, path=path)
    assert got == status
    assert headers.get("retry-after") == "0"
    assert "no luck" in json.loads(said)["error"]["message"]
    assert PROVIDERS_KEY not in said
    wire = gateway.settle(account)
    assert (wire.usage, wire.lower_bound) == (Usage(), False)


@pytest.fixture(scope="module")
def standing_one() -> Iterator[tuple[Gateway, str]]:
    """A gateway to a provider that answers with the status that it is asked for, and with the key that it was given."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status = body.get("max_tokens") or body["max_completion_tokens"]
            content = json.dumps({"error": {"message": f"no luck with {self.headers['authorization']}"}}).encode()
            self.send_response(status)
            for name, value in (("content-type", "application/json"), ("retry-after", "0"), ("content-length", len(content))):
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OWN_KEY", PROVIDERS_KEY)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        with open_gateway(ModelAddress("canned", url, "OWN_KEY")) as gateway:
            yield gateway, url
    server.shutdown()
    server.server_close()


@needs_litellm
def test_a_provider_that_is_not_there_has_used_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", PROVIDERS_KEY)
    with open_gateway(ModelAddress("canned", "http://127.0.0.1:9/v1", "OWN_KEY")) as gateway:
        account = gateway.open("a", 1)
        assert ask(account, QUESTION)[0] >= 500
        wire = gateway.settle(account)
        assert (wire.usage, wire.lower_bound) == (Usage(), False)


@needs_litellm
@pytest.mark.parametrize("stream", [True, False])
def test_counts_that_were_not_told_are_unknown(monkeypatch: pytest.MonkeyPatch, stream: bool) -> None:
    how = "stream" if stream else "whole"
    with standing(monkeypatch, Canned("yes", USAGE, how=how), Canned("yes", None, how=how)) as (gateway, _):
        account = gateway.open("a", 1)
        assert [ask(account, {**QUESTION, "stream": stream})[0] for _ in range(2)] == [200, 200]
        wire = gateway.settle(account)
        assert (wire.usage, wire.readable, wire.lower_bound) == (UNKNOWN_USAGE, True, False)
        assert wire.problems == ("the provider left out a response's usage",)


@needs_litellm
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
def test_a_stream_that_ends_without_its_last_word_is_broken_off_here_too(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """LiteLLM would close it as if the model had come to its end."""
    with standing(monkeypatch, Canned("half of it", USAGE, how="cut")) as (gateway, _):
        account = gateway.open("a", 1)
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(account, {**QUESTION, "input": "q", "stream": True}, path=path)
        wire = gateway.settle(account)
        assert (wire.usage, wire.lower_bound, wire.problems) == (Usage(), True, ())


@needs_litellm
def test_a_request_whose_program_has_gone_ends_and_makes_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    with standing(monkeypatch, Canned("yes", USAGE, how="whole"), Canned("", how="hang")) as (gateway, endpoint):
        account = gateway.open("a", 1)
        ask(account, QUESTION)
        address = urllib.parse.urlsplit(account.url)
        connection = http.client.HTTPConnection(address.netloc, timeout=60)
        connection.request("POST", f"{address.path}/v1/messages", json.dumps(QUESTION), {"x-api-key": account.key})
        assert endpoint.hung.wait(60)
        connection.close()
        wire = gateway.settle(account)
        assert (wire.usage, wire.lower_bound) == (COUNTED, True)


@needs_litellm
def test_a_gateway_that_died_is_started_again_and_what_it_counted_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [Canned("yes", USAGE, how="whole"), Canned("yes", USAGE, how="whole")]
    others = services()
    with standing(monkeypatch, *answers) as (gateway, _):
        before = gateway.open("a", 1)
        assert ask(before, QUESTION)[0] == 200
        (process,) = services() - others
        os.kill(process, signal.SIGKILL)
        assert gateway.settle(before).usage == COUNTED
        while True:
            after = gateway.open("a", 2)
            try:
                assert ask(after, QUESTION)[0] == 200
            except ConnectionRefusedError:  # its end has not been noticed yet
                time.sleep(0.1)
            else:
                break
        assert gateway.settle(after).usage == COUNTED


@needs_litellm
@pytest.mark.parametrize(
    ("model", "way", "said"),
    [
        ("deepseek/deepseek-chat", None, "set DEEPSEEK_API_KEY"),
        ("nobody-knows-it", None, "knows no provider of 'nobody-knows-it'"),
        ("deepseek/deepseek-chat", ModelWay(None, "EMPTY_KEY"), "EMPTY_KEY holds no key"),
        (None, ModelWay("http://127.0.0.1:9/v1"), "go with --model"),
        ("claude-sonnet-4-5", None, "set one of ANTHROPIC_API_KEY"),
    ],
)
def test_what_is_missing_is_said_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, model: str | None, way: ModelWay | None, said: str
) -> None:
    for name in ("DEEPSEEK_API_KEY", "EMPTY_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SetupError, match=said), open_harness("claude-code", model, way):
        pass


@pytest.mark.parametrize(
    ("harness", "model", "own"),
    [
        ("claude-code", None, True),
        ("claude-code", "claude-opus-4-5", True),
        ("claude-code", "sonnet[1m]", True),
        ("claude-code", "anthropic/claude-opus-4-5", True),
        ("claude-code", "bedrock/anthropic.claude-opus-4-5", False),
        ("claude-code", "deepseek/deepseek-chat", False),
        ("claude-code", "gpt-5", False),
        ("codex", None, True),
        ("codex", "gpt-5-codex", True),
        ("codex", "openai/o3", True),
        ("codex", "claude-opus-4-5", False),
        ("codex", "openrouter/openai/gpt-5", False),
    ],
)
def test_a_program_reaches_its_own_vendors_models_by_itself(
    monkeypatch: pytest.MonkeyPatch, harness: str, model: str | None, own: bool
) -> None:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert is_own(harness, model) is own


def test_an_endpoint_that_the_operator_gave_the_program_takes_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert is_own("claude-code", "some-model")
    assert not is_own("claude-code", "deepseek/deepseek-chat")


@pytest.mark.needs("claude")
def test_with_the_vendors_own_key_no_gateway_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-own-key-0001")
    others = services()
    with open_harness("claude-code", "claude-opus-4-5") as harness:
        assert set(harness.versions()) == {"claude-code", "endpoint"}
        assert services() == others


@pytest.mark.parametrize(
    ("harness", "model", "variable"),
    [
        pytest.param("claude-code", "sonnet", "ANTHROPIC_BASE_URL", marks=pytest.mark.needs("claude")),
        pytest.param("codex", "gpt-5", "OPENAI_BASE_URL", marks=pytest.mark.needs("codex")),
        pytest.param("mini-swe-agent", "openai/gpt-5", "OPENAI_BASE_URL", marks=needs_litellm),
    ],
)
def test_where_requests_go_is_frozen_in_the_run_without_what_may_be_secret(
    monkeypatch: pytest.MonkeyPatch, harness: str, model: str, variable: str
) -> None:
    if harness == "mini-swe-agent" and not find_spec("minisweagent"):
        pytest.skip("mini-swe-agent is missing: pip install 'crosstalk-bench[mini]'")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-own-key-0001")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own-key-0001")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    with open_harness(harness, model) as program:
        assert program.versions()["endpoint"] == "the provider's own"
        monkeypatch.setenv(variable, "https://user:word@models.example:8443/v1/?key=word")
        assert program.versions()["endpoint"] == "https://models.example:8443/v1"


def doctor() -> dict[str, str]:
    """What is found of the ways to a model."""
    return {part.name: part.found for part in examine() if part.name == "LiteLLM" or part.name.startswith("a key")}


@needs_litellm
def test_doctor_says_which_keys_are_set_and_not_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-own-key-0001")
    found = doctor()
    assert found["LiteLLM"][0].isdigit()
    assert (found["a key for claude-code"], found["a key for codex"]) == ("ANTHROPIC_API_KEY is set", "")


def test_without_litellm_what_to_install_is_said_before_anything_runs(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['soundfile'] = sys.modules['litellm'] = None\n"
        "from harnesses.registry import open_harness\n"
        "from sandboxes.errors import SetupError\n"
        "try:\n"
        "    open_harness('codex', 'deepseek/deepseek-chat').__enter__()\n"
        "except SetupError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "pip install 'crosstalk-bench[litellm]'" in done.stdout, done.stderr
