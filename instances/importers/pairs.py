"""Rows that hold two requirements each, whatever their fields are called: a small file says which is which."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from instances.errors import InstanceError
from instances.importers.patches import sections
from instances.importers.raw import RawBase, RawPair, RawSide, RawTask
from instances.importers.rejects import Code, RejectedError
from instances.importers.rows import FieldMap, held_out, slug_of
from instances.model import SIDES, Family

_SIDED = ("requirement", "reference", "tests")
NEEDED = ("id", *(f"{name}_{side}" for name in _SIDED for side in SIDES))
OPTIONAL = (
    *("base_url", "base_commit", "image", "image_folder", "language", "family", "title", "joint_reference", "joint_tests"),
    *("command_a", "command_b", "principal_a", "principal_b", "packages", "base_tests"),
)
_INTERPRETERS = {"python": "python", "go": "go", "javascript": "node", "typescript": "node"}
_RUNNERS = {"python": "pytest", "go": "go-test", "javascript": "node-test", "typescript": "node-test-ts"}
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_URL = re.compile(r"(https://|ssh://|file://|/)\S+")


def read_map(path: Path) -> Mapping[str, Any]:
    """A field map: each of our names to the path of theirs in a row (`a.b.0`), or to `{value: ...}` for all rows.

    Raises:
        InstanceError: it cannot be read, or lacks or has a name too many.
    """
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InstanceError(f"{path}: not readable as YAML or JSON: {' '.join(str(error).split())}") from error
    if not isinstance(found, dict):
        raise InstanceError(f"{path}: is no field map: write our names, each with theirs, as `requirement_a: request`")
    for name, value in found.items():
        if name not in (*NEEDED, *OPTIONAL):
            raise InstanceError(f"{path}: {name}: no such field; there are {', '.join((*NEEDED, *OPTIONAL))}")
        if not (isinstance(value, str) and value) and not (isinstance(value, dict) and set(value) == {"value"}):
            raise InstanceError(f"{path}: {name}: give the path of their field, or `{{value: ...}}`")
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise InstanceError(f"{path}: says nothing of {', '.join(missing)}")
    if not {"base_url", "base_commit"} <= set(found) and "image" not in found:
        raise InstanceError(f"{path}: says neither base_url and base_commit, nor image")
    return found


def row_id(row: FieldMap, names: Mapping[str, Any], number: int) -> str:
    """What a row is called in what is told."""
    try:
        return str(_value(row, names, "id"))
    except RejectedError:
        return f"row {number}"


def read_row(row: FieldMap, names: Mapping[str, Any]) -> RawTask:
    """One row as a task with one pair.

    Raises:
        RejectedError: it cannot be taken over.
    """
    name = str(_value(row, names, "id"))
    language = _text(row, names, "language") or "python"
    if language not in _INTERPRETERS:
        raise RejectedError(Code.UNSUPPORTED_LANGUAGE, f"{language}; there are {', '.join(_INTERPRETERS)}")
    family = _text(row, names, "family")
    if family and family not in list(Family):
        raise RejectedError(Code.FAMILY_MISMATCH, f"family is {family!r}; there are {', '.join(Family)}")
    sides = {side: _side(row, names, side, language) for side in SIDES}
    joint, joint_tests = _text(row, names, "joint_reference"), _value(row, names, "joint_tests", needed=False)
    if joint:
        sections(joint.encode(), "the joint reference")
    pair = RawPair(
        label=name,
        slug=slug_of("pairs", name[:60], hashlib.sha256(name.encode()).hexdigest()[:8]),
        a="a",
        b="b",
        title=_text(row, names, "title") or name,
        principals={
            side: _text(row, names, f"principal_{side}") or word for side, word in zip(SIDES, ("first", "second"), strict=True)
        },
        family=family,
        joint=joint.encode() if joint else None,
        joint_tests=held_out(joint_tests, "joint tests") if joint_tests else None,
        base_tests=_words(row, names, "base_tests"),
    )
    digest = hashlib.sha256(json.dumps(dict(row), sort_keys=True, default=str).encode()).hexdigest()
    return RawTask("pairs", name, _base(row, names, language), sides, (pair,), files={"row": digest})


def _side(row: FieldMap, names: Mapping[str, Any], side: str, language: str) -> RawSide:
    requirement, reference = (_text(row, names, f"{name}_{side}", needed=True) for name in ("requirement", "reference"))
    sections(reference.encode(), f"{side.upper()}'s reference")
    tests = held_out(_value(row, names, f"tests_{side}"), f"tests_{side}")
    paths = _words(row, names, f"command_{side}")
    known = tuple(_RUNNERS.values())
    command = paths if paths[:1] and paths[0] in known else (_RUNNERS[language], *paths)
    return RawSide(side.upper(), requirement.strip(), reference.encode(), tests, command)


def _base(row: FieldMap, names: Mapping[str, Any], language: str) -> RawBase:
    interpreter, packages = _INTERPRETERS[language], _words(row, names, "packages")
    image = _text(row, names, "image")
    if image:
        entry = {"kind": "image", "image": image, "folder": _text(row, names, "image_folder") or "/app"}
        environment = {"interpreter": interpreter, "image": {"name": image}}
        return RawBase(entry, interpreter, language, packages, environment=environment)
    url, commit = _text(row, names, "base_url", needed=True), _text(row, names, "base_commit", needed=True)
    if not _COMMIT.fullmatch(commit):
        raise RejectedError(Code.BAD_BASE, f"base_commit is {commit!r}, not 40 hexadecimal digits")
    if not _URL.fullmatch(url):
        raise RejectedError(Code.BAD_BASE, f"base_url is {url!r}: https, ssh, file, or an absolute path")
    return RawBase({"kind": "git", "url": url, "commit": commit}, interpreter, language, packages)


def _text(row: FieldMap, names: Mapping[str, Any], name: str, *, needed: bool = False) -> str:
    value = _value(row, names, name, needed=needed)
    if value is None:
        return ""
    if not isinstance(value, str) or (needed and not value.strip()):
        raise RejectedError(Code.MISSING_FIELD, f"{name} is no text")
    return value


def _words(row: FieldMap, names: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = _value(row, names, name, needed=False)
    if value is None:
        return ()
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, Sequence) or not all(isinstance(one, str) for one in words):
        raise RejectedError(Code.BAD_LIST, f"{name} is no list of texts")
    return tuple(words)


def _value(row: FieldMap, names: Mapping[str, Any], name: str, *, needed: bool = True) -> Any:
    where = names.get(name)
    found: Any = None
    if isinstance(where, dict):
        found = where["value"]
    elif where is not None:
        found = row
        for part in where.split("."):
            if isinstance(found, Mapping):
                found = found.get(part)
            elif isinstance(found, Sequence) and not isinstance(found, str) and part.isdigit() and int(part) < len(found):
                found = found[int(part)]
            else:
                found = None
    if needed and found in (None, ""):
        raise RejectedError(Code.MISSING_FIELD, f"no {name}" + (f" (at {where})" if isinstance(where, str) else ""))
    return found
