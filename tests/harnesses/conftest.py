"""A lane for the adapters of real programs, scripted turns of such programs, and a stand-in for one."""

import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from driven import PROGRAMS, Driven, Scripted

from harnesses.base import Fitting, Lane, ReplaySource, Step
from harnesses.scripted_model.server import ScriptedModelServer
from sandboxes.base import Mount, SandboxFactory, SandboxSpec
from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory


@dataclass
class Bed:
    """Opens lanes on one workspace, and keeps what happened in them."""

    folder: Path
    stack: ExitStack
    steps: list[Step] = field(default_factory=list)
    trees: list[list[str]] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def lane(
        self,
        fitting: Callable[[Path], Fitting],
        *,
        hook: Path | None = None,
        factory: SandboxFactory | None = None,
    ) -> Lane:
        private = self.folder / "private"
        private.mkdir(exist_ok=True)
        fit = fitting(private)
        mounts = (*fit.mounts, Mount(hook, "/crosstalk/hook")) if hook else fit.mounts
        spec = SandboxSpec(self.workspace, mounts, network=fit.network)
        sandbox = self.stack.enter_context(closing((factory or LocalSandboxFactory()).open(spec)))
        source = ReplaySource(self.folder / "none.json", lambda name: b"", "references/a")
        return Lane("a", self.workspace, sandbox, self._boundary, source, hook="/crosstalk/hook" if hook else None)

    def _boundary(self, step: Step) -> str:
        self.steps.append(step)
        self.trees.append(sorted(path.name for path in self.workspace.iterdir()))
        return ""


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    folder = tmp_path / "bed"
    (folder / "workspace").mkdir(parents=True)
    with ExitStack() as stack:
        yield Bed(folder, stack)


@pytest.fixture(params=[pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in PROGRAMS])
def driven(request: pytest.FixtureRequest) -> Driven:
    """Each of the real programs; a file of tests for one of them has a fixture of this name of its own."""
    program: Driven = request.param
    return program


@pytest.fixture
def scripted(bed: Bed, driven: Driven) -> Iterator[Scripted]:
    with ScriptedModelServer(uncached=3) as server:
        yield Scripted(server, bed, driven)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], SandboxFactory]:
    """Puts a program of a name first on PATH, given the body of a shell script; gives the sandbox to run it in."""

    def make(name: str, body: str) -> SandboxFactory:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text(f'#!/bin/sh\n[ "$1" != --version ] || {{ echo 0.0 stand-in; exit; }}\n{body}\n', encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(folder), prepend=":")
        return UnisolatedSandboxFactory()

    return make
