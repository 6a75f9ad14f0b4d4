"""The step boundary: the one place where messages come before an agent that does not listen.

A hook of an agent program (`radio/commands/radio-hook`), the replay harness and the mini agent all do the same: look at
the lane's mailbox file, and only where it is not empty ask the hub to `deliver`, show what it hands out, and `confirm`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radio.client import RadioClient, new_key
from radio.errors import Reason, Refused


@dataclass(frozen=True)
class Delivery:
    """What a boundary brought.

    Attributes:
        text: to be put before the model as it is; None when nothing waited.
        messages: the ids of the messages in it.
        signals: how many signals of the run are in it, such as a cancel.
        waiting: messages that did not fit; the next boundary continues with them.
    """

    text: str | None
    messages: tuple[str, ...] = ()
    signals: int = 0
    waiting: int = 0


NOTHING = Delivery(None)


def mail_waits(mailbox: Path) -> bool:
    """Whether anything waits for a lane, by a look at its mailbox file."""
    try:
        return mailbox.stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError:
        return True  # the lane has put something else there: the hub knows


def deliver(mailbox: Path, client: RadioClient, step: int, *, stopping: bool = False) -> Delivery:
    """Bring what waits for a lane at a step boundary. What is returned counts as shown.

    Args:
        mailbox: the lane's mailbox file.
        client: with the lane's token.
        step: the number of the step that has just ended.
        stopping: the agent is about to stop. Brings something only where the policy drains at stop, and then the
            agent is to be given another turn with it.

    Raises:
        HubUnreachable: something waits, and no hub answers.
    """
    if not mail_waits(mailbox):
        return NOTHING
    while True:
        fields = {"step": step, "event": "stop" if stopping else "step", "key": new_key()}
        answer = client.call("deliver", fields, timeout=60)
        if not answer["lease"]:
            return NOTHING
        try:
            client.call("confirm", {"lease": answer["lease"]})
        except Refused as refusal:
            if refusal.reason is not Reason.LEASE_LOST:
                raise
            continue  # another delivery of the same lane has shown them; there may be newer ones
        return Delivery(answer["text"], tuple(answer["messages"]), answer["signals"], answer["waiting"])


def delivery_fault(counters: Mapping[str, Any], *, boundaries: int) -> str | None:
    """Why nothing could be delivered to a lane, judged by its canary; None where delivery works or was never due.

    Args:
        counters: the lane's, from the hub.
        boundaries: how many step boundaries the lane is known to have had.
    """
    if counters["canary"] != "queued" or boundaries == 0:
        return None
    return f"lane {counters['lane']} had {boundaries} step boundaries and its delivery check was never shown"
