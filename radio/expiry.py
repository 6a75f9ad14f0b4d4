"""Until which of its receiver's steps a message is still shown."""

from collections.abc import Mapping


def last_steps(steps: Mapping[str, int], given: int | None, lifetime: int | None) -> dict[str, dict[str, int]]:
    """For each receiver the last step at which a message that is sent now is shown, as far as that can be known now.

    A lifetime counts from the receiver's step. Where nobody counts that, it counts from the first delivery to come: what
    the hub has heard of a lane that got no mail for long says nothing of its step.

    Args:
        steps: the step each receiver is at; 0 where nobody counts.
        given: the last step by the message's own envelope.
        lifetime: the last step by the radio's limits, relative to the receiver's.

    Returns:
        `expires`, the last step, and `lifetimes`, the steps from the first delivery on; each by receiver, where it has one.
    """
    expires: dict[str, int] = {}
    lifetimes: dict[str, int] = {}
    for name, step in steps.items():
        if lifetime is not None and not step:
            lifetimes[name] = lifetime
        bounds = [given] if given is not None else []
        bounds += [step + lifetime] if lifetime is not None and step else []
        if bounds:
            expires[name] = min(bounds)
    return {"expires": expires, "lifetimes": lifetimes}
