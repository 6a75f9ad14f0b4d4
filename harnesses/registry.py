"""The harnesses by name; each is imported when it is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from harnesses.base import Harness
from sandboxes.errors import SetupError

HARNESSES = {
    "replay": "harnesses.replay.ReplayHarness",
    "claude-code": "harnesses.claude_code.ClaudeCode",
    "codex": "harnesses.codex.Codex",
    "mini-swe-agent": "harnesses.mini_swe_agent.MiniSweAgent",
}
SCRIPTED_MODEL = "scripted"
_KEY_VARIABLES = {"claude-code": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY", "mini-swe-agent": "OPENAI_API_KEY"}


@contextmanager
def open_harness(name: str, model: str | None) -> Iterator[Harness]:
    """A harness by its name, or by the dotted path of a class of one's own, for as long as a run lasts.

    With the model `scripted`, a real program is driven by the scripted model server, and no model is called.

    Raises:
        SetupError: there is none of this name, or it does not take the model.
    """
    made = _class_named(name)
    if name == "replay":
        if model is not None:
            raise SetupError("the replay harness calls no model: leave --model out")
        yield made()
    elif model != SCRIPTED_MODEL:
        yield made(model)
    elif name not in _KEY_VARIABLES:
        raise SetupError(f"harness {name!r} cannot be driven by the scripted model server")
    else:
        from harnesses.endpoint import scripted_endpoint
        from harnesses.scripted_model.server import ScriptedModelServer

        with ScriptedModelServer() as server:
            yield made(model, endpoint=scripted_endpoint(server, _KEY_VARIABLES[name]), scripted=True)


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
