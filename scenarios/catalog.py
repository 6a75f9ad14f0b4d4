"""The catalogue: every scenario that is shipped, as data. The first nineteen are ParallACT's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sandboxes.errors import SetupError
from scenarios.model import (
    Channel,
    GoldTests,
    Group,
    History,
    Listening,
    Protocol,
    Requirement,
    Scenario,
    Schedule,
    Store,
)
from scenarios.own import load_scenarios

_IN_FILE = re.compile(r"(?P<path>.*\.ya?ml)(?::(?P<name>[^:/]+))?")
_ORACLE = Scenario("oracle", Group.ONE_AGENT, Schedule.SINGLE, upper_bound=True, requirement=Requirement.BOTH)
_PARALLEL = Scenario("parallel-unaware", Group.PARALLEL, Schedule.PARALLEL)
_MESSAGE = replace(_PARALLEL, aware=True, channel=Channel.MESSAGE, listening=Listening.PULL)
_SYNC = replace(_MESSAGE, channel=Channel.SYNC, listening=Listening.FOREGROUND)
_RADIO = replace(_PARALLEL, group=Group.RADIO, aware=True, channel=Channel.RADIO, store=Store.SQLITE)
_PROTOCOL = replace(_RADIO, group=Group.PROTOCOL, protocol=Protocol.FIVE_PHASE)
_PASSIVE = replace(_RADIO, name="radio-passive", listening=Listening.HOOK)


def _serial() -> Iterator[Scenario]:
    for kind, orders in (("sequential", ("ab", "ba")), ("reentrant", ("abab", "baba"))):
        for order in orders:
            for suffix, history in (("repo", History.REPO), ("hist", History.DIFFS)):
                yield Scenario(
                    f"{kind}-{order}-{suffix}",
                    Group.SERIAL,
                    Schedule.SERIAL,
                    order=tuple(order),
                    history=history,
                    resume_session=kind == "reentrant",
                )


CATALOG: tuple[Scenario, ...] = (
    _ORACLE,
    replace(_ORACLE, name="orchestrator", delegate=True),
    *_serial(),
    _PARALLEL,
    replace(_PARALLEL, name="parallel-aware", aware=True),
    replace(_MESSAGE, name="parallel-message-file", store=Store.FILE),
    replace(_MESSAGE, name="parallel-message-redis", store=Store.REDIS),
    replace(_SYNC, name="parallel-sync-file", store=Store.FILE),
    replace(_SYNC, name="parallel-sync-redis", store=Store.REDIS),
    replace(_MESSAGE, name="comm-oracle", upper_bound=True, aware=False, store=Store.FILE, requirement=Requirement.BOTH),
    replace(_ORACLE, name="oracle-gold", group=Group.GOLD_TESTS, gold_tests=GoldTests.ALL, contradictory_only=True),
    replace(
        _PARALLEL,
        name="parallel-gold",
        group=Group.GOLD_TESTS,
        upper_bound=True,
        gold_tests=GoldTests.OWN,
        contradictory_only=True,
    ),
    replace(_RADIO, name="radio-blocking", listening=Listening.FOREGROUND),
    replace(_RADIO, name="radio-watcher", listening=Listening.WATCHER),
    _PASSIVE,
    replace(_PROTOCOL, name="radio-protocol-blocking", listening=Listening.FOREGROUND),
    replace(_PROTOCOL, name="radio-protocol-watcher", listening=Listening.WATCHER),
    replace(_PROTOCOL, name="radio-protocol-passive", listening=Listening.HOOK),
    replace(
        _PASSIVE,
        name="radio-governed",
        group=Group.CONTROL,
        envelope=True,
        limits=True,
        dispositions=True,
        drain_at_stop=True,
    ),
    replace(_PASSIVE, name="radio-radar", group=Group.CONTROL, radar=True),
)


def by_name(name: str) -> Scenario:
    """A shipped scenario, or a YAML file's: `FILE.yaml` where it holds one, `FILE.yaml:NAME` where it holds several.

    Raises:
        SetupError: there is none of this name.
    """
    found = select([name])
    if len(found) != 1:
        raise SetupError(f"{name!r} names {len(found)} scenarios; name one")
    return found[0]


def select(terms: Sequence[str]) -> list[Scenario]:
    """The scenarios that terms name: a name, a group, `all`, a YAML file, or `FILE.yaml:NAME`; each once, in catalogue order.

    Raises:
        SetupError: a term names nothing, or a file is wrong.
    """
    chosen: dict[str, Scenario] = {}
    for term in terms or ["all"]:
        for scenario in _named(term):
            if chosen.setdefault(scenario.name, scenario) != scenario:
                raise SetupError(f"two different scenarios are called {scenario.name!r}; rename the one in {term}")
    order = {scenario.name: index for index, scenario in enumerate(CATALOG)}
    return sorted(chosen.values(), key=lambda scenario: order.get(scenario.name, len(order)))


def _named(term: str) -> list[Scenario]:
    if named := _IN_FILE.fullmatch(term):
        path, name = Path(named["path"]), named["name"]
        own = load_scenarios(path, CATALOG)
        if name is None:
            return own
        if name not in {scenario.name for scenario in own}:
            raise SetupError(f"{path}: holds no scenario {name!r}; it holds {', '.join(one.name for one in own)}")
        return [scenario for scenario in own if scenario.name == name]
    found = [scenario for scenario in CATALOG if term in ("all", scenario.name, scenario.group)]
    if not found:
        groups = ", ".join(group for group in Group if group is not Group.OWN)
        raise SetupError(
            f"no scenario or group {term!r}: `crosstalk scenarios list` shows them; groups are {groups}; "
            "your own come from a .yaml file"
        )
    return found
