"""Go's environment: the machine's own Go, started by a script that takes all from it but what could sway a build.

The standard library is compiled once for each Go into a cache that is never written again. The script lays links to it
into a new cache of the caller's own, so that a first build is quick and what others have compiled is never used.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import stat
from functools import cache
from pathlib import Path

from sandboxes.base import Mount
from sandboxes.built_folders import Environment, built, checked
from sandboxes.errors import SandboxError, SetupError
from sandboxes.exec import run

_FORMAT = 1
_OLDEST = (1, 19)
_SETTINGS = {
    "GOENV": "off",
    "GOFLAGS": "-mod=mod",
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
    "GOTELEMETRY": "off",
    "CGO_ENABLED": "0",
}
_SCRIPT = """#!/bin/sh
# Go, offline and without C, with the standard library's packages at hand.
{settings}
GOCACHE=${{GOCACHE:-${{HOME:-/tmp}}/.cache/go-build}}
if [ ! -e "$GOCACHE" ]; then
  mkdir -p "${{GOCACHE%/*}}" && cp -rs {cache} "$GOCACHE" && chmod u+w "$GOCACHE" "$GOCACHE"/*/
fi
export GOCACHE
exec {program} "$@"
"""


def go_environment() -> Environment:
    """The environment of every Go pair.

    Raises:
        SetupError: there is no Go here, it is too old, or it cannot compile its standard library.
    """
    found = shutil.which("go")
    if found is None:
        raise SetupError(f"no Go here: install Go {'.'.join(map(str, _OLDEST))} or later, such as the package golang-go")
    version, root = _asked(found)
    identity = f"{_FORMAT} {version} {root} {platform.machine()} {sorted(_SETTINGS.items())} {_SCRIPT}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:40]
    folder = built(digest, "bin/go", lambda partial, folder: _build(partial, folder, root / "bin" / "go"))
    # The sources may be kept elsewhere, and be a link in Go's own folder.
    homes = dict.fromkeys([root, (root / "src").resolve().parent, folder])
    mounts = tuple(Mount(path, str(path)) for path in homes)
    return Environment(digest, "go", folder / "bin" / "go", mounts, f"{version} of this machine")


@cache
def _asked(found: str) -> tuple[str, Path]:
    variables = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        result = run([found, "env", "GOVERSION", "GOROOT"], timeout=30, environment={**variables, "GOTOOLCHAIN": "local"})
    except SandboxError as error:
        raise SetupError(f"the Go at {found} does not run: {error}") from error
    lines = result.stdout.decode(errors="replace").splitlines()
    numbers = re.match(r"go(\d+)\.(\d+)", lines[0]) if result.ok and len(lines) == 2 else None
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
        raise SetupError(f"the Go at {found} cannot be used: Go {'.'.join(map(str, _OLDEST))} or later is needed")
    return lines[0], Path(lines[1]).resolve()


def _build(partial: Path, folder: Path, program: Path) -> None:
    (partial / "bin").mkdir(parents=True)
    variables = {**_SETTINGS, "GOCACHE": str(partial / "std"), "GOPATH": str(partial / "none"), "HOME": str(partial)}
    checked([str(program), "build", "std"], "compile Go's standard library", variables, partial)
    settings = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in _SETTINGS.items())
    cache = shlex.quote(str(folder / "std"))
    script = _SCRIPT.format(settings=settings, cache=cache, program=shlex.quote(str(program)))
    (partial / "bin" / "go").write_text(script, encoding="utf-8")
    (partial / "bin" / "go").chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
