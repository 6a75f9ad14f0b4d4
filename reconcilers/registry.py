"""The reconcilers by name; each is imported when it is asked for."""

from importlib import import_module

from reconcilers import RECONCILERS
from reconcilers.base import Reconciler
from sandboxes.errors import SetupError


def reconciler_named(name: str) -> Reconciler:
    """A reconciler by its name.

    Raises:
        SetupError: there is none of this name.
    """
    if name not in RECONCILERS:
        raise SetupError(f"no reconciler {name!r}; there are {', '.join(RECONCILERS)}")
    module, _, attribute = RECONCILERS[name].rpartition(".")
    made: Reconciler = getattr(import_module(module), attribute)()
    return made
