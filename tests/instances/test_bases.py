"""Fetched bases: from a registry on loopback that the real npm asks, and from repositories of the real git."""

import base64
import hashlib
import io
import json
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from instances.bases import BaseSpec, base_directory
from instances.errors import InstanceError


def tarball(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


ARCHIVE = tarball({"package.json": '{"name": "left", "version": "1.2.3"}', "src/left.ts": "export {}\n", "docs/x.md": "x\n"})
INTEGRITY = f"sha512-{base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode()}"
LEFT = BaseSpec("npm", name="left", version="1.2.3", integrity=INTEGRITY)


class Registry(BaseHTTPRequestHandler):
    """Serves one release of one package, and counts what it was asked."""

    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        url = f"http://{self.headers['Host']}/left-1.2.3.tgz"
        release = {"name": "left", "version": "1.2.3", "dist": {"tarball": url}}
        answer = {
            "/left": json.dumps({"name": "left", "dist-tags": {"latest": "1.2.3"}, "versions": {"1.2.3": release}}).encode(),
            "/left-1.2.3.tgz": ARCHIVE,
        }.get(self.path)
        self.send_response(404 if answer is None else 200)
        self.end_headers()
        self.wfile.write(answer or b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is told."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    return tmp_path / "cache" / "bases"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    Registry.asked.clear()
    yield Registry.asked
    server.shutdown()
    server.server_close()


def files_of(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


@pytest.mark.needs("npm")
class TestNpm:
    def test_the_registry_s_tarball_is_fetched_once(self, registry: list[str], tmp_path: Path) -> None:
        folder = base_directory(replace(LEFT, exclude=("docs/*",)), tmp_path)
        assert set(files_of(folder)) == {"package.json", "src/left.ts"}
        asked = len(registry)
        assert asked > 0
        assert base_directory(replace(LEFT, exclude=("docs/*",)), tmp_path) == folder
        assert len(registry) == asked

    def test_another_tarball_than_pinned_is_refused(self, registry: list[str], tmp_path: Path, cache: Path) -> None:
        with pytest.raises(InstanceError, match="the tarball's integrity is sha512-"):
            base_directory(replace(LEFT, integrity=f"sha512-{'A' * 86}=="), tmp_path)
        assert not cache.exists()

    def test_what_the_registry_does_not_have_is_said_in_one_line(self, registry: list[str], tmp_path: Path, cache: Path) -> None:
        with pytest.raises(InstanceError, match=r"left 9\.9\.9: cannot fetch it with npm: ") as caught:
            base_directory(replace(LEFT, version="9.9.9"), tmp_path)
        assert "\n" not in str(caught.value)
        assert not cache.exists()


def git(folder: Path, *arguments: str) -> str:
    own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """A repository whose wanted commit is neither its first nor its last."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    (folder / "old.txt").write_text("old\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "rm", "-q", "old.txt")
    (folder / "src").mkdir()
    (folder / "src" / "run").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "src" / "run").chmod(0o755)
    (folder / "link").symlink_to("src/run")
    (folder / "version.txt").write_bytes(b"$Id$ $Format:%H$\r\n")
    (folder / ".gitattributes").write_text("version.txt ident export-subst eol=lf\nsrc export-ignore\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "wanted")
    commit = git(folder, "rev-parse", "HEAD")
    (folder / "src" / "fix").write_text("the fix\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "later")
    return folder, commit


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_git_gives_the_tree_of_that_commit_as_it_is_stored(form: str, repository: tuple[Path, str], tmp_path: Path) -> None:
    folder, commit = repository
    base = base_directory(BaseSpec("git", url=form.format(folder), commit=commit), tmp_path)
    assert {path.relative_to(base).as_posix() for path in base.rglob("*")} == {
        *(".gitattributes", "link", "src", "src/run", "version.txt"),
    }
    stored = subprocess.run(["git", "cat-file", "blob", f"{commit}:version.txt"], cwd=folder, capture_output=True, check=True)
    assert (base / "version.txt").read_bytes() == stored.stdout
    assert (base / "link").readlink() == Path("src/run")
    assert (base / "src" / "run").stat().st_mode & 0o777 == 0o755
    folder.rename(folder.with_name("gone"))
    assert base_directory(BaseSpec("git", url=form.format(folder), commit=commit), tmp_path) == base


def test_git_bases_that_are_refused(repository: tuple[Path, str], tmp_path: Path, cache: Path) -> None:
    folder, _ = repository
    with pytest.raises(InstanceError, match="cannot fetch it: fatal"):
        base_directory(BaseSpec("git", url=str(folder), commit="0" * 40), tmp_path)
    with pytest.raises(InstanceError, match="cannot fetch it"):
        base_directory(BaseSpec("git", url=str(tmp_path / "nowhere"), commit="0" * 40), tmp_path)
    (folder / "out").symlink_to("../../etc/passwd")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "leads out")
    with pytest.raises(InstanceError, match="the link out leads out of the tree"):
        base_directory(BaseSpec("git", url=str(folder), commit=git(folder, "rev-parse", "HEAD")), tmp_path)
    git(folder, "rm", "-q", "out")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(folder), "inner")
    git(folder, "commit", "-qm", "submodule")
    with pytest.raises(InstanceError, match="inner is a submodule"):
        base_directory(BaseSpec("git", url=str(folder), commit=git(folder, "rev-parse", "HEAD")), tmp_path)
    assert [path for path in cache.iterdir() if not path.name.startswith(".")] == []
    assert list(cache.iterdir()) == []


def test_which_bases_are_the_same() -> None:
    specs = [LEFT, replace(LEFT, exclude=("docs",)), replace(LEFT, version="1.2.4"), BaseSpec("git", url="/x", commit="1" * 40)]
    assert [spec.key for spec in specs] == ["npm left 1.2.3", "npm left 1.2.3", "npm left 1.2.4", f"git {'1' * 40}"]
    assert specs[0].describe() == "left 1.2.3 (npm)"
    assert specs[-1].describe() == "/x 111111111111 (git)"
