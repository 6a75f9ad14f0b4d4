"""The scripted model server over its three wire formats: what it answers, what it says it cost, and how it fails."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from re import MULTILINE, compile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnesses.script import Action, Delegate, ScriptStep, Tool, WhenHeard, next_action
from harnesses.scripted_model.conversation import Part, Request, Role, conversation_usage, tokens
from harnesses.scripted_model.faults import FOREVER, Fault, FaultKind, parse_fault
from harnesses.scripted_model.play import LONG_TEXT, LaneScript, answer, shell_command
from harnesses.scripted_model.server import ScriptedModelServer
from sandboxes.errors import SetupError
from sandboxes.usage import UNKNOWN_USAGE, Usage

ROOT = Path(__file__).parents[2]
WIRES = ("messages", "responses", "chat")
PATHS = {"messages": "/v1/messages?beta=true", "responses": "/v1/responses", "chat": "/v1/chat/completions"}
TOOLS = {"messages": "Bash", "responses": "exec_command", "chat": "bash"}


def run(command: str) -> ScriptStep:
    return ScriptStep(Tool.RUN, command)


@pytest.fixture
def server() -> Iterator[ScriptedModelServer]:
    with ScriptedModelServer(uncached=2) as made:
        yield made


@dataclass
class Reply:
    """An answer as a program reads it."""

    text: str = ""
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)


def ask(
    url: str, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, timeout: float = 20
) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=timeout)) as connection:
        connection.request(method, path, body, dict(headers or {}))
        with connection.getresponse() as response:
            return response.status, response.read()


@dataclass
class Client:
    """A small program of its own for each wire format: a conversation, and the sum of what it was told to have cost."""

    server: ScriptedModelServer
    key: str
    wire: str
    stream: bool = True
    tools: bool = True
    said: list[Any] = field(default_factory=list)
    total: Usage = field(default_factory=Usage)

    def hear(self, text: str) -> None:
        self.said.append({"role": "user", "content": text})

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        headers = {"x-api-key": self.key} if self.wire == "messages" else {"authorization": f"Bearer {self.key}"}
        return ask(self.server.url, "POST", path, json.dumps(body).encode(), headers)

    def body(self) -> dict[str, Any]:
        name = TOOLS[self.wire]
        body: dict[str, Any] = {"model": "scripted", "stream": self.stream}
        if self.wire == "messages":
            tools: list[Any] = [{"name": name, "input_schema": {}}, {"name": "Agent", "input_schema": {}}]
        elif self.wire == "responses":
            tools = [{"type": "function", "name": name}, {"type": "web_search"}]
        else:
            # One whose only tool is a shell is taken for mini-swe-agent, which ends by a command.
            tools = [{"type": "function", "function": {"name": one}} for one in (name, "read")]
            body["stream_options"] = {"include_usage": True}
        body["input" if self.wire == "responses" else "messages"] = self.said
        return {**body, "tools": tools} if self.tools else body

    def ask(self) -> Reply:
        status, content = self.post(PATHS[self.wire], self.body())
        assert status == 200, content
        reply = READERS[self.wire, self.stream](content)
        self.total += told(self.wire, reply.usage)
        return reply

    def answer(self, reply: Reply, output: str) -> None:
        """Put the reply and the output of its tool call into the conversation, as the program would."""
        [(identity, name, arguments)] = reply.calls
        text = json.dumps(arguments)
        if self.wire == "messages":
            self.said.append(
                {"role": "assistant", "content": [{"type": "tool_use", "id": identity, "name": name, "input": arguments}]}
            )
            self.said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": identity, "content": output}]})
        elif self.wire == "responses":
            self.said.append({"type": "function_call", "call_id": identity, "name": name, "arguments": text})
            self.said.append({"type": "function_call_output", "call_id": identity, "output": output})
        else:
            calls = [{"id": identity, "type": "function", "function": {"name": name, "arguments": text}}]
            self.said.append({"role": "assistant", "content": None, "tool_calls": calls})
            self.said.append({"role": "tool", "tool_call_id": identity, "content": output})

    def play(self, outputs: Mapping[str, str] | None = None) -> list[str]:
        """Go on until there are no more calls; the commands that were asked for."""
        commands: list[str] = []
        while (reply := self.ask()).calls:
            command = next(iter(reply.calls[0][2].values()))
            commands.append(command)
            self.answer(reply, (outputs or {}).get(command, "ok"))
        return commands


def events(content: bytes) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in content.decode().splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def read_messages(content: bytes) -> Reply:
    message = json.loads(content)
    reply = Reply(usage=message.get("usage", {}))
    for block in message["content"]:
        if block["type"] == "text":
            reply.text += block["text"]
        else:
            reply.calls.append((block["id"], block["name"], block["input"]))
    return reply


def stream_messages(content: bytes) -> Reply:
    reply = Reply()
    blocks: dict[int, Any] = {}
    for event in events(content):
        if event["type"] == "message_start":
            reply.usage = dict(event["message"]["usage"])
        elif event["type"] == "content_block_start":
            blocks[event["index"]] = {**event["content_block"], "parts": ""}
        elif event["type"] == "content_block_delta":
            blocks[event["index"]]["parts"] += event["delta"].get("text", "") + event["delta"].get("partial_json", "")
        elif event["type"] == "message_delta":
            reply.usage.update(event["usage"])
    for block in blocks.values():
        if block["type"] == "text":
            reply.text += block["parts"]
        else:
            reply.calls.append((block["id"], block["name"], json.loads(block["parts"])))
    return reply


def read_responses(content: bytes) -> Reply:
    return of_response(json.loads(content))


def of_response(response: dict[str, Any]) -> Reply:
    reply = Reply(usage=response.get("usage") or {})
    for item in response["output"]:
        if item["type"] == "message":
            reply.text += item["content"][0]["text"]
        else:
            reply.calls.append((item["call_id"], item["name"], json.loads(item["arguments"])))
    return reply


def stream_responses(content: bytes) -> Reply:
    found = events(content)
    assert found[0]["type"] == "response.created"
    assert [event["type"] for event in found[1:-1]] == ["response.output_item.added", "response.output_item.done"]
    return of_response(found[-1]["response"])


def read_chat(content: bytes) -> Reply:
    answer = json.loads(content)
    message = answer["choices"][0]["message"]
    reply = Reply(message["content"] or "", usage=answer.get("usage", {}))
    for call in message.get("tool_calls", ()):
        reply.calls.append((call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])))
    return reply


def stream_chat(content: bytes) -> Reply:
    reply = Reply()
    for chunk in events(content):
        reply.usage = chunk.get("usage") or reply.usage
        for choice in chunk["choices"]:
            reply.text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", ()):
                reply.calls.append((call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])))
    return reply


READERS = {
    ("messages", False): read_messages,
    ("messages", True): stream_messages,
    ("responses", False): read_responses,
    ("responses", True): stream_responses,
    ("chat", False): read_chat,
    ("chat", True): stream_chat,
}


def told(wire: str, usage: Mapping[str, Any]) -> Usage:
    """A provider's own form in disjoint counts, by the providers' public rules."""
    if not usage:
        return UNKNOWN_USAGE
    if wire == "messages":
        written, read = usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]
        return Usage(usage["input_tokens"], written, read, usage["output_tokens"])
    if wire == "responses":
        details = usage["input_tokens_details"]
        written, read = details["cache_write_tokens"], details["cached_tokens"]
        return Usage(usage["input_tokens"] - written - read, written, read, usage["output_tokens"])
    read = usage["prompt_tokens_details"]["cached_tokens"]
    return Usage(usage["prompt_tokens"] - read, 0, read, usage["completion_tokens"])


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("wire", WIRES)
def test_a_script_is_played_a_call_an_answer_and_costs_what_the_ledger_says(
    server: ScriptedModelServer, wire: str, stream: bool
) -> None:
    client = Client(server, server.add_lane("a", [run("echo one"), run("echo two")]), wire, stream)
    client.hear("Please do it.")
    assert client.play() == ["echo one", "echo two"]
    assert client.total == server.ledger.total(client.key)
    assert [entry.complete for entry in server.ledger.entries(client.key)] == [True] * 3
    assert all(client.total.as_record()[name] for name in ("input", "cache_read", "output"))


def test_usage_is_a_token_for_four_bytes_and_what_was_read_before_is_cached(server: ScriptedModelServer) -> None:
    client = Client(server, server.add_lane("a", [run("printf 12345678")]), "messages")
    client.hear("do it")
    client.play({"printf 12345678": "12345678"})
    call = tokens('{"command": "printf 12345678", "description": "A step of the script"}')
    first, second = (entry.usage for entry in server.ledger.entries(client.key))
    assert first == Usage(input=2, cache_write=0, cache_read=0, output=call)
    assert second == Usage(input=2, cache_write=call + 2 - 2, cache_read=2, output=2)


@given(st.lists(st.tuples(st.sampled_from(Role), st.text(max_size=9))), st.integers(0, 50))
def test_every_token_of_a_conversation_is_counted_in_one_class(said: list[tuple[Role, str]], uncached: int) -> None:
    parts = tuple(Part(role, text) for role, text in said)
    usage = conversation_usage(parts, "out", uncached)
    counts = (usage.input, usage.cache_write, usage.cache_read)
    assert sum(number or 0 for number in counts) == sum(tokens(part.text) for part in parts)
    assert all(number is not None and number >= 0 for number in counts)


@pytest.mark.parametrize("wire", WIRES)
def test_the_same_request_gets_the_same_answer(server: ScriptedModelServer, wire: str) -> None:
    client = Client(server, server.add_lane("a", [run("echo one"), run("echo two")]), wire)
    client.hear("Please do it.")
    first = client.ask()
    assert client.ask().calls == first.calls
    client.answer(first, "ok")
    assert client.ask().calls == client.ask().calls != first.calls


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("output", "expected"), [("the peer says hello", ["look", "joint"]), ("nothing", ["look", "own", "more"])]
)
def test_what_is_done_depends_on_what_the_request_really_contains(
    server: ScriptedModelServer, wire: str, output: str, expected: list[str]
) -> None:
    choice = WhenHeard(compile("^the peer says", MULTILINE), (run("joint"),), (run("own"), run("more")))
    client = Client(server, server.add_lane("a", [run("look"), choice]), wire)
    client.hear("Please do it.")
    # What is heard later changes nothing of a choice that was made.
    assert client.play({"look": output, "own": "the peer says hello"}) == expected


def test_what_the_agent_says_itself_was_not_heard(server: ScriptedModelServer) -> None:
    choice = WhenHeard(compile("secret word"), (run("joint"),), (run("own"),))
    client = Client(server, server.add_lane("a", [run("echo the secret word >/dev/null"), choice]), "chat")
    client.hear("Please do it.")
    assert client.play()[1] == "own"


def test_a_subagents_conversation_plays_its_part_of_the_script(server: ScriptedModelServer) -> None:
    script: list[Action] = [Delegate("Look.", (run("inside"),)), Delegate("Look more.", (run("inside too"),)), run("after")]
    key = server.add_lane("both", script)
    main = Client(server, key, "messages")
    main.hear("Please do it.")
    for expected in ("inside", "inside too"):
        reply = main.ask()
        [(_, name, arguments)] = reply.calls
        assert name == "Agent"
        inner = Client(server, key, "messages")
        inner.hear(arguments["prompt"])
        assert inner.play() == [expected]
        main.answer(reply, "Done.")
    assert main.play() == ["after"]


def test_a_program_without_subagents_is_told_that_it_cannot_delegate(server: ScriptedModelServer) -> None:
    client = Client(server, server.add_lane("both", [Delegate("Look.", ())]), "chat")
    client.hear("Please do it.")
    status, content = client.post(PATHS["chat"], client.body())
    assert (status, b"no subagents" in content) == (400, True)


def test_a_program_that_only_runs_the_ending_command_is_ended_by_a_text() -> None:
    """mini-swe-agent never asks again with nothing but that command's output; another program would go on for ever."""
    lane = LaneScript("a", "mark", ())
    heard, parts = Part(Role.HEARD, "Please do it."), [Part(Role.HEARD, "Please do it.")]
    first = answer(lane, Request("m", False, frozenset({"bash"}), tuple(parts)), "1")
    assert first.call
    parts += [Part(Role.SAID, "ends", first.call.id), Part(Role.HEARD, "its output")]
    assert answer(lane, Request("m", False, frozenset({"bash"}), tuple(parts)), "2").call is None
    # What has come in the meantime is a reason to go on, and then to hand in again.
    assert answer(lane, Request("m", False, frozenset({"bash"}), (*parts, heard)), "3").call


def test_a_request_without_tools_is_a_side_models(server: ScriptedModelServer) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")]), "messages", tools=False)
    client.hear("A title, please.")
    reply = client.ask()
    assert (reply.text, reply.calls) == ("Done.", [])
    assert server.ledger.total(client.key) == Usage(input=tokens("A title, please."), output=2)


def test_lanes_are_told_apart_by_their_keys(server: ScriptedModelServer) -> None:
    clients = [Client(server, server.add_lane(name, [run(f"echo {name}")]), "messages") for name in ("a", "b")]
    for client in clients:
        client.hear("Please do it.")
    assert [client.play() for client in clients] == [["echo a"], ["echo b"]]
    assert [server.ledger.total(client.key) for client in clients] == [client.total for client in clients]
    assert [body["stream"] for body in server.requests(clients[0].key)] == [True, True]
    stranger = Client(server, "sk-unknown", "messages")
    assert stranger.post(PATHS["messages"], stranger.body())[0] == 401


STATUSES = {
    FaultKind.RATE_LIMIT: 429,
    FaultKind.OVERLOADED: 529,
    FaultKind.UNAUTHORIZED: 401,
    FaultKind.FORBIDDEN: 403,
    FaultKind.BROKEN: 500,
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("kind", STATUSES)
def test_refusals(server: ScriptedModelServer, wire: str, kind: FaultKind) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")], [Fault(kind, 2)]), wire)
    client.hear("Please do it.")
    client.answer(client.ask(), "ok")
    status, content = client.post(PATHS[wire], client.body())
    assert status == STATUSES[kind]
    assert json.loads(content)["error"]["message"]
    assert client.ask().text == "Done."
    assert client.total == server.ledger.total(client.key)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_is_cut(server: ScriptedModelServer, wire: str) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")], [Fault(FaultKind.CUT)]), wire)
    client.hear("Please do it.")
    with pytest.raises(http.client.IncompleteRead) as cut:
        client.post(PATHS[wire], client.body())
    assert cut.value.partial
    assert not any(entry.complete for entry in server.ledger.entries(client.key))
    assert client.ask().calls


@pytest.mark.parametrize("kind", [FaultKind.HANG_BEFORE, FaultKind.HANG_AFTER])
def test_a_hang_lasts_until_the_server_closes(kind: FaultKind) -> None:
    with ScriptedModelServer() as server:
        client = Client(server, server.add_lane("a", [run("echo one")], [Fault(kind, 1, FOREVER)]), "messages")
        client.hear("Please do it.")
        body = json.dumps(client.body()).encode()
        with pytest.raises(TimeoutError):
            ask(server.url, "POST", PATHS["messages"], body, {"x-api-key": client.key}, timeout=0.3)
        assert len(server.ledger.entries(client.key)) == (kind is FaultKind.HANG_AFTER)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("wire", WIRES)
def test_usage_that_is_left_out_is_unknown_in_the_ledger(server: ScriptedModelServer, wire: str, stream: bool) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")], [Fault(FaultKind.NO_USAGE)]), wire, stream)
    client.hear("Please do it.")
    usage = client.ask().usage
    assert not any(usage.values())
    assert server.ledger.total(client.key) == UNKNOWN_USAGE


def test_usage_on_an_odd_chunk(server: ScriptedModelServer) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")], [Fault(FaultKind.ODD_USAGE)]), "chat")
    client.hear("Please do it.")
    found = events(client.post(PATHS["chat"], client.body())[1])
    assert [bool(chunk.get("usage")) for chunk in found[-2:]] == [True, False]
    assert found[-2]["choices"] == []
    messages = Client(server, server.add_lane("a", [run("echo one")], [Fault(FaultKind.ODD_USAGE)]), "messages")
    messages.hear("Please do it.")
    start, *_, delta, _ = events(messages.post(PATHS["messages"], messages.body())[1])
    assert not any(start["message"]["usage"].values())
    assert told("messages", delta["usage"]) == server.ledger.total(messages.key)


@pytest.mark.parametrize("wire", ["messages", "chat"])
def test_an_oversized_line(server: ScriptedModelServer, wire: str) -> None:
    client = Client(server, server.add_lane("a", [run("echo one")], [Fault(FaultKind.LONG_LINE)]), wire)
    client.hear("Please do it.")
    reply = client.ask()
    assert reply.text == LONG_TEXT
    assert reply.calls
    assert client.total == server.ledger.total(client.key)


def test_what_else_programs_ask(server: ScriptedModelServer) -> None:
    assert ask(server.url, "HEAD", "/") == (200, b"")
    models = json.loads(ask(server.url, "GET", "/v1/models")[1])["data"]
    assert [model["id"] for model in models] == ["scripted", "scripted-small"]
    asked = json.dumps({"messages": [{"role": "user", "content": "12345678"}]}).encode()
    assert json.loads(ask(server.url, "POST", "/v1/messages/count_tokens", asked)[1]) == {"input_tokens": 2}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/none", b"{}", 404),
        (PATHS["chat"], b"{", 400),
        (PATHS["chat"], b"[]", 400),
        (PATHS["chat"], b'{"model": "m"}', 400),
        (PATHS["messages"], b'{"model": "m", "messages": [{"role": "user", "content": [7]}]}', 400),
        (PATHS["responses"], b'{"model": "m", "input": [7]}', 400),
    ],
)
def test_what_is_no_request_is_refused(server: ScriptedModelServer, path: str, body: bytes, status: int) -> None:
    key = server.add_lane("a", [])
    assert ask(server.url, "POST", path, body, {"authorization": f"Bearer {key}"})[0] == status
    assert server.ledger.entries() == ()


@given(
    st.binary(max_size=300), st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
)
def test_a_file_is_written_as_it_is_whatever_its_name(content: bytes, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        step = ScriptStep(Tool.WRITE, f"x/{name}y", content)
        subprocess.run(["sh", "-c", shell_command(step)], cwd=folder, check=True, timeout=30)
        assert Path(folder, "x", f"{name}y").read_bytes() == content


@given(st.lists(st.sampled_from(["plain", "choice"]), max_size=5), st.lists(st.booleans(), max_size=6))
def test_a_script_ends_after_as_many_calls_as_it_has_steps(kinds: list[str], heard: list[bool]) -> None:
    actions = [run("x") if kind == "plain" else WhenHeard(compile("yes"), (run("y"),), ()) for kind in kinds]
    visible = ["yes" if any(heard[: index + 1]) else "no" for index in range(len(heard))]
    made = 0
    while next_action(actions, [*visible[:made], *["no"] * max(0, made - len(visible)), "yes"]) is not None:
        made += 1
    assert made <= len(kinds)


@pytest.mark.parametrize("text", ["428", "429@x", "cut@1x-", "@2"])
def test_an_unknown_failure_is_named(text: str) -> None:
    with pytest.raises(SetupError, match="KIND@REQUEST"):
        parse_fault(text)


def test_failures_as_the_command_line_gives_them() -> None:
    assert parse_fault("429") == Fault(FaultKind.RATE_LIMIT)
    assert parse_fault("cut@3") == Fault(FaultKind.CUT, 3)
    assert parse_fault("hang-before@2x*") == Fault(FaultKind.HANG_BEFORE, 2, FOREVER)


def test_the_server_by_itself(tmp_path: Path) -> None:
    (tmp_path / "replay").mkdir()
    (tmp_path / "references").mkdir()
    script = {"schema_version": 1, "turns": [{"steps": [{"run": "echo one"}]}]}
    (tmp_path / "replay" / "a.json").write_text(json.dumps(script))
    (tmp_path / "references" / "b.patch").write_bytes(b"a patch")
    program = "from harnesses.commands import app; app(prog_name='x')"
    argv = [sys.executable, "-c", program, str(tmp_path), "--lane", "a", "--lane", "b", "--fail", "429@1"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment, text=True) as child:
        assert child.stdout
        lines = [child.stdout.readline() for _ in range(2)]
        assert [line.split()[-1] for line in lines] == ["replay/a.json", "references/b"]
        url, key = lines[0].split()[2], lines[0].split()[5]
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "Bash"}]}
        statuses = [ask(url, "POST", "/v1/messages", json.dumps(body).encode(), {"x-api-key": key})[0] for _ in range(2)]
        child.send_signal(signal.SIGTERM)
        rest = [json.loads(line) for line in child.stdout]
    assert statuses == [429, 200]
    assert child.returncode == 0
    assert [(line["lane"], line["responses"]) for line in rest] == [("a", 1), ("b", 0)]
    assert rest[0]["usage"]["output"] > 0
