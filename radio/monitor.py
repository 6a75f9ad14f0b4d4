"""A view of a cell's radio for a terminal: threads, who has seen what, what was refused. It takes nothing from anyone.

It reads the event log of a cell's folder, or asks a hub by its address with the engine's token; neither consumes a message.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from radio import framing
from radio.client import RadioClient
from radio.errors import Refused
from radio.events import Event, EventType, check, decode
from radio.replay import Node, message_graph, summarise
from radio.whole_log import WholeLog
from sandboxes.errors import SetupError

_NEWEST_MESSAGES = 12
_NEWEST_REFUSALS = 6
_COUNTS = ("sent", "shown", "unread", "expired", "refused", "listened", "median\ns", "borne\nout")
_BORNE_OUT = {None: "", True: " (borne out)", False: " (not borne out)"}


@dataclass
class LogFollower:
    """New events of a log file, whole lines only."""

    path: Path
    _offset: int = field(default=0, init=False)
    _lines: int = field(default=0, init=False)
    _log: WholeLog = field(default_factory=WholeLog, init=False)

    def __call__(self) -> list[Event]:
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                content = file.read()
        except FileNotFoundError:
            raise SetupError(f"there is no event log at {self.path}") from None
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        found = []
        for line in whole.splitlines():
            self._lines += 1
            try:
                found.append(self._log.take(check(decode(line))))
            except ValueError as error:
                raise SetupError(f"{self.path}, line {self._lines}: {error}") from error
        return found


@dataclass
class HubFollower:
    """New events of a living hub."""

    client: RadioClient
    _after: int = field(default=0, init=False)
    _log: WholeLog = field(default_factory=WholeLog, init=False)

    def __call__(self) -> list[Event]:
        found: list[Event] = []
        try:
            while page := self.client.call("events", {"after": self._after})["events"]:
                found += [self._log.take(check(decode(json.dumps(fields).encode()))) for fields in page]
                self._after = found[-1].seq
        except Refused as refusal:
            raise SetupError(
                f"the token in CROSSTALK_RADIO_ENGINE_TOKEN is not the one of this hub's engine: {refusal}"
            ) from refusal
        except (ValueError, KeyError, TypeError) as error:
            raise SetupError(
                f"what answers at {self.client.address.host}:{self.client.address.port} is no hub: {error}"
            ) from error
        return found


def find_log(place: Path) -> Path:
    """The event log of a cell, given as the log itself, the radio's folder or the cell's.

    Raises:
        SetupError: there is none.
    """
    if (place / "record.json").is_file() and not (place / "radio").is_dir():
        raise SetupError(f"{place}: this cell had no radio")
    for path in (place, place / "radio" / "events.jsonl", place / "events.jsonl"):
        if path.is_file():
            return path
    hint = ": name one of its cells" if (place / "cells").is_dir() else ""
    raise SetupError(f"there is no radio's event log at {place}{hint}")


def picture(events: Sequence[Event]) -> Group:
    """One picture of all that has happened so far."""
    nodes = message_graph(events)
    parts: list[RenderableType] = [_lanes(events), *_threads(events, nodes), _refusals(events)]
    return Group(*parts)


def _lanes(events: Sequence[Event]) -> Table:
    table = Table(title="lanes", box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("lane", overflow="fold")
    for heading in _COUNTS:  # of which none is cut at 80 columns
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", overflow="fold")
    for lane in summarise(events).values():
        held = lane.borne_out + lane.not_borne_out
        table.add_row(
            lane.lane,
            str(lane.sent),
            str(lane.shown),
            str(lane.unread),
            str(sum(lane.expired.values())),
            str(sum(lane.refused.values())),
            str(lane.listening_steps),
            "-" if lane.median_seconds is None else f"{lane.median_seconds:.2f}",
            f"{lane.borne_out}/{held}" if held else "-",
            "running" if lane.finished is None else framing.label(lane.finished, 30),
        )
    return table


def _threads(events: Sequence[Event], nodes: Sequence[Node]) -> Iterator[Panel]:
    for event in events:
        if event.type is EventType.THREAD_CREATED:
            title = f"{event.thread} {framing.label(event.data['name'], 40)} · {', '.join(event.data['participants'])}"
            yield _said(title, [node for node in nodes if node.thread == event.thread])
    if posts := [node for node in nodes if not node.thread]:
        yield _said("posted at named points", posts)


def _said(title: str, said: Sequence[Node]) -> Panel:
    lines = [f"({len(said) - _NEWEST_MESSAGES} earlier)"] if len(said) > _NEWEST_MESSAGES else []
    lines += [_line(node) for node in said[-_NEWEST_MESSAGES:]]
    return Panel(Text("\n".join(lines) or "nothing said"), title=Text(title), title_align="left")


def _line(node: Node) -> str:
    seen = [f"{one.lane} saw it" + ("" if one.step is None else f" at {one.step}") for one in node.shown]
    missed = [f"{lane} {'missed' if lane in node.expired else 'has not seen'} it" for lane in node.unseen_by]
    decided = [f"{one.lane} {one.verdict}{_BORNE_OUT[one.holds]}" for one in node.decisions]
    fate = "; ".join(seen + missed + decided)
    return f"{node.id} {node.sender} [{framing.label(node.kind, 60)}] {framing.label(node.content, 100)}" + (
        f"  ({fate})" if fate else ""
    )


def _refusals(events: Sequence[Event]) -> Panel:
    refused = [event for event in events if event.type is EventType.REFUSED]
    lines = [
        f"{event.at} {event.data['lane'] or 'a stranger'} {framing.label(event.data['operation'], 40)}: {event.data['reason']}"
        + (f" x{event.data['count']}" if event.data["count"] > 1 else "")
        for event in refused[-_NEWEST_REFUSALS:]
    ]
    count = sum(event.data["count"] for event in refused)
    return Panel(Text("\n".join(lines) or "none"), title=f"refused ({count})", title_align="left")


def watch(follow: Callable[[], list[Event]], console: Console, *, interval: float = 0.5) -> None:
    """Show a cell's radio until it has stopped, or Ctrl-C; where nobody looks on, as in a file, a picture for each change."""
    events = follow()
    if console.is_terminal:
        with Live(picture(events), console=console, refresh_per_second=4, screen=False) as live:
            _follow(follow, events, lambda: live.update(picture(events)), interval)
    else:
        console.print(picture(events))
        _follow(follow, events, lambda: console.print("", picture(events)), interval)


def _follow(follow: Callable[[], list[Event]], events: list[Event], changed: Callable[[], None], interval: float) -> None:
    while not any(event.type is EventType.HUB_STOPPED for event in events[-1:]):
        time.sleep(interval)
        if new := follow():
            events += new
            changed()
