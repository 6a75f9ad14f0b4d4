"""`crosstalk radio serve`: what cannot be served leaves nothing, and what is served can be used as printed."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from radio.cli import app
from sandboxes.errors import BenchError

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
CROSSTALK = [sys.executable, "-c", "import sys; from eval.main import main; sys.exit(main())", "radio"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "a"], "the same name"),
        (["../x"], "no lane name"),
        (["system"], "reserved"),
        (["a", "--tcp", "nonsense"], "HOST:PORT"),
        (["a", "--tcp", "127.0.0.1:"], "HOST:PORT"),
        (["a", "--tcp", "127.0.0.1:²"], "HOST:PORT"),
        (["a", "--tcp", "127.0.0.1:99999"], "HOST:PORT"),
        (["a", "--tcp", "300.1.1.1:80"], "cannot listen on 300.1.1.1:80"),
        (["a", "--tcp", "192.0.2.1:80"], "cannot listen on 192.0.2.1:80"),
        (["a", "--run", "../x"], "no name for a run"),
        (["a", "--cell", ""], "no name for a run or cell"),
        (["a", "--store", "nonsense"], "no such store"),
        (["a", "--store", "http://x:1"], "no such store"),
        (["a", "--store", "sqlite:"], "names no file"),
        (["a", "--store", "file:/"], "names no file"),
        (["a", "--store", "sqlite:{file}/x/radio"], "cannot keep its files"),
        (["a", "--directory", "{file}"], "is no folder"),
        (["a", "--directory", "{file}/below"], "cannot keep its files"),
    ],
)
def test_what_cannot_be_served_prints_and_writes_nothing(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "file").touch()
    given = [argument.format(file=tmp_path / "file") for argument in arguments]
    directory = [] if "--directory" in given else ["--directory", str(tmp_path / "r")]
    done = CliRunner().invoke(app, ["serve", *given, *directory])
    assert isinstance(done.exception, BenchError), done.exception
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)
    assert done.output == ""
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_address_that_is_taken_is_told_first(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = CliRunner().invoke(app, ["serve", "a", "--tcp", address, "--directory", str(tmp_path / "r")])
    assert (str(done.exception), done.output) == (f"cannot listen on {address}: Address already in use", "")
    assert list(tmp_path.iterdir()) == []


def test_without_its_package_mcp_is_refused_in_one_line(tmp_path: Path) -> None:
    program = [*CROSSTALK, "serve", "a", "--mcp"]
    program[2] = "import sys; sys.modules['mcp'] = None; " + program[2]
    done = subprocess.run(program, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("crosstalk: --mcp needs the package mcp")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("token", ["", "x", "the lane's"])
def test_watching_from_afar_says_which_token_it_needs(tmp_path: Path, token: str) -> None:
    with serving(tmp_path, "--tcp", "127.0.0.1:0"):
        while not (ready := tmp_path / "radio" / "ready.json").exists():
            time.sleep(0.01)
        if token == "the lane's":
            token = re.findall(r"Bearer ([\w-]+)", (tmp_path / "radio/lanes/a/auth").read_text())[0]
        environment = {**ENVIRONMENT, "CROSSTALK_RADIO_ENGINE_TOKEN": token}
        program = [*CROSSTALK, "monitor", "--once", json.loads(ready.read_text())["url"]]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "CROSSTALK_RADIO_ENGINE_TOKEN" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_free_port_is_not_printed_as_an_address(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the MCP server needs the package mcp")
    with serving(tmp_path, "--mcp", "--tcp", "127.0.0.1:0") as lanes:
        assert "radio/ready.json names" in lanes["mcp"]
        assert ":0/mcp" not in lanes["mcp"]


def test_another_store_in_the_same_folder_is_refused_with_the_logs_name(tmp_path: Path) -> None:
    with serving(tmp_path):
        pass
    program = [*CROSSTALK, "serve", "a", "b", "--store", "file"]
    done = subprocess.run(program, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "radio/events.jsonl" in done.stderr
    assert "another store" in done.stderr


@contextlib.contextmanager
def serving(place: Path, *options: str) -> Iterator[dict[str, str]]:
    """What `serve` says for each lane, as a shell script."""
    program = [*CROSSTALK, "serve", "a", "b", *options]
    with subprocess.Popen(program, cwd=place, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        scripts: dict[str, str] = {}
        for line in process.stdout:
            if line.startswith("lane "):
                lane = line.removeprefix("lane ").strip(": \n")
            elif line.startswith("  export "):
                scripts[lane] = scripts.get(lane, "") + line
            elif line.startswith("MCP: "):
                scripts["mcp"] = line
            elif line.startswith("watch it with"):
                break
        try:
            yield scripts
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()


def run(script: str) -> str:
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.needs("curl")
def test_what_it_prints_is_all_that_a_shell_needs(tmp_path: Path) -> None:
    """In a folder whose name a shell would split."""
    with serving(tmp_path, "--directory", "my radio") as lanes:
        run(lanes["a"] + "radio-create-thread plan; radio-send plan --mention b 'by hand'")
        assert "| by hand" in run(lanes["b"] + "radio-hook PostToolUse </dev/null")
        counted = run(lanes["b"] + 'radio-hook PostToolUse </dev/null; wc -c <"$CROSSTALK_RADIO_STEPS"')
    assert counted.strip() == "2"


@pytest.mark.needs("curl")
def test_the_example_of_an_mcp_client_in_the_docs_runs(tmp_path: Path) -> None:
    pytest.importorskip("mcp.client.client", reason="the MCP server needs the package mcp")
    (example,) = re.findall(r"```python\n(import asyncio\n.*?)```", (ROOT / "docs" / "radio.md").read_text(), re.DOTALL)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with serving(tmp_path, "--mcp", "--tcp", address) as lanes:
        given = example.replace("127.0.0.1:7000", address)
        done = subprocess.run([sys.executable, "-"], input=given, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert "(timeout)" in done.stdout
        assert "| I take x.py" in run(lanes["b"] + "radio-inbox")
        token = (tmp_path / "radio" / "engine-token").read_text().strip()
        program = [*CROSSTALK, "monitor", "--once", f"http://{address}"]
        environment = {**ENVIRONMENT, "CROSSTALK_RADIO_ENGINE_TOKEN": token}
        watched = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    assert "I take x.py" in watched.stdout


def test_what_ends_as_soon_as_it_is_told_ends_in_order(tmp_path: Path) -> None:
    for number in range(5):
        with serving(tmp_path, "--directory", str(number)):
            """Ctrl-C comes at once."""
        assert b"hub_stopped" in (tmp_path / str(number) / "events.jsonl").read_bytes()


@pytest.mark.needs("curl", "redis-server")
def test_two_folders_on_one_redis_are_two_radios_and_each_comes_back(tmp_path: Path, redis_server: Any) -> None:
    options = ["--store", redis_server.address, "--directory"]
    with serving(tmp_path, *options, "one") as lanes, serving(tmp_path, *options, "other") as others:
        assert run(lanes["a"] + "radio-create-thread plan; radio-send plan --mention b 'of the one'")
        assert "no thread" in fails(others["a"] + "radio-send plan --mention b 'of the other'")
    with serving(tmp_path, *options, "one") as lanes:
        assert "| of the one" in run(lanes["b"] + "radio-inbox")


def fails(script: str) -> str:
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    return done.stderr
