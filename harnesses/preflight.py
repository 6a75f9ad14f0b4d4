"""Before a run that asks a provider: can it be connected to? A program would try for minutes before it says that it cannot."""

import os
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from harnesses.base import Harness
from harnesses.relay.route import Route, why_unreachable
from sandboxes.errors import SetupError
from sandboxes.litellm_library import load_litellm

# Of these LiteLLM tells no address beforehand.
_ADDRESSES = {
    "anthropic": (("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"), "https://api.anthropic.com"),
    "openai": (("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com"),
    "gemini": (("GEMINI_API_BASE",), "https://generativelanguage.googleapis.com"),
}


@runtime_checkable
class AsksAProvider(Protocol):
    """A harness that knows where its requests go."""

    def unreachable(self) -> str:
        """Why its provider cannot be connected to; empty where it can be, where it is none outside, or where it is not known."""
        ...


def require_reachable(program: Harness, reconciler: Mapping[str, str | None] | None) -> None:
    """Make sure that those whom a run asks can be connected to.

    Args:
        program: the run's harness.
        reconciler: the model that combines, with the way to it.

    Raises:
        SetupError: one cannot.
    """
    reasons = [program.unreachable()] if isinstance(program, AsksAProvider) else []
    if reconciler:
        address = reconciler["url"] or litellms_address(load_litellm(), str(reconciler["model"]))
        reasons.append(why_litellm_cannot_reach(address))
    for reason in filter(None, reasons):
        raise SetupError(f"{reason}; no cell was started (is there a network, and HTTPS_PROXY set where one is needed?)")


def litellms_address(litellm: Any, model: str) -> str | None:
    """Where LiteLLM sends a model's requests, as far as that can be known beforehand."""
    try:
        _, provider, _, address = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        return None
    if address is None and provider in _ADDRESSES:
        variables, usual = _ADDRESSES[provider]
        address = next((value for name in variables if (value := os.environ.get(name))), usual)
    return str(address) if address else None


def why_litellm_cannot_reach(address: str | None) -> str:
    """Why LiteLLM cannot connect to an address: neither by the operator's proxy nor straight.

    Which of them it takes and whom it trusts are settings of its own, so either will do.
    """
    if address is None:
        return ""
    reason = why_unreachable(address, trusted=False)
    straight = Route.to(address, by_proxy=False)
    return reason and why_unreachable(address, trusted=False, route=straight) and reason
