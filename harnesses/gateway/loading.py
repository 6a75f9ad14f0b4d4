"""LiteLLM in the gateway's process: loaded without the network, and the way to a model found before anything is asked."""

import os
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from harnesses.gateway import tap
from harnesses.gateway.protocols import Way
from harnesses.preflight import litellms_address
from sandboxes.errors import SetupError
from sandboxes.litellm_library import load_litellm

GET = "pip install 'crosstalk-bench[litellm]'"
_BESIDE = ("aiohttp", "fastapi", "soundfile", "backoff")
_NO_KEY = "none"
_SECONDS = 3600.0


def installed_version() -> str:
    """LiteLLM's, where the packages are there that the gateway needs beside it; empty else. Nothing is loaded."""
    if not all(find_spec(one) for one in _BESIDE):
        return ""
    try:
        return version("litellm")
    except PackageNotFoundError:
        return ""


def load() -> Any:
    """LiteLLM, with every answer of a provider read on its way in.

    Raises:
        SetupError: it is not installed.
    """
    os.environ["LITELLM_RUST"] = "0"  # its own client, past which no answer could be read
    try:
        litellm = load_litellm()
    except ImportError as error:
        raise SetupError(f"LiteLLM is not to be had ({error}): {GET}") from error
    try:
        # Passing on a stream of Anthropic Messages loads parts of its proxy, and what those import.
        import_module("litellm.llms.anthropic.messages.native.streaming_iterator")
        import_module("litellm.proxy.pass_through_endpoints.streaming_handler")
    except ImportError as error:
        # In other versions they are elsewhere.
        if not (error.name or "").startswith("litellm"):
            raise SetupError(f"LiteLLM asks for a package that is missing ({error}): {GET}") from error
    litellm.drop_params = True  # what a program asks for beside, and this model does not know
    litellm.num_retries = 0
    tap.install()
    return litellm


def way_to(litellm: Any, model: str, url: str | None, key_variable: str | None) -> Way:
    """How a model is reached.

    Raises:
        SetupError: LiteLLM knows no such provider, or a key is missing.
    """
    key = os.environ.get(key_variable, "").strip() if key_variable else ""
    if key_variable and not key:
        raise SetupError(f"the environment variable {key_variable} holds no key")
    try:
        _, provider, _, _ = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError as error:
        if url is None:
            raise SetupError(
                f"LiteLLM knows no provider of {model!r}; put one in front, such as openai/{model}, "
                "or name its endpoint with --model-url"
            ) from error
        model, provider = f"openai/{model}", "openai"
    # Of an endpoint that is not OpenAI's own, chat completions is what can be counted on.
    chat = url is not None and provider == "openai"
    litellm.use_chat_completions_url_for_anthropic_messages = chat
    arguments = {"timeout": _SECONDS, "max_retries": 0}
    if url is not None:
        # No key is sent to an endpoint of one's own but the one that is named.
        return Way(model, {**arguments, "api_base": url, "api_key": key or _NO_KEY}, chat, url)
    address = litellms_address(litellm, model)
    if key:
        return Way(model, {**arguments, "api_key": key}, address=address)
    missing = litellm.validate_environment(model)["missing_keys"]
    if missing:
        raise SetupError(f"the model {model} needs: set {', '.join(missing)}, or name the variable of its key with --model-key")
    return Way(model, arguments, address=address)
