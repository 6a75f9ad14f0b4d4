"""What one lane can do to the log, to its peers' models and to its own counts is bounded, whatever it asks for."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio import framing
from radio.compaction import BRIEF_BYTES, KEPT_KINDS, compact
from radio.delivery import deliver
from radio.errors import Reason, Refused
from radio.hub_process import HubProcess
from radio.message import Envelope, Kind, Message
from radio.policy import Limits, Policy, RateWindow
from radio.replay import read_events, summarise

MakeHub = Callable[..., HubProcess]
Kill = Callable[[HubProcess], None]


def refused(call: Callable[[], Any]) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    return caught.value


# -- counts


@pytest.mark.parametrize("operation", ["wait_for_mention", "watch", "sync"])
@pytest.mark.parametrize("stored", [True, False])
def test_a_request_to_listen_that_outlives_the_hub_is_one_step(
    make_hub: MakeHub, kill_hub: Kill, operation: str, stored: bool
) -> None:
    hub = make_hub()
    asked = {"timeout": 60, "key": "the one command"}
    if operation == "sync":
        asked |= {"point": "p", "content": "here"}
    client = hub.client("a")
    client.patience = 60
    call = threading.Thread(target=client.call, args=(operation, asked))
    call.start()
    b = hub.client("b")
    while not any(event.type == "listening" for event in read_events(hub.events)):
        b.create_thread("stores what the hub has noted so far")
    for _ in range(2):
        kill_hub(hub)
        if stored:
            b.create_thread("again")
    if operation == "sync":
        b.sync("p", "here too", 60)
    else:
        b.send_message(b.create_thread("plan"), "hear", ["a"])
    call.join(60)
    assert not call.is_alive()
    assert hub.counters()["a"]["listening_steps"] == 1
    hub.client("a").call("inbox", {"key": "the one command"})
    assert hub.counters()["a"]["listening_steps"] == 2, "what was answered, asked again, is a further command"
    hub.stop()
    assert summarise(list(read_events(hub.events)))["a"].listening_steps == 2


def test_a_flood_of_refusals_is_in_the_log_soon(make_hub: MakeHub, kill_hub: Kill) -> None:
    """Not only when somebody asks for the counters: a hub may be killed before."""
    hub = make_hub()
    a = hub.client("a")
    for _ in range(333):
        refused(lambda: a.call("no_such_thing"))
    deadline = time.monotonic() + 20
    while sum(event.data["count"] for event in read_events(hub.events) if event.type == "refused") < 333:
        assert time.monotonic() < deadline, "nobody asks, and they stay out of the log"
    assert sum(event.type == "refused" for event in read_events(hub.events)) < 220
    kill_hub(hub)
    assert hub.counters()["a"]["refused"] == {"unknown-operation": 333}


@given(st.lists(st.floats(0, 40), max_size=60), st.integers(1, 5))
def test_any_sixty_seconds_hold_no_more_than_their_share(pauses: list[float], most: int) -> None:
    window, clock, taken = RateWindow(), 100.0, []
    for pause in pauses:
        clock += pause
        if window.count(clock) < most:
            window.add(clock)
            taken.append(clock)
    for start in taken:
        assert sum(start <= one < start + 60 for one in taken) <= most


MAKE: dict[str, dict[str, Any]] = {
    "create_thread": {"name": "another"},
    "send_message": {"thread": "plan", "content": "x"},
    "respond": {"message": "", "verdict": "rejected"},
}


@pytest.mark.parametrize("first", MAKE)
@pytest.mark.parametrize("second", MAKE)
def test_a_key_stands_for_one_request(make_hub: MakeHub, first: str, second: str) -> None:
    hub = make_hub()
    a, b = hub.client("a"), hub.client("b")
    message = b.send_message(b.create_thread("plan"), "look", ["a"])
    made = {**MAKE, "respond": {**MAKE["respond"], "message": message}}
    answer = a.call(first, {**made[first], "key": "k"})
    if first == second:
        assert a.call(second, {**made[second], "key": "k"}) == answer
    else:
        assert "another request" in str(refused(lambda: a.call(second, {**made[second], "key": "k"})))
    counters = hub.counters()["a"]
    assert (counters["sent"], counters["responded"]) == (
        int(first == "send_message"),
        {"rejected": 1} if first == "respond" else {},
    )


# -- the log


def test_deliveries_that_are_never_confirmed_do_not_fill_the_log(make_hub: MakeHub) -> None:
    hub = make_hub(limits=Limits(requests_per_minute=20))
    a, b = hub.client("a"), hub.client("b")
    thread = b.create_thread("plan")
    b.send_message(thread, "look", ["a"])

    def take(number: int) -> str:
        lease: str = a.call("deliver", {"key": f"k{number}"})["lease"]
        a.call("release", {"lease": lease})
        return lease

    leases = [take(number) for number in range(20)]
    assert refused(lambda: take(20)).reason is Reason.RATE
    a.call("confirm", {"lease": leases[-1]})
    for number in range(50):
        b.send_message(thread, f"and {number}", ["a"])
        assert deliver(hub.lanes["a"].mailbox, a, number + 1).messages, "who takes part is never held up"


def test_responses_are_bounded_in_number_and_size(make_hub: MakeHub) -> None:
    hub = make_hub(limits=Limits(requests_per_minute=30, responses_per_message=1000))
    a, b = hub.client("a"), hub.client("b")
    message = b.send_message(b.create_thread("plan"), "look", ["a"])
    long = [f"{number}/{'p' * 400}" for number in range(50)]
    assert refused(lambda: a.respond(message, "accepted", "", long)).reason is Reason.BYTES
    before = hub.events.stat().st_size
    for _ in range(30):
        a.respond(message, "accepted", "r" * 2000, long[:9])
    assert refused(lambda: a.respond(message, "deferred")).reason is Reason.RATE
    assert hub.events.stat().st_size - before < 30 * 7000


# -- what comes before a peer's model


def test_a_flood_of_what_must_be_kept_is_shown_in_lines(make_hub: MakeHub) -> None:
    hub = make_hub("a", "b", "c")
    a, b, c = (hub.client(name) for name in "abc")
    thread = b.create_thread("plan")
    c.send_message(thread, "the only contradiction\nand its proof", kind="contradiction", claim="parse() gives None")
    ids = [
        b.send_message(thread, f"blocker {number} " + "z" * 16_000, kind="blocker", claim=f"claim {number}")
        for number in range(300)
    ]
    b.send_message(thread, "plain and old")
    b.send_message(thread, "come", ["a"])
    text = str(a.wait_for_mention(5, "full")["text"])
    assert len(text.encode()) < Policy().snapshot_bytes + 300 * BRIEF_BYTES
    assert all(f"{framing.HEAD} {identifier} b " in text for identifier in ids), "each is there"
    assert "in short: claim 0" in text
    assert "blocker 299 zzz" in text, "the newest stand whole"
    assert "and its proof" in text, "of every sender the newest of each kind"
    assert "ask their senders for more" in text
    assert all(line.startswith((framing.HEAD, framing.MARGIN)) for line in text.split("\n"))


SAID = st.lists(
    st.tuples(st.sampled_from(list(Kind)), st.integers(0, 5000), st.sampled_from(["a", "b"])),
    max_size=30,
)


@given(SAID, st.integers(0, 20_000))
def test_what_is_kept_is_whole_or_a_line_and_fits_where_it_can(said: list[tuple[Kind, int, str]], budget: int) -> None:
    messages = [
        Message(f"m{seq}", seq, "t1", sender, "x" * size, (), "", Envelope(f"m{seq}", f"m{seq}", sender, kind))
        for seq, (kind, size, sender) in enumerate(said)
    ]
    left = compact(messages, budget, lambda one: len(one.content))
    kept = [one for one in messages if one.kind in KEPT_KINDS]
    newest = {(one.sender, one.kind): one.id for one in kept}
    whole = [one for one in left.messages if one.id not in left.brief]
    assert set(kept) <= set(left.messages)
    assert left.brief <= {one.id for one in kept} - set(newest.values())
    spared = sum(len(one.content) for one in kept if one.id in newest.values())
    lines = sum(min(len(one.content), BRIEF_BYTES) for one in left.messages if one.id in left.brief)
    assert sum(len(one.content) for one in whole) + lines <= max(budget, spared + len(kept) * BRIEF_BYTES)
    if left.brief:
        assert all(one.kind in KEPT_KINDS for one in left.messages), "nothing ordinary stays where these are cut"


# -- steps and files in a lane's hands


def steps_file(path: Path, what: str) -> None:
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path)
    elif what == "folder":
        path.mkdir()
    elif what == "huge":
        path.touch()
        os.truncate(path, 1 << 40)


@pytest.mark.parametrize("what", ["pipe", "loop", "folder", "missing", "huge"])
@pytest.mark.parametrize("counted", [True, False])
def test_whatever_stands_for_the_steps_neither_hangs_nor_expires_anything(
    make_hub: MakeHub, shell: Callable[..., Any], what: str, counted: bool
) -> None:
    hub = make_hub(counted=counted, limits=Limits(lifetime_steps=20_000))
    b = hub.client("b")
    thread = b.create_thread("plan")
    steps_file(hub.lanes["a"].steps, what)
    b.call(
        "send_message", {"thread": thread, "content": "first", "mentions": ["a"], "kind": "note", "expires_after_step": 20_000}
    )
    assert "first" in shell(hub, "a", "radio-hook", "PostToolUse").stdout.decode()
    b.send_message(thread, "second", ["a"])
    assert "second" in shell(hub, "a", "radio-inbox").stdout.decode()
    counters = hub.counters()["a"]
    assert (counters["shown"], counters["expired"]) == (2, 0)
    assert counters["step"] <= 20_000


@pytest.mark.parametrize("claimed", [10**8, 500])
def test_no_lane_is_believed_to_be_far_beyond_the_engines_count(make_hub: MakeHub, claimed: int) -> None:
    hub = make_hub()
    a = hub.client("a")
    hub.admin("step_ended", {"lane": "a", "step": 7})
    for _ in range(5):
        a.inbox(step=claimed)
    assert hub.counters()["a"]["step"] == 107
    steps = [event.data["step"] for event in read_events(hub.events) if event.type == "listening"]
    assert max(steps) == 107


def test_a_step_that_nobody_counts_is_unknown(make_hub: MakeHub) -> None:
    hub = make_hub()
    a, b = hub.client("a"), hub.client("b")
    b.send_message(b.create_thread("plan"), "look", ["a"], kind="note")
    a.inbox()
    a.wait_for_mention(0.01)
    hub.stop()
    events = [json.loads(line) for line in hub.events.read_text().splitlines()]
    assert [event["step"] for event in events if "step" in event] == [None] * 3
    assert [event["envelope"]["created_step"] for event in events if event["type"] == "message_sent"] == [None]


@pytest.mark.parametrize("what", ["pipe", "loop", "folder", "missing"])
def test_a_mailbox_that_is_none_is_no_fault_of_the_bench(make_hub: MakeHub, what: str) -> None:
    hub = make_hub()
    a, b = hub.client("a"), hub.client("b")
    steps_file(hub.lanes["a"].mailbox, what)
    assert deliver(hub.lanes["a"].mailbox, a, 1).text is None
    b.send_message(b.create_thread("plan"), "look", ["a"])
    deliver(hub.lanes["a"].mailbox, a, 2)
    assert hub.counters()["a"]["shown"] + hub.counters()["a"]["unread"] == 1
    assert hub.restarts == 0
