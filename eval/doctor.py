"""What is installed here, what each missing thing would enable, and how to get it."""

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass

from sandboxes.errors import SandboxError
from sandboxes.exec import run

OLDEST_GIT = (2, 38)


@dataclass(frozen=True)
class Part:
    """One thing that Crosstalk can use.

    Attributes:
        found: its version or path; empty when it is missing.
        enables: what it is for.
        get: how to get it.
        required: nothing runs without it.
    """

    name: str
    found: str
    enables: str
    get: str
    required: bool = False


_PROGRAMS = (
    ("git", ["git", "--version"], "everything", "install the package `git`, 2.38 or later", True),
    (
        "bubblewrap",
        ["bwrap", "--version"],
        "the isolated local sandbox; without it only --sandbox unisolated runs",
        "install the package `bubblewrap`, 0.8 or later",
        False,
    ),
    (
        "node",
        ["node", "--version"],
        "JavaScript pairs with the machine's own node",
        "nothing to do: a pinned node is fetched from the package index when it is missing",
        False,
    ),
    ("npm", ["npm", "--version"], "bases and packages of the npm registry", "install the package `npm`", False),
    ("go", ["go", "version"], "Go pairs", "install Go 1.19 or later, such as the package `golang-go`", False),
)


def examine() -> list[Part]:
    """Look at the machine."""
    parts = [Part(name, _version(argv), enables, get, required) for name, argv, enables, get, required in _PROGRAMS]
    parts.append(_isolation())
    parts.append(_docker())
    parts += _agent_programs()
    parts += _ways_to_models()
    parts.append(
        Part(
            "pip",
            "importable" if importlib.util.find_spec("pip") else "",
            "fetching bases and test environments from the package index",
            "python -m ensurepip",
            True,
        )
    )
    return parts


def _agent_programs() -> list[Part]:
    from harnesses import claude_code, codex, mini_swe_agent_parts, opencode
    from harnesses.programs import npm_folder

    parts = []
    for name, option, found, package in (
        ("Claude Code", "claude-code", claude_code.find_claude_code(), claude_code.PACKAGE),
        ("Codex", "codex", codex.find_codex(), codex.PACKAGE),
        ("OpenCode", "opencode", opencode.find_opencode(), opencode.PACKAGE),
    ):
        said = f"{found.version} at {found.path}" if found else ""
        parts.append(Part(name, said, f"--harness {option}", f"npm install --prefix {npm_folder()} {package}"))
    mini = f"{mini_swe_agent_parts.PACKAGE} of PyPI"
    parts.append(Part(mini, mini_swe_agent_parts.installed_version(), "--harness mini-swe-agent", mini_swe_agent_parts.GET))
    return parts


def _ways_to_models() -> list[Part]:
    """The programs' own keys by the names of their variables, and what other vendors' models need."""
    from harnesses.gateway import loading
    from harnesses.gateway.vendors import VENDORS, keys_of
    from harnesses.relay.route import Route, why_unreachable

    parts = []
    for harness, vendor in VENDORS.items():
        enables = f"--harness {harness} on {vendor.prefix}'s own models"
        found = " and ".join(keys_of(harness))
        parts.append(Part(f"a key for {harness}", found and f"{found} is set", enables, f"set {vendor.key_variables[0]}"))
        if found:
            address = os.environ.get(vendor.url_variable) or vendor.address
            reason = why_unreachable(address)
            # What is secret in an address stays out.
            parts.append(
                Part(f"a way to {vendor.prefix}", "" if reason else f"{Route.to(address).place} can be reached", enables, reason)
            )
    enables = "--model of any other vendor or of one's own endpoint, prices in US dollars"
    return [*parts, Part("LiteLLM", loading.installed_version(), enables, loading.GET)]


def _isolation() -> Part:
    from sandboxes.local import LocalSandboxFactory

    try:
        LocalSandboxFactory().prove()
    except SandboxError as error:
        return Part("isolation", "", "sealed lanes", str(error))
    return Part("isolation", "bubblewrap was seen to isolate", "sealed lanes", "")


def _docker() -> Part:
    from sandboxes.docker import DockerSandboxFactory

    try:
        found = DockerSandboxFactory()
        found.prove()
        versions = found.versions()
    except SandboxError as error:
        return Part("docker", "", "--sandbox docker", str(error))
    return Part("docker", f"{versions['engine']}, image {versions['image'][:19]}, was seen to isolate", "--sandbox docker", "")


def _version(argv: list[str]) -> str:
    if shutil.which(argv[0]) is None:
        return ""
    try:
        result = run(argv, timeout=30)
    except SandboxError:
        return ""
    lines = result.stdout.decode(errors="replace").split("\n")
    said = lines[0].strip() if result.ok else ""
    return "" if argv[0] == "git" and _too_old(said) else said


def _too_old(git: str) -> bool:
    """Whether a git has no `merge-tree --write-tree`."""
    numbers = re.search(r"(\d+)\.(\d+)", git)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < OLDEST_GIT
