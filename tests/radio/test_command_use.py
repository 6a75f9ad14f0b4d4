"""Wrong use of a radio command is answered by the usage and status 2: nothing is sent, waited for or counted."""

import os
import subprocess
from collections.abc import Callable

import pytest

from radio.hub_process import COMMANDS, HubProcess

pytestmark = [pytest.mark.needs("curl")]
MakeHub = Callable[..., HubProcess]
Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]
PROGRAMS = sorted(path.name for path in COMMANDS.iterdir() if path.name != "radio-common")
NO_SECONDS = ["", "abc", "-1", "1e3", ".", ".5", "1.2.3", "5.", "0x10", " 5", "99999999", "5;id", "1.12345678"]


def use(*command: str) -> "subprocess.CompletedProcess[str]":
    """Without a radio: wrong use is seen before one is looked for."""
    program = [str(COMMANDS / command[0]), *command[1:]]
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


WRONG = [
    *[[program, option] for program in PROGRAMS for option in ("-h", "--help", "--bogus")],
    *[[program] for program in ("radio-create-thread", "radio-hook", "radio-respond", "radio-send", "radio-sync")],
    *[[*command, "--timeout"] for command in (["radio-wait"], ["radio-watch"], ["radio-sync", "p"])],
    *[[*command, "--timeout", text] for command in (["radio-wait"], ["radio-watch"], ["radio-sync", "p"]) for text in NO_SECONDS],
    ["radio-watch", "--timeout", "0.5"],
    ["radio-inbox", "--snapshot"],
    ["radio-watch", "--contents", "more"],
    ["radio-respond", "-x", "accepted"],
]


@pytest.mark.parametrize("command", WRONG, ids=" ".join)
def test_wrong_use_prints_the_usage(command: list[str]) -> None:
    done = use(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"usage: {command[0]} ")
    assert len(done.stderr.splitlines()) <= 3


def test_wrong_use_ends_no_step(make_hub: MakeHub, shell: Shell) -> None:
    hub = make_hub()
    for command in (["radio-hook"], ["radio-hook", "--help"]):
        assert shell(hub, "a", *command).returncode == 2
    assert hub.lanes["a"].steps.read_bytes() == b""


@pytest.mark.parametrize("seconds", ["0", "00", "08", "1"])
def test_any_number_of_seconds_can_be_watched(make_hub: MakeHub, shell: Shell, seconds: str) -> None:
    hub = make_hub()
    b = hub.client("b")
    b.send_message(b.create_thread("plan"), "come", ["a"])
    done = shell(hub, "a", "radio-watch", "--timeout", seconds)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"radio-inbox" in done.stdout


def test_a_wait_in_vain_says_why_and_is_no_failure(make_hub: MakeHub, shell: Shell) -> None:
    hub = make_hub()
    done = shell(hub, "a", "radio-wait", "--timeout", "0.05")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"(timeout)" in done.stdout
    hub.finish("b")
    done = shell(hub, "a", "radio-wait", "--timeout", "5")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"(peer-finished)" in done.stdout


LATE = [
    ["radio-send", "t1", "hello", "--mention", "b"],
    ["radio-send", "t1", "--mention", "b", "hello", "--ask"],
    ["radio-send", "t1", "hello", "--mention=b"],
    ["radio-send", "t1", "-", "--kind", "note"],
    ["radio-send", "t1", "hello", "--"],
    ["radio-sync", "design", "parser", "--timeout", "5"],
    ["radio-sync", "design", "--timeot", "5", "parser"],
    ["radio-sync", "design", "--timeout", "5", "--timeout", "6"],
]


@pytest.mark.parametrize("command", LATE, ids=" ".join)
def test_an_option_after_the_text_is_not_sent_as_text(command: list[str]) -> None:
    done = use(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "stands after the text" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_text_may_hold_what_looks_like_an_option(make_hub: MakeHub, shell: Shell) -> None:
    hub = make_hub()
    thread = hub.client("a").create_thread("plan")
    texts = [["use --strict here"], ["--", "use", "--strict", "here"], ["--", "--mention", "b"], ["a", "-", "b", "-x"]]
    for words in texts:
        assert shell(hub, "a", "radio-send", thread, "--mention", "b", *words).returncode == 0
    shown = hub.client("b").inbox()["text"]
    for said in ("| use --strict here", "| --mention b", "| a - b -x"):
        assert said in shown
    hub.finish("b")
    assert shell(hub, "a", "radio-sync", "done", "--timeout", "5", "--", "--timeout", "is mine").returncode == 0
    assert b"--timeout is mine" in hub.events.read_bytes()
