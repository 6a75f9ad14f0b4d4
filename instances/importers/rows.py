"""Rows of a data set in a file: JSON (a list, or an object by id), a line of JSON a row, or Parquet."""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from instances.errors import InstanceError
from instances.importers.raw import TestFiles
from instances.importers.rejects import Code, RejectedError

FieldMap = Mapping[str, Any]


def read_rows(path: Path) -> list[FieldMap]:
    """The rows of a file, by its ending: `.parquet`, `.jsonl`, else JSON.

    Raises:
        InstanceError: it cannot be read as what it is called; the text names the line.
    """
    try:
        if path.suffix == ".parquet":
            return _parquet(path)
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceError(f"{path}: {error}") from error
    if path.suffix == ".jsonl":
        return [_row(line, f"{path}:{number}") for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InstanceError(f"{path}: not readable as JSON: {error}") from error
    if isinstance(data, dict):
        data = list(data.values()) if data and all(isinstance(one, dict) for one in data.values()) else [data]
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise InstanceError(f"{path}: holds no rows: a list of objects is one a row")
    return data


def field(row: FieldMap, *names: str, needed: bool = True) -> str:
    """A text of a row under any of its spellings, upper or lower case; empty where it may be absent.

    Raises:
        RejectedError: it is not there, and is needed.
    """
    by_name = {str(key).lower(): value for key, value in row.items()}
    for name in names:
        value = by_name.get(name.lower())
        if isinstance(value, str) and value.strip():
            return value
    if needed:
        raise RejectedError(Code.MISSING_FIELD, f"no {names[0]}")
    return ""


def strings(row: FieldMap, name: str) -> tuple[str, ...]:
    """A list of texts that may be written as a text; what it says is read, never run.

    Raises:
        RejectedError: it is there and is no such list.
    """
    value = next((value for key, value in row.items() if str(key).lower() == name.lower()), None)
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        for reader in (json.loads, ast.literal_eval):
            try:
                value = reader(value)
                break
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise RejectedError(Code.BAD_LIST, f"{name} is no list of texts")
    return tuple(value)


def held_out(value: object, what: str) -> bytes | TestFiles:
    """Tests as a patch, or as an object of whole files by path.

    Raises:
        RejectedError: they are neither, or a path leads out of the tree.
    """
    if isinstance(value, str) and value.strip():
        return value.encode(errors="surrogateescape")
    if isinstance(value, Mapping) and value and all(isinstance(one, str) for one in value.values()):
        for path in value:
            pure = PurePosixPath(str(path))
            if pure.is_absolute() or not pure.name or {"..", ".git"}.intersection(part.lower() for part in pure.parts):
                raise RejectedError(Code.PATCH_OUTSIDE_TREE, f"{what} reaches {path!r}")
        return {str(path): str(text).encode(errors="surrogateescape") for path, text in value.items()}
    raise RejectedError(Code.MISSING_FIELD, f"no {what}: a patch, or files by their path")


def slug_of(*parts: str) -> str:
    """An instance's id of some words."""
    words = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")
    return words[:80].strip("-")


def _row(line: str, where: str) -> FieldMap:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InstanceError(f"{where}: not readable as JSON: {error}") from error
    if not isinstance(row, dict):
        raise InstanceError(f"{where}: holds no row: an object is one")
    return row


def _parquet(path: Path) -> list[FieldMap]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise InstanceError(f"{path}: Parquet needs pyarrow: pip install 'crosstalk-bench[parquet]'") from error
    try:
        return list(_plain_rows(parquet.read_table(path).to_pylist()))
    except arrow.ArrowInvalid as error:
        raise InstanceError(f"{path}: not readable as Parquet: {error}") from error


def _plain_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[FieldMap]:
    for row in rows:
        yield {key: value for key, value in row.items() if value is not None}
