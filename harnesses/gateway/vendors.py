"""Which models a program reaches by itself, because it speaks their vendor's protocol."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sandboxes.errors import SetupError


@dataclass(frozen=True)
class Vendor:
    """A program's own vendor.

    Attributes:
        prefix: LiteLLM's name of it.
        names: what its models are called.
        address: where it is asked.
        url_variable: the variable with the address of an endpoint of the operator's that speaks the same protocol.
        key_variables: any of them holds a key.
    """

    prefix: str
    names: re.Pattern[str]
    address: str
    url_variable: str
    key_variables: Sequence[str]


VENDORS = {
    "claude-code": Vendor(
        "anthropic",
        re.compile(r"claude.*|default|best|sonnet.*|opus.*|haiku.*"),
        "https://api.anthropic.com",
        "ANTHROPIC_BASE_URL",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    ),
    "codex": Vendor(
        "openai",
        re.compile(r"gpt-.*|o\d.*|codex.*|chatgpt-.*"),
        "https://api.openai.com/v1",
        "OPENAI_BASE_URL",
        ("OPENAI_API_KEY", "CODEX_API_KEY"),
    ),
}


def is_own(harness: str, model: str | None) -> bool:
    """Whether a program reaches a model by itself.

    An endpoint of the operator's own, named by the program's own variable, takes any name without a vendor in front.
    """
    vendor = VENDORS[harness]
    prefix, slash, _ = (model or "").partition("/")
    if model is None or slash:
        return model is None or prefix == vendor.prefix
    return bool(os.environ.get(vendor.url_variable)) or vendor.names.fullmatch(model) is not None


def own_name(harness: str, model: str | None) -> str | None:
    """What the program itself calls a model of its own vendor's."""
    return model.removeprefix(f"{VENDORS[harness].prefix}/") if model else model


def keys_of(harness: str) -> list[str]:
    """The variables in the operator's environment that hold a key for a program's own vendor."""
    return [one for one in VENDORS[harness].key_variables if os.environ.get(one)]


def require_key(harness: str, model: str | None) -> None:
    """Raises SetupError where there is no such key."""
    if not keys_of(harness):
        what = f"the model {model}" if model else "its own default model"
        raise SetupError(f"{harness} has no key for {what}: set one of {', '.join(VENDORS[harness].key_variables)}")
