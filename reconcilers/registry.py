"""The reconcilers and the ways to a model by name; each is imported when it is asked for."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from reconcilers import RECONCILERS
from reconcilers.base import Reconciler
from reconcilers.transport import Transport
from sandboxes.errors import SetupError

MODEL = "model"


def reconciler_named(name: str, transport: Transport | None = None, shown: str | None = None) -> Reconciler:
    """A reconciler by its name; the one that asks a model needs the way to it, and may be shown more than base and diffs.

    Raises:
        SetupError: there is none of this name, or no model was named.
    """
    if name == MODEL:
        if transport is None:
            raise SetupError("the reconciler 'model' needs to be told which model")
        from reconcilers.model import Model
        from reconcilers.prompt import Shown

        return Model(transport, shown=Shown(shown or Shown.NOTHING))
    if name not in RECONCILERS:
        raise SetupError(f"no reconciler {name!r}; there are {', '.join([*RECONCILERS, MODEL])}")
    module, _, attribute = RECONCILERS[name].rpartition(".")
    made: Reconciler = getattr(import_module(module), attribute)()
    return made


def transport_for(
    model: str,
    *,
    url: str | None = None,
    key_variable: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Transport:
    """The way to a model: an endpoint of OpenAI's form where an address is given, else LiteLLM.

    Args:
        model: its name at the endpoint, or as LiteLLM takes it.
        url: what stands before `/chat/completions`. No key is sent there but the one that is named.
        key_variable: the environment variable that holds the key; LiteLLM knows the providers' own.
        parameters: further fields of each request.

    Raises:
        SetupError: the variable is empty, the address is none, or LiteLLM is not installed.
    """
    key = os.environ.get(key_variable, "").strip() if key_variable else ""
    if key_variable and not key:
        raise SetupError(f"the environment variable {key_variable} holds no key")
    if url:
        from reconcilers.http_transport import HttpTransport

        return HttpTransport(url, model, key, parameters=parameters)
    from reconcilers.litellm_transport import LitellmTransport

    return LitellmTransport(model, key=key or None, parameters=parameters)
