"""M(t): what is visible at a step, over generated schedules with real hubs, hooks and watchers, and deaths of each.

Passive: every mention acknowledged before a boundary's check is visible after it. Foreground: what is visible grows only when a
step is spent on listening. Always: each mention once, in order.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from radio.client import RadioClient
from radio.delivery import deliver
from radio.hub_process import COMMANDS, HubProcess
from radio.policy import Limits, Policy

pytestmark = [pytest.mark.needs("curl")]
MakeHub = Callable[..., HubProcess]
_SHOWN = re.compile(r"^\[radio\] message (m\d+) from", re.MULTILINE)
# Real processes keep a state from one example to the next, so a failing one can't be made smaller by running it again.
REAL = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
LOOSE = Limits(messages_per_minute=10**6, total_messages=10**6, body_bytes=1 << 14)

# A curl that does the first of two requests, and then stands still until it is killed: `print` having printed, `fetch` not.
DYING_CURL = """#!/bin/sh
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    if [ "$word" = --next ]; then
        shift "$left"
        break
    fi
    set -- "$@" "$word"
done
if [ "$DIES_AFTER" = fetch ]; then exec >/dev/null; fi
CURL "$@" || exit $?
echo reached >>"$DIES_REACHED"
exec sleep 1000
"""


# A curl that stands still between its two requests until it is told to go on.
SLOW_CURL = """#!PYTHON
import os, subprocess, sys, time
cut = sys.argv.index("--next")
status = subprocess.run(["CURL", *sys.argv[1:cut]], pass_fds=(3, 5)).returncode
if status:
    sys.exit(status)
reached = os.environ["DIES_REACHED"]
open(reached, "w").close()
while not os.path.exists(reached + ".go"):
    time.sleep(0.01)
os.execv("CURL", ["CURL", "-q", *sys.argv[cut + 1 :]])
"""


@dataclass
class World:
    """One hub with a sender and a receiver, and what must be visible."""

    hub: HubProcess
    sender: RadioClient
    thread: str
    scratch: Path
    acknowledged: list[str] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    step: int = 0

    def send(self, size: int = 10) -> None:
        self.acknowledged.append(self.sender.send_message(self.thread, "x" * size, ["b"]))

    def hook(self, path: str = "") -> "subprocess.Popen[bytes]":
        environment = {"PATH": path + os.environ["PATH"], **self.hub.lanes["b"].environment()}
        environment |= {"DIES_AFTER": self.scratch.name, "DIES_REACHED": str(self.scratch / "reached")}
        return subprocess.Popen(
            [str(COMMANDS / "radio-hook"), "PostToolUse"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def accept(self, hook: "subprocess.Popen[bytes]") -> list[str]:
        """What an agent program takes from a hook: its output, if it ended with status 0."""
        output, _ = hook.communicate(timeout=60)
        if hook.returncode != 0 or not output.strip():
            return []
        return shown(json.loads(output)["hookSpecificOutput"]["additionalContext"])


def shown(text: str) -> list[str]:
    return _SHOWN.findall(text)


def make_world(hub: HubProcess, scratch: Path) -> World:
    sender = hub.client("a")
    return World(hub, sender, sender.create_thread("plan"), scratch)


@pytest.fixture
def dying(tmp_path: Path) -> Callable[[World, str], None]:
    """Lets one hook die half-way, after it `fetch`ed or `print`ed, and proves that it had got there."""
    folder = tmp_path / "dying"
    folder.mkdir()
    (folder / "curl").write_text(DYING_CURL.replace("CURL", str(shutil.which("curl"))))
    (folder / "curl").chmod(0o755)

    def die(world: World, after: str) -> None:
        place = folder / after
        place.mkdir(exist_ok=True)
        (place / "reached").unlink(missing_ok=True)
        world.scratch = place
        hook = world.hook(f"{folder}:")
        while not (place / "reached").exists() and hook.poll() is None:
            pass
        died_half_way = hook.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(hook.pid, signal.SIGKILL)
        output = hook.communicate()[0]
        if world.acknowledged[len(world.visible) :]:
            assert died_half_way
            assert bool(output) == (after == "print")

    return die


def test_a_hook_that_stood_still_does_not_count(make_hub: MakeHub, tmp_path: Path) -> None:
    """Between its two requests another delivery shows the message; the late hook must end with a status other than 0."""
    hub = make_hub(limits=LOOSE, policy=Policy(lease_seconds=0.2))
    folder = tmp_path / "slow"
    folder.mkdir()
    program = SLOW_CURL.replace("CURL", str(shutil.which("curl"))).replace("PYTHON", sys.executable)
    (folder / "curl").write_text(program)
    (folder / "curl").chmod(0o755)
    world = make_world(hub, folder)
    for overtaken in (False, True):
        for name in ("reached", "reached.go"):
            (folder / name).unlink(missing_ok=True)
        world.send()
        hook = world.hook(f"{folder}:")
        while not (folder / "reached").exists():
            assert hook.poll() is None
        if overtaken:
            assert deliver(hub.lanes["b"].mailbox, hub.client("b"), 1).messages == (world.acknowledged[-1],)
        (folder / "reached.go").touch()
        assert world.accept(hook) == ([] if overtaken else world.acknowledged[-1:])
    assert hub.counters()["b"]["shown"] == 2


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(1, 4)),
        st.tuples(st.just("boundary"), st.integers(1, 3)),
        st.tuples(st.just("die"), st.sampled_from(["fetch", "print"])),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    min_size=1,
    max_size=8,
).filter(lambda actions: sum(action == "restart" for action, _ in actions) <= 1)


def test_passive_by_hooks(make_hub: MakeHub, kill_hub: Callable[[HubProcess], None], dying: Any, tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE, policy=Policy(lease_seconds=0.2))
    world = make_world(hub, tmp_path)

    @settings(REAL, max_examples=8)
    @given(ACTIONS)
    def schedule(actions: list[tuple[str, Any]]) -> None:
        for action, detail in [*actions, ("boundary", 1)]:
            if action == "send":
                for _ in range(detail):
                    world.send()
            elif action == "die":
                dying(world, detail)
            elif action == "restart":
                kill_hub(hub)
            else:
                due = world.acknowledged[len(world.visible) :]
                outputs = [world.accept(hook) for hook in [world.hook() for _ in range(detail)]]
                assert all(output == sorted(output, key=due.index) for output in outputs)
                together = sorted((message for output in outputs for message in output), key=due.index)
                assert together == due
                world.visible += due

    schedule()
    assert world.visible == world.acknowledged
    assert hub.counters()["b"]["shown"] == len(world.visible)


def test_passive_in_process(make_hub: MakeHub, kill_hub: Callable[[HubProcess], None], tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE, policy=Policy(lease_seconds=0.2, delivery_bytes=4000))
    world = make_world(hub, tmp_path)
    receiver = hub.client("b")
    actions = st.lists(st.sampled_from(["send", "send", "large", "boundary", "boundary", "aside"]), min_size=1, max_size=15)

    @settings(REAL, max_examples=25)
    @given(actions, st.booleans())
    def schedule(actions: list[str], restart: bool) -> None:
        if restart and hub.starts < 5:
            kill_hub(hub)
        for action in [*actions, *["boundary"] * 8]:
            if action == "aside":
                world.sender.send_message(world.thread, "mentions nobody")
            elif action != "boundary":
                world.send(2500 if action == "large" else 10)
            else:
                due = world.acknowledged[len(world.visible) :]
                world.step += 1
                delivery = deliver(hub.lanes["b"].mailbox, receiver, world.step)
                assert list(delivery.messages) == due[: len(delivery.messages)]
                assert bool(delivery.messages) == bool(due)
                assert delivery.waiting == len(due) - len(delivery.messages)
                assert len((delivery.text or "").encode()) < 4000 + 1000
                assert f"{delivery.waiting} more waiting" in (delivery.text or "") or not delivery.waiting
                world.visible += delivery.messages

    schedule()
    assert world.visible == world.acknowledged
    assert hub.counters()["b"]["listening_steps"] == 0


def test_foreground_sees_only_what_it_waits_for(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE)
    world = make_world(hub, tmp_path)
    receiver = hub.client("b")
    waits = 0

    @settings(REAL, max_examples=15)
    @given(st.lists(st.sampled_from(["send", "step", "wait"]), max_size=12))
    def schedule(actions: list[str]) -> None:
        nonlocal waits
        for action in [*actions, "wait"]:
            if action == "send":
                world.send()
            elif action == "wait":
                waits += 1
                due = world.acknowledged[len(world.visible) :]
                heard = receiver.wait_for_mention(0.01, "delta")
                assert heard["messages"] == due
                assert shown(heard["text"]) == due
                world.visible += due
            assert hub.counters()["b"]["shown"] == len(world.visible)

    schedule()
    assert hub.counters()["b"]["listening_steps"] == waits


@dataclass
class Watched:
    """A receiver that keeps a watcher in the background, starting it anew each time it has ended."""

    world: World
    environment: dict[str, str]
    noticed: int = 0

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.watcher = subprocess.Popen(
            [str(COMMANDS / "radio-watch")], env=self.environment, stdout=subprocess.PIPE, start_new_session=True
        )

    def kill(self) -> None:
        os.killpg(self.watcher.pid, signal.SIGKILL)
        self.watcher.communicate()

    def boundary(self) -> None:
        """Every mention acknowledged so far has been told of once; nothing that is not due was told."""
        while self.noticed < len(self.world.acknowledged):
            notice = self.watcher.communicate(timeout=60)[0].decode()
            match = re.match(r"\[radio\] (\d+) messages? for you from a \((m\d+) on\)", notice)
            assert match is not None, notice
            assert match.group(2) == self.world.acknowledged[self.noticed]
            self.noticed += int(match.group(1))
            self.start()
        assert self.noticed == len(self.world.acknowledged)
        assert self.watcher.poll() is None

    def read(self, receiver: RadioClient) -> None:
        heard = receiver.inbox()["messages"]
        assert heard == self.world.acknowledged[len(self.world.visible) :]
        self.world.visible += heard


def test_a_watcher_gives_notice_once_and_reading_is_a_further_step(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE, policy=Policy(lease_seconds=0.2))
    world = make_world(hub, tmp_path)
    receiver = hub.client("b")
    watched = Watched(world, {"PATH": os.environ["PATH"], **hub.lanes["b"].environment()})

    @settings(REAL, max_examples=8)
    @given(st.lists(st.sampled_from(["send", "boundary", "read", "killed"]), max_size=8))
    def schedule(actions: list[str]) -> None:
        for action in [*actions, "boundary", "read"]:
            if action == "send":
                world.send()
            elif action == "boundary":
                watched.boundary()
                assert hub.counters()["b"]["shown"] == len(world.visible)
            elif action == "read":
                watched.boundary()
                watched.read(receiver)
            elif watched.noticed == len(world.acknowledged):
                watched.kill()
                watched.start()

    schedule()
    watched.kill()
    assert world.visible == world.acknowledged
    assert hub.counters()["b"]["noticed"] == len(world.acknowledged)


def test_what_a_hook_has_shown_a_watcher_does_not_tell(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE)
    world = make_world(hub, tmp_path)
    world.send()
    assert deliver(hub.lanes["b"].mailbox, hub.client("b"), 1).messages == tuple(world.acknowledged)
    watcher = hub.client("b")
    assert watcher.call("watch", {"timeout": 0.05})["outcome"] == "timeout"
    world.send()
    watcher.call("confirm", {"lease": watcher.call("watch", {"timeout": 5})["lease"]})
    assert hub.counters()["b"]["noticed"] == 1


def test_hook_watcher_and_inbox_at_once_show_each_message_once(make_hub: MakeHub, tmp_path: Path) -> None:
    hub = make_hub(limits=LOOSE)
    world = make_world(hub, tmp_path)
    environment = {"PATH": os.environ["PATH"], **hub.lanes["b"].environment()}
    heard: list[str] = []
    for _ in range(3):
        for _ in range(5):
            world.send()
        hooks = [world.hook() for _ in range(4)]
        readers = [
            subprocess.Popen([str(COMMANDS / command), *options], env=environment, stdout=subprocess.PIPE)
            for command, *options in (
                ["radio-inbox"],
                ["radio-watch", "--contents", "--timeout", "1"],
                ["radio-wait", "--timeout", "0.1"],
            )
        ]
        outputs = [world.accept(hook) for hook in hooks]
        outputs += [shown(reader.communicate(timeout=60)[0].decode()) for reader in readers]
        heard += [message for output in outputs for message in output]
    assert sorted(heard) == sorted(world.acknowledged)


def test_hubs_killed_under_running_hooks_and_senders(
    make_hub: MakeHub, kill_hub: Callable[[HubProcess], None], tmp_path: Path
) -> None:
    hub = make_hub(limits=LOOSE, policy=Policy(lease_seconds=0.2))
    world = make_world(hub, tmp_path)
    heard: list[str] = []
    for round_ in range(3):
        for _ in range(3):
            world.send()
        hooks = [world.hook() for _ in range(2)]
        if round_ != 1:
            kill_hub(hub)
        for hook in hooks:
            heard += world.accept(hook)
    while more := world.accept(world.hook()):
        heard += more
    assert heard == world.acknowledged
