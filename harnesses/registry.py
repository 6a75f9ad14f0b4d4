"""The harnesses by name; each is imported when it is asked for."""

from importlib import import_module

from harnesses.base import Harness
from sandboxes.errors import SetupError

HARNESSES = {"replay": "harnesses.replay.ReplayHarness"}


def harness_named(name: str) -> Harness:
    """A harness by its name, or by the dotted path of a class of one's own.

    Raises:
        SetupError: there is none of this name.
    """
    path = HARNESSES.get(name, name)
    module, _, attribute = path.rpartition(".")
    if not module:
        raise SetupError(f"no harness {name!r}; there are {', '.join(HARNESSES)}, and your own as module.Class")
    try:
        made: Harness = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError) as error:
        raise SetupError(f"harness {name!r}: {error}") from error
    return made
