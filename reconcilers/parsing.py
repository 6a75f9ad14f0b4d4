"""Whether a file parses: Python, JSON, TOML, and JavaScript where node is there to say so."""

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable

from sandboxes.exec import clean_environment, run

_SECONDS = 20.0
_PYTHON = "import ast, sys; ast.parse(sys.stdin.buffer.read())"
_SHOWN = 300


class Parsers:
    """Says what is wrong with a file's text.

    Attributes:
        skipped: what could not be checked, and why.
    """

    def __init__(self) -> None:
        self.skipped: set[str] = set()
        self._known: dict[tuple[str, bytes], str] = {}

    def problem(self, path: str, content: bytes) -> str:
        """Why a file does not parse; empty where it does, or nothing is known of its kind.

        Raises:
            SandboxError: a parser could not be started.
        """
        suffix = re.search(r"\.[a-z0-9]+$", path.lower())
        check = _CHECKS.get(suffix[0]) if suffix else None
        if check is None or suffix is None:
            return ""
        if check is _javascript and not shutil.which("node", path=clean_environment()["PATH"]):
            self.skipped.add("JavaScript was not parsed: node is missing")
            return ""
        key = (suffix[0], content)
        if key not in self._known:
            self._known[key] = check(suffix[0], content)
        return self._known[key]


def _python(suffix: str, content: bytes) -> str:
    # In a process of its own: warnings stay out of this one, and so does what deep nesting does to the parser.
    return _said(["-I", "-W", "ignore", "-c", _PYTHON], content, sys.executable)


def _javascript(suffix: str, content: bytes) -> str:
    types = {".mjs": ["module"], ".cjs": ["commonjs"]}.get(suffix, ["module", "commonjs"])
    problems = [_said(["--check", f"--input-type={kind}", "-"], content, "node") for kind in types]
    return "" if "" in problems else problems[0]


def _json(suffix: str, content: bytes) -> str:
    return _problem_of(json.loads, content)


def _toml(suffix: str, content: bytes) -> str:
    return _problem_of(lambda data: tomllib.loads(data.decode()), content)


def _problem_of(parse: Callable[[bytes], object], content: bytes) -> str:
    try:
        parse(content)
    except (ValueError, RecursionError) as error:
        return str(error)[:_SHOWN] or type(error).__name__
    return ""


def _said(arguments: list[str], content: bytes, program: str) -> str:
    result = run([program, *arguments], timeout=_SECONDS, stdin=content)
    if result.returncode == 0:
        return ""
    lines = result.stderr.decode("utf-8", "replace").split("\n")
    word = next((line for line in reversed(lines) if re.match(r"\w*Error\b", line)), "")
    place = next((found[1] for line in lines if (found := re.search(r"(line \d+|\[stdin\]:\d+)", line))), "")
    return f"{word or 'it does not parse'} ({place})"[:_SHOWN] if place else (word or "it does not parse")


_CHECKS: dict[str, Callable[[str, bytes], str]] = {
    ".py": _python,
    ".pyi": _python,
    ".js": _javascript,
    ".mjs": _javascript,
    ".cjs": _javascript,
    ".json": _json,
    ".toml": _toml,
}
