"""From a cell's event log: what was said, who saw it when, what was decided on it, and what is counted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from radio import framing
from radio.events import Event, EventType, check, decode
from radio.whole_log import WholeLog
from sandboxes.errors import SetupError

_SAYING = frozenset({EventType.MESSAGE_SENT, EventType.SYNC_POSTED})
_SHOWING = frozenset({EventType.SHOWN, EventType.SYNCED})


@dataclass(frozen=True)
class Shown:
    """A message before a lane's model: at which of its steps (`None` unknown), and how long after it was sent."""

    lane: str
    step: int | None
    seconds: float
    via: str


@dataclass(frozen=True)
class Decision:
    """What a lane said it did with a message. `holds` is None where nobody held it against the lane's files."""

    lane: str
    verdict: str
    reason: str
    paths: tuple[str, ...]
    holds: bool | None = None


@dataclass(frozen=True)
class Node:
    """One message of the graph; `replies` are the messages of the same trace that came after it as answers."""

    id: str
    sender: str
    thread: str
    at: str
    kind: str
    content: str
    mentions: tuple[str, ...]
    trace: str
    asked: bool
    shown: tuple[Shown, ...]
    expired: Mapping[str, str]
    decisions: tuple[Decision, ...]

    @property
    def unseen_by(self) -> tuple[str, ...]:
        """Those it mentions to whom it was never shown."""
        seen = {one.lane for one in self.shown}
        return tuple(lane for lane in self.mentions if lane not in seen)


@dataclass
class _Parts:
    shown: list[Shown] = field(default_factory=list)
    expired: dict[str, str] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)


def read_events(path: Path) -> Iterator[Event]:
    """The events of a log. A last line that was cut off, as a log still being written has, is left out.

    Raises:
        SetupError: there is no such log, or it is none that a hub can have written.
    """
    number, log = 0, WholeLog()
    try:
        with path.open("rb") as file:
            for line in file:
                number += 1
                if line.endswith(b"\n"):
                    yield log.take(check(decode(line)))
    except FileNotFoundError:
        raise SetupError(f"there is no event log at {path}") from None
    except ValueError as error:
        raise SetupError(f"{path}, line {number}: {error}") from error


def message_graph(events: Sequence[Event]) -> list[Node]:
    """The message-to-decision graph, in the order in which the messages were sent."""
    parts: dict[str, _Parts] = {}
    for event, step in _with_steps(events):
        data = event.data
        if event.type in _SHOWING:
            for message, seconds in zip(data["messages"], data["seconds"], strict=True):
                shown = Shown(data["lane"], step, seconds, data["via"])
                parts.setdefault(message, _Parts()).shown.append(shown)
        elif event.type is EventType.EXPIRED:
            for message in data["messages"]:
                parts.setdefault(message, _Parts()).expired[data["lane"]] = data["reason"]
        elif event.type is EventType.RESPONDED:
            decision = Decision(data["lane"], data["verdict"], data["reason"], tuple(data["paths"]))
            parts.setdefault(data["message"], _Parts()).decisions[data["lane"]] = decision
        elif event.type is EventType.VERIFIED:
            decisions = parts.setdefault(data["message"], _Parts()).decisions
            if data["lane"] in decisions:
                said = decisions[data["lane"]]
                decisions[data["lane"]] = Decision(said.lane, said.verdict, said.reason, said.paths, data["holds"])
    return [_node(event, parts.get(event.data["id"], _Parts())) for event in events if event.type in _SAYING]


def _with_steps(events: Sequence[Event]) -> Iterator[tuple[Event, int | None]]:
    """Each event with its lane's step: as it says, else the one after the last that the engine saw end."""
    ended: dict[str, int] = {}
    for event in events:
        step: int | None = event.data.get("step")
        if event.type is EventType.STEP_ENDED:
            ended[event.data["lane"]] = event.data["step"]
        elif step is None and event.data.get("lane") in ended:
            step = ended[event.data["lane"]] + 1
        yield event, step


def _node(event: Event, parts: _Parts) -> Node:
    data = event.data
    cover = data.get("envelope") or {}
    return Node(
        id=data["id"],
        sender=data["sender"] if event.type is EventType.MESSAGE_SENT else data["lane"],
        thread=event.thread,
        at=event.at,
        kind=cover.get("kind", "note") if event.type is EventType.MESSAGE_SENT else f"at {data['point']}",
        content=data["content"],
        mentions=tuple(data["mentions"]),
        trace=cover.get("trace_id", data["id"]),
        asked=cover.get("response_requested", False),
        shown=tuple(parts.shown),
        expired=parts.expired,
        decisions=tuple(parts.decisions.values()),
    )


def draw(nodes: Sequence[Node]) -> str:
    """The graph as text: each message, under it who saw it and what came of it, indented under what it answers."""
    lines: list[str] = []
    for node in nodes:
        indent = "" if node.trace == node.id else "    "
        lines.append(
            f"{indent}{node.id} {node.at} {node.sender} [{framing.label(node.kind, 60)}] {framing.label(node.content, 100)}"
        )
        for shown in node.shown:
            where = "" if shown.step is None else f" at step {shown.step}"
            lines.append(f"{indent}  seen by {shown.lane}{where}, {shown.seconds:.3f} s after, by {shown.via}")
        for lane in node.unseen_by:
            lines.append(f"{indent}  never seen by {lane}" + (f": {node.expired[lane]}" if lane in node.expired else ""))
        for said in node.decisions:
            checked = {None: "", True: " (borne out by its files)", False: " (not borne out by its files)"}[said.holds]
            paths = f" in {framing.label(', '.join(said.paths), 200)}" if said.paths else ""
            lines.append(f"{indent}  {said.verdict} by {said.lane}{paths}{checked}: {framing.label(said.reason, 100)}")
        answered = {said.lane for said in node.decisions}
        if node.asked and set(node.mentions) - answered:
            lines.append(f"{indent}  asked for a response; none from {', '.join(sorted(set(node.mentions) - answered))}")
    return "\n".join(lines)


def as_json(node: Node) -> dict[str, Any]:
    """A node for a file."""
    return {
        "id": node.id,
        "sender": node.sender,
        "thread": node.thread,
        "at": node.at,
        "kind": node.kind,
        "trace": node.trace,
        "content": node.content,
        "mentions": list(node.mentions),
        "shown": [vars(one) for one in node.shown],
        "unseen_by": list(node.unseen_by),
        "expired": dict(node.expired),
        "decisions": [{**vars(one), "paths": list(one.paths)} for one in node.decisions],
    }


@dataclass(frozen=True)
class LaneSummary:
    """What a log says of one lane. Steps spent on listening are those whose tool call was a wait, a watch, an inbox or a sync."""

    lane: str
    sent: int
    received: int
    shown: int
    unread: int
    expired: Mapping[str, int]
    refused: Mapping[str, int]
    listening_steps: int
    noticed: int
    median_seconds: float | None
    longest_seconds: float | None
    bytes_shown: int
    snapshot_bytes: int
    responded: Mapping[str, int]
    borne_out: int
    not_borne_out: int
    finished: str | None


def summarise(events: Sequence[Event]) -> dict[str, LaneSummary]:
    """What is counted for each lane, from its cell's log alone."""
    lanes = [event.data["lane"] for event in events if event.type is EventType.LANE_JOINED]
    return {lane: _summary(lane, events) for lane in lanes}


def _summary(lane: str, events: Sequence[Event]) -> LaneSummary:
    mine = [event for event in events if event.data.get("lane") == lane]
    sent = [event for event in events if event.type in _SAYING]
    received = sum(lane in event.data.get("mentions", ()) for event in sent)
    shown = [event for event in mine if event.type in _SHOWING]
    seconds = [each for event in shown for each in event.data["seconds"]]
    expired: Counter[str] = Counter()
    for event in _of(mine, EventType.EXPIRED):
        expired[event.data["reason"]] += len(event.data["seqs"])
    refused: Counter[str] = Counter()
    for event in _of(mine, EventType.REFUSED):
        refused[event.data["reason"]] += event.data["count"]
    verified = list({event.data["message"]: event.data["holds"] for event in _of(mine, EventType.VERIFIED)}.values())
    finished = [event.data["reason"] for event in _of(mine, EventType.FINISHED)]
    return LaneSummary(
        lane=lane,
        sent=sum(event.data.get("sender", event.data.get("lane")) == lane for event in sent),
        received=received,
        shown=len(seconds),
        unread=received - len(seconds) - expired.total(),
        expired=dict(expired),
        refused=dict(refused),
        listening_steps=_listening_steps(mine),
        noticed=sum(event.data["cursor"] - event.data["start"] for event in _of(mine, EventType.NOTICED)),
        median_seconds=median(seconds) if seconds else None,
        longest_seconds=max(seconds, default=None),
        bytes_shown=sum(event.data["bytes"] for event in shown),
        snapshot_bytes=sum(event.data.get("snapshot_bytes", 0) for event in shown),
        responded=dict(Counter(event.data["verdict"] for event in _of(mine, EventType.RESPONDED))),
        borne_out=verified.count(True),
        not_borne_out=verified.count(False),
        finished=finished[-1] if finished else None,
    )


def _listening_steps(mine: Sequence[Event]) -> int:
    """Steps that a lane spent on listening: where they are counted, all it asked within one is one; else each command is."""
    steps = [event.data.get("step") for event in _of(mine, EventType.LISTENING)]
    return sum(step is None or step != before for before, step in zip([None, *steps], steps, strict=False))


def _of(events: Sequence[Event], kind: EventType) -> list[Event]:
    return [event for event in events if event.type is kind]
