"""Whole runs in containers: the same verdicts as elsewhere, the real programs, and a kill of the run or of the engine."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eval.storage import ResultsFolder
from instances.model import Instance
from sandboxes.docker_options import PROCESS_LABEL

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("docker")


def command_of(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "eval.main", *map(str, arguments)]


def crosstalk(*arguments: object, **environment: str) -> str:
    done = subprocess.run(
        command_of(*arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def verdicts(results: ResultsFolder) -> dict[str, object]:
    """What each cell came to: the trees and which suites passed, and no word of where it ran."""
    found: dict[str, object] = {}
    for record in results.records():
        for name, one in record.candidates.items():
            found[f"{record.cell} {name}"] = (one.tree, {suite: verdict.passed for suite, verdict in one.verdicts.items()})
        found[record.cell] = record.status
    return found


def containers(**environment: str) -> list[str]:
    argv = ["docker", "ps", "--all", "--quiet", "--filter", f"label={PROCESS_LABEL}"]
    listing = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env={**os.environ, **environment})
    return listing.stdout.split()


def labelled(results: ResultsFolder, **environment: str) -> list[str]:
    """The containers of a run, whatever their state."""
    argv = ["docker", "ps", "--all", "--quiet", "--filter", f"label=crosstalk.run={results.path.absolute()}"]
    listing = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env={**os.environ, **environment})
    return listing.stdout.split()


# A tenth of the shipped pairs, one for each interpreter.
TENTH = ("invoice-rounding", "seedbook-mark-column", "tabula-criteria-and-rows")


@pytest.mark.needs("bwrap", "node", "go")
def test_verdicts_are_those_of_the_local_sandbox(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pairs = [argument for name in (make_pair().folder, *TENTH) for argument in ("-i", name)]
    chosen = [*pairs, "-s", "oracle,parallel-unaware", "--unsound"]
    found = {}
    for sandbox in ("local", "docker"):
        results = ResultsFolder(tmp_path / sandbox)
        crosstalk("run", *chosen, "--sandbox", sandbox, "--out", results.path)
        found[sandbox] = verdicts(results)
        assert results.manifest().isolated
    assert found["docker"] == found["local"]
    assert results.manifest().versions["image"].startswith("sha256:")


@pytest.mark.parametrize(
    "harness",
    [
        ["replay"],
        pytest.param(["claude-code", "--model", "scripted"], marks=pytest.mark.needs("claude")),
        pytest.param(["codex", "--model", "scripted"], marks=pytest.mark.needs("codex")),
    ],
    ids=["replay", "claude-code", "codex"],
)
def test_a_pair_that_talks_by_radio(harness: list[str], tmp_path: Path) -> None:
    """The hub's socket, the shell commands and the hook are reached from inside; the model's endpoint is, and nothing else."""
    results = ResultsFolder(tmp_path / "results")
    chosen = ["-i", "signoff-deputies", "-s", "radio-passive", "--unsound", "--sandbox", "docker"]
    crosstalk("run", *chosen, "--harness", *harness, "--out", results.path)
    (record,) = results.records()
    assert record.radio is not None
    assert record.status == "solved"
    assert {lane: (one.sent, one.shown) for lane, one in record.radio.items()} == {"a": (1, 1), "b": (1, 1)}
    assert labelled(results) == []


def begun(chosen: list[object], results: ResultsFolder, **environment: str) -> "subprocess.Popen[bytes]":
    """A run that is in the middle: a cell is done, and a container of another is there."""
    argv = command_of("run", *chosen, "--out", results.path)
    process = subprocess.Popen(
        argv, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    while not (list(results.cells.glob("[!.]*/record.json")) and labelled(results, **environment)):
        assert process.poll() is None
        time.sleep(0.02)
    return process


def test_a_killed_run_leaves_nothing_labelled_and_resumes(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    chosen = ["-i", make_pair().folder, "-s", "oracle,parallel-unaware", "--unsound", "--repeats", 2, "--sandbox", "docker"]
    whole, killed = ResultsFolder(tmp_path / "whole"), ResultsFolder(tmp_path / "killed")
    crosstalk("run", *chosen, "--out", whole.path)
    with begun(chosen, killed) as process:
        # Not of a run that lives.
        refused = subprocess.run(
            command_of("clean", killed.path), cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )
        assert refused.returncode == 2
        assert "is running this folder" in refused.stderr
        process.kill()
    assert "half written" in crosstalk("clean", killed.path)
    assert labelled(killed) == []
    crosstalk("resume", killed.path)
    assert verdicts(killed) == verdicts(whole)
    assert labelled(killed) == []


@contextlib.contextmanager
def own_engine(folder: Path) -> Iterator[Callable[[], int]]:
    """An engine of the test's own; gives what starts it, again too, and tells its process."""
    running: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        (folder / "pid").unlink(missing_ok=True)
        argv = ["dockerd", f"--host=unix://{folder}/engine.sock", f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
        argv += [f"--pidfile={folder}/pid", "--bridge=none", "--iptables=false"]
        with (folder / "log").open("ab") as log:
            running.append(subprocess.Popen(argv, stdout=log, stderr=log))
        while subprocess.run(["docker", "version"], capture_output=True, env=variables, timeout=60, check=False).returncode:
            assert running[-1].poll() is None, (folder / "log").read_text(encoding="utf-8")[-2000:]
            time.sleep(0.1)
        return running[-1].pid

    variables = {**os.environ, "DOCKER_HOST": f"unix://{folder}/engine.sock"}
    try:
        yield start
    finally:
        for process in running:
            process.terminate()
            process.wait(60)
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
        for mount in sorted((one for one in mounts if one.startswith(f"{folder}/")), reverse=True):
            subprocess.run(["umount", mount], timeout=60, check=False)


@pytest.mark.needs("dockerd", "debootstrap")
def test_a_killed_engine_changes_no_verdict(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    chosen = ["-i", make_pair().folder, "-s", "oracle,parallel-unaware", "--unsound", "--repeats", 3, "--sandbox", "docker"]
    whole, killed = ResultsFolder(tmp_path / "whole"), ResultsFolder(tmp_path / "killed")
    crosstalk("run", *chosen, "--out", whole.path)
    with tempfile.TemporaryDirectory(prefix="engine-", ignore_cleanup_errors=True) as name, own_engine(Path(name)) as start:
        host = {"DOCKER_HOST": f"unix://{name}/engine.sock"}
        engine = start()
        import_image = [ROOT / "scripts" / "docker_base_image"]
        subprocess.run(import_image, capture_output=True, timeout=300, check=True, env={**os.environ, **host})
        with begun(chosen, killed, **host) as process:
            os.kill(engine, signal.SIGKILL)
            process.wait(300)
            # The engine's own helper ends a while after it; one that is just ending would be taken for a living one.
            helper = int((Path(name) / "exec" / "containerd" / "containerd.pid").read_text())
            with contextlib.suppress(ProcessLookupError):
                os.kill(helper, signal.SIGKILL)
            while Path(f"/proc/{helper}").exists():
                time.sleep(0.05)
        start()
        crosstalk("resume", killed.path, **host)
        assert verdicts(killed) == verdicts(whole)
        crosstalk("clean", **host)
        assert containers(**host) == []
