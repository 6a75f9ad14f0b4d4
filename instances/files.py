"""What of an instance's folders is the instance's own: whatever an interpreter has compiled there is not."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

_CACHE_FOLDER = "__pycache__"
_COMPILED = frozenset([".pyc", ".pyo"])


def own_paths(folder: Path) -> list[Path]:
    """Everything below a folder, sorted, but for what an interpreter compiled there (installing a package does so)."""
    return sorted(path for path in folder.rglob("*") if not is_compiled(path.relative_to(folder)))


def own_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files among `own_paths`, links to files included: the path from the folder on, with slashes, and where it is."""
    for path in own_paths(folder):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def is_compiled(path: Path) -> bool:
    return path.suffix in _COMPILED or _CACHE_FOLDER in path.parts


def holds_compiled(folder: Path) -> bool:
    return any(is_compiled(path.relative_to(folder)) for path in folder.rglob("*"))


def digest_of(folder: Path) -> str:
    """SHA-256 over the paths and bytes of a folder's own files."""
    total = hashlib.sha256()
    for name, path in own_files(folder):
        total.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
