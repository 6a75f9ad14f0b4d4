"""Instances that bring a container image: as the base's source, as the place of lanes and tests, or as a Dockerfile."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eval.environment import environment_of
from eval.storage import ResultsFolder
from instances.base_image import LABEL
from instances.load import load
from instances.model import Instance
from sandboxes.base import SandboxSpec
from sandboxes.docker import DockerSandboxFactory
from sandboxes.docker_engine import Engine
from sandboxes.docker_images import built_image
from sandboxes.environments import ensure_environment

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("docker")
NAME = "crosstalk-test-shipped:latest"
DOCKERFILE = """
FROM crosstalk-base:latest
COPY packages /usr/lib/python3/dist-packages/
COPY app /app
ENV SHOP_COUNTRY=NL PATH=/opt/own:/usr/bin:/bin
WORKDIR /app
ENTRYPOINT ["/bin/false"]
"""


def crosstalk(*arguments: object) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "eval.main", *map(str, arguments)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def change(pair: Instance, **parts: Any) -> Path:
    path = pair.folder / "instance.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | parts), encoding="utf-8")
    return pair.folder


@pytest.fixture
def shipped(make_pair: Callable[..., Instance], tmp_path: Path) -> Iterator[tuple[Instance, str]]:
    """A pair whose base and interpreter are in an image alone, and that image's id."""
    pair, context = make_pair(), tmp_path / "context"
    executable = ensure_environment("python", *pair.environment.read_locks()).executable
    context.mkdir()
    (context / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    shutil.copytree(next(executable.parents[1].glob("lib/python*/site-packages")), context / "packages")
    shutil.move(pair.folder / "base", context / "app")
    for history in (".git", "vendored/.git"):
        (context / "app" / history).mkdir(parents=True)
        (context / "app" / history / "answer").write_text("of a later commit", encoding="utf-8")
    (pair.folder / "environment.lock").unlink()
    identity = built_image(context)
    with closing(Engine()) as engine:
        engine.api.tag(identity, *NAME.split(":"))
    image = {"name": NAME, "id": identity}
    environment = {"interpreter": "python", "image": image, "executable": "/usr/bin/python3", "import_check": ["shop"]}
    base = {"kind": "image", "image": NAME, "id": identity, "folder": "/app"}
    yield load(change(pair, base=base, environment=environment)), identity
    with closing(Engine()) as engine:
        engine.api.remove_image(NAME, force=True)


def test_a_pair_that_is_in_an_image_is_played_there(shipped: tuple[Instance, str], tmp_path: Path) -> None:
    pair, identity = shipped
    refused = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--unsound", "--out", tmp_path / "refused")
    assert refused.returncode == 2
    assert "use --sandbox docker" in refused.stderr
    assert not (tmp_path / "refused").exists()
    results = ResultsFolder(tmp_path / "results")
    chosen = ["-i", pair.folder, "-s", "oracle,parallel-unaware", "--sandbox", "docker", "--unsound"]
    done = crosstalk("run", *chosen, "--out", results.path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {one.cell.split(".")[1]: one.status for one in results.records()} == {"oracle": "solved", "parallel-unaware": "failed"}
    assert identity[:19] in results.manifest().instances[0].environment
    assert not list(pair.base_directory().rglob(".git"))
    with closing(Engine()) as engine:
        assert not engine.api.containers(all=True, filters={"label": f"{LABEL}={identity}"})


def test_lanes_see_the_images_variables_after_ours_and_not_its_entry_point(shipped: tuple[Instance, str], tmp_path: Path) -> None:
    pair, identity = shipped
    environment = environment_of(pair.environment, "docker")
    with closing(
        DockerSandboxFactory().open(SandboxSpec(tmp_path, environment.mounts, {"PATH": "/first"}, image=identity))
    ) as sandbox:
        said = sandbox.run(["/bin/sh", "-c", "echo $SHOP_COUNTRY $PATH $HOME"], timeout=60)
    assert said.stdout.decode() == "NL /first:/opt/own:/usr/bin:/bin /home/agent\n"


@pytest.mark.parametrize("place", ["base", "environment"])
def test_another_image_of_that_name_is_refused(shipped: tuple[Instance, str], place: str, tmp_path: Path) -> None:
    pair, identity = shipped
    data = json.loads((pair.folder / "instance.json").read_text(encoding="utf-8"))
    pinned = data["base"] if place == "base" else data["environment"]["image"]
    pinned["id"] = f"sha256:{'0' * 64}"
    change(pair, **data)
    done = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--sandbox", "docker", "--unsound", "--out", tmp_path / "results")
    assert done.returncode == 2
    assert identity in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_an_image_that_cannot_be_had_is_one_line(shipped: tuple[Instance, str], tmp_path: Path) -> None:
    pair, _ = shipped
    image = {"name": "localhost:9/no/such:image", "id": f"sha256:{'0' * 64}"}
    change(pair, environment={"interpreter": "python", "image": image, "executable": "/usr/bin/python3"})
    done = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--sandbox", "docker", "--unsound", "--out", tmp_path / "results")
    assert done.returncode == 2
    assert "localhost:9/no/such:image" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_dockerfile_in_the_instance_is_built_once_and_used(make_pair: Callable[..., Instance], tmp_path: Path) -> None:
    pair = make_pair()
    environment = json.loads((pair.folder / "instance.json").read_text(encoding="utf-8"))["environment"]
    (pair.folder / "image").mkdir()
    dockerfile = pair.folder / "image" / "Dockerfile"
    dockerfile.write_text("FROM crosstalk-base:latest\nCOPY tool /usr/local/bin/tool\n", encoding="utf-8")
    (pair.folder / "image" / "tool").write_text("#!/bin/sh\necho from the image\n", encoding="utf-8")
    (pair.folder / "image" / "tool").chmod(0o755)
    pair = load(change(pair, environment={**environment, "image": {"build": "image"}}))
    found = environment_of(pair.environment, "docker")
    assert environment_of(pair.environment, "docker") == found
    with closing(DockerSandboxFactory().open(SandboxSpec(tmp_path, found.mounts, image=found.image))) as sandbox:
        assert sandbox.run(["tool"], timeout=60).stdout == b"from the image\n"
    results = ResultsFolder(tmp_path / "results")
    done = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--sandbox", "docker", "--unsound", "--out", results.path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [record.status for record in results.records()] == ["solved"]
    dockerfile.write_text("FROM crosstalk-base:latest\nCOPY nothing /there\n", encoding="utf-8")
    done = crosstalk("run", "-i", pair.folder, "-s", "oracle", "--sandbox", "docker", "--unsound", "--out", tmp_path / "refused")
    assert done.returncode == 2
    assert "cannot build" in done.stderr
    assert "nothing" in done.stderr
