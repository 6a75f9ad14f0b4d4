"""Reading instances: the schema, the checks that a schema cannot say, and selection by name."""

import fnmatch
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from instances.bases import BaseSpec
from instances.errors import InstanceError
from instances.imported import Generated, Imported
from instances.model import DEFAULT_TIMEOUT_SECONDS, EnvironmentSpec, Family, ImageSpec, Instance, SuiteSpec

PAIRS = Path(__file__).parent / "pairs"
SCHEMA = Path(__file__).parent / "instance.schema.json"


def load(folder: Path) -> Instance:
    """Read one instance's folder.

    Raises:
        InstanceError: a file is missing, or `instance.json` is not as its schema says; the text names the place.
    """
    path = folder / "instance.json"
    data = _read_json(path)
    _validate(data, path)
    if data["id"] != folder.name:
        raise InstanceError(f"{path}: id is {data['id']!r}, the folder is {folder.name!r}; they must be equal")
    if ("lock" in data["environment"]) == ("executable" in data["environment"]):
        raise InstanceError(f"{path}: environment: give a lock, or an image and the interpreter's executable in it")
    instance = _instance(folder, data)
    locks = (instance.environment.lock, instance.environment.npm_lock)
    for required in (*locks, folder / "requirement_a.md", folder / "requirement_b.md"):
        if required is not None and not required.is_file():
            raise InstanceError(f"{required}: no such file")
    image = instance.environment.image
    if image and image.build and not (image.build / "Dockerfile").is_file():
        raise InstanceError(f"{image.build / 'Dockerfile'}: no such file")
    for suite in instance.tests.values():
        if suite.overlay is not None and not suite.overlay.is_dir():
            raise InstanceError(f"{suite.overlay}: no such folder (the overlay of tests.{suite.name})")
    return instance


def load_all(root: Path = PAIRS) -> list[Instance]:
    """Every instance below a folder of families, by family and id.

    Raises:
        InstanceError: one of them is wrong, or two have one id.
    """
    return _loaded([path.parent for path in root.glob("*/*/instance.json")])


def _loaded(folders: Sequence[Path]) -> list[Instance]:
    instances = [load(folder) for folder in sorted(folders)]
    seen: dict[str, Instance] = {}
    for instance in instances:
        if instance.id in seen:
            raise InstanceError(f"{instance.folder}: the id {instance.id!r} is taken by {seen[instance.id].folder}")
        seen[instance.id] = instance
    order = list(Family)
    return sorted(instances, key=lambda instance: (order.index(instance.family), instance.id))


def select(terms: Sequence[str], root: Path = PAIRS) -> list[Instance]:
    """The instances that terms name: a family, an id or a glob of ids, or the path of an instance or of a folder of families.

    Raises:
        InstanceError: a term names nothing, or an instance is wrong.
    """
    if not terms:
        return load_all(root)
    chosen: dict[str, Instance] = {}
    for term in terms:
        for instance in _named(term, root):
            if chosen.setdefault(instance.id, instance).folder != instance.folder:
                raise InstanceError(f"{instance.folder}: the id {instance.id!r} is taken by {chosen[instance.id].folder}")
    return list(chosen.values())


def one_of(term: str) -> Instance:
    """The one instance that an id or a path names.

    Raises:
        InstanceError: it names none, or several.
    """
    found = select([term])
    if len(found) != 1:
        raise InstanceError(f"{term!r} names {len(found)} instances; name one")
    return found[0]


def _named(term: str, root: Path) -> list[Instance]:
    path = Path(term)
    if (path / "instance.json").is_file():
        return [load(path.resolve())]
    if path.is_dir() and list(path.glob("*/*/instance.json")):
        return load_all(path.resolve())
    # What is not asked for is not read, so that a half-written pair stops nobody else.
    folders = [path.parent for path in root.glob("*/*/instance.json")]
    found = _loaded([one for one in folders if one.parent.name == term or fnmatch.fnmatchcase(one.name, term)])
    if not found:
        families = ", ".join(Family)
        raise InstanceError(
            f"no instance matches {term!r}: give an id, a glob, a family ({families}) or a path; "
            "`crosstalk instances list` shows what there is"
        )
    return found


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise InstanceError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        raise InstanceError(f"{path}: not readable as JSON: {error}") from error


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(SCHEMA.read_bytes()))


def _validate(data: Any, path: Path) -> None:
    errors = sorted(_validator().iter_errors(data), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        where = ".".join(map(str, errors[0].absolute_path)) or "(top)"
        raise InstanceError(f"{path}: {where}: {errors[0].message}")


def _instance(folder: Path, data: dict[str, Any]) -> Instance:
    base, environment = data["base"], data["environment"]
    return Instance(
        folder=folder,
        id=data["id"],
        family=Family(data["family"]),
        title=data["title"],
        canary=data["canary"],
        language=data["language"],
        conflict_kind=data.get("conflict_kind", ""),
        principals=data["principals"],
        base=BaseSpec(**{**base, "exclude": tuple(base.get("exclude", ()))}),
        environment=_environment(folder, environment),
        tests={name: _suite(folder, name, suite) for name, suite in data["tests"].items()},
        protected=tuple(data.get("protected", ())),
        divergent_side=data.get("controls", {}).get("divergent_side"),
        imported=Imported.of(data.get("imported")),
        generated=Generated.of(data.get("generated")),
    )


def _environment(folder: Path, data: dict[str, Any]) -> EnvironmentSpec:
    image = data.get("image")
    if image is not None:
        image = ImageSpec(build=folder / image["build"]) if "build" in image else ImageSpec(**image)
    return EnvironmentSpec(
        interpreter=data["interpreter"],
        lock=folder / data["lock"] if "lock" in data else None,
        source_roots=tuple(data.get("source_roots", (".",))),
        import_check=tuple(data.get("import_check", ())),
        npm_lock=folder / data["npm_lock"] if "npm_lock" in data else None,
        image=image,
        executable=data.get("executable", ""),
    )


def _suite(folder: Path, name: str, data: dict[str, Any]) -> SuiteSpec:
    return SuiteSpec(
        name=name,
        overlay=folder / data["overlay"] if "overlay" in data else None,
        command=tuple(data["command"]),
        fail_to_pass=tuple(data.get("fail_to_pass", ())),
        pass_to_pass=tuple(data["pass_to_pass"]),
        timeout_seconds=data.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS),
    )
