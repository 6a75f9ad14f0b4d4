"""What is on disk is what is recorded, whatever an agent did to its repository or its tree."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from sandboxes.errors import SandboxError
from sandboxes.folders import remove_tree
from sandboxes.git_objects import FILE_MODE, LINK_MODE, PROGRAM_MODE
from sandboxes.gitstore import GitStore
from sandboxes.recorder import Capture, CaptureLimits, Recorder, SkippedPath, is_settled

BASE = {
    "src/a.py": b"one\ntwo\nthree\n",
    "src/run.sh": b"#!/bin/sh\n",
    "docs/crlf.txt": b"one\r\ntwo\r\n",
    "docs/latin.txt": b"caf\xe9\nbar\n",
    "docs/open.txt": b"no newline at the end",
    "data.bin": bytes(range(256)) * 4,
    ".gitignore": b"build/\n*.log\n!keep.log\n",
    "sub/.gitignore": b"*.tmp\n",
}


class Lane:
    """A workspace with a recorder, and what a test does in it."""

    def __init__(self, folder: Path, limits: CaptureLimits | None = None) -> None:
        self.store = GitStore(folder / "store")
        self.base = self.store.overlay(self.store.write_tree({}), [(path, data, False) for path, data in BASE.items()])
        self.root = folder / "workspace"
        self.store.prepare_workspace(self.root, [self.base])
        self.recorder = Recorder(self.store, self.root, self.base, limits)

    def git(self, *arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    def capture(self) -> Capture:
        """A capture, proved to be exact: its patch turns the base into its tree."""
        capture = self.recorder.capture()
        assert capture.tree is not None
        assert self.store.apply(self.base, capture.patch).tree == capture.tree
        return capture

    def content(self, capture: Capture, path: str) -> bytes | None:
        assert capture.tree is not None
        return self.store.read_file(capture.tree, path)

    def mode(self, capture: Capture, path: str) -> str:
        assert capture.tree is not None
        return self.store.entries(capture.tree)[os.fsencode(path)].mode


@pytest.fixture(params=[pytest.param("overlay", marks=pytest.mark.needs("overlay")), "copy"])
def lane(request: pytest.FixtureRequest, tmp_path: Path) -> Lane:
    """A lane on either kind of workspace: a path with a comma can be in no overlay."""
    return Lane(tmp_path if request.param == "overlay" else tmp_path / "a,b")


def edit(lane: Lane) -> None:
    (lane.root / "src" / "a.py").write_bytes(b"one\nTWO\nthree\n")
    (lane.root / "src" / "new.py").write_bytes(b"new\n")


def commit(lane: Lane) -> None:
    lane.git("add", "-A")
    lane.git("commit", "-q", "-m", "work")


def on_a_branch(lane: Lane) -> None:
    lane.git("checkout", "-q", "-b", "feature")
    commit(lane)


def stage(lane: Lane) -> None:
    lane.git("add", "-A")


def amend_the_base(lane: Lane) -> None:
    lane.git("add", "-A")
    lane.git("commit", "-q", "--amend", "-m", "rewritten")
    lane.git("reflog", "expire", "--expire=now", "--all")
    lane.git("gc", "-q", "--prune=now")


def initialise_again(lane: Lane) -> None:
    subprocess.run(["rm", "-rf", ".git"], cwd=lane.root, check=True)
    lane.git("init", "-q")


def remove_the_repository(lane: Lane) -> None:
    subprocess.run(["rm", "-rf", ".git"], cwd=lane.root, check=True)


def put_a_file_in_its_place(lane: Lane) -> None:
    remove_the_repository(lane)
    (lane.root / ".git").write_text("gitdir: /nonexistent\n")


def put_a_link_in_its_place(lane: Lane) -> None:
    remove_the_repository(lane)
    (lane.root / ".git").symlink_to("/")


def leave_locks(lane: Lane) -> None:
    for name in ["index.lock", "HEAD.lock", "refs/heads/main.lock"]:
        (lane.root / ".git" / name).touch()


def break_the_repository(lane: Lane) -> None:
    (lane.root / ".git" / "HEAD").write_text("garbage")
    (lane.root / ".git" / "index").write_bytes(b"garbage")


def set_traps(lane: Lane) -> None:
    marker = lane.root.parent / "sprung"
    config = (
        f"[core]\nfsmonitor = touch {marker}\nhooksPath = hooks\nattributesFile = all\nexcludesFile = all\n"
        f'worktree = /\n[filter "evil"]\nclean = touch {marker}; cat\nprocess = touch {marker}\nrequired = true\n'
        f'[diff]\nexternal = touch {marker}\n[diff "evil"]\ntextconv = touch {marker}\ncommand = touch {marker}\n'
        f'[merge "evil"]\ndriver = touch {marker}\n[alias]\ndiff = !touch {marker}\n'
    )
    (lane.root / ".git" / "config").write_text(config)
    (lane.root / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
    (lane.root / ".git" / "info" / "exclude").write_text("*\n")
    hooks = lane.root / ".git" / "hooks"
    hooks.mkdir()
    for name in ["pre-commit", "post-index-change", "post-checkout", "reference-transaction"]:
        (hooks / name).write_text(f"#!/bin/sh\ntouch {marker}\n")
        (hooks / name).chmod(0o755)


@pytest.mark.parametrize(
    "deed",
    [
        commit,
        on_a_branch,
        stage,
        amend_the_base,
        initialise_again,
        remove_the_repository,
        put_a_file_in_its_place,
        put_a_link_in_its_place,
        leave_locks,
        break_the_repository,
        set_traps,
    ],
)
def test_the_patch_is_the_same_whatever_became_of_the_lanes_repository(tmp_path: Path, deed: Callable[[Lane], None]) -> None:
    plain, treated = Lane(tmp_path / "plain"), Lane(tmp_path / "treated")
    edit(plain)
    edit(treated)
    deed(treated)

    expected, got = plain.capture(), treated.capture()

    assert expected.changed == ("src/a.py", "src/new.py")
    assert got == expected
    assert not (tmp_path / "treated" / "sprung").exists()


def test_an_edit_after_a_commit_counts_too(lane: Lane) -> None:
    edit(lane)
    commit(lane)
    (lane.root / "src" / "a.py").write_bytes(b"more\n")
    assert lane.content(lane.capture(), "src/a.py") == b"more\n"


def test_nothing_changed_is_an_empty_patch_of_the_base(lane: Lane) -> None:
    capture = lane.capture()
    assert (capture.tree, capture.patch, capture.changed, capture.over_limit) == (lane.base, b"", (), None)


def test_every_kind_of_change_survives_byte_for_byte(lane: Lane) -> None:
    root = lane.root
    (root / "docs" / "crlf.txt").write_bytes(b"one\r\nTWO\r\nthree\n")
    (root / "docs" / "latin.txt").write_bytes(b"caf\xe9\nb\xe4r\n")
    (root / "docs" / "open.txt").write_bytes(b"still no newline")
    (root / "data.bin").write_bytes(os.urandom(4096))
    (root / "src" / "run.sh").chmod(0o755)
    (root / "src" / "a.py").rename(root / "moved.py")
    (root / "link").symlink_to("/etc/passwd")
    (root / "dangling").symlink_to(b"no\xffwhere")
    (root / "to-folder").symlink_to("docs")
    (root / "empty").touch()
    (root / "empty-folder").mkdir()

    capture = lane.capture()

    assert lane.mode(capture, "src/run.sh") == PROGRAM_MODE
    assert lane.mode(capture, "link") == LINK_MODE
    assert lane.content(capture, "link") == b"/etc/passwd"
    assert lane.content(capture, "dangling") == b"no\xffwhere"
    assert lane.content(capture, "moved.py") == BASE["src/a.py"]
    assert b"root:" not in capture.patch
    assert set(capture.changed) == {
        "docs/crlf.txt",
        "docs/latin.txt",
        "docs/open.txt",
        "data.bin",
        "src/run.sh",
        "src/a.py",
        "moved.py",
        "link",
        "dangling",
        "to-folder",
        "empty",
    }
    out = root.parent / "out"
    assert capture.tree is not None
    lane.store.checkout(capture.tree, out)
    for path in ["docs/crlf.txt", "docs/latin.txt", "docs/open.txt", "data.bin", "empty"]:
        assert (out / path).read_bytes() == (root / path).read_bytes()


@pytest.mark.parametrize(
    "name", [b"new\nline", b"tab\t", b'quo"te', b"\xff\xfe", b"-rf", b"--help", b" ", b"back\\slash", b"a\rb", b":(top)x"]
)
def test_any_name_is_captured(lane: Lane, name: bytes) -> None:
    path = lane.root / "d" / os.fsdecode(name) / os.fsdecode(name)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x\n")

    capture = lane.capture()

    assert capture.changed == (f"d/{os.fsdecode(name)}/{os.fsdecode(name)}",)
    assert capture.skipped == ()


def test_files_a_tree_puts_out_of_gits_sight_are_captured(lane: Lane) -> None:
    (lane.root / ".gitignore").write_text("*\n")
    (lane.root / ".gitattributes").write_text("* text eol=crlf filter=evil ident -diff\n")
    (lane.root / "src" / "a.py").write_bytes(b"$Id$\r\n")

    capture = lane.capture()

    assert capture.changed == (".gitattributes", ".gitignore", "src/a.py")
    assert lane.content(capture, "src/a.py") == b"$Id$\r\n"
    assert b"+$Id$\r\n" in capture.patch


def test_new_files_that_the_base_ignores_are_listed_and_kept(lane: Lane) -> None:
    for path in ["build/gen.py", "x.log", "keep.log", "sub/y.tmp", "y.tmp", "src/plain.py", ":(icase)odd.log"]:
        (lane.root / path).parent.mkdir(exist_ok=True)
        (lane.root / path).write_bytes(b"12345\n")
    # Only what the base says counts, not what the agent says now.
    (lane.root / ".gitignore").write_text("plain.py\n")
    (lane.root / ".git" / "info" / "exclude").write_text("*\n")

    capture = lane.capture()

    assert [(each.path, each.size) for each in capture.ignored_new] == [
        (":(icase)odd.log", 6),
        ("build/gen.py", 6),
        ("sub/y.tmp", 6),
        ("x.log", 6),
    ]
    assert lane.content(capture, "build/gen.py") == b"12345\n"


def test_the_operators_own_ignore_list_is_not_consulted(lane: Lane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "ignore").write_text("*.py\n")
    (tmp_path / ".gitconfig").write_text(f"[core]\nexcludesFile = {tmp_path}/git/ignore\n")
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(tmp_path))
    edit(lane)

    capture = lane.capture()

    assert capture.changed == ("src/a.py", "src/new.py")
    assert capture.ignored_new == ()


def test_nested_repositories_are_plain_files(lane: Lane) -> None:
    nested = lane.root / "vendor" / "lib"
    nested.mkdir(parents=True)
    (nested / "lib.py").write_text("x\n")
    lane.git("init", "-q", os.fspath(nested))
    (lane.root / "tree").mkdir()
    (lane.root / "tree" / ".git").write_text("gitdir: ../.git\n")
    (lane.root / "tree" / "file").write_text("y\n")
    (lane.root / "odd").mkdir()
    (lane.root / "odd" / ".GIT").symlink_to("/")

    capture = lane.capture()

    assert capture.changed == ("tree/file", "vendor/lib/lib.py")
    assert [each.path for each in capture.skipped] == ["odd/.GIT", "tree/.git", "vendor/lib/.git"]


def test_what_no_tree_can_hold_is_listed_never_an_error(lane: Lane) -> None:
    os.mkfifo(lane.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(lane.root / "socket"))
        (lane.root / ".gitmodules").symlink_to("src/a.py")
        (lane.root / "src" / "a.py").unlink()
        os.mkfifo(lane.root / "src" / "a.py")
        capture = lane.capture()

    assert capture.skipped == (
        SkippedPath(".gitmodules", "git refuses a link of this name"),
        SkippedPath("pipe", "a named pipe"),
        SkippedPath("socket", "a socket"),
        SkippedPath("src/a.py", "a named pipe"),
    )
    assert capture.changed == ("src/a.py",)


def test_links_are_never_followed(lane: Lane) -> None:
    outside = lane.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    subprocess.run(["rm", "-rf", "src"], cwd=lane.root, check=True)
    (lane.root / "src").symlink_to(outside)

    capture = lane.capture()

    assert lane.mode(capture, "src") == LINK_MODE
    assert b"secret" not in capture.patch
    assert capture.changed == ("src", "src/a.py", "src/run.sh")


def test_a_tree_too_deep_for_any_checkout_is_listed_and_the_rest_kept(lane: Lane) -> None:
    (lane.root / "shallow").write_text("x\n")
    here = os.open(lane.root, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        capture = lane.capture()
    finally:  # pytest's own clean-up would give up on such a path
        subprocess.run(["rm", "-rf", "d"], cwd=lane.root, check=True)

    assert capture.changed == ("shallow",)
    assert [each.reason for each in capture.skipped] == ["more than 128 folders deep"]


def test_a_path_too_long_for_any_checkout_is_listed(lane: Lane) -> None:
    folder = lane.root / "/".join(["n" * 250] * 11)
    folder.mkdir(parents=True)
    (folder / ("f" * 200)).write_text("kept\n")
    (folder / ("f" * 240)).write_text("too long\n")

    capture = lane.capture()

    assert [len(path) for path in capture.changed] == [251 * 11 + 200]
    assert [len(each.path) for each in capture.skipped] == [251 * 11 + 240]


# --- limits


def test_one_file_too_many_is_a_status_and_not_an_empty_patch(tmp_path: Path) -> None:
    lane = Lane(tmp_path, CaptureLimits(max_files=10))
    for number in range(10):
        (lane.root / f"new-{number}").write_text("x\n")
    assert lane.capture().over_limit is None

    (lane.root / "one-more").write_text("x\n")
    capture, snapshot = lane.recorder.capture(), lane.recorder.snapshot()

    assert capture.tree is None
    assert capture.over_limit == snapshot.over_limit == "more than 10 files changed"
    assert snapshot.tree is None


def test_deleted_and_edited_files_count(tmp_path: Path) -> None:
    lane = Lane(tmp_path, CaptureLimits(max_files=2))
    (lane.root / "data.bin").unlink()
    (lane.root / "src" / "a.py").write_text("x\n")
    assert lane.capture().over_limit is None
    (lane.root / "docs" / "open.txt").unlink()
    assert lane.recorder.capture().over_limit == "more than 2 files changed"


def test_too_many_bytes_are_a_status(tmp_path: Path) -> None:
    lane = Lane(tmp_path, CaptureLimits(max_bytes=1_000))
    (lane.root / "new").write_bytes(b"x" * 600)
    assert lane.capture().over_limit is None
    (lane.root / "src" / "a.py").write_bytes(b"y" * 401)
    assert lane.recorder.capture().over_limit == "more than 1000 bytes changed"


@pytest.mark.parametrize("path", ["new", "src/a.py"])
def test_a_file_of_terabytes_is_not_read(lane: Lane, path: str) -> None:
    with (lane.root / path).open("wb") as file:
        file.truncate(4 << 40)

    capture = lane.recorder.capture()

    assert capture.tree is None
    assert capture.over_limit == "more than 100000000 bytes changed"


def test_an_unchanged_file_larger_than_the_limit_is_no_change(tmp_path: Path) -> None:
    lane = Lane(tmp_path)
    recorder = Recorder(lane.store, lane.root, lane.base, CaptureLimits(max_bytes=100))
    assert recorder.capture().tree == lane.base
    (lane.root / "data.bin").write_bytes(b"x" * 1024)
    assert recorder.capture().over_limit == "more than 100 bytes changed"


def test_folders_without_end_are_a_status(tmp_path: Path) -> None:
    lane = Lane(tmp_path, CaptureLimits(max_files=50))
    for number in range(51):
        (lane.root / f"d{number}").mkdir()
    assert lane.recorder.capture().over_limit == "more than 50 new folders and special files"


# --- snapshots


@pytest.mark.parametrize("rest", [False, True], ids=["at once", "once the stamp is trusted"])
def test_a_snapshot_sees_every_edit_whatever_the_file_says_of_itself(lane: Lane, rest: bool) -> None:
    """Same size, same inode, times set back: nothing but the time of change and the content tells."""
    file = lane.root / "src" / "a.py"
    for number in range(5 if rest else 50):
        with file.open("r+b") as stream:
            stream.write(b"%03d" % number)
        os.utime(file, (1_000_000_000, 1_000_000_000))
        while rest and not is_settled(file.stat().st_ctime_ns, time.time_ns()):
            time.sleep(0.005)
        tree = lane.recorder.snapshot().tree
        assert tree is not None
        assert lane.store.read_file(tree, "src/a.py") == file.read_bytes()


def test_a_stamp_is_trusted_only_when_older_than_a_tick_of_the_clock_that_made_it() -> None:
    second, tick = 1_000_000_000, 10_000_000
    fine, coarse = 1_700_000_000 * second + 123_456, 1_700_000_000 * second
    assert not is_settled(fine, fine)
    assert not is_settled(fine, fine + tick)
    assert is_settled(fine, fine + 10 * tick)
    assert not is_settled(coarse, coarse + second)
    assert is_settled(coarse, coarse + 3 * second)


def test_a_snapshot_follows_modes_and_deletions(lane: Lane) -> None:
    assert lane.recorder.snapshot().tree == lane.base
    (lane.root / "src" / "a.py").chmod(0o755)
    (lane.root / "data.bin").unlink()
    tree = lane.recorder.snapshot().tree
    assert tree is not None
    assert lane.store.changed_paths(lane.base, tree) == ("data.bin", "src/a.py")
    assert lane.store.entries(tree)[b"src/a.py"].mode == PROGRAM_MODE
    (lane.root / "src" / "a.py").chmod(0o644)
    (lane.root / "data.bin").write_bytes(BASE["data.bin"])
    assert lane.recorder.snapshot().tree == lane.base


def test_a_snapshot_during_writes_is_a_tree_or_an_error_never_a_crash(lane: Lane) -> None:
    script = (
        "import os, itertools\n"
        "for n in itertools.count():\n"
        "    os.makedirs('churn/deep', exist_ok=True)\n"
        "    open('churn/deep/f', 'w').write('x' * (n % 5000))\n"
        "    os.rename('churn', 'churn2')\n"
        "    os.remove('churn2/deep/f'); os.rmdir('churn2/deep'); os.rmdir('churn2')\n"
        "    os.symlink('/etc', 'churn'); os.remove('churn')\n"
        "    os.mkfifo('churn'); os.remove('churn')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=lane.root)
    try:
        trees = [lane.recorder.snapshot().tree for _ in range(60)]
    finally:
        process.kill()
        process.wait()

    paths = {path for tree in trees if tree for path in lane.store.paths(tree)}
    assert None not in trees
    assert paths - set(BASE) <= {"churn/deep/f", "churn2/deep/f", "churn"}


def test_a_missing_workspace_is_an_error(lane: Lane) -> None:
    remove_tree(lane.root)
    (lane.root.parent / "away").mkdir()
    with pytest.raises(SandboxError, match="cannot read the folder"):
        lane.recorder.capture()
    lane.root.symlink_to("away")
    with pytest.raises(SandboxError, match="cannot read the folder"):
        lane.recorder.capture()


def test_a_broken_store_is_an_error(lane: Lane) -> None:
    edit(lane)
    (lane.store.path / "HEAD").unlink()
    with pytest.raises(SandboxError):
        lane.recorder.capture()


def as_plain_user(deed: Callable[[Path], str]) -> str:
    """What a deed tells, done by a plain user in a folder of its own: nothing is closed to root."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as told:
        Path(name).chmod(0o777)
        child = os.fork()
        if child == 0:
            try:
                if os.getuid() == 0:
                    os.setgroups([])
                    os.setgid(65534)
                    os.setuid(65534)
                tempfile.tempdir = name
                told.write(deed(Path(name)).encode())
                told.flush()
            except BaseException:  # noqa: BLE001 - told to the parent, whose assertion shows it
                told.write(traceback.format_exc().encode())
                told.flush()
            os._exit(0)
        os.waitpid(child, 0)
        told.seek(0)
        return told.read().decode()


def test_files_closed_to_their_owner_are_opened_up() -> None:
    def deed(folder: Path) -> str:
        store = GitStore(folder / "store")
        base = store.overlay(store.write_tree({}), [("f", b"old", False), ("d/g", b"old", False)])
        root = folder / "workspace"
        store.prepare_workspace(root, [base])
        (root / "f").write_text("closed")
        (root / "f").chmod(0)
        (root / "d" / "new").write_text("inside")
        (root / "d" / "new").chmod(0o100)
        (root / "d").chmod(0)
        (root / "listable").mkdir()
        (root / "listable" / "h").write_text("h")
        (root / "listable").chmod(0o400)
        root.chmod(0)
        capture = Recorder(store, root, base).capture()
        assert capture.tree is not None
        return "\n".join(
            f"{path} {store.entries(capture.tree)[path.encode()].mode} {store.read_file(capture.tree, path)!r}"
            for path in store.paths(capture.tree)
        )

    assert as_plain_user(deed).splitlines() == [
        f"d/g {FILE_MODE} b'old'",
        f"d/new {PROGRAM_MODE} b'inside'",
        f"f {FILE_MODE} b'closed'",
        f"listable/h {FILE_MODE} b'h'",
    ]


def test_a_new_file_is_stored_once_and_the_base_not_again(lane: Lane) -> None:
    before = {path for path in (lane.store.path / "objects").rglob("*") if path.is_file()}
    assert lane.recorder.snapshot().tree == lane.base
    assert {path for path in (lane.store.path / "objects").rglob("*") if path.is_file()} == before
