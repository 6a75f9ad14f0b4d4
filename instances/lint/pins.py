"""Pins: a base and its environment are the same for everybody, for ever, and the canary stands where it must and nowhere else."""

import json
import re
from collections.abc import Iterator
from typing import Any

from instances.dataset import CANARY
from instances.files import own_files
from instances.lint.finding import Finding, Level, line_of, text_of
from instances.load import PAIRS
from instances.model import Instance

_HASH = "--hash=sha256:"
_PINNED = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[\w,.-]+\])?==[^\s;*]+(\s*;.*?)?((\s|\\\n)+--hash=sha256:[0-9a-f]{64})+\s*", re.DOTALL
)


def locks(instance: Instance) -> Iterator[Finding]:
    """Lines of the locks that pin nothing."""
    if instance.environment.lock is not None:
        yield from _pip_lock(
            instance.environment.lock.relative_to(instance.folder).as_posix(), text_of(instance.environment.lock)
        )
    if instance.environment.npm_lock is not None:
        yield from _npm_lock(instance)


def _pip_lock(file: str, text: str) -> Iterator[Finding]:
    line = 1
    for entry in re.split(r"(?<!\\)\n", text):
        plain = re.sub(r"(^|\s)#.*", "", entry).strip()
        if plain and not _PINNED.fullmatch(plain):
            first = plain.splitlines()[0][:60]
            what = f"{first.split()[0]} has no {_HASH}..." if "==" in first else f"{first!r} is no NAME==VERSION"
            fix = "write it by `uv pip compile --generate-hashes` or `pip-compile --generate-hashes`"
            yield Finding(Level.ERROR, "unpinned", file, line, what, fix)
        line += entry.count("\n") + 1


def _npm_lock(instance: Instance) -> Iterator[Finding]:
    path = instance.environment.npm_lock
    assert path is not None
    file, text = path.relative_to(instance.folder).as_posix(), text_of(path)
    try:
        packages: Any = json.loads(text)["packages"]
        missing = [name for name, entry in packages.items() if name and not entry.get("link") and "integrity" not in entry]
    except (ValueError, KeyError, TypeError, AttributeError):
        what = "no package-lock.json of version 2 or 3"
        yield Finding(Level.ERROR, "unpinned", file, None, what, "make it by `npm install --package-lock-only`")
        return
    for name in missing:
        yield Finding(
            Level.ERROR,
            "unpinned",
            file,
            line_of(text, f'"{name}"'),
            f"{name} has no integrity",
            "make it anew by `npm install --package-lock-only`",
        )


def bases(instance: Instance) -> Iterator[Finding]:
    """A base of our own that is not all there, or that only this machine has."""
    base = instance.base
    text = text_of(instance.folder / "instance.json")
    if base.kind == "directory":
        root = instance.folder / "base"
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(instance.folder).as_posix()
            if path.name in {".git", "node_modules", ".venv"}:
                yield Finding(Level.ERROR, "base", inside, None, "no file of the base's own", "take it out")
            elif path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
                yield Finding(Level.ERROR, "base", inside, None, "a link that leads out of the base", "put the file itself there")
    elif base.url.startswith(("/", "file:")):
        what = f"{base.url} is on this machine only"
        yield Finding(
            Level.WARNING, "unpinned", "instance.json", line_of(text, base.url), what, "name a repository that others can reach"
        )


def canary(instance: Instance) -> Iterator[Finding]:
    """Where the canary is missing, and where an agent would see it."""
    fix = f"write {CANARY!r}"
    text = text_of(instance.folder / "instance.json")
    if instance.canary != CANARY:
        level = Level.ERROR if PAIRS in instance.folder.parents else Level.WARNING
        yield Finding(level, "canary", "instance.json", line_of(text, '"canary"'), "another canary than the data set's", fix)
    mark = instance.canary.encode()
    for suite in instance.tests.values():
        for _, path in suite.overlay_files():
            if mark not in path.read_bytes():
                file = path.relative_to(instance.folder).as_posix()
                yield Finding(Level.ERROR, "canary", file, 1, "the canary is missing", f"{fix} in a comment at the top")
    shown = [
        ("requirement_a.md", instance.folder / "requirement_a.md"),
        ("requirement_b.md", instance.folder / "requirement_b.md"),
    ]
    for name, path in [*shown, *((f"base/{name}", path) for name, path in own_files(instance.base_directory()))]:
        if path.is_file() and mark in (content := path.read_bytes()):
            line = content[: content.index(mark)].count(b"\n") + 1
            yield Finding(Level.ERROR, "canary", name, line, "the canary stands where the agents see it", "take it out")
