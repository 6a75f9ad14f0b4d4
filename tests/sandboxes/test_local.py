"""The sandboxes of this machine: one contract for both, and what isolation means for the isolated one."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sandboxes.base import Mount, Sandbox, SandboxFactory, SandboxSpec
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.local import HOME, LocalSandboxFactory, UnisolatedSandboxFactory

ROOT = Path(__file__).parents[2]
FACTORIES = [pytest.param(LocalSandboxFactory, marks=pytest.mark.needs("bwrap")), UnisolatedSandboxFactory]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "lane" / "workspace"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(params=FACTORIES)
def factory(request: pytest.FixtureRequest) -> SandboxFactory:
    made: SandboxFactory = request.param()
    return made


@pytest.fixture
def sandbox(factory: SandboxFactory, workspace: Path) -> Iterator[Sandbox]:
    with closing(factory.open(SandboxSpec(workspace))) as opened:
        yield opened


@pytest.fixture
def isolated(workspace: Path) -> Iterator[Sandbox]:
    with closing(LocalSandboxFactory().open(SandboxSpec(workspace))) as opened:
        yield opened


def command_lines() -> set[str]:
    """The arguments of every process of the machine."""
    lines = set()
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.add(process.read_text(encoding="utf-8", errors="replace"))
    return lines


def out(sandbox: Sandbox, script: str, **environment: str) -> str:
    result = sandbox.run(["sh", "-c", script], timeout=60, environment=environment)
    return result.stdout.decode()


class TestBoth:
    def test_works_in_the_workspace(self, sandbox: Sandbox, workspace: Path) -> None:
        result = sandbox.run(["sh", "-c", "pwd -P; cat > note; echo oops >&2; exit 3"], timeout=60, stdin=b"hi")
        assert result.returncode == 3
        assert result.stdout.decode().strip() == sandbox.workspace
        assert result.stderr == b"oops\n"
        assert (workspace / "note").read_bytes() == b"hi"
        assert (workspace / "note").stat().st_uid == os.getuid()

    def test_names_itself(self, factory: SandboxFactory, sandbox: Sandbox) -> None:
        assert (sandbox.name, sandbox.isolated) == (factory.name, factory.isolated)

    def test_has_the_system_programs(self, sandbox: Sandbox) -> None:
        for argv in (["git", "--version"], ["python3", "-c", "import json, ssl"], ["sh", "-c", "true"]):
            assert sandbox.run(argv, timeout=60).ok

    def test_environment(self, factory: SandboxFactory, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_KEY", "x")
        with closing(factory.open(SandboxSpec(workspace, environment={"A": "1", "B": "1"}))) as sandbox:
            text = out(sandbox, 'echo $A $B $SECRET_KEY; [ -n "$PATH" ] && [ -d "$HOME" ] && [ -d "$TMPDIR" ] && echo yes', B="2")
            assert text == "1 2\nyes\n"
            assert out(sandbox, 'touch "$HOME/x" "$TMPDIR/x" && echo yes') == "yes\n"

    def test_keys_are_not_in_any_argument(self, factory: SandboxFactory, workspace: Path) -> None:
        """A key is handed over in the environment: arguments can be read by everyone on the machine."""
        spec = SandboxSpec(workspace, environment={"KEY": "hidden-key-77"})
        with closing(factory.open(spec)) as sandbox:
            thread = threading.Thread(
                target=sandbox.run,
                args=(["sh", "-c", "touch up; while [ ! -e go ]; do sleep 0.01; done"],),
                kwargs={"timeout": 60},
            )
            thread.start()
            while not (workspace / "up").exists():
                pass
            seen = command_lines()
            (workspace / "go").touch()
            thread.join()
        assert any("while [ ! -e go ]" in line for line in seen)
        assert not [line for line in seen if "hidden-key-77" in line]

    def test_deadline(self, sandbox: Sandbox, workspace: Path) -> None:
        script = "setsid sh -c 'while :; do echo x >> growing; sleep 0.01; done' >/dev/null 2>&1 & while :; do sleep 1; done"
        for timeout in (0.5, 5, 30):
            assert sandbox.run(["sh", "-c", script], timeout=timeout).timed_out
            if (workspace / "growing").exists():
                break
        before = (workspace / "growing").stat().st_size
        assert before > 0
        assert sandbox.run(["sleep", "0.2"], timeout=60).ok
        assert (workspace / "growing").stat().st_size == before

    def test_nothing_survives_a_command(self, sandbox: Sandbox, workspace: Path) -> None:
        script = "setsid sh -c 'touch up; while :; do echo x >> growing; sleep 0.01; done' >/dev/null 2>&1 & "
        assert sandbox.run(["sh", "-c", script + "while [ ! -s growing ]; do sleep 0.01; done"], timeout=60).ok
        before = (workspace / "growing").stat().st_size
        assert sandbox.run(["sleep", "0.2"], timeout=60).ok
        assert (workspace / "growing").stat().st_size == before

    def test_mounts(self, factory: SandboxFactory, workspace: Path, tmp_path: Path) -> None:
        tool, notes = tmp_path / "tool", tmp_path / "notes"
        tool.mkdir()
        notes.mkdir()
        (tool / "greet").write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
        (tool / "greet").chmod(0o755)
        mounts = (Mount(tool, "/opt/tool"), Mount(notes, "/opt/notes", writable=True))
        with closing(factory.open(SandboxSpec(workspace, mounts))) as sandbox:
            assert out(sandbox, sandbox.path_inside("/opt/tool") + "/greet") == "hello\n"
            assert out(sandbox, f"echo x > {sandbox.path_inside('/opt/notes')}/n && echo yes") == "yes\n"
            assert (notes / "n").is_file()
            if sandbox.isolated:
                assert out(sandbox, f"echo x > {sandbox.path_inside('/opt/tool')}/n && echo yes") == ""

    @pytest.mark.parametrize("argv", [["no-such-program"], ["./no-such-file"], ["/"]])
    def test_what_cannot_start_is_an_error(self, sandbox: Sandbox, argv: list[str]) -> None:
        with pytest.raises(SandboxError, match="could not run"):
            sandbox.run(argv, timeout=60)

    def test_a_program_cannot_feign_a_broken_sandbox(self, sandbox: Sandbox) -> None:
        result = sandbox.run(["sh", "-c", 'echo "bwrap: execvp sh: No such file or directory" >&2; exit 1'], timeout=60)
        assert result.returncode == 1

    def test_missing_host_path_is_an_error(self, factory: SandboxFactory, workspace: Path, tmp_path: Path) -> None:
        for spec in (SandboxSpec(tmp_path / "none"), SandboxSpec(workspace, (Mount(tmp_path / "none", "/x"),))):
            with pytest.raises(SandboxError, match="none does not exist"):
                factory.open(spec)

    def test_limits(self, sandbox: Sandbox) -> None:
        assert out(sandbox, "ulimit -c; ulimit -n; ulimit -f").split()[0] == "0"
        open_files, size = (int(word) for word in out(sandbox, "ulimit -n; ulimit -f").split())
        assert open_files <= 8192
        assert size <= 8 << 20
        hungry = sandbox.run(["python3", "-c", "x = bytearray(9 << 30)"], timeout=60)
        assert b"MemoryError" in hungry.stderr
        assert int(out(sandbox, "cat /proc/self/oom_score_adj")) == 900

    def test_leaves_nothing_behind(self, factory: SandboxFactory, workspace: Path) -> None:
        around = scratch_folder("around")
        before = {path.name for path in around.parent.iterdir()}
        sandbox = factory.open(SandboxSpec(workspace))
        out(sandbox, 'mkdir "$HOME/shut" "$TMPDIR/shut"; touch "$HOME/shut/x"; chmod 0 "$HOME/shut"')
        sandbox.close()
        assert {path.name for path in around.parent.iterdir()} == before
        remove_tree(around)

    def test_large_output(self, sandbox: Sandbox) -> None:
        result = sandbox.run(["sh", "-c", "head -c 50000000 /dev/zero; echo end"], timeout=60, output_limit=1000)
        assert result.truncated
        assert result.stdout.endswith(b"end\n")


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

    def test_another_lane_is_out_of_sight(self, isolated: Sandbox, workspace: Path) -> None:
        other = workspace.parent.parent / "other"
        other.mkdir()
        (other / "n").touch()
        assert out(isolated, f"ls {other} /workspace/.. 2>/dev/null | grep -cx 'n\\|other'") == "0\n"

    def test_the_bench_s_own_folders_are_out_of_sight_where_they_are_mounted(self, workspace: Path) -> None:
        """As when the bench is installed among an interpreter's packages, which a sandbox must see."""
        with closing(LocalSandboxFactory().open(SandboxSpec(workspace, (Mount(ROOT, "/opt/python"),)))) as sandbox:
            assert out(sandbox, "ls -A /opt/python/instances /opt/python/eval /opt/python/tests | grep -v :").split() == []
            assert out(sandbox, "cat /opt/python/pyproject.toml | grep -c crosstalk-bench") == "1\n"
            assert out(sandbox, "touch /opt/python/instances/x 2>/dev/null && echo yes") == ""

    def test_a_link_in_the_workspace_leads_nowhere(self, isolated: Sandbox, workspace: Path, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("x", encoding="utf-8")
        (workspace / "link").symlink_to(tmp_path / "secret")
        assert out(isolated, "cat link 2>/dev/null") == ""

    def test_nothing_outside_can_be_written(self, isolated: Sandbox) -> None:
        for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/proc/sys/kernel", "/home"):
            assert out(isolated, f"( : > {folder}/written ) 2>/dev/null && echo yes") == ""

    def test_no_network_unless_asked_for(self, isolated: Sandbox, workspace: Path) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]
        program = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5); print('in')"
        with closing(server), closing(LocalSandboxFactory().open(SandboxSpec(workspace, network=True))) as connected:
            assert isolated.run(["python3", "-c", program], timeout=60).stdout == b""
            assert connected.run(["python3", "-c", program], timeout=60).stdout == b"in\n"
        own = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('own')"
        assert isolated.run(["python3", "-c", own], timeout=60).stdout == b"own\n"

    def test_processes_of_the_host_are_out_of_sight(self, isolated: Sandbox) -> None:
        assert len(out(isolated, "ls -d /proc/[0-9]*").split()) < 10
        assert out(isolated, f"kill -0 {os.getpid()} 2>/dev/null && echo seen") == ""
        assert "CROSSTALK" not in out(isolated, "env")

    def test_is_no_superuser_and_always_the_same_one(self, isolated: Sandbox) -> None:
        assert out(isolated, "id -u; id -un; hostname") == "1000\nagent\nlocalhost\n"

    def test_host_paths_are_not_in_its_arguments(self, isolated: Sandbox, workspace: Path) -> None:
        assert str(workspace) not in out(isolated, "cat /proc/1/cmdline | tr '\\0' ' '")

    def test_temporary_folders_are_bounded_and_new_each_time(self, isolated: Sandbox) -> None:
        assert out(isolated, "touch /tmp/x ~/x; ls /tmp ~ | grep -c x") == "2\n"
        assert out(isolated, "ls /tmp ~ | grep -c x") == "0\n"
        for folder in ("/tmp", HOME, "/dev/shm"):
            size = int(out(isolated, f"stat -f -c '%b %S' {folder}").split()[0]) * 4096
            assert 0 < size <= 2 << 30

    def test_is_empty_the_moment_a_command_returns(self, isolated: Sandbox) -> None:
        length = str(300 + os.getpid())
        script = f"i=0; while [ $i -lt 60 ]; do setsid sleep {length} >/dev/null 2>&1 & i=$((i+1)); done"
        for _ in range(20):
            assert isolated.run(["sh", "-c", script], timeout=60).ok
            assert f"sleep\0{length}\0" not in command_lines()

    def test_ends_with_its_parent(self, workspace: Path) -> None:
        """Even when the bench itself is killed, nothing in a sandbox goes on."""
        program = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
            "from sandboxes.base import SandboxSpec\nfrom sandboxes.local import LocalSandboxFactory\n"
            f"s = LocalSandboxFactory().open(SandboxSpec(Path({str(workspace)!r})))\n"
            "s.run(['sh', '-c', 'setsid sh -c \"while :; do echo x >> growing; sleep 0.01; done\" & sleep 300'], timeout=300)\n"
        )
        pid = os.posix_spawn(sys.executable, [sys.executable, "-c", program], {"PATH": os.environ["PATH"]})
        try:
            while not (workspace / "growing").exists():
                assert os.waitpid(pid, os.WNOHANG) == (0, 0)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        sizes = [-1, -2]
        while sizes[-1] != sizes[-2]:  # it ends a moment after the parent; if it never ends, the test's own deadline tells
            with closing(UnisolatedSandboxFactory().open(SandboxSpec(workspace))) as waiting:
                waiting.run(["sleep", "0.2"], timeout=60)
            sizes.append((workspace / "growing").stat().st_size)
            assert len(sizes) < 50


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
