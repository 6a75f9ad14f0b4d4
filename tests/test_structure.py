"""The house's own rules: arrows between rooms, a short main flow, published schemas, texts that speak of the project alone."""

import ast
import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from eval.records import CellRecord, RunManifest
from eval.report import Report

ROOT = Path(__file__).parents[1]
ROOMS = ("instances", "scenarios", "harnesses", "sandboxes", "radio", "reconcilers", "eval")
MAY_IMPORT = {
    "instances": set(),
    "sandboxes": set(),
    "radio": {"sandboxes"},
    "reconcilers": {"sandboxes"},
    "harnesses": {"sandboxes"},
    "scenarios": {"harnesses", "reconcilers", "radio", "sandboxes", "instances"},
    "eval": {"scenarios", "harnesses", "reconcilers", "radio", "sandboxes", "instances"},
}


def sources(room: str) -> list[Path]:
    pairs = ROOT / "instances" / "pairs"
    return [path for path in sorted((ROOT / room).rglob("*.py")) if pairs not in path.parents]


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found & set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_point_one_way(room: str) -> None:
    wrong = {
        path.relative_to(ROOT).as_posix(): sorted(others)
        for path in sources(room)
        if (others := imported_rooms(path) - MAY_IMPORT[room] - {room})
    }
    assert wrong == {}


def test_litellm_is_loaded_in_one_place() -> None:
    """It would fetch its prices, and read settings that lie about, where it is imported before it is told not to."""
    asks = re.compile(r"""import_module\(["']litellm["']|importorskip\(["']litellm|^\s*(import|from) litellm\b""", re.MULTILINE)
    files = [path for room in (*ROOMS, "tests") for path in sources(room)]
    found = [path.relative_to(ROOT).as_posix() for path in files if asks.search(path.read_text(encoding="utf-8"))]
    assert found == ["sandboxes/litellm_library.py"]


@pytest.mark.parametrize("room", ["harnesses", "reconcilers"])
def test_temporary_folders_are_where_clean_finds_them(room: str) -> None:
    """What `sandboxes.folders` makes goes when its process was killed, with the next one or with `crosstalk clean`."""
    assert [path.name for path in sources(room) if "tempfile" in path.read_text(encoding="utf-8")] == []


def test_the_main_flow_is_short_and_named_in_the_readme() -> None:
    assert len((ROOT / "eval" / "cell.py").read_text(encoding="utf-8").splitlines()) < 150
    assert "eval/cell.py" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "model"), [("record", CellRecord), ("run", RunManifest), ("report", Report)])
def test_published_schemas_are_the_models(name: str, model: type[BaseModel]) -> None:
    published = json.loads((ROOT / "eval" / f"{name}.schema.json").read_text(encoding="utf-8"))
    del published["$schema"]
    assert published == model.model_json_schema(mode="serialization")


def test_every_import_is_declared() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8").lower()
    known_as = {"yaml": "pyyaml", "git": "gitpython", "gitdb": "gitpython", "pip": "python", "pydantic_core": "pydantic"}
    import sys

    undeclared = set()
    for room in ROOMS:
        for path in sources(room):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                    names.append(node.module)
                for name in {each.split(".")[0] for each in names} - set(ROOMS) - set(sys.stdlib_module_names):
                    if not re.search(rf'"{re.escape(known_as.get(name, name))}\b', declared) and name != "pip":
                        undeclared.add(f"{path.relative_to(ROOT)}: {name}")
    assert undeclared == set()
