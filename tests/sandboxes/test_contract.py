"""One contract for the sandboxes: local, docker, and the unisolated one as far as it goes. What differs is named in `Traits`."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from sandbox_rooms import command_lines, out

from sandboxes.base import ExecResult, Mount, Sandbox, SandboxFactory, SandboxSpec
from sandboxes.docker import DockerSandboxFactory
from sandboxes.environments import cache_folder
from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree, scratch_folder
from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Traits:
    """A kind of sandbox, and where it is not like the others.

    Attributes:
        source: how another process makes the factory.
        lasting_home: /tmp and the home folder stay for the sandbox's life, not for one command.
        user: the number that commands run as.
        reaches_only_what_is_allowed: other addresses of the host are out of reach also where there is network.
        terminated: the status of a command that SIGTERM ended: bubblewrap's own first process tells it as a shell does.
    """

    factory: type
    source: str
    lasting_home: bool
    user: int
    reaches_only_what_is_allowed: bool
    terminated: int


LOCAL = Traits(LocalSandboxFactory, "sandboxes.local import LocalSandboxFactory", False, 1000, False, 143)
DOCKER = Traits(DockerSandboxFactory, "sandboxes.docker import DockerSandboxFactory", True, os.getuid(), True, -15)
UNISOLATED = Traits(UnisolatedSandboxFactory, "sandboxes.local import UnisolatedSandboxFactory", True, os.getuid(), False, -15)
ISOLATED = [
    pytest.param(LOCAL, marks=pytest.mark.needs("bwrap"), id="local"),
    pytest.param(DOCKER, marks=pytest.mark.needs("docker"), id="docker"),
]
ALL = [*ISOLATED, pytest.param(UNISOLATED, id="unisolated")]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "lane" / "workspace"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def factory(traits: Traits) -> SandboxFactory:
    made: SandboxFactory = traits.factory()
    return made


@pytest.fixture
def sandbox(factory: SandboxFactory, workspace: Path) -> Iterator[Sandbox]:
    with closing(factory.open(SandboxSpec(workspace))) as opened:
        yield opened


@pytest.mark.parametrize("traits", ALL)
class TestContract:
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

    def test_a_command_may_be_run_while_another_is_watched(self, sandbox: Sandbox, workspace: Path) -> None:
        """As an adapter does that reads the program's own log while it runs."""
        seen: list[ExecResult] = []

        class Watch:
            def received(self, piece: bytes) -> None:
                seen.append(sandbox.run(["sh", "-c", "setsid sleep 300 >/dev/null 2>&1 & cat; pwd"], timeout=60, stdin=b"in\n"))
                (workspace / "go").touch()

            def deadline(self) -> float:
                return float("inf")

        script = "echo one; until [ -e go ]; do sleep 0.01; done; exit 7"
        assert sandbox.run(["sh", "-c", script], timeout=60, watch=Watch()).returncode == 7
        assert [one.stdout.decode() for one in seen] == [f"in\n{sandbox.workspace}\n"]

    def test_a_watch_ends_a_command(self, sandbox: Sandbox) -> None:
        class Watch:
            due = float("inf")

            def received(self, piece: bytes) -> None:
                self.due = -float("inf")

            def deadline(self) -> float:
                return self.due

        result = sandbox.run(["sh", "-c", "echo one; sleep 300"], timeout=200, watch=Watch())
        assert (result.timed_out, result.returncode, result.stdout) == (True, None, b"one\n")

    def test_how_a_command_was_killed(self, traits: Traits, sandbox: Sandbox) -> None:
        assert sandbox.run(["sh", "-c", "kill -TERM $$"], timeout=60).returncode == traits.terminated

    def test_input_and_arguments_are_bytes(self, sandbox: Sandbox) -> None:
        odd = os.fsdecode(b"\xff\xfe\n'\"")
        result = sandbox.run(
            ["sh", "-c", 'printf %s "$1" "$V"; cat', "sh", odd], timeout=60, stdin=b"\0\r\n", environment={"V": odd}
        )
        assert result.stdout == os.fsencode(odd) * 2 + b"\0\r\n"
        large = os.urandom(3 << 20)
        assert sandbox.run(["cat"], timeout=60, stdin=large, output_limit=4 << 20).stdout == large
        assert sandbox.run(["true"], timeout=60, stdin=large).ok

    def test_what_a_caller_does_not_feed_is_empty(self, sandbox: Sandbox) -> None:
        assert out(sandbox, "cat; echo end") == "end\n"

    def test_modes_and_links_come_back_as_they_were_made(self, sandbox: Sandbox, workspace: Path) -> None:
        out(sandbox, "umask 022; mkdir d; echo x > d/f; chmod 750 d/f; ln -s /etc/passwd l; ln d/f h; mkdir shut; chmod 0 shut")
        assert (workspace / "d" / "f").stat().st_mode & 0o777 == 0o750
        assert (workspace / "l").readlink() == Path("/etc/passwd")
        assert (workspace / "h").stat().st_ino == (workspace / "d" / "f").stat().st_ino
        assert {path.lstat().st_uid for path in workspace.rglob("*")} == {os.getuid()}

    def test_temporary_folders(self, traits: Traits, sandbox: Sandbox) -> None:
        assert out(sandbox, "touch /tmp/x ~/x; ls /tmp ~ | grep -c '^x$'") in ("2\n", "1\n")
        if sandbox.isolated:
            assert out(sandbox, "ls /tmp ~ | grep -c '^x$'") == ("2\n" if traits.lasting_home else "0\n")
        else:
            Path("/tmp/x").unlink()

    def test_reach_needs_a_network(self, traits: Traits, sandbox: Sandbox) -> None:
        if sandbox.isolated:
            with pytest.raises(SandboxError, match="no network"):
                sandbox.reach("http://127.0.0.1:1")

    def test_large_output(self, sandbox: Sandbox) -> None:
        result = sandbox.run(["sh", "-c", "head -c 50000000 /dev/zero; echo end"], timeout=60, output_limit=1000)
        assert result.truncated
        assert result.stdout.endswith(b"end\n")


@pytest.mark.parametrize("traits", ISOLATED)
class TestIsolation:
    def test_another_lane_is_out_of_sight(self, sandbox: Sandbox, workspace: Path) -> None:
        other = workspace.parent.parent / "other"
        other.mkdir()
        (other / "n").touch()
        assert out(sandbox, f"ls {other} /workspace/.. 2>/dev/null | grep -cx 'n\\|other'") == "0\n"

    def test_the_bench_s_own_folders_are_out_of_sight_where_they_are_mounted(
        self, factory: SandboxFactory, workspace: Path
    ) -> None:
        """As when the bench is installed among an interpreter's packages, which a sandbox must see."""
        with closing(factory.open(SandboxSpec(workspace, (Mount(ROOT, "/opt/python"),)))) as sandbox:
            assert out(sandbox, "ls -A /opt/python/instances /opt/python/eval /opt/python/tests | grep -v :").split() == []
            assert out(sandbox, "cat /opt/python/pyproject.toml | grep -c crosstalk-bench") == "1\n"
            assert out(sandbox, "touch /opt/python/instances/x 2>/dev/null && echo yes") == ""

    def test_a_link_in_the_workspace_leads_nowhere(self, sandbox: Sandbox, workspace: Path, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("x", encoding="utf-8")
        (workspace / "link").symlink_to(tmp_path / "secret")
        assert out(sandbox, "cat link 2>/dev/null") == ""

    @pytest.mark.skipif(os.uname().machine != "x86_64", reason="system calls by their numbers")
    def test_the_caller_s_keyring_is_not_its_own(self, sandbox: Sandbox) -> None:
        """A session keyring is inherited through every namespace: keys could be read, and lanes could meet in it."""
        system = ctypes.CDLL(None).syscall
        add_key, keyctl, session = 248, 250, -3
        assert system(keyctl, 1, None) > 0  # a new session keyring, as a login gives one
        assert system(add_key, b"user", b"crosstalk-test", b"x", 1, session) > 0
        look = f"import ctypes; print(ctypes.CDLL(None).syscall({keyctl}, 10, {session}, b'user', b'crosstalk-test', 0))"
        assert int(subprocess.run([sys.executable, "-c", look], capture_output=True, check=True).stdout) > 0
        assert out(sandbox, f'python3 -c "{look}"') == "-1\n"

    def test_host_paths_are_not_in_its_arguments(self, sandbox: Sandbox, workspace: Path) -> None:
        assert str(workspace) not in out(sandbox, "cat /proc/1/cmdline | tr '\\0' ' '")

    def test_is_empty_the_moment_a_command_returns(self, sandbox: Sandbox) -> None:
        length = str(300 + os.getpid())
        script = f"i=0; while [ $i -lt 60 ]; do setsid sleep {length} >/dev/null 2>&1 & i=$((i+1)); done"
        for _ in range(20):
            assert sandbox.run(["sh", "-c", script], timeout=60).ok
            assert f"sleep\0{length}\0" not in command_lines()

    def test_ends_with_its_parent(self, traits: Traits, workspace: Path) -> None:
        """Even when the bench itself is killed, nothing in a sandbox goes on."""
        program = (
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
            f"from sandboxes.base import SandboxSpec\nfrom {traits.source} as Factory\n"
            f"s = Factory().open(SandboxSpec(Path({str(workspace)!r})))\n"
            "s.run(['sh', '-c', 'setsid sh -c \"while :; do echo x >> growing; sleep 0.01; done\" & sleep 300'], timeout=300)\n"
        )
        pid = os.posix_spawn(sys.executable, [sys.executable, "-c", program], dict(os.environ))
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

    def test_is_the_user_it_says(self, traits: Traits, sandbox: Sandbox) -> None:
        assert out(sandbox, "id -u; id -un; hostname") == f"{traits.user}\nagent\nlocalhost\n"

    def test_has_no_power(self, sandbox: Sandbox) -> None:
        status = dict(line.split(":\t", 1) for line in out(sandbox, "cat /proc/self/status").splitlines())
        assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
        assert status["NoNewPrivs"] == "1"

    def test_nothing_outside_can_be_written(self, sandbox: Sandbox) -> None:
        for folder in ("/", "/usr", "/usr/bin", "/etc", "/proc/sys/kernel", "/home", "/sys"):
            assert out(sandbox, f"( : > {folder}/written ) 2>/dev/null && echo yes") == ""

    def test_files_of_the_host_are_out_of_sight(self, sandbox: Sandbox, tmp_path: Path) -> None:
        secret = tmp_path / "secret"
        secret.write_text("x", encoding="utf-8")
        for path in (secret, tmp_path, cache_folder(), ROOT, Path("/etc/gitconfig"), Path("/var/run/docker.sock")):
            assert out(sandbox, f"[ -e {path} ] && echo seen") == ""
        assert out(sandbox, "ls -A /home /tmp $HOME") == "/home:\nagent\n\n/home/agent:\n\n/tmp:\n"

    def test_temporary_folders_are_bounded(self, sandbox: Sandbox) -> None:
        for folder in ("/tmp", "/home/agent", "/dev/shm"):
            size = int(out(sandbox, f"stat -f -c '%b %S' {folder}").split()[0]) * 4096
            assert 0 < size <= 2 << 30

    def test_processes_of_the_host_are_out_of_sight(self, sandbox: Sandbox) -> None:
        assert len(out(sandbox, "ls -d /proc/[0-9]*").split()) < 10
        assert out(sandbox, f"kill -0 {os.getpid()} 2>/dev/null && echo seen") == ""
        assert "CROSSTALK" not in out(sandbox, "env")

    def test_no_network_unless_asked_for(
        self, traits: Traits, factory: SandboxFactory, sandbox: Sandbox, workspace: Path
    ) -> None:
        def program(port: int) -> str:
            return f"import socket; print(socket.create_connection(('127.0.0.1', {port}), 5).recv(2).decode())"

        with socket.create_server(("127.0.0.1", 0)) as allowed, socket.create_server(("127.0.0.1", 0)) as other:
            for server in (allowed, other):
                threading.Thread(target=_greet, args=(server,), daemon=True).start()
            port, others = allowed.getsockname()[1], other.getsockname()[1]
            assert sandbox.run(["python3", "-c", program(port)], timeout=60).stdout == b""
            with closing(factory.open(SandboxSpec(workspace, network=True))) as connected:
                connected.reach(f"http://127.0.0.1:{port}/v1")
                connected.reach(f"http://127.0.0.1:{port}")
                for _ in range(3):
                    assert connected.run(["python3", "-c", program(port)], timeout=60).stdout == b"hi\n"
                reached = connected.run(["python3", "-c", program(others)], timeout=60).stdout
                assert reached == (b"" if traits.reaches_only_what_is_allowed else b"hi\n")
        own = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('own')"
        assert sandbox.run(["python3", "-c", own], timeout=60).stdout == b"own\n"


def _greet(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(b"hi")
