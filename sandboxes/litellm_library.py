"""LiteLLM, loaded in one way everywhere: it fetches nothing, and reads no settings that happen to lie about."""

import os
from importlib import import_module
from typing import Any

_VARIABLES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it would fetch its prices
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it would read a `.env` file that it finds in a folder above
}


def load_litellm() -> Any:
    """The module; the first call takes seconds.

    Raises:
        ImportError: it is not installed, or a package is missing that it needs.
    """
    os.environ.update(_VARIABLES)
    litellm: Any = import_module("litellm")
    litellm.suppress_debug_info = True  # else it prints advice on every failure
    litellm.telemetry = False
    return litellm
