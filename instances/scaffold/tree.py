"""What a base's files tell: its language, where its modules and its tests are."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from instances.errors import InstanceError
from instances.files import own_files

LANGUAGES = ("python", "javascript", "typescript", "go")
_BY_SUFFIX = {
    ".py": "python",
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx"), "typescript"),
    ".go": "go",
}
_NOT_SOURCE = frozenset(["dist", "build", "docs", "doc", "examples", "vendor", "node_modules", "types"])
_TESTS = ("tests", "test", "spec", "__tests__")


def language_of(tree: Path) -> str:
    """The language that most of a base's sources are in.

    Raises:
        InstanceError: there is no source of a language that pairs can be in.
    """
    found: Counter[str] = Counter()
    built: Counter[str] = Counter()
    for name, path in own_files(tree):
        where = PurePosixPath(name)
        language = _BY_SUFFIX.get(where.suffix)
        if language and not name.endswith((".d.ts", ".min.js")):
            (found if _NOT_SOURCE.isdisjoint(where.parts[:-1]) else built)[language] += path.stat().st_size
    found = found or built  # some packages hold what was built of them, and nothing else
    if not found:
        raise InstanceError(f"the base has no source in {', '.join(LANGUAGES)}: give --language")
    return found.most_common(1)[0][0]


def test_folders(tree: Path, language: str) -> list[str]:
    """Where the base's own tests are, as a suite's command names them; empty where there are none that could be run."""
    if language == "go":
        return ["."] if any(tree.rglob("*_test.go")) else []
    suffixes = {".py"} if language == "python" else {".js", ".mjs", ".cjs", ".ts", ".mts"}
    folders = [name for name in _TESTS if any(path.suffix in suffixes for path in (tree / name).rglob("*"))]
    if folders or language != "python":
        return folders
    return sorted(path.name for path in [*tree.glob("test_*.py"), *tree.glob("*_test.py")])


def node_dependencies(tree: Path) -> Mapping[str, str]:
    """What a node package asks for to be run, by name."""
    try:
        data: Any = json.loads((tree / "package.json").read_text(encoding="utf-8"))
        return {str(name): str(version) for name, version in data.get("dependencies", {}).items()}
    except (OSError, ValueError, AttributeError):
        return {}
