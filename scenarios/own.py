"""A user's own scenarios, from a YAML file with the same fields as the catalogue's."""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sandboxes.errors import SetupError
from scenarios.model import Group, Scenario, Schedule, Store

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
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SetupError(f"{path}: cannot read scenarios: {' '.join(str(error).split())}") from error
    entries = data if isinstance(data, list) else [data]
    if not entries:
        raise SetupError(f"{path}: holds no scenario")
    return [_scenario(entry, path, shipped) for entry in entries]


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
        if not sides or set(sides) - {"a", "b"}:
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
    if (scenario.schedule is Schedule.SERIAL) != bool(scenario.order):
        raise SetupError(f"{where}: a serial schedule, and no other, has an order")
    if scenario.schedule is Schedule.SERIAL and set(scenario.order) != {"a", "b"}:
        raise SetupError(f"{where}: a serial order gives each side at least one turn")
    if scenario.schedule is not Schedule.PARALLEL and scenario.channel != "none":
        raise SetupError(f"{where}: only parallel lanes can talk")
    if (scenario.channel != "none") != (scenario.store is not Store.NONE):
        raise SetupError(f"{where}: a channel and its store go together")
    if scenario.schedule is Schedule.SINGLE and scenario.requirement != "both":
        raise SetupError(f"{where}: the one agent of a single schedule is given both requirements")
