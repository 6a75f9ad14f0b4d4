"""A user's own scenarios, from a YAML file with the same fields as the catalogue's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sandboxes.errors import SetupError
from scenarios.model import Channel, Group, History, Listening, Protocol, Requirement, Scenario, Schedule, Store

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
_FIELDS = {field.name: field.type for field in fields(Scenario)}


def load_scenarios(path: Path, shipped: Sequence[Scenario]) -> list[Scenario]:
    """Read one scenario (a mapping) or several (a list of mappings) from a YAML file.

    `shipped` are those that it may extend, and whose names are taken. A mapping holds `name`, and either `extends` (a
    shipped scenario's name) or `schedule`, and any other field of `Scenario`.

    Raises:
        SetupError: the file cannot be read, or a field is unknown or has a value of another kind.
    """
    import yaml

    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_loader())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SetupError(f"{path}: cannot read scenarios: {' '.join(str(error).split())}") from error
    entries = data if isinstance(data, list) else [data]
    if not entries:
        raise SetupError(f"{path}: holds no scenario")
    return [_scenario(entry, path, shipped) for entry in entries]


def _loader() -> Any:
    """A safe loader that refuses a key that stands twice, where YAML would let the last one win."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            twice = next((key for number, key in enumerate(keys) if key in keys[:number]), None)
            if twice is not None:
                raise yaml.constructor.ConstructorError(None, None, f"the key {twice!r} stands twice", node.start_mark)
            return super().construct_mapping(node, deep)

    return Loader


def scenario_of_record(record: dict[str, Any]) -> Scenario:
    """The scenario whose fields a run's manifest holds.

    Raises:
        SetupError: the record is not a scenario's.
    """
    where = f"scenario {record.get('name')!r} of the run"
    values = {key: _value(key, value, where) for key, value in record.items() if key not in {"group", "order"}}
    return Scenario(**values, group=Group(record["group"]), order=tuple(record["order"]))


def _scenario(entry: Any, path: Path, shipped: Sequence[Scenario]) -> Scenario:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise SetupError(f"{path}: a scenario is a mapping with a `name`")
    name = entry["name"]
    if not _NAME.fullmatch(name):
        raise SetupError(f"{path}: {name!r} is no name for a scenario: lower-case letters, digits and hyphens, 60 at most")
    if any(scenario.name == name for scenario in shipped):
        raise SetupError(f"{path}: {name!r} is a shipped scenario's name; choose another")
    parent = next((one for one in shipped if one.name == entry.get("extends")), None)
    if "extends" in entry and parent is None:
        raise SetupError(f"{path}: {name}: extends {entry['extends']!r}, which is no shipped scenario")
    if parent is None and "schedule" not in entry:
        raise SetupError(f"{path}: {name}: needs `extends` or `schedule`")
    start = parent or Scenario(name, Group.OWN, Schedule.PARALLEL)
    values = {key: _value(key, value, f"{path}: {name}") for key, value in entry.items() if key != "extends"}
    scenario = replace(start, **{**values, "group": Group.OWN})
    _check(scenario, f"{path}: {name}")
    return scenario


def _value(key: str, value: Any, where: str) -> Any:
    kind = _FIELDS.get(key)
    if kind is None or key == "group":
        raise SetupError(f"{where}: unknown field {key!r}; known are {', '.join(sorted(_FIELDS.keys() - {'group'}))}")
    if key == "order":
        sides = list(value) if isinstance(value, list | str) else []
        if not sides or any(side not in ("a", "b") for side in sides):
            raise SetupError(f"{where}: order is a list of sides, such as [a, b], not {value!r}")
        return tuple(sides)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        try:
            return kind(value)
        except ValueError as error:
            raise SetupError(f"{where}: {key} is one of {', '.join(kind)}, not {value!r}") from error
    if not isinstance(value, kind if isinstance(kind, type) else object):
        raise SetupError(f"{where}: {key} is a {getattr(kind, '__name__', kind)}, not {value!r}")
    return value


def _check(scenario: Scenario, where: str) -> None:
    for wrong, reason in _wrong(scenario):
        if wrong:
            raise SetupError(f"{where}: {reason}")


def _wrong(scenario: Scenario) -> Iterator[tuple[bool, str]]:
    """What does not go together. A field without an effect is refused too: its name would claim what nobody measured."""
    schedule, channel, listening = scenario.schedule, scenario.channel, scenario.listening
    serial, parallel, radio = schedule is Schedule.SERIAL, schedule is Schedule.PARALLEL, channel is Channel.RADIO
    yield serial != bool(scenario.order), "a serial schedule, and no other, has an order"
    yield serial and set(scenario.order) != {"a", "b"}, "a serial order gives each side at least one turn"
    yield channel is not Channel.NONE and not parallel, "only parallel lanes can talk"
    yield (channel is Channel.NONE) != (scenario.store is Store.NONE), "a channel and its store go together"
    yield (
        schedule is Schedule.SINGLE and scenario.requirement is not Requirement.BOTH,
        "the one agent of a single schedule is given both requirements",
    )
    yield scenario.delegate and schedule is not Schedule.SINGLE, "only the one agent of a single schedule can delegate"
    yield scenario.aware and not parallel, "aware is a sentence for parallel lanes"
    yield scenario.history is not History.REPO and not serial, "only serial turns have a history"
    yield scenario.resume_session and not serial, "only serial turns resume a session"
    yield listening is not Listening.NONE and channel is Channel.NONE, "listening needs a channel"
    yield channel is Channel.MESSAGE and listening is not Listening.PULL, "the channel message is read by pull: listening: pull"
    yield (
        channel is Channel.SYNC and listening is not Listening.FOREGROUND,
        "at the channel sync both wait: listening: foreground",
    )
    for field in ("radar", "envelope", "limits", "dispositions", "drain_at_stop"):
        yield bool(getattr(scenario, field)) and not radio, f"{field} needs channel: radio"
    yield scenario.drain_at_stop and listening is not Listening.HOOK, "drain_at_stop needs listening: hook"
    five = scenario.protocol is Protocol.FIVE_PHASE
    yield five and (not radio or listening is Listening.NONE), "the protocol five-phase needs channel: radio, and listening"
