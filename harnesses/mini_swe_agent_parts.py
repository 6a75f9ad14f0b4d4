"""The package mini-swe-agent and LiteLLM below it, loaded when a turn first needs them, without the operator's settings."""

import os
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any

import yaml

from sandboxes.errors import SetupError
from sandboxes.folders import temporary_folder
from sandboxes.litellm_library import load_litellm

PACKAGE = "mini-swe-agent"
GET = "pip install 'crosstalk-bench[mini]'"
SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
HAND_IN = f"echo {SENTINEL}"
_SETTINGS = "mini.yaml"
_loading = Lock()


@dataclass(frozen=True)
class Parts:
    """What the adapter uses of the package.

    Attributes:
        agent: the class `DefaultAgent`.
        model: the function that makes a model by its LiteLLM name.
        format_error: what a model raises for an answer without a usable command.
        settings: the package's own, as its command `mini` has them; they say how work is handed in.
        litellm: the module.
    """

    agent: Any
    model: Any
    format_error: type[Exception]
    settings: dict[str, Any]
    litellm: Any


def installed_version() -> str:
    """The package's version, found without loading it; empty where it is missing."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""


def need_version() -> str:
    """Raises SetupError when the package is missing; the text says how to get it."""
    found = installed_version()
    if not found:
        raise SetupError(f"{PACKAGE} is not installed: {GET}")
    return found


def load_parts() -> Parts:
    """Load the package, once.

    Raises:
        SetupError: it is missing.
    """
    need_version()
    with _loading:
        return _load()


@lru_cache
def _load() -> Parts:
    litellm = load_litellm()
    # The package would take variables from the operator's own settings of it; it looks for them when it is loaded only.
    with temporary_folder("mini") as empty:
        os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = str(empty)
        os.environ["MSWEA_SILENT_STARTUP"] = "1"
        agent = import_module("minisweagent.agents.default").DefaultAgent
        model = import_module("minisweagent.models").get_model
        error = import_module("minisweagent.exceptions").FormatError
        folder = import_module("minisweagent.config").builtin_config_dir
    settings = yaml.safe_load((folder / _SETTINGS).read_text(encoding="utf-8"))
    return Parts(agent, model, error, settings, litellm)
