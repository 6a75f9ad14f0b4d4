"""Bubblewrap: what its isolation hides, and the proof of it. What every sandbox promises is in `test_contract.py`."""

import os
import shutil
import stat
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sandbox_rooms import out

from sandboxes.base import Sandbox, SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.local import HOME, LocalSandboxFactory

ROOT = Path(__file__).parents[2]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "lane" / "workspace"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def isolated(workspace: Path) -> Iterator[Sandbox]:
    with closing(LocalSandboxFactory().open(SandboxSpec(workspace))) as opened:
        yield opened


@pytest.mark.needs("bwrap")
class TestIsolation:
    def test_files_of_the_host_are_out_of_sight(self, isolated: Sandbox, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("x", encoding="utf-8")
        for path in (secret, tmp_path, Path.home() / ".bashrc", ROOT, Path("/root"), Path("/etc/shadow"), Path("/etc/gitconfig")):
            assert out(isolated, f"[ -e {path} ] && echo seen") == ""
        assert out(isolated, "ls -A /").split() == sorted(out(isolated, "ls -A /").split())
        assert set(out(isolated, "ls -A /").split()) <= {
            *("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "tmp", "home", "workspace")
        }
        assert out(isolated, "ls -A /home /tmp $HOME") == f"/home:\nagent\n\n{HOME}:\n\n/tmp:\n"

    def test_nothing_outside_can_be_written(self, isolated: Sandbox) -> None:
        for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/proc/sys/kernel", "/home"):
            assert out(isolated, f"( : > {folder}/written ) 2>/dev/null && echo yes") == ""


FAKES = {
    "uid map": ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "uid map"),
    "old": ("echo 'bwrap: Unknown option --size' >&2; exit 1", "bubblewrap 0.8 or later"),
    "silent": ("exit 1", "does not work here"),
    # Runs the program with no isolation at all.
    "pretending": (
        'while [ "$1" != -- ]; do shift; done; shift; cd "$TMPDIR"; echo \'{ "exit-code": 0 }\' >&3; exec "$@"',
        "does not isolate.*can be read",
    ),
}


@pytest.mark.needs("bwrap")
class TestProbe:
    def fake(self, tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    @pytest.mark.parametrize("kind", ["uid map", "old", "silent", "pretending"])
    def test_refuses(self, kind: str, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        script, word = FAKES[kind]
        self.fake(tmp_path, script, monkeypatch)
        with pytest.raises(SandboxError, match=word) as caught:
            LocalSandboxFactory().open(SandboxSpec(workspace))
        assert "user namespaces" in str(caught.value)
        assert "unisolated" in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("removed", "added", "word"),
        [
            (["--unshare-net"], [], "the net namespace"),
            (["--unshare-pid"], [], "the pid namespace"),
            (["--remount-ro", "/"], [], "/ can be written"),
            ([], ["--ro-bind", str(Path.home()), str(Path.home())], "can be seen"),
        ],
    )
    def test_notices_what_is_not_isolated(
        self, removed: list[str], added: list[str], word: str, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A bubblewrap that ignores one of its options, or is set up to show more than it was told."""
        lines = f"""
            import os, sys
            arguments = os.read(4, 1 << 20).decode().split(chr(0))[:-1]
            removed, at = {removed!r}, 0
            while removed and at < len(arguments):
                if arguments[at : at + len(removed)] == removed:
                    del arguments[at : at + len(removed)]
                at += 1
            read_end, write_end = os.pipe()
            os.write(write_end, "".join(each + chr(0) for each in {added!r} + arguments).encode())
            os.close(write_end)
            os.dup2(read_end, 4)
            os.execv({shutil.which("bwrap")!r}, ["bwrap", *sys.argv[1:]])
        """
        (tmp_path / "changed.py").write_text(textwrap.dedent(lines), encoding="utf-8")
        self.fake(tmp_path, f'exec {sys.executable} {tmp_path}/changed.py "$@"', monkeypatch)
        with pytest.raises(SandboxError, match=word):
            LocalSandboxFactory().open(SandboxSpec(workspace))

    def test_missing(self, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(SandboxError, match="not installed: install the package"):
            LocalSandboxFactory().open(SandboxSpec(workspace))


def test_any_folder_can_be_removed() -> None:
    folder = scratch_folder("deep")
    (folder / "shut" / "in").mkdir(parents=True)
    (folder / "link").symlink_to(ROOT)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(3000):  # a path of its whole depth is longer than any system call takes
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    (folder / "shut").chmod(0)
    remove_tree(folder)
    assert not folder.exists()
    assert ROOT.is_dir()
    remove_tree(folder)


def test_scratch_folders_of_a_killed_process_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        f"import sys, os, signal; sys.path.insert(0, {str(ROOT)!r})\nfrom sandboxes.folders import scratch_folder\n"
        "scratch_folder('x').chmod(0)\n"
        "if sys.argv[1] == 'die': os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    def start(how: str) -> None:
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
        pid = os.posix_spawn(sys.executable, [sys.executable, "-c", program, how], environment)
        os.waitpid(pid, 0)

    start("die")
    (left,) = tmp_path.iterdir()
    assert stat.S_ISDIR(left.stat().st_mode)
    start("end")
    assert list(tmp_path.iterdir()) == []
