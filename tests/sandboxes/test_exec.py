"""The exec helper: streams, deadlines, and that nothing which a program started outlives it."""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.errors import SandboxError
from sandboxes.exec import run
from sandboxes.processes import MARKER
from sandboxes.pump import Kept

PYTHON = (sys.executable, "-I", "-c")


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(") ")[2].split()[0] not in "ZX"


def pids_in(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.iterdir())


# Each leaves a process that notes its number in the folder $NOTES and then sleeps; the shell waits until it has done so.
ESCAPES = {
    "background": "(sh -c 'touch $NOTES/$$; exec sleep 300') &",
    "output kept open": "sh -c 'touch $NOTES/$$; exec sleep 300' &",
    "output closed": "sh -c 'touch $NOTES/$$; exec sleep 300' >/dev/null 2>&1 </dev/null &",
    "own session": "setsid sh -c 'touch $NOTES/$$; exec sleep 300' >/dev/null 2>&1 &",
    "forked twice": "setsid sh -c \"setsid sh -c 'touch \\$NOTES/\\$\\$; exec sleep 300' &\" >/dev/null 2>&1;",
    "deaf to signals": "setsid sh -c 'trap \"\" TERM INT HUP; touch $NOTES/$$; while :; do sleep 300; done' &",
    "no environment": "sh -c 'touch $NOTES/$$; exec env -i sleep 300' >/dev/null 2>&1 &",
    "starts more": "setsid sh -c 'touch $NOTES/$$; while :; do sleep 0.01; done' >/dev/null 2>&1 &",
}
DEADLINES = (0.3, 2.0, 20.0)  # the next one where a slow machine had not yet started the process
UNTIL_NOTED = 'while [ -z "$(ls $NOTES)" ]; do :; done;'


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "notes"
    folder.mkdir()
    yield folder
    for pid in pids_in(folder):  # what a failing test left must not run on
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


def variables(notes: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "NOTES": str(notes)}


@pytest.mark.parametrize("ending", ["end", "deadline", "slow end"])
@pytest.mark.parametrize("escape", ESCAPES)
def test_nothing_survives(escape: str, ending: str, notes: Path) -> None:
    rest = {"end": "exit 7", "deadline": "exec sleep 300", "slow end": "sleep 0.3; exit 7"}[ending]
    script = f"{ESCAPES[escape]} {UNTIL_NOTED} {rest}"
    for timeout in DEADLINES if ending == "deadline" else (60.0,):
        result = run(["sh", "-c", script], timeout=timeout, environment=variables(notes))
        if pids_in(notes):
            break
    (pid,) = pids_in(notes)
    assert not alive(pid)
    assert result.timed_out == (ending == "deadline")
    assert result.returncode == (None if ending == "deadline" else 7)


def test_what_left_session_parent_and_environment_is_ended_while_its_parent_lives(notes: Path) -> None:
    script = f"env -i setsid sh -c 'touch {notes}/$$; exec sleep 300' & {UNTIL_NOTED} exec sleep 300"
    for timeout in DEADLINES:
        assert run(["sh", "-c", script], timeout=timeout, environment=variables(notes)).timed_out
        if pids_in(notes):
            break
    (pid,) = pids_in(notes)
    assert not alive(pid)


def test_others_are_left_alone(notes: Path) -> None:
    """Programs that run at the same time, and their children, are not taken for one's own."""
    script = f"setsid sh -c 'touch $NOTES/$$; exec sleep 300' & {UNTIL_NOTED} touch $NOTES/0; read line; exit 3"
    results = []

    def neighbour() -> None:
        waiting = f"{script.replace('read line', f'while [ ! -e {notes}.go ]; do sleep 0.01; done')}"
        results.append(run(["sh", "-c", waiting], timeout=60, environment=variables(notes)))

    thread = threading.Thread(target=neighbour)
    thread.start()
    while not (notes / "0").exists():
        time.sleep(0.01)
    (notes / "0").unlink()
    (pid,) = pids_in(notes)
    for _ in range(20):
        assert run(["sh", "-c", "sleep 0 & exit 0"], timeout=60).ok
    assert run(["sleep", "300"], timeout=0.3).timed_out
    assert alive(pid)
    Path(f"{notes}.go").touch()
    thread.join()
    assert results[0].returncode == 3
    assert not alive(pid)


def test_a_run_inside_a_run_is_ended_with_it(notes: Path, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    program = (
        f"import sys; sys.path.insert(0, {str(root)!r})\nfrom sandboxes.exec import run\n"
        f"run(['setsid', '--wait', 'sh', '-c', 'touch {notes}/$$; exec sleep 300'], timeout=600)"
    )
    escape = f'setsid {sys.executable} -c "$PROGRAM" >/dev/null 2>&1 & {UNTIL_NOTED} exit 0'
    assert run(["sh", "-c", escape], timeout=60, environment={**variables(notes), "PROGRAM": program}).ok
    (pid,) = pids_in(notes)
    assert not alive(pid)


def test_interrupt_ends_the_tree(notes: Path) -> None:
    def interrupt() -> None:
        while not pids_in(notes):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", f"{ESCAPES['own session']} exec sleep 300"], timeout=60, environment=variables(notes))
    thread.join()
    (pid,) = pids_in(notes)
    assert not alive(pid)


def test_streams_and_status() -> None:
    result = run(["sh", "-c", "cat; echo oops >&2; exit 3"], timeout=60, stdin=b"in\0put")
    assert (result.returncode, result.stdout, result.stderr) == (3, b"in\0put", b"oops\n")
    assert not result.ok
    assert not result.truncated
    assert run(["sh", "-c", "kill -9 $$"], timeout=60).returncode == -9


def test_large_input_and_output_at_once() -> None:
    data = os.urandom(1 << 20) * 20
    result = run(["cat"], timeout=60, stdin=data, output_limit=len(data))
    assert result.stdout == data


def test_input_nobody_reads() -> None:
    assert run(["true"], timeout=60, stdin=b"x" * (1 << 22)).ok
    assert run(["sh", "-c", "exec <&-; echo done"], timeout=60, stdin=b"x" * (1 << 22)).stdout == b"done\n"


def test_no_input_is_end_of_file() -> None:
    assert run(["cat"], timeout=60).stdout == b""


def test_flood_is_cut_in_bounded_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = "echo first; head -c 300000000 /dev/zero; head -c 300000000 /dev/zero >&2; echo last"
    result = run(["sh", "-c", flood], timeout=120, output_limit=1 << 16)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.ok
    assert result.truncated
    assert result.stdout.startswith(b"first\n")
    assert result.stdout.endswith(b"last\n")
    assert len(result.stdout) < (1 << 16) + 100
    assert len(result.stderr) < (1 << 16) + 100
    assert grown < 50 << 10  # kilobytes


def test_flood_does_not_pass_the_deadline() -> None:
    result = run(["sh", "-c", "yes"], timeout=0.3)
    assert result.timed_out
    assert result.returncode is None
    assert result.stdout.startswith(b"y\ny\n")


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(min_value=1, max_value=100))
def test_head_and_tail(pieces: list[bytes], limit: int) -> None:
    kept = Kept(limit)
    for piece in pieces:
        kept.add(piece)
    whole = b"".join(pieces)
    content = kept.content()
    if len(whole) <= limit:
        assert content == whole
        assert kept.dropped == 0
    else:
        head, tail = limit // 2, limit - limit // 2
        marker = b"\n[... %d bytes left out ...]\n" % (len(whole) - limit)
        assert content == whole[:head] + marker + whole[len(whole) - tail :]
    assert kept.content() == content


def test_whole_output_into_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out"
    result = run(["seq", "300000"], timeout=60, stdout_file=target, output_limit=100)
    text = target.read_bytes()
    assert text.startswith(b"1\n2\n")
    assert text.endswith(b"300000\n")
    assert len(text) == 1988895
    assert result.truncated
    assert result.stdout.startswith(b"1\n2\n")
    assert result.stdout.endswith(b"300000\n")
    short = run(["echo", "x"], timeout=60, stdout_file=target)
    assert (short.stdout, target.read_bytes(), short.truncated) == (b"x\n", b"x\n", False)


def test_environment_is_only_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("GIT_DIR", "/nowhere")

    def names(environment: dict[str, str] | None) -> set[bytes]:
        lines = run(["env"], timeout=60, environment=environment).stdout.splitlines()
        return {line.partition(b"=")[0] for line in lines} - {MARKER.encode()}

    assert names(None) == {b"PATH", b"LC_ALL"}
    assert names({"PATH": os.environ["PATH"], "A": "1"}) == {b"PATH", b"A"}


def test_runs_in_the_given_folder(tmp_path: Path) -> None:
    assert run(["pwd", "-P"], timeout=60, cwd=tmp_path).stdout.decode().strip() == str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        ([], "empty"),
        (["no-such-program"], "no-such-program"),
        (["/etc/passwd"], "Permission denied"),
        (["echo", "a\0b"], "null"),
        (["echo", "x" * (1 << 22)], "too long"),
    ],
)
def test_what_cannot_start(argv: list[str], word: str) -> None:
    with pytest.raises(SandboxError, match=word) as caught:
        run(argv, timeout=60)
    assert "\n" not in str(caught.value)


def test_missing_folder_is_named() -> None:
    with pytest.raises(SandboxError, match="/no/such/folder"):
        run(["true"], timeout=60, cwd=Path("/no/such/folder"))


def test_no_descriptor_is_kept() -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    run(["true"], timeout=60)
    before = count()
    for _ in range(50):
        run(["cat"], timeout=60, stdin=b"x")
        with pytest.raises(SandboxError):
            run(["no-such-program"], timeout=60, stdin=b"x")
    run(["sleep", "300"], timeout=0.1)
    assert count() == before


def test_many_at_once() -> None:
    failures: list[object] = []

    def work(number: int) -> None:
        for turn in range(10):
            text = f"{number} {turn}".encode()
            result = run(["sh", "-c", "cat; sleep 0 & setsid true & wait"], timeout=60, stdin=text)
            if result.stdout != text or not result.ok:
                failures.append(result)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
