"""Rows whose repository and interpreter are in a container image alone."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from command import crosstalk
from foreign_rows import own_row, write
from foreign_tasks import LOCK, Repository, rows_of

from instances.load import load_all
from sandboxes.docker_engine import Engine
from sandboxes.docker_images import built_image
from sandboxes.environments import ensure_environment

pytestmark = pytest.mark.needs("docker")
NAME = "crosstalk-test-import:latest"
FIELDS = """
id: name
requirement_a: asks.0.text
requirement_b: asks.1.text
reference_a: asks.0.patch
reference_b: asks.1.patch
tests_a: asks.0.tests
tests_b: asks.1.tests
image: {value: "%s"}
image_folder: {value: /repo}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = Repository(tmp_path / "context" / "repo")
    executable = ensure_environment("python", LOCK.read_bytes()).executable
    shutil.copytree(next(executable.parents[1].glob("lib/python*/site-packages")), tmp_path / "context" / "packages")
    lines = [
        "FROM crosstalk-base:latest",
        "COPY packages /usr/lib/python3/dist-packages/",
        "COPY repo /repo",
        'ENTRYPOINT ["/bin/false"]',
    ]
    (tmp_path / "context" / "Dockerfile").write_text("\n".join(lines) + "\n", encoding="utf-8")
    identity = built_image(tmp_path / "context")
    with closing(Engine()) as engine:
        engine.api.tag(identity, *NAME.split(":"))
    yield made
    with closing(Engine()) as engine:
        engine.api.remove_image(identity, force=True)


def test_a_row_in_an_image_is_measured_and_played_there(tmp_path: Path, repository: Repository) -> None:
    fields = tmp_path / "fields.yaml"
    fields.write_text(FIELDS % NAME, encoding="utf-8")
    rows = write(tmp_path / "rows.jsonl", own_row(repository, "cut", name="apart"))
    refused = tmp_path / "refused"
    assert crosstalk("import", "pairs", rows, "--fields", fields, "--out", refused).returncode == 1
    assert rows_of(refused)["apart"]["code"] == "needs-docker"
    out = tmp_path / "out"
    done = crosstalk("import", "pairs", rows, "--fields", fields, "--out", out, "--sandbox", "docker")
    assert done.returncode == 0, done.stdout + done.stderr
    (pair,) = load_all(out)
    assert pair.base.id.startswith("sha256:")
    assert not (pair.base_directory() / ".git").exists()
    assert pair.environment.executable == "/usr/bin/python3"
    checked = crosstalk("check", pair.folder, "--rounds", 1, "--sandbox", "docker")
    assert checked.returncode == 0, checked.stdout
