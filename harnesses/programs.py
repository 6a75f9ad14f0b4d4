"""Finding the agent programs on this machine."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from sandboxes.environments import cache_folder
from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import clean_environment, run
from sandboxes.folders import temporary_folder


@dataclass(frozen=True)
class Program:
    """An agent program: its file, every link followed, and the version that it tells."""

    path: Path
    version: str


def npm_folder() -> Path:
    """Where an agent program is looked for when it is not on PATH: `npm install --prefix` this."""
    return cache_folder() / "npm"


def find_file(name: str) -> Path | None:
    """The file of a program on PATH, or else in the npm folder of the cache; every link is followed."""
    found = shutil.which(name) or shutil.which(name, path=str(npm_folder() / "node_modules" / ".bin"))
    return Path(found).resolve() if found else None


def version_of(path: Path) -> str:
    """What a program says of itself to `--version`; empty where it does not run. It sees a home folder that is soon gone."""
    try:
        with temporary_folder("version") as home:
            result = run([str(path), "--version"], timeout=60, environment={**clean_environment(), "HOME": str(home)})
    except SandboxError:
        return ""
    lines = result.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0].strip() if result.ok and lines else ""


def need(found: Program | None, name: str, package: str) -> Program:
    """Raises SetupError when the program is missing; the text says how to get it."""
    if found is None:
        raise SetupError(f"{name} is not installed: npm install --prefix {npm_folder()} {package}")
    return found
