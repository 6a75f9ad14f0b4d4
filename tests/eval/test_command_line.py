"""A user's mistake is one clear line and exit status 2, with nothing half written; every command has an example."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from instances.model import Instance

ROOT = Path(__file__).parents[2]


def crosstalk(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def refused(*arguments: object) -> str:
    done = crosstalk(*arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    line = done.stderr.strip().splitlines()[-1]
    assert line.startswith("crosstalk: ")
    return line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "-s", "orcale", "--unsound"], "no scenario or group 'orcale'"),
        (["run", "-i", "no-such-pair"], "no instance matches 'no-such-pair'"),
        (["run", "--harness", "nobody", "-i", "signoff-deputies"], "no harness 'nobody'"),
        (["run", "--harness", "harnesses.nowhere.Class", "-i", "signoff-deputies"], "harness 'harnesses.nowhere.Class'"),
        (["run", "-i", "signoff-deputies", "-s", "orchestrator", "--unsound"], "nothing to run: orchestrator: harness replay"),
        (["resume", "/nowhere/at/all"], "no run here"),
        (["report", "/nowhere/at/all"], "no run here"),
        (["compare", "/nowhere/at/all", "a", "b"], "no run here"),
        (["instances", "show", "nothing"], "no instance matches"),
        (["instances", "to-ed", "/nowhere/x.patch"], "No such file"),
        (["scenarios", "show", "nothing"], "no scenario or group"),
        (["scenarios", "show", "/nowhere/x.yaml"], "cannot read scenarios"),
        (["scenarios", "show", "oracle", "--lane", "a"], "has no lane 'a'"),
        (["check", "nothing"], "no instance matches"),
        (["run", "-s", "", "-i", "signoff-deputies"], "--scenarios holds an empty name"),
        (["run", "-i", "", "-s", "oracle"], "--instances holds an empty name"),
        (["run", "--repeats", "0"], "Invalid value for '--repeats'"),
        (["run", "--jobs", "two"], "Invalid value for '--jobs'"),
        (["run", "--model", "x", "-i", "signoff-deputies"], "calls no model"),
        (["report"], "Missing argument"),
        (["nonsense"], "No such command"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], said: str, tmp_path: Path) -> None:
    assert said in refused(*arguments)


def test_an_output_folder_that_cannot_be_written(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    chosen = ["run", "-i", make_pair().folder, "-s", "oracle", "--unsound", "--out"]
    file = tmp_path / "file"
    file.write_text("mine")
    assert "cannot write" in refused(*chosen, file / "below")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine.txt").write_text("mine")
    assert "is not empty" in refused(*chosen, taken)
    assert [path.name for path in taken.iterdir()] == ["mine.txt"]
    assert "cannot write" in refused(*chosen, "/proc/results")


@pytest.mark.needs("bwrap")
def test_a_full_disk_is_one_line_and_the_run_can_be_resumed(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    """A file system in a mount namespace of the test's own, that shrinks to 400 kB, or what is in it, when the run has begun."""
    pair = make_pair()
    inside = (
        f"mount -t tmpfs -o size=2g none {tmp_path}/small || exit; "
        f"(until [ -e {tmp_path}/small/r/run.json ]; do sleep 0.01; done; "
        f"for size in 400k 800k 2m 8m; do mount -o remount,size=$size {tmp_path}/small && break; done) & "
        f"{sys.executable} -m eval.main run -i {pair.folder} -s oracle,serial,parallel-unaware --unsound "
        f"--out {tmp_path}/small/r; "
        f"echo status $?; mkdir -p {tmp_path}/kept; cp -r {tmp_path}/small/r {tmp_path}/kept/"
    )
    (tmp_path / "small").mkdir()
    unshare = ["unshare", "--mount", "--map-root-user", "sh", "-c", inside]
    done = subprocess.run(unshare, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "status 2" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "No space left on device" in last or "MB free on its disk" in last  # whichever comes upon it first
    kept = tmp_path / "kept" / "r"
    for record in kept.glob("cells/[!.]*"):
        json.loads((record / "record.json").read_text())
    done = crosstalk("resume", kept)
    assert done.returncode == 0, done.stderr
    assert "of 10 planned" in done.stdout or "10 of 10" in done.stdout


def break_json(text: str) -> str:
    return text[:-5]


def unknown_key(text: str) -> str:
    return text.replace('"title"', '"titel"', 1)


def escaping_lock(text: str) -> str:
    return text.replace('"environment.lock"', '"../../etc/passwd"', 1)


def other_id(text: str) -> str:
    return text.replace('"id": "price-label"', '"id": "price-tag"', 1)


def strange_runner(text: str) -> str:
    return text.replace('"pytest"', '"make"', 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (break_json, "not readable as JSON"),
        (unknown_key, "'titel' was unexpected|'title' is a required"),
        (escaping_lock, "environment.lock"),
        (other_id, "must be equal"),
        (strange_runner, "tests.a.command"),
    ],
)
def test_a_bad_instance_is_one_line(
    make_pair: Callable[..., Instance], change: Callable[[str], str], said: str, tmp_path: Path
) -> None:
    folder = make_pair().folder
    path = folder / "instance.json"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    line = refused("run", "-i", folder, "--unsound", "--out", tmp_path / "results")
    assert any(part in line for part in said.split("|")), line
    assert str(path) in line
    assert not (tmp_path / "results").exists()


def test_a_missing_file_of_an_instance_is_one_line(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    folder = make_pair().folder
    (folder / "requirement_b.md").unlink()
    assert "requirement_b.md" in refused("instances", "show", folder)
    shutil.rmtree(folder / "base")
    (folder / "requirement_b.md").write_text("x")
    assert "base" in refused("run", "-i", folder, "--unsound", "--out", tmp_path / "results")


def test_an_unsound_instance_is_refused_unless_asked_for(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    folder = make_pair().folder
    line = refused("run", "-i", folder, "-s", "oracle", "--out", tmp_path / "results")
    assert f"crosstalk check {folder}" in line
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "resume",
        "report",
        "compare",
        "check",
        "doctor",
        "instances list",
        "instances show",
        "instances to-ed",
        "instances lint",
        "instances similar",
        "instances checkout",
        "instances save",
        "instances fill",
        "instances datasheet",
        "new",
        "scenarios list",
        "scenarios show",
        "scenarios diff",
    ],
)
def test_help_has_an_example(command: str) -> None:
    done = crosstalk(*command.split(), "--help")
    assert done.returncode == 0
    assert f"Example: crosstalk {command}" in done.stdout


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['crosstalk', '--help']\n"
        "import eval.main\n"
        "try:\n    eval.main.main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'litellm', 'docker', 'redis', 'pydantic', 'jsonschema', 'git', 'unearth', 'tabulate', 'mcp'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert "HEAVY []" in done.stdout


def test_output_into_a_closed_pipe_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "eval.main", "scenarios", "list"]
        done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    finally:
        os.close(write)
    assert "Traceback" not in done.stderr
