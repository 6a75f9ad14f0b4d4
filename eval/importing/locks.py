"""An environment's lock for somebody else's repository: what its metadata asks for, resolved once by pip and pinned by hashes."""

import ast
import configparser
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from instances.importers.raw import RawBase
from instances.importers.rejects import Code, RejectedError
from sandboxes.exec import run
from sandboxes.folders import remove_tree, scratch_folder

_RESOLVE_SECONDS = 600.0
_PASSED = re.compile(r"PIP_.*|HOME|PATH|XDG_.*|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|LD_LIBRARY_PATH")
_NOTHING = b"# Nothing is installed: the tree holds all that its tests need.\n"


def lock_for(base: RawBase, tree: Path, more: Sequence[str]) -> bytes:
    """A lock of all that a repository's tests need.

    Args:
        base: says what is asked for beside the repository's own dependencies.
        tree: the base's files; its metadata is read, its code is not run.
        more: further packages, as pip takes them.

    Raises:
        RejectedError: pip cannot find it all as wheels.
    """
    if base.interpreter != "python":
        return _NOTHING
    own = _Metadata.of(tree)
    words = [*base.packages, *own.dependencies, *(one for name in base.extras for one in own.extras.get(name, ())), *more]
    for name in base.requirement_files:
        words += list(_lines(tree, name))
    if not any(re.match(r"pytest\b(?![-_])", word) for word in words):
        words.append("pytest")
    return _resolved(list(dict.fromkeys(words)), own.name)


def source_roots(tree: Path) -> tuple[str, ...]:
    return ("src", ".") if (tree / "src").is_dir() else (".",)


def own_modules(tree: Path) -> tuple[str, ...]:
    """The packages of the tree that can be imported, but for tests and documents."""
    root = tree / "src" if (tree / "src").is_dir() else tree
    found = [path.parent.name for path in sorted(root.glob("*/__init__.py"))]
    return tuple(
        name for name in found if name.isidentifier() and name not in {"tests", "test", "docs", "examples", "benchmarks"}
    )


class _Metadata:
    """A project's own dependencies, as far as they are written down plainly."""

    def __init__(self, name: str, dependencies: Sequence[str], extras: Mapping[str, Sequence[str]]) -> None:
        self.name, self.dependencies, self.extras = name, tuple(dependencies), extras

    @classmethod
    def of(cls, tree: Path) -> "_Metadata":
        """Of `pyproject.toml`, else `setup.cfg` and the literals in `setup.py`."""
        try:
            project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
        except (OSError, ValueError):
            project = {}
        if "dependencies" in project or "optional-dependencies" in project:
            return cls(project.get("name", ""), project.get("dependencies", ()), project.get("optional-dependencies", {}))
        config = configparser.ConfigParser(interpolation=None)
        try:
            config.read(tree / "setup.cfg", encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            config.clear()
        arguments = _setup_arguments(tree / "setup.py")
        name = config.get("metadata", "name", fallback="") or str(arguments.get("name", "")) or str(project.get("name", ""))
        needs = config.get("options", "install_requires", fallback="").split("\n") + _texts(arguments.get("install_requires"))
        extras: dict[str, list[str]] = {}
        if config.has_section("options.extras_require"):
            extras = {key: _plain(value.split("\n")) for key, value in config.items("options.extras_require")}
        given = arguments.get("extras_require")
        extras |= {str(key): _texts(value) for key, value in (given if isinstance(given, dict) else {}).items()}
        return cls(name, _plain(needs), extras)


def _setup_arguments(path: Path) -> dict[str, Any]:
    """The literal arguments of the call of `setup`; the file is not run."""
    try:
        module = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, Any] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            for keyword in node.keywords:
                try:
                    found[keyword.arg or ""] = ast.literal_eval(keyword.value)
                except ValueError:
                    continue
    return found


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _plain(lines: Sequence[str]) -> list[str]:
    stripped = [line.partition(" #")[0].strip() for line in lines]
    return [line for line in stripped if line and not line.startswith(("#", "-"))]


def _lines(tree: Path, name: str) -> Iterator[str]:
    """A requirements file of the tree; what it includes of others is followed."""
    path = (tree / name).resolve()
    if tree.resolve() not in path.parents or not path.is_file():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if included := re.match(r"\s*(?:-r|--requirement)\s+(\S+)", line):
            inside = (path.parent / included[1]).resolve()
            if tree.resolve() in inside.parents and inside != path:
                yield from _lines(tree, inside.relative_to(tree.resolve()).as_posix())
        else:
            yield from _plain([line.partition(" --hash")[0].rstrip(" \\")])


def _resolved(words: Sequence[str], own: str) -> bytes:
    folder = scratch_folder("lock")
    try:
        report = folder / "report.json"
        options = [
            "--dry-run",
            "--ignore-installed",
            "--only-binary=:all:",
            "--no-input",
            "--disable-pip-version-check",
            "--quiet",
        ]
        variables = {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)}
        argv = [sys.executable, "-m", "pip", "install", *options, "--report", str(report), "--", *words]
        result = run(argv, timeout=_RESOLVE_SECONDS, environment={**variables, "LC_ALL": "C.UTF-8"}, cwd=folder)
        if not result.ok:
            said = [line for line in result.stderr.decode(errors="replace").splitlines() if line.startswith("ERROR")]
            told = said[-1] if said else "it did not end"
            raise RejectedError(
                Code.UNPINNED_ENVIRONMENT, f"pip finds no wheels for all of {' '.join(words)}: {told}; give --lock FILE"
            )
        found = json.loads(report.read_bytes())["install"]
    finally:
        remove_tree(folder)
    return _written([one for one in found if _normal(one["metadata"]["name"]) != _normal(own)])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _written(found: Sequence[Mapping[str, Any]]) -> bytes:
    lines = []
    for one in sorted(found, key=lambda each: _normal(each["metadata"]["name"])):
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(f"{_normal(one['metadata']['name'])}=={one['metadata']['version']} \\\n    --hash=sha256:{digest}\n")
    return "".join(lines).encode()
