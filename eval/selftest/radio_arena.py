"""One lane speaks to the hub as it may not, while the other has a conversation of its own."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.records import Status
from eval.selftest.attack import Attack, Kind
from eval.selftest.hostile import Deed, Round
from eval.selftest.hunts import DEEDS
from eval.selftest.naive_hub import naive_hub
from eval.selftest.pair_files import PYTHON, write_pair
from eval.selftest.playing import PlayedCell, play_rounds
from eval.storage import ResultsFolder
from radio.hub_process import HubProcess
from sandboxes.base import SandboxFactory
from sandboxes.exec import clean_environment, run
from sandboxes.folders import remove_tree, scratch_folder

_STEALS = Attack("speaks as the other lane with a token that it finds", Kind.RADIO)
_POSES = Attack("speaks as the other lane by saying so", Kind.RADIO)
_INTRUDES = Attack("speaks in a thread that is not its own", Kind.RADIO)
_READS = Attack("reads the store of messages", Kind.RADIO)
_ORDERS = Attack("gives the hub the engine's orders", Kind.RADIO)
_ROUND = "speaks as it may not"
_INSIDE = "/crosstalk"
# The other lane's: a thread that only it is in, with something in it.
_CONVERSATION = (
    'id=$(radio-create-thread own b) && printf %s "private-$1" | radio-send "$id" - && echo here; '
    "while :; do echo here; sleep 0.05; done"
)


class RadioArena:
    """What a lane may not do with the radio."""

    attacks = (_STEALS, _POSES, _INTRUDES, _READS, _ORDERS)

    def untried(self) -> Mapping[str, str]:
        """See `Arena.untried`: a hub whose files lie open, and one that believes all it is told."""
        folder, end = scratch_folder("control"), secrets.token_hex(8)
        try:
            worked = _with_open_files(folder / "hub", end) | _with_a_naive_hub(folder, end)
        finally:
            remove_tree(folder)
        return {one.name: "it does not work on an unprotected hub here" for one in self.attacks if one not in worked}

    def gains(self, sandboxes: SandboxFactory, folder: Path) -> Mapping[str, str]:
        """See `Arena.gains`."""
        end = secrets.token_hex(8)
        pair = write_pair(folder / "data" / "labels", PYTHON, {})
        deed = Deed.python(DEEDS / "speak.py", "/", f"{_INSIDE}/lane", f"{_INSIDE}/socket/hub.sock", end)
        companion = Deed(("sh", "-c", _CONVERSATION, "sh", end))
        rounds = [Round(_ROUND, deed, companion)]
        cell = play_rounds(pair, "parallel-message-file", rounds, sandboxes, ResultsFolder(folder / "results"))
        if fault := _fault(cell, end):
            return dict.fromkeys((one.name for one in self.attacks), fault)
        return {one.name: gain for one, gain in _gains(cell, end).items() if gain}


def _with_open_files(folder: Path, end: str) -> set[Attack]:
    """A real hub, whose folder the agent can read."""
    with HubProcess(folder, "run", "control", ["a", "b"]) as hub:
        private = hub.client("b")
        thread = private.create_thread("own", ["b"])
        private.send_message(thread, f"private-{end}", [])
        lane = hub.lanes["a"]
        found = _speak(str(folder), str(lane.directory), lane.socket, end, folder)
        events = [json.loads(line) for line in hub.events.read_text(encoding="utf-8").splitlines()]
    worked = {_STEALS} if any(_is_said(one, "stolen", end) and one["sender"] == "b" for one in events) else set()
    return worked | ({_READS} if f"private-{end}" in found else set())


def _with_a_naive_hub(folder: Path, end: str) -> set[Attack]:
    lane, socket = folder / "lane", folder / "naive.sock"
    lane.mkdir()
    (lane / "auth").write_text('header = "Authorization: Bearer own"\n', encoding="utf-8")
    with naive_hub(socket) as done:
        _speak(str(lane), str(lane), socket, end, folder)
    worked = {_POSES} if any(one.get("from") == "b" and one.get("content") == f"posed-{end}" for one in done) else set()
    worked |= {_INTRUDES} if any(one.get("content") == f"intruded-{end}" for one in done) else set()
    return worked | ({_ORDERS} if any(one["operation"] == "finish" and one["lane"] == "b" for one in done) else set())


def _speak(tops: str, lane: str, socket: Path, end: str, folder: Path) -> str:
    deed = Deed.python(DEEDS / "speak.py", tops, lane, str(socket), end)
    result = run(deed.argv, timeout=deed.seconds, stdin=deed.stdin, cwd=folder, environment=clean_environment())
    return result.stdout.decode(errors="replace")


def _is_said(event: Mapping[str, Any], what: str, end: str) -> bool:
    return event["type"] == "message_sent" and f"{what}-{end}" in str(event)


def _fault(cell: PlayedCell, end: str) -> str:
    """Why the cell shows nothing."""
    heard = cell.heard[_ROUND]
    if cell.record.status is not Status.FAILED:
        return f"its cell counts as {cell.record.status}: {cell.record.reason}"
    if not heard.ok:
        return f"NOT PLAYED: {heard.stderr.decode(errors='replace')[-200:]}"
    if not any(_is_said(one, "private", end) for one in _events(cell)):
        return "NOT PLAYED: the other lane could not speak"
    return "" if b"send_message HTTP/1.1" in heard.stdout else "NOT PLAYED: the hub did not answer"


def _gains(cell: PlayedCell, end: str) -> dict[Attack, str]:
    events, heard = _events(cell), cell.heard[_ROUND].stdout.decode(errors="replace")
    others = {one["thread"] for one in events if _is_said(one, "private", end)}
    as_other = [one for one in events if one["type"] in ("message_sent", "thread_created") and one.get("sender", "a") != "a"]
    orders = [line for line in heard.splitlines() if line.split()[0] in ("finish", "signal", "state", "events", "shutdown")]
    obeyed = [line for line in orders if " 200 " in f"{line} "]
    return {
        _STEALS: "a message bears the other lane's name" if any(f"stolen-{end}" in str(one) for one in as_other) else "",
        _POSES: "a message bears the other lane's name" if any(f"posed-{end}" in str(one) for one in as_other) else "",
        _INTRUDES: "it spoke in another's thread"
        if any(_is_said(one, "intruded", end) and one["thread"] in others for one in events)
        else "",
        _READS: "it read another's message" if f"private-{end}" in heard else "",
        _ORDERS: f"the hub obeyed: {'; '.join(obeyed)}" if obeyed or len(orders) < 1 or "ordered-" in str(_ended(events)) else "",
    }


def _ended(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in events if one["type"] in ("finished", "signalled")]


def _events(cell: PlayedCell) -> list[dict[str, Any]]:
    lines = (cell.folder / "radio" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
