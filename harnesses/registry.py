"""The harnesses by name; each is imported when it is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from harnesses.base import Harness
from sandboxes.errors import SetupError

HARNESSES = {
    "replay": "harnesses.replay.ReplayHarness",
    "claude-code": "harnesses.claude_code.ClaudeCode",
    "codex": "harnesses.codex.Codex",
    "mini-swe-agent": "harnesses.mini_swe_agent.MiniSweAgent",
    "opencode": "harnesses.opencode.OpenCode",
}
SCRIPTED_MODEL = "scripted"
_KEY_VARIABLES = {
    "claude-code": "ANTHROPIC_API_KEY",
    "codex": "CODEX_API_KEY",
    "mini-swe-agent": "OPENAI_API_KEY",
    "opencode": "CROSSTALK_MODEL_KEY",
}
_WITHOUT_A_VENDOR = {"opencode"}  # reaches any model through a gateway, and none without


@dataclass(frozen=True)
class ModelWay:
    """The way to a model that is not its provider's own.

    Attributes:
        url: an endpoint of the operator's.
        key_variable: the environment variable that holds the key.
    """

    url: str | None = None
    key_variable: str | None = None


@contextmanager
def open_harness(name: str, model: str | None, way: ModelWay | None = None) -> Iterator[Harness]:
    """A harness by its name, or by the dotted path of a class of one's own, for as long as a run lasts.

    With the model `scripted`, a real program is driven by the scripted model server, and no model is called. A program that
    speaks only its vendor's protocol reaches another's model through a gateway, which is started here.

    Raises:
        SetupError: there is none of this name, or it does not take the model, or a key is missing.
        HarnessError: the gateway did not start.
    """
    made = _class_named(name)
    key_variable = _KEY_VARIABLES.get(name) or getattr(made, "key_variable", None)
    if way is not None and (key_variable is None or model in (None, SCRIPTED_MODEL)):
        others = "or one's own with a `key_variable`"
        raise SetupError(f"--model-url and --model-key go with --model and a harness of {', '.join(_KEY_VARIABLES)}, {others}")
    if name == "replay":
        if model is not None:
            raise SetupError("the replay harness calls no model: leave --model out")
        yield made()
    elif model != SCRIPTED_MODEL:
        with _with_a_model(name, made, model, way, key_variable) as harness:
            yield harness
    elif key_variable is None:
        raise SetupError(f"harness {name!r} cannot be driven by the scripted model server: its class has no `key_variable`")
    else:
        from harnesses.endpoint import scripted_endpoint
        from harnesses.scripted_model.server import ScriptedModelServer

        with ScriptedModelServer() as server:
            yield made(model, endpoint=scripted_endpoint(server, key_variable), scripted=True)


@contextmanager
def _with_a_model(name: str, made: type, model: str | None, way: ModelWay | None, key_variable: str | None) -> Iterator[Harness]:
    """A harness that calls a model: by itself where it can, else through a gateway."""
    from harnesses.gateway.vendors import VENDORS, is_own, own_name, require_key

    if name in _WITHOUT_A_VENDOR and model is None:
        raise SetupError(f"{name} has no model of its own: name one with --model, as LiteLLM does, or --model {SCRIPTED_MODEL}")
    if way is None and name not in VENDORS and name not in _WITHOUT_A_VENDOR:
        yield made(model)
        return
    if way is None and name in VENDORS and is_own(name, model):
        require_key(name, model)
        yield made(own_name(name, model))
        return
    from harnesses.gateway.harness import Gatewayed
    from harnesses.gateway.process import ModelAddress, open_gateway

    assert model is not None
    assert key_variable is not None
    way = way or ModelWay()
    with open_gateway(ModelAddress(model, way.url, way.key_variable)) as gateway:
        yield Gatewayed(lambda endpoint: made(model, endpoint=endpoint), gateway, key_variable)


def _class_named(name: str) -> type:
    path = HARNESSES.get(name, name)
    module, _, attribute = path.rpartition(".")
    if not module:
        raise SetupError(f"no harness {name!r}; there are {', '.join(HARNESSES)}, and your own as module.Class")
    try:
        found: type = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SetupError(f"harness {name!r}: {error}") from error
    return found
