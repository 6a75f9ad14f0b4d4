"""What every test may use: programs that a machine may lack, and a small sound pair."""

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from small_pair import write_pair

import eval as bench
from harnesses.programs import find_file, npm_folder
from instances.load import load
from instances.model import Family, Instance
from sandboxes.docker_engine import Engine
from sandboxes.errors import SandboxError
from sandboxes.overlay import try_overlay, unmount_below

assert bench  # importing it says how programs are started: a test that runs alone may be the first to fetch a base

# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

HOW_TO_GET = {
    "bwrap": "install the package bubblewrap",
    "redis-server": "install the package redis-server",
    "node": "install node 20 or later",
    "npm": "install the package npm",
    "go": "install the package golang-go",
    "curl": "install the package curl",
    "claude": "npm install --prefix ~/.cache/crosstalk/npm @anthropic-ai/claude-code@2.1.197",
    "docker": "pip install docker, install the package docker.io, start dockerd, and run scripts/docker_base_image",
    "dockerd": "install the package docker.io, and be root",
    "debootstrap": "install the package debootstrap",
    "overlay": "be root, on a file system that overlays can be put on",
    "codex": "npm install --prefix ~/.cache/crosstalk/npm @openai/codex@0.171.0",
    "opencode": "npm install --prefix ~/.cache/crosstalk/npm opencode-ai@1.18.33",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--require-all", action="store_true", help="fail, and do not skip, where a program is missing")
    parser.addoption("--failed-to", type=Path, metavar="FILE", help="write the failed tests' ids to it, a line each")


def pytest_configure(config: pytest.Config) -> None:
    # Tests that give a program another home would not find it in the cache of this one.
    os.environ["PATH"] = f"{npm_folder() / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    # A test run in the background of a shell ignores interrupts, and so would every program that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "needs(program): the test needs a program that the machine may lack")


@cache
def is_here(program: str) -> bool:
    """Whether a program is there; of docker, whether containers can be started."""
    if program == "dockerd" and os.getuid() != 0:
        return False
    if program == "overlay":
        return _overlays_work()
    if program != "docker":
        return find_file(program) is not None
    try:
        return bool(Engine().image())
    except SandboxError:
        return False


def _overlays_work() -> bool:
    with tempfile.TemporaryDirectory(prefix="overlay-") as name:
        lower, workspace = Path(name, "lower"), Path(name, "workspace")
        lower.mkdir()
        workspace.mkdir()
        try:
            return try_overlay(lower, workspace)
        finally:
            unmount_below(workspace)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for program in marker.args:
            if not is_here(program):
                reason = f"{program} is missing: {HOW_TO_GET.get(program, 'see crosstalk doctor')}"
                if item.config.getoption("--require-all"):
                    pytest.fail(reason)
                pytest.skip(reason)


@pytest.fixture
def make_pair(tmp_path: Path) -> Callable[..., Instance]:
    """Writes a small sound pair and reads it back: `make_pair(family, id)`."""

    def make(family: Family = Family.CONTRADICTORY, name: str = "price-label") -> Instance:
        folder = tmp_path / "own" / family / name
        write_pair(folder, family)
        return load(folder)

    return make


@pytest.fixture(autouse=True, scope="session")
def no_mount_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Workspaces in the tests' folders may be mounts, which would outlive the tests."""
    yield
    unmount_below(tmp_path_factory.getbasetemp())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Nothing is skipped where all is required, for whatever reason a test asked for it; and what failed is written down."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    if session.config.getoption("--require-all") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if file := session.config.getoption("--failed-to"):
        failed = {report.nodeid for kind in ("failed", "error") for report in reporter.stats.get(kind, [])}
        file.write_text("".join(f"{one}\n" for one in sorted(failed)), encoding="utf-8")
