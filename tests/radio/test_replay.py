"""The log alone gives the graph and the counts; watching takes nothing from anyone."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from radio.cli import app
from radio.client import Address, RadioClient
from radio.delivery import deliver
from radio.errors import Refused
from radio.hub_process import HubProcess
from radio.message import Disposition, Verdict
from radio.monitor import HubFollower, LogFollower, find_log, picture
from radio.policy import Limits, verify_disposition
from radio.replay import draw, message_graph, read_events, summarise
from sandboxes.errors import SetupError

MakeHub = Callable[..., HubProcess]


def converse(hub: HubProcess) -> list[str]:
    """A conversation with all that can become of a message."""
    a, b = hub.client("a"), hub.client("b")
    thread = a.create_thread("plan")
    asked = a.send_message(thread, "keep label's name", ["b"], kind="proposal", claim="keep it", response_requested=True)
    deliver(hub.lanes["b"].mailbox, b, step=3)
    b.respond(asked, "accepted", "done", ["shop/price.py"])
    hub.admin("verified", {"lane": "b", "message": asked, "holds": False, "unchanged": ["shop/price.py"]})
    answer = b.send_message(thread, "kept", ["a"], kind="answer", reply_to=asked)
    a.wait_for_mention(5)
    for _ in range(2):
        with pytest.raises(Exception, match="sender|nobody"):
            b.call("send_message", {"thread": thread, "content": "x", "mentions": ["nobody-here"]})
    late = a.send_message(thread, "too late", ["b"], kind="question", response_requested=True)
    hub.finish("b", "completed")
    return [asked, answer, late]


def test_the_graph_shows_what_became_of_each_message(make_hub: MakeHub) -> None:
    hub = make_hub()
    asked, answer, late = converse(hub)
    nodes = {node.id: node for node in message_graph(list(read_events(hub.events)))}
    assert list(nodes) == [asked, answer, late]
    assert [(one.lane, one.step, one.via) for one in nodes[asked].shown] == [("b", 3, "step")]
    assert [(one.verdict, one.paths, one.holds) for one in nodes[asked].decisions] == [("accepted", ("shop/price.py",), False)]
    assert nodes[answer].trace == asked
    assert nodes[late].unseen_by == ("b",)
    assert nodes[late].expired == {"b": "recipient finished"}
    text = draw(list(nodes.values()))
    assert f"{asked} " in text
    assert "seen by b at step 3" in text
    assert "accepted by b in shop/price.py (not borne out by its files): done" in text
    assert "never seen by b: recipient finished" in text
    assert "asked for a response; none from b" in text


def test_the_log_and_the_hub_count_alike(make_hub: MakeHub) -> None:
    hub = make_hub()
    converse(hub)
    counted = hub.counters()
    hub.stop()
    for name, lane in summarise(list(read_events(hub.events))).items():
        assert (lane.sent, lane.received, lane.shown, lane.unread, sum(lane.expired.values())) == tuple(
            counted[name][field] for field in ("sent", "received", "shown", "unread", "expired")
        )
        assert dict(lane.refused) == counted[name]["refused"]
        assert (lane.listening_steps, lane.bytes_shown) == (counted[name]["listening_steps"], counted[name]["bytes_shown"])
        assert dict(lane.responded) == counted[name]["responded"]


def test_a_log_that_is_still_written_can_be_read(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub()
    converse(hub)
    whole = hub.events.read_bytes()
    log = tmp_path / "events.jsonl"
    log.write_bytes(whole[:-20])
    follow = LogFollower(log)
    first = follow()
    log.write_bytes(whole)
    assert first + follow() == list(read_events(hub.events))
    assert len(list(read_events(log))) == whole.count(b"\n")
    with pytest.raises(SetupError):
        list(read_events(tmp_path / "none"))
    log.write_text("no event\n")
    with pytest.raises(SetupError, match="line 1"):
        list(read_events(log))


def test_watching_takes_nothing(make_hub: MakeHub) -> None:
    hub = make_hub(tcp="127.0.0.1:0")
    a = hub.client("a")
    sent = a.send_message(a.create_thread("plan"), "watched \x1b[2J", ["b"])
    host, _, port = str(hub.url).removeprefix("http://").partition(":")
    engine = RadioClient(Address(host=host, port=int(port)), hub.config.admin_token)
    console = Console(width=200, record=True)
    with engine:
        console.print(picture(HubFollower(engine)()))
    console.print(picture(LogFollower(find_log(hub.directory))()))
    shown = console.export_text()
    assert shown.count(sent) == 2
    assert "b has not seen it" in shown
    assert "\x1b" not in shown
    assert hub.client("b").inbox()["messages"] == [sent]


def test_the_commands_replay_and_monitor(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub()
    asked, *_ = converse(hub)
    runner = CliRunner()
    replayed = runner.invoke(app, ["replay", str(hub.directory)], catch_exceptions=False)
    assert replayed.exit_code == 0
    assert f"{asked} " in replayed.stdout
    data = json.loads(runner.invoke(app, ["replay", "--json", str(hub.events)]).stdout)
    assert [message["id"] for message in data["messages"]][0] == asked
    assert data["lanes"]["b"]["expired"] == {"recipient finished": 1}
    assert asked in runner.invoke(app, ["monitor", "--once", str(hub.directory)]).stdout
    nothing = runner.invoke(app, ["replay", str(tmp_path / "none")])
    assert isinstance(nothing.exception, SetupError)


def test_what_was_refused_expired_and_borne_out_is_counted_in_the_text(make_hub: MakeHub) -> None:
    hub = make_hub()
    converse(hub)
    text = CliRunner().invoke(app, ["replay", str(hub.directory)]).stdout
    (lane,) = (line for line in text.splitlines() if line.startswith("lane b:"))
    assert "expired 1 (recipient finished)" in lane
    assert "refused 2 (unknown-lane)" in lane
    assert "acceptances borne out 0 of 1" in lane


@pytest.mark.parametrize("lanes", [("a", "b"), ("a", "a-lane-with-a-name-of-32-letters", "b")])
def test_a_picture_can_be_read_at_eighty_columns(make_hub: MakeHub, lanes: tuple[str, ...]) -> None:
    hub = make_hub(*lanes)
    converse(hub)
    console = Console(width=80, record=True)
    console.print(picture(LogFollower(hub.events)()))
    shown = console.export_text().split("╭")[0]
    assert "…" not in shown
    headings = ["lane", "sent", "shown", "unread", "expired", "refused", "listened", "median", "borne", "out", "state"]
    assert set(headings) <= set(shown.split())
    assert "0/1" in shown
    assert "completed" in shown or len(lanes) > 2, "a long name takes of what a state has"


def test_a_file_gets_a_picture_for_each_change(make_hub: MakeHub, tmp_path: Path) -> None:
    """By the command itself, whose output is a file: all of it is there before it is ended, and it ends with the hub."""
    hub = make_hub()
    thread = hub.client("a").create_thread("plan")
    program = [sys.executable, "-c", "from eval.main import main; main()", "radio", "monitor", str(hub.directory)]
    output = tmp_path / "output"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

    def until_shown(text: str) -> None:
        deadline = time.monotonic() + 60
        while text not in output.read_text():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)

    with output.open("wb") as file, subprocess.Popen(program, stdout=file, env=environment) as process:
        try:
            until_shown("nothing said")
            hub.client("a").send_message(thread, "said meanwhile", ["b"])
            until_shown("said meanwhile")
            hub.stop()
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert "\x1b" not in output.read_text()


@pytest.mark.parametrize(
    ("verdict", "paths", "changed", "holds"),
    [
        (Verdict.ACCEPTED, ("a.py",), {"a.py", "b.py"}, True),
        (Verdict.ACCEPTED, ("./a.py",), {"a.py"}, True),
        (Verdict.ACCEPTED, ("src/",), {"src/x/y.py"}, True),
        (Verdict.ACCEPTED, ("src",), {"srcx"}, False),
        (Verdict.ACCEPTED, ("a.py", "b.py"), {"a.py"}, False),
        (Verdict.ACCEPTED, (), {"a.py"}, False),
        (Verdict.REJECTED, (), set(), True),
        (Verdict.DEFERRED, ("a.py",), set(), True),
    ],
)
def test_an_acceptance_is_held_against_what_changed(
    verdict: Verdict, paths: tuple[str, ...], changed: set[str], holds: bool
) -> None:
    assert verify_disposition(Disposition("m1", "b", verdict, "", paths), changed).holds is holds


def test_a_flood_of_refusals_is_counted_whole_and_logged_in_few_lines(make_hub: MakeHub) -> None:
    hub = make_hub(limits=Limits(messages_per_minute=1))
    a = hub.client("a")
    thread = a.create_thread("plan")
    a.send_message(thread, "the one")
    for _ in range(1000):
        with pytest.raises(Exception, match="most allowed"):
            a.send_message(thread, "flood")
    assert hub.counters()["a"]["refused"] == {"rate": 1000}
    logged = [event for event in read_events(hub.events) if event.type == "refused"]
    assert sum(event.data["count"] for event in logged) == 1000, "what is counted is in the log"
    hub.stop()
    events: list[Any] = [event for event in read_events(hub.events) if event.type == "refused"]
    assert sum(event.data["count"] for event in events) == 1000
    assert len(events) < 300


def test_a_flood_of_strangers_is_counted_whole_and_logged_in_few_lines(make_hub: MakeHub) -> None:
    hub = make_hub()
    stranger = RadioClient(Address(str(hub.socket)), "of another cell")
    for _ in range(1000):
        with pytest.raises(Refused, match="no lane"):
            stranger.call("inbox")
    stranger.close()
    assert hub.admin("state")["refused_unknown"] == {"unknown-token": 1000}
    events: list[Any] = [event for event in read_events(hub.events) if event.type == "refused"]
    assert sum(event.data["count"] for event in events) == 1000
    assert len(events) < 300
