"""What is fuzzed: each parser of what an agent, a model or a foreign data set may have written, and what must hold of it.

A target takes any bytes. It raises where the parser raised what it does not say it may, or took for true what it must not.
"""

import atexit
import contextlib
import json
import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from eval.generation.answer import ABOUT, REQUIREMENT, TESTS, UnreadableProposalError, read_proposal, wanted
from eval.junit import UnreadableReportError, own_lines, parse_report
from eval.verdict import judge
from harnesses.streams.base import Stream
from harnesses.streams.claude_code import ClaudeCodeStream
from harnesses.streams.codex import CodexStream
from harnesses.streams.lines import Lines
from harnesses.streams.opencode import PLUGIN, OpenCodeStream
from instances import edscript
from instances.changes import changes_of, overlap_of
from instances.errors import InstanceError
from instances.importers import patches
from instances.importers.rejects import RejectedError
from instances.load import PAIRS, load
from instances.model import Family
from radio.errors import Refused
from radio.fields import Fields, envelope_from
from radio.replay import message_graph, read_events, summarise
from reconcilers.answer import read_answer
from sandboxes.errors import SetupError

_SECRET = secrets.token_bytes(16)
_SENTINEL = f"test_a.py::test_sentinel_{secrets.token_hex(8)}"
_FENCE = "===="
_PAIR = PAIRS / "contradictory" / "signoff-deputies"


def junit(data: bytes) -> None:
    """No report that was written without the secret counts as the runner's, and none without the sentinel passes."""
    own, _ = own_lines(data, _SECRET)
    assert own == b""
    with contextlib.suppress(UnreadableReportError):
        assert not judge(parse_report(data), 1, ("test_a.py::test_one",), {_SENTINEL}).passed


def patch(data: bytes) -> None:
    """What is read of a patch is within it, whatever its headers claim."""
    with contextlib.suppress(InstanceError):
        changed = changes_of(data)
        assert overlap_of(changed, changed) >= 0
        assert sum(one.lines for one in changed.values()) <= data.count(b"\n") + 1
    with contextlib.suppress(RejectedError):
        for section in patches.sections(data, "it"):
            assert section.paths
            assert not any(path.startswith("/") or ".." in path.split("/") for path in section.paths)


def script(data: bytes) -> None:
    """An edit script makes a patch of a base, or is refused."""
    with contextlib.suppress(InstanceError):
        edscript.to_patch(data, lambda path: b"one\ntwo\nthree\n" if "a" in path else None)


def _stream(data: bytes, stream: Stream) -> None:
    lines = Lines(limit=1 << 16)
    for line in (*lines.feed(data), *lines.end()):
        with contextlib.suppress(ValueError, RecursionError):
            event = json.loads(line)
            if isinstance(event, dict):
                _seen(event, stream)
    usage, metering = stream.usage()
    for one in (usage, metering.responses, metering.abandoned):
        assert all(count is None or (isinstance(count, int) and count >= 0) for count in vars(one).values())
    stream.verdict()
    assert all(isinstance(label, str) for label in stream.labels())


def _seen(event: dict[str, Any], stream: Stream) -> None:
    try:
        list(stream.see(event))
    except ValueError as error:
        raise AssertionError(f"an event is refused: {error}") from error


def claude_code(data: bytes) -> None:
    """Whatever a program puts out, its usage is a number or unknown."""
    _stream(data, ClaudeCodeStream())


def codex(data: bytes) -> None:
    """As `claude_code`."""
    _stream(data, CodexStream(10))


def opencode(data: bytes) -> None:
    """As `claude_code`."""
    _stream(data, OpenCodeStream())


def envelope(data: bytes) -> None:
    """An envelope that is taken can be written and read as JSON; any other is refused with a reason."""
    with contextlib.suppress(ValueError, RecursionError):
        values = json.loads(data)
        if isinstance(values, dict):
            with contextlib.suppress(Refused):
                taken = envelope_from(Fields(values), always=True)
                assert json.loads(json.dumps(taken).encode()) == taken


@cache
def _folder() -> Path:
    """A folder of this process's own for the targets that read files, used again and again: a pair, but for its instance.json."""
    made = Path(tempfile.mkdtemp(prefix="crosstalk-fuzz-")) / _PAIR.name
    atexit.register(shutil.rmtree, made.parent, ignore_errors=True)
    shutil.copytree(_PAIR, made)
    return made


def instance(data: bytes) -> None:
    """An instance's file loads, or one line says what is wrong."""
    (_folder() / "instance.json").write_bytes(data)
    with contextlib.suppress(InstanceError):
        load(_folder())


def radio_log(data: bytes) -> None:
    """A log is summed up and drawn, or refused."""
    path = _folder() / "events.jsonl"
    path.write_bytes(data)
    with contextlib.suppress(SetupError):
        events = list(read_events(path))
        summarise(events)
        message_graph(events)


def reconciler_answer(data: bytes) -> None:
    """A model's answer is read, whatever it is."""
    read_answer(data.decode("utf-8", "replace"), _FENCE)


def proposal(data: bytes) -> None:
    """A proposed pair is whole, or refused."""
    with contextlib.suppress(UnreadableProposalError):
        read_proposal(data.decode("utf-8", "replace"), _FENCE, Family.COMPLEMENTARY)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "junit": junit,
    "patch": patch,
    "script": script,
    "claude-code": claude_code,
    "codex": codex,
    "opencode": opencode,
    "envelope": envelope,
    "instance": instance,
    "radio-log": radio_log,
    "reconciler-answer": reconciler_answer,
    "proposal": proposal,
}


def seeds(name: str) -> list[bytes]:
    """Inputs to start from: true ones, which a fuzzer changes."""
    if name in ("patch", "script"):
        return [path.read_bytes() for path in sorted(PAIRS.glob("*/*/references/*"))[:60]]
    if name == "instance":
        return [(_PAIR / "instance.json").read_bytes()]
    return [text.encode() for text in _SEEDS.get(name, ())]


def _lines(*events: Mapping[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


_TOKENS = {"input_tokens": 5, "output_tokens": 7, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 2}
_CALL = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
_ANSWER = {"id": "m", "model": "x", "content": [_CALL], "stop_reason": None, "usage": _TOKENS}
_RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "ok", "is_error": False}
_CODEX_TOKENS = {"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 3, "reasoning_output_tokens": 1}
_SENT = {"thread": "t1", "id": "m3", "sender": "a", "content": "x", "mentions": ["b"], "size": 9, "expires": {}, "lifetimes": {}}
_AT = {"at": "2026-01-01T00:00:00.000Z", "clock": 1.0}
_SEEDS: Mapping[str, tuple[str, ...]] = {
    "junit": (
        '<testsuites><testsuite><testcase file="test_a.py" name="test_one"/></testsuite></testsuites>',
        '<testsuite><properties><property name="exit" value="1"/></properties><testcase classname="a" name="b">'
        '<failure message="m">t</failure></testcase></testsuite>',
    ),
    "claude-code": (
        _lines(
            {"type": "system", "subtype": "init", "session_id": "s"},
            {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m", "usage": _TOKENS}}},
            {"type": "stream_event", "event": {"type": "message_delta", "delta": {"stop_reason": "end"}, "usage": _TOKENS}},
            {"type": "assistant", "message": _ANSWER, "parent_tool_use_id": None},
            {"type": "user", "message": {"role": "user", "content": [_RESULT]}},
            {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "usage": _TOKENS,
                "modelUsage": {"x": {"inputTokens": 5}},
            },
        ),
    ),
    "codex": (
        _lines(
            {"type": "thread.started", "thread_id": "s"},
            {"type": "item.started", "item": {"id": "i", "type": "command_execution", "command": "ls"}},
            {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "command": "ls", "exit_code": 0}},
            {"type": "error", "message": "exceeded retry limit, last status: 429"},
            {"type": "turn.completed", "usage": _CODEX_TOKENS},
        ),
    ),
    "opencode": (
        _lines(
            {"type": PLUGIN, "event": "loaded"},
            {"type": PLUGIN, "event": "session", "session": "s"},
            {"type": PLUGIN, "event": "request", "id": "r", "state": "asked"},
            {"type": PLUGIN, "event": "request", "id": "r", "state": "answered", "usage": _TOKENS},
            {"type": PLUGIN, "event": "request", "id": "q", "state": "refused", "status": 429},
            {"type": PLUGIN, "event": "tool", "call": "c", "tool": "bash", "status": "completed", "input": {"command": "ls"}},
            {"type": PLUGIN, "event": "step", "id": "f", "tokens": {"input": 3, "output": 2, "cache": {"read": 1, "write": 0}}},
            {"type": PLUGIN, "event": "retry", "reason": "overloaded"},
            {"type": PLUGIN, "event": "error", "name": "APIError", "reason": "x", "status": 500},
            {"type": "text", "part": {"text": "done"}, "sessionID": "s"},
            {"type": PLUGIN, "event": "idle"},
        ),
    ),
    "envelope": (
        '{"kind": "finding", "claim": "x", "affected": ["a"], "evidence": "b,c", "urgency": "high", "confidence": "low"}',
        '{"source_snapshot": "' + "0" * 40 + '", "created_step": "3", "expires_after_step": 7, "response_requested": "yes"}',
    ),
    "radio-log": (
        _lines(
            {"seq": 1, "type": "lane_joined", **_AT, "lane": "a"},
            {"seq": 2, "type": "lane_joined", **_AT, "lane": "b"},
            {"seq": 3, "type": "message_sent", **_AT, **_SENT},
            {"seq": 4, "type": "listening", **_AT, "lane": "b", "step": 1, "via": "wait"},
        ),
    ),
    "reconciler-answer": (
        f"{_FENCE} FILE a.py\nx\n{_FENCE} END\n{_FENCE} HUNK b.py\nold\n{_FENCE} WITH\nnew\n{_FENCE} END\n{_FENCE} DONE\n",
    ),
    "proposal": (
        "".join(
            f"{_FENCE} BEGIN {path}\n{content}\n{_FENCE} END\n"
            for path, content in {
                ABOUT: '{"title": "t", "principal_b": "p", "divergent_side": "a"}',
                REQUIREMENT: "text",
                **{f"{name}/x.py": "x = 1" for name in (*wanted(Family.COMPLEMENTARY), *TESTS)},
            }.items()
        ),
    ),
}
