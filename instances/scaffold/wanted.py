"""What a new pair's base is to be, as it was written on the command line."""

import re
from dataclasses import dataclass
from pathlib import Path

from instances.errors import InstanceError

_SDIST = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][0-9A-Za-z.+!]*)")
_NPM = re.compile(
    r"(?P<name>(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*)@(?P<version>[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?)"
)
_GIT = re.compile(r"(?P<url>(https://|ssh://|file://|/).+)@(?P<commit>[^@\s]+)")


@dataclass(frozen=True)
class WantedBase:
    """A base that is still to be fetched and pinned.

    Attributes:
        kind: `directory`, `sdist`, `npm` or `git`.
        directory: of kind `directory`.
        name, version: of the kinds `sdist` and `npm`.
        url, commit: of kind `git`; the commit may be a branch or a tag.
    """

    kind: str
    directory: Path | None = None
    name: str = ""
    version: str = ""
    url: str = ""
    commit: str = ""


def wanted_base(text: str) -> WantedBase:
    """Read `--base`: a directory, NAME==VERSION (sdist), NAME@VERSION (npm) or URL@COMMIT (git).

    Raises:
        InstanceError: it is none of them.
    """
    if Path(text).is_dir():
        return WantedBase("directory", directory=Path(text))
    for kind, pattern in (("sdist", _SDIST), ("npm", _NPM), ("git", _GIT)):
        if found := pattern.fullmatch(text):
            named = found.groupdict()
            return WantedBase(
                kind,
                name=named.get("name", ""),
                version=named.get("version", ""),
                url=named.get("url", ""),
                commit=named.get("commit", ""),
            )
    raise InstanceError(
        f"--base {text}: no such directory, and neither NAME==VERSION (a published sdist), NAME@VERSION (npm, the whole version) "
        "nor URL@COMMIT (git: https://, ssh://, file:// or an absolute path; a commit, branch or tag)"
    )
