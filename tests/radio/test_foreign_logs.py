"""Logs that no hub wrote: said in one line by replay and monitor, or shown; never half-read, never a traceback."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from radio.cli import app
from radio.events import EventType, check, decode
from radio.hub_process import HubProcess
from radio.policy import Policy
from sandboxes.errors import BenchError, SetupError

COMMANDS = [["replay"], ["replay", "--json"], ["monitor", "--once"]]
COMMON = {"at": "2026-01-01T00:00:00.000Z", "clock": 1.5}
COVER = {"kind": "finding", "trace_id": "m4", "response_requested": True}
SHOWN = {"lane": "b", "messages": ["m4"], "seconds": [0.1], "via": "step", "step": 2, "bytes": 90, "signals": 0}
WHOLE: list[dict[str, Any]] = [
    {"type": "lane_joined", "lane": "a"},
    {"type": "lane_joined", "lane": "b"},
    {"type": "thread_created", "thread": "t3", "id": "t3", "name": "plan", "owner": "a", "participants": ["a", "b"]},
    {"type": "message_sent", "thread": "t3", "id": "m4", "sender": "a", "content": "x", "mentions": ["b"], "envelope": COVER},
    {"type": "step_ended", "lane": "b", "step": 1},
    {"type": "shown", **SHOWN, "snapshot_bytes": 0},
    {"type": "responded", "lane": "b", "message": "m4", "verdict": "accepted", "reason": "so", "paths": ["x.py"]},
    {"type": "verified", "lane": "b", "message": "m4", "holds": True, "unchanged": []},
    {"type": "sync_posted", "lane": "a", "id": "m9", "point": "done", "content": "y", "mentions": ["b"]},
    {"type": "synced", **SHOWN, "messages": ["m9"]},
    {"type": "noticed", "lane": "b", "lease": "l", "start": 0, "cursor": 1},
    {"type": "message_sent", "thread": "t3", "id": "m12", "sender": "a", "content": "z", "mentions": ["b"], "envelope": None},
    {"type": "expired", "lane": "b", "messages": ["m12"], "seqs": [12], "reason": "too old"},
    {"type": "refused", "lane": "b", "operation": "inbox", "reason": "rate", "count": 3, "text": "wait"},
    {"type": "listening", "lane": "b", "via": "inbox", "step": 3},
    {"type": "leased", "lane": "b", "lease": "l", "messages": ["m4"], "key": "k"},
    {"type": "finished", "lane": "b", "reason": "completed"},
]


def log_of(tmp_path: Path, events: list[dict[str, Any]]) -> Path:
    log = tmp_path / "events.jsonl"
    log.write_text("".join(json.dumps({"seq": number, **COMMON, **event}) + "\n" for number, event in enumerate(events, 1)))
    return log


def test_the_whole_log_is_read(tmp_path: Path) -> None:
    for command in COMMANDS:
        done = CliRunner().invoke(app, [*command, str(log_of(tmp_path, WHOLE))], catch_exceptions=False)
        assert done.exit_code == 0


def variations(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The event with each field, and each of an inner object's, left out and of every other kind."""
    for field in {*whole, *COMMON, "seq", "thread", "step", "lane"}:
        yield {name: value for name, value in whole.items() if name != field}
        for value in (None, True, 5, 0.5, "x", "", ["x"], [5], [], {"x": 1}, {}):
            yield {**whole, field: value}
        if isinstance(whole.get(field), dict):
            yield from ({**whole, field: inner} for inner in variations(whole[field]))


@pytest.mark.parametrize("number", range(len(WHOLE)), ids=lambda number: WHOLE[number]["type"])
def test_a_field_that_is_missing_or_of_another_kind_is_said_or_does_no_harm(tmp_path: Path, number: int) -> None:
    refused = 0
    for event in variations(WHOLE[number]):
        log = log_of(tmp_path, [*WHOLE[:number], event, *WHOLE[number + 1 :]])
        for command in COMMANDS:
            done = CliRunner().invoke(app, [*command, str(log)])
            if done.exception is not None:
                assert isinstance(done.exception, SetupError), (event, done.exception)
                # Where it is not wrong by itself, what comes after it is by it.
                assert int(str(done.exception).split(", line ")[1].split(":")[0]) >= number + 1
                assert "\n" not in str(done.exception)
                assert done.output == ""
                refused += 1
    assert refused > 20


def doubled(number: int) -> list[dict[str, Any]]:
    return [*WHOLE[: number + 1], WHOLE[number], *WHOLE[number + 1 :]]


IMPOSSIBLE = {
    "a message sent twice": (doubled(3), "line 5: message m4 was sent before"),
    "a message shown twice": (doubled(5), "line 7: message m4 does not wait for lane b"),
    "a post sent twice": (doubled(8), "line 10: message m9 was sent before"),
    "a post shown twice": (doubled(9), "line 11: message m9 does not wait for lane b"),
    "a message expired twice": (doubled(12), "line 14: message m12 does not wait for lane b"),
    "a message twice in one delivery": (
        [*WHOLE[:5], {**WHOLE[5], "messages": ["m4", "m4"], "seconds": [0.1, 0.1]}, *WHOLE[6:]],
        "line 6: message m4 does not wait for lane b",
    ),
    "a message shown that was not sent": ([*WHOLE[:3], *WHOLE[4:]], "line 5: message m4 does not wait for lane b"),
    "a message shown to another": ([*WHOLE[:5], {**WHOLE[5], "lane": "a"}], "line 6: message m4 does not wait for lane a"),
    "refusals below none": ([*WHOLE[:13], {**WHOLE[13], "count": -3}], "line 14: an event of type refused has no count"),
    "a notice backwards": ([*WHOLE[:10], {**WHOLE[10], "start": 2}], "line 11: an event of type noticed has a cursor before"),
    "more expired than named": ([*WHOLE[:12], {**WHOLE[12], "seqs": [12, 13]}], "line 13: an event of type expired has other"),
    "seen before it was sent": ([*WHOLE[:5], {**WHOLE[5], "seconds": [-1]}], "line 6: an event of type shown has no seconds"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_what_no_hub_counts_is_not_counted(tmp_path: Path, what: str) -> None:
    events, said = IMPOSSIBLE[what]
    for command in COMMANDS:
        done = CliRunner().invoke(app, [*command, str(log_of(tmp_path, events))])
        assert isinstance(done.exception, SetupError)
        assert said in str(done.exception)
        assert done.output == ""


@pytest.mark.parametrize("gone", range(len(WHOLE) - 1))
def test_a_log_with_a_line_missing_is_not_counted(tmp_path: Path, gone: int) -> None:
    log = log_of(tmp_path, WHOLE)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
    for command in COMMANDS:
        done = CliRunner().invoke(app, [*command, str(log)])
        assert f"line {gone + 1}: event {gone + 2} comes after event {gone}" in str(done.exception)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=60))
@example(b"garbage")
@example(b"")
@example(b"\n")
@example(b"[" * 100_000 + b"\n")
@example(b'{"seq":1,"type":"shown","at":"x","clock":0,"lane":"a"}\n')
@example(b'{"seq":1,"type":"lane_joined","at":"x","clock":0}\n')
@example(b'{"seq":1,"type":"message_sent","at":"x","clock":0,"id":"m1","sender":"a","content":"x","mentions":null}\n')
def test_garbage_is_said_in_one_line(tmp_path: Path, content: bytes) -> None:
    log = tmp_path / "events.jsonl"
    log.write_bytes(content)
    for command in COMMANDS:
        done = CliRunner().invoke(app, [*command, str(log)])
        assert isinstance(done.exception, SetupError), done.exception
        assert "\n" not in str(done.exception)
        assert done.output == ""


@pytest.mark.parametrize("field", ["at", "lane", "via"])
def test_no_log_steers_a_terminal(tmp_path: Path, field: str) -> None:
    events = [dict(event) for event in WHOLE]
    events[5][field] = "x\x1b[2J"
    done = CliRunner().invoke(app, ["replay", str(log_of(tmp_path, events))])
    assert "line 6: an event of type shown has no " + field in str(done.exception)


def test_a_points_name_does_not_steer_a_terminal_either(make_hub: Callable[..., HubProcess]) -> None:
    hub = make_hub()
    hub.client("a").sync("design\x1b[2J\nm1 b", "here", 0.01)
    for command in COMMANDS[::2]:
        shown = CliRunner().invoke(app, [*command, str(hub.events)], catch_exceptions=False).output
        assert "design" in shown
        assert "\x1b" not in shown
        assert "\nm1 b" not in shown


def test_what_a_hub_writes_passes_the_check(make_hub: Callable[..., HubProcess]) -> None:
    hub = make_hub(policy=Policy(drains_at_stop=1))
    a, b = hub.client("a"), hub.client("b")
    hub.canary("b")
    sent = a.send_message(a.create_thread("plan"), "x", ["b"], kind="question", response_requested=True)
    a.sync("here", "x", 0.01)
    b.call("confirm", {"lease": b.call("watch", {"timeout": 1})["lease"]})
    b.wait_for_mention(1)
    b.respond(sent, "rejected", "no\nnot so")
    hub.finish("a", "completed")
    hub.stop()
    seen = {check(decode(line)).type for line in hub.events.read_bytes().splitlines()}
    assert {EventType.SHOWN, EventType.SYNC_POSTED, EventType.NOTICED, EventType.RESPONDED, EventType.FINISHED} <= seen


def test_an_address_where_no_hub_listens_is_said_to_have_none() -> None:
    class Other(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")

        def log_message(self, *_: object) -> None:
            """Nothing: a test's output is its own."""

    token = {"CROSSTALK_RADIO_ENGINE_TOKEN": "x"}
    with http.server.HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = CliRunner().invoke(app, ["monitor", "--once", f"http://127.0.0.1:{server.server_port}"], env=token)
        server.shutdown()
    assert isinstance(done.exception, BenchError)
    assert "is no hub" in str(done.exception)
