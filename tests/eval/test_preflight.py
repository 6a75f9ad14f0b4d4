"""A provider that cannot be connected to is told before a run begins, in one line; one that fails later is infrastructure."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest
from driven import CODEX, WITH_A_PROVIDER, Driven, run

from eval.storage import ResultsFolder
from harnesses.scripted_model.faults import parse_fault
from harnesses.scripted_model.server import ScriptedModelServer
from instances.model import Instance

ROOT = Path(__file__).parents[2]
KEY = "sk-provider-preflight-2d1c"
needs_litellm = pytest.mark.skipif(not find_spec("litellm"), reason="litellm is missing: pip install 'crosstalk-bench[litellm]'")


def crosstalk(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    environment |= {"PYTHONPATH": str(ROOT / "tests"), **variables}
    command = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)


@pytest.fixture
def closed() -> Iterator[str]:
    """An address where nobody listens, and nobody else will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def hanging_up() -> Iterator[str]:
    """An address where everybody is connected and nobody is answered."""

    def hang_up() -> None:
        while True:
            try:
                listener.accept()[0].close()
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=hang_up)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def chosen(pair: Instance, out: Path, *options: object) -> list[object]:
    return ["run", "-i", pair.folder, "-s", "oracle", "--unsound", "--yes", "--out", out, *options]


def assert_refused(done: subprocess.CompletedProcess[str], address: str) -> None:
    assert done.returncode == 2, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"crosstalk: cannot connect to {address.removeprefix('http://')}: Connection refused"), done.stderr
    assert "no cell was started" in last


def of(driven: Driven, address: str) -> Mapping[str, str]:
    return {driven.key_variable: KEY, driven.address_variable: address}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize(
    "driven", [pytest.param(one, id=one.name, marks=pytest.mark.needs(one.program)) for one in WITH_A_PROVIDER]
)
def test_a_programs_own_provider(driven: Driven, make_pair: Callable[..., Instance], tmp_path: Path, closed: str) -> None:
    out = tmp_path / "results"
    done = crosstalk(
        *chosen(make_pair(), out, "--harness", driven.name, "--model", "m"),
        **of(driven, closed),
    )
    assert_refused(done, closed)
    assert not out.exists()


@pytest.mark.needs("bwrap", "codex")
@needs_litellm
def test_a_provider_behind_the_gateway(make_pair: Callable[..., Instance], tmp_path: Path, closed: str) -> None:
    out = tmp_path / "results"
    options = ["--harness", CODEX.name, "--model", "own", "--model-url", f"{closed}/v1"]
    assert_refused(crosstalk(*chosen(make_pair(), out, *options)), closed)
    assert not out.exists()


@pytest.mark.needs("bwrap")
@pytest.mark.skipif(not find_spec("minisweagent"), reason="mini-swe-agent is missing: pip install 'crosstalk-bench[mini]'")
def test_litellms_own_way(make_pair: Callable[..., Instance], tmp_path: Path, closed: str) -> None:
    out = tmp_path / "results"
    options = ["--harness", "mini-swe-agent", "--model", "openai/gpt-4o"]
    assert_refused(crosstalk(*chosen(make_pair(), out, *options), OPENAI_API_KEY=KEY, OPENAI_BASE_URL=closed), closed)
    assert not out.exists()


@pytest.mark.needs("bwrap")
def test_the_model_that_combines(make_pair: Callable[..., Instance], tmp_path: Path, closed: str) -> None:
    out = tmp_path / "results"
    options = ["--reconciler-model", "m", "--reconciler-url", f"{closed}/v1"]
    assert_refused(crosstalk(*chosen(make_pair(), out, *options)), closed)
    assert not out.exists()


@pytest.mark.needs("bwrap", "codex")
def test_a_run_that_is_gone_on_with(make_pair: Callable[..., Instance], tmp_path: Path, closed: str) -> None:
    out = tmp_path / "results"
    with ScriptedModelServer() as server:
        server.add_lane("both", (run("true"),), [parse_fault("429@1x*")], key=KEY)
        options = ["--harness", CODEX.impatient, "--model", "m", "--retry-wait", "0"]
        first = crosstalk(*chosen(make_pair(), out, *options), **of(CODEX, server.url))
        assert first.returncode == 1, first.stderr
    gone = crosstalk("resume", out, **of(CODEX, server.url))
    assert_refused(gone, server.url)
    assert [record.failure for record in ResultsFolder(out).records()] == ["rate-limit"]


@pytest.mark.needs("bwrap", "codex")
def test_who_answers_nobody_later_is_infrastructure(make_pair: Callable[..., Instance], tmp_path: Path, hanging_up: str) -> None:
    out = tmp_path / "results"
    options = ["--harness", CODEX.impatient, "--model", "m", "--retry-wait", "0"]
    done = crosstalk(*chosen(make_pair(), out, *options), **of(CODEX, hanging_up))
    assert done.returncode == 1, done.stderr
    assert [record.status for record in ResultsFolder(out).records()] == ["infrastructure"]


@pytest.mark.parametrize("driven", [pytest.param(one, id=one.name) for one in WITH_A_PROVIDER])
def test_doctor_says_it_where_there_is_a_key(driven: Driven, closed: str) -> None:
    with ScriptedModelServer() as server:
        assert f"{server.url.removeprefix('http://')} can be reached" in crosstalk("doctor", **of(driven, server.url)).stdout
    assert (
        f"cannot connect to {closed.removeprefix('http://')}: Connection refused"
        in crosstalk("doctor", **of(driven, closed)).stdout
    )
    assert "a way to" not in crosstalk("doctor", **{driven.address_variable: closed}).stdout
