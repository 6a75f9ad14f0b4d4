"""How the hub's answers look: data for programs, and the same as text for shells, hooks and readers."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from radio.call import Answer
from radio.lane import Lane
from radio.leases import Handout
from radio.waiting import Outcome

if TYPE_CHECKING:
    from radio.hub import Hub


def handed_out(handout: Handout, hook: str | None = None) -> Answer:
    shown = _for_hook(handout.text, hook) if hook else handout.text
    data = {
        "outcome": "mention",
        "lease": handout.lease,
        "text": shown,
        "messages": list(handout.messages),
        "signals": handout.signals,
        "waiting": handout.waiting,
        "snapshot_tokens": handout.snapshot_tokens,
    }
    return Answer(data, shown)


def _for_hook(text: str, event: str) -> str:
    """What an agent program's hook prints, in the documented form, in which the model gets to see the text."""
    if event in ("Stop", "SubagentStop"):
        return json.dumps({"decision": "block", "reason": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def nothing(hub: "Hub", lane: Lane, outcome: Outcome | None, reason: str, silent: bool = False) -> Answer:
    waiting = hub.room.waiting_lanes()
    peers = {
        name: "finished" if peer.finished is not None else "waiting" if name in waiting else "working"
        for name, peer in hub.board.lanes.items()
        if name != lane.name
    }
    told = "" if outcome is None else f" ({outcome.value}). Peers: " + ", ".join(f"{n} {s}" for n, s in peers.items())
    data: dict[str, Any] = {
        "outcome": outcome.value if outcome else "nothing",
        "lease": "",
        "text": "",
        "messages": [],
        "reason": reason,
    }
    return Answer({**data, "peers": peers}, "" if silent else f"[radio] {reason}{told}")


def listed(hub: "Hub", lane: Lane) -> Answer:
    waiting = [{"message": entry.message, "sender": entry.sender} for entry in lane.mentions.waiting]
    lines = [f"{entry['message']} from {entry['sender']}" for entry in waiting] or ["nothing waits"]
    return Answer({"waiting": waiting, "signals": len(lane.signals.waiting)}, "\n".join(lines))


def lane_state(hub: "Hub", lane: Lane) -> dict[str, Any]:
    counters = asdict(lane.counters)
    counters["refused"] = dict(lane.counters.refused)
    counters["responded"] = dict(lane.counters.responded)
    leased = hub.leases.busy(lane)
    return {
        **counters,
        "lane": lane.name,
        "unread": len(lane.mentions.waiting) + len(lane.posts),
        "leased": leased,
        "finished": lane.finished,
        "cancelled": lane.cancelled,
        "canary": lane.canary,
        "step": lane.step,
    }
