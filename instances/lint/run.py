"""All the rules over one pair."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from instances.leaks import base_text
from instances.lint import names, pins, suites, texts
from instances.lint.finding import Finding, Level
from instances.model import Instance


@dataclass(frozen=True)
class Scope:
    """Which paths of a tree grading puts back: how it reads globs is the affair of another room.

    Attributes:
        compiled: makes a pattern of globs that fully matches the paths which they name.
        control: fully matches the test runners' own files.
    """

    compiled: Callable[[Sequence[str]], re.Pattern[str]]
    control: re.Pattern[str]


def lint(instance: Instance, scope: Scope) -> list[Finding]:
    """What is wrong with a pair, errors first, as far as its files show it.

    Raises:
        InstanceError: a file or the base cannot be read, or an edit script does not fit the base.
    """
    base = base_text(instance.base_directory())
    found = list(_all(instance, scope, base))
    return sorted(set(found), key=lambda one: (one.level is not Level.ERROR, one.file, one.line or 0, one.rule, one.what))


def _all(instance: Instance, scope: Scope, base: str) -> Iterator[Finding]:
    yield from texts.leftovers(instance)
    yield from texts.requirements(instance)
    yield from texts.given_away(instance, base)
    yield from pins.locks(instance)
    yield from pins.bases(instance)
    yield from pins.canary(instance)
    yield from suites.listed(instance)
    yield from suites.put_back(instance, scope.compiled, scope.control)
    yield from names.unsaid(instance, base)
