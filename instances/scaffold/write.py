"""Writes a new pair's folder: all of it, or nothing."""

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instances.base_npm import npm_variables
from instances.dataset import CANARY
from instances.errors import InstanceError
from instances.load import load
from instances.model import Family, Instance
from instances.programs import output_of
from instances.scaffold import texts
from instances.scaffold.pinning import pinned
from instances.scaffold.tree import language_of, node_dependencies, test_folders
from instances.scaffold.wanted import wanted_base
from instances.scaffold_marks import MARK

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LOCKS = Path(__file__).parent
PYTHON_LOCK = _LOCKS / "python.lock"
_TYPESCRIPT = "5.9.3"


@dataclass(frozen=True)
class NewPair:
    """What a new pair is to be.

    Attributes:
        base: as on the command line, see `wanted_base`.
        language: empty where the base's files tell.
        parent: the folder that the pair's own folder goes into.
    """

    id: str
    family: Family
    base: str
    language: str
    parent: Path


# Gives the lock of a Python base's tree and its import roots and modules; another room reads metadata and asks pip.
PythonEnvironment = Callable[[Path], tuple[bytes | None, tuple[str, ...], tuple[str, ...]]]


def write_new(new: NewPair, python_environment: PythonEnvironment) -> Instance:
    """Fetch and pin the base, and write the folder.

    Raises:
        InstanceError: the id, the base or the place cannot be used; nothing is left behind.
    """
    if len(new.id) > 80 or not _ID.fullmatch(new.id):
        raise InstanceError(f"{new.id!r} is no id: lower-case letters, digits and single hyphens between them, 80 at most")
    target = new.parent / new.id
    if target.exists() or target.is_symlink():
        raise InstanceError(f"{target} is there already, and is left as it is: choose another id, or another place with --in")
    if not new.parent.is_dir():
        raise InstanceError(f"{new.parent}: no such folder")
    wanted = wanted_base(new.base)
    try:
        with tempfile.TemporaryDirectory(dir=new.parent, prefix=f".{new.id}-") as scratch:
            folder = Path(scratch) / new.id
            folder.mkdir()
            entry, tree = pinned(wanted, folder)
            _write(new, folder, entry, tree, python_environment)
            load(folder)
            folder.rename(target)
    except OSError as error:
        raise InstanceError(f"cannot write {target}: {error.strerror} ({error.filename})") from error
    return load(target)


def _write(new: NewPair, folder: Path, entry: dict[str, Any], tree: Path, python_environment: PythonEnvironment) -> None:
    language = new.language or language_of(tree)
    suffix = ".patch" if entry["kind"] == "directory" else ".ed"
    environment = _environment(folder, tree, language, python_environment)
    for name in ("references", "controls"):
        (folder / name).mkdir()
    for side in ("a", "b"):
        _put(folder / f"requirement_{side}.md", texts.requirement(side, new.family))
    for side in ("a", "b", "joint"):
        file = folder / "tests" / side / "heldout" / texts.TEST_FILES[language].format(side=side)
        _put(file, texts.held_out(side, language, modules=_has_modules(tree)))
    data = _metadata(new, entry, environment, language, tree)
    _put(folder / "instance.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    _put(folder / "AUTHORING.md", texts.authoring(new.id, new.family, suffix, language))


def _metadata(new: NewPair, entry: dict[str, Any], environment: dict[str, Any], language: str, tree: Path) -> dict[str, Any]:
    runner = texts.RUNNERS[language]
    tests: dict[str, Any] = {}
    for side in ("a", "b", "joint"):
        file = f"heldout/{texts.TEST_FILES[language].format(side=side)}"
        ids = [f"{file}::{texts.STUB_NAMES[language]}"]
        tests[side] = {"overlay": f"tests/{side}", "command": [runner, file], "fail_to_pass": ids, "pass_to_pass": []}
    own_tests = test_folders(tree, language)
    tests["base"] = {"command": [runner, *(own_tests or ["tests"])], "pass_to_pass": []}
    kind = (
        "none"
        if new.family is Family.NON_INTERACTING
        else f"{MARK}: in two or three words, what the two collide or must agree in"
    )
    data = {
        "schema_version": 1,
        "id": new.id,
        "family": new.family.value,
        "title": f"{MARK}: both changes in one line",
        "canary": CANARY,
        "language": language,
        "conflict_kind": kind,
        "principals": {side: f"{MARK}: who asks for {side.upper()}, by their role" for side in ("a", "b")},
        "base": entry,
        "environment": environment,
        "tests": tests,
        "protected": ["**/*_test.go"]
        if language == "go"
        else [name if name.endswith(".py") else f"{name}/**" for name in own_tests],
    }
    if new.family is Family.COMPLEMENTARY:
        data["controls"] = {"divergent_side": "a"}
    return data


def _environment(folder: Path, tree: Path, language: str, python_environment: PythonEnvironment) -> dict[str, Any]:
    lock = folder / "environment.lock"
    if language == "python":
        content, roots, modules = python_environment(tree)
        lock.write_bytes(content or PYTHON_LOCK.read_bytes())
        checked = {"import_check": list(modules)} if modules else {}
        return {"interpreter": "python", "lock": lock.name, "source_roots": list(roots), **checked}
    if language == "go":
        lock.write_bytes((_LOCKS / "go.lock").read_bytes())
        return {"interpreter": "go", "lock": lock.name}
    lock.write_bytes((_LOCKS / "node.lock").read_bytes())
    packages = dict(node_dependencies(tree))
    if language == "typescript":
        packages.setdefault("typescript", _TYPESCRIPT)
    if not packages:
        return {"interpreter": "node", "lock": lock.name}
    _put(folder / "npm.lock", _npm_lock(packages))
    return {"interpreter": "node", "lock": lock.name, "npm_lock": "npm.lock"}


def _npm_lock(packages: dict[str, str]) -> str:
    """A package-lock.json of some packages, each with its integrity."""
    with tempfile.TemporaryDirectory(prefix="crosstalk-npm-") as name:
        folder = Path(name)
        manifest = {"name": "tests", "version": "1.0.0", "private": True, "dependencies": packages}
        (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        argv = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--silent", "--no-audit", "--no-fund"]
        output_of(argv, f"cannot lock {', '.join(sorted(packages))} with npm", npm_variables(), folder)
        lock: dict[str, Any] = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    for package in lock["packages"].values():
        # Which registry's address it came from says nothing, and others have another.
        package.pop("resolved", None)
    return json.dumps(lock, indent=2) + "\n"


def _has_modules(tree: Path) -> bool:
    """Whether a node package says that its files are ES modules."""
    try:
        data: Any = json.loads((tree / "package.json").read_text(encoding="utf-8"))
        return bool(data.get("type") == "module")
    except (OSError, ValueError, AttributeError):
        return False


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
