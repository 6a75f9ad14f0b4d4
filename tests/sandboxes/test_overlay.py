"""Workspaces as overlays: whatever is done in one is captured as in a plain copy, and nothing of it reaches what is below."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandboxes.folders import remove_tree
from sandboxes.gitstore import GitStore
from sandboxes.overlay import try_overlay
from sandboxes.recorder import Recorder

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.needs("overlay")
FILES = {"a": b"1\n", "d/b": b"2\n", "d/c": b"3\n", "d/e/f": b"4\n", "g/h": b"5\n", "run": b"#!/bin/sh\n"}
# Steps write through links, and tests run as root: what is outside must be what nobody can write.
UNWRITABLE = "/proc/version"
NAMES = st.sampled_from(["a", "d", "d/b", "d/c", "d/e", "d/e/f", "g", "g/h", "new", "d/new", "new/x", "run", "g/e"])
STEP = st.one_of(
    st.tuples(st.just("write"), NAMES, st.sampled_from(["", "x\n", "2\n", "y" * 5000])),
    st.tuples(st.just("remove"), NAMES, st.just("")),
    st.tuples(st.just("folder"), NAMES, st.just("")),
    st.tuples(st.just("renew"), NAMES, st.just("")),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("hard"), NAMES, NAMES),
    st.tuples(st.just("link"), NAMES, st.sampled_from(["a", UNWRITABLE, "nowhere"])),
    st.tuples(st.just("mode"), NAMES, st.sampled_from(["755", "644", "0"])),
    st.tuples(st.just("touch"), NAMES, st.just("")),
)


def do(root: Path, step: tuple[str, str, str]) -> str:
    """One thing that a program may do to a workspace; what the system said."""
    kind, name, more = step
    path = root / name
    try:
        if kind == "write":
            path.write_text(more, encoding="utf-8")
        elif kind == "remove":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        elif kind == "folder":
            path.mkdir()
        elif kind == "renew":  # a folder in the place of one of the layer below hides all that was in it
            shutil.rmtree(path)
            path.mkdir()
        elif kind == "rename":
            path.rename(root / more)
        elif kind == "hard":
            os.link(path, root / more, follow_symlinks=False)
        elif kind == "link":
            path.symlink_to(more)
        else:
            _do_to_metadata(path, kind, more)
    except OSError as error:
        return os.strerror(error.errno or 0)
    return ""


def _do_to_metadata(path: Path, kind: str, mode: str) -> None:
    if kind == "touch":
        os.utime(path, (1, 1), follow_symlinks=False)
    elif not path.is_symlink():
        path.chmod(int(mode, 8))


@contextlib.contextmanager
def both() -> Iterator[tuple[GitStore, str, Path, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="overlays-"))
    try:
        store = GitStore(folder / "store")
        base = store.overlay(store.write_tree({}), [(path, data, path == "run") for path, data in FILES.items()])
        overlay, copy = folder / "overlay", folder / "a,copy"
        store.prepare_workspace(overlay, [base])
        store.prepare_workspace(copy, [base])
        assert overlay.is_mount()
        assert not copy.is_mount()
        yield store, base, overlay, copy
    finally:
        remove_tree(folder)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, max_size=12), st.integers(0, 12))
def test_an_overlay_is_captured_as_a_copy(steps: list[tuple[str, str, str]], looked: int) -> None:
    with both() as (store, base, *roots):
        recorders = [Recorder(store, root, base) for root in roots]
        for number, step in enumerate(steps):
            said = [do(root, step) for root in roots]
            assert said[0] == said[1], step
            if number == looked:
                one, other = (recorder.snapshot() for recorder in recorders)
                assert one == other
        one_capture, other_capture = (recorder.capture() for recorder in recorders)
        assert one_capture == other_capture
        assert store.apply(base, one_capture.patch).tree == one_capture.tree
        third = roots[0].parent / "third"
        store.prepare_workspace(third, [base])
        assert Recorder(store, third, base).capture().changed == ()


def test_git_finds_nothing_changed_in_a_new_overlay() -> None:
    with both() as (_, _, overlay, _):
        argv = ["git", "--no-optional-locks", "diff-files", "--quiet"]
        assert subprocess.run(argv, cwd=overlay, timeout=60, check=False).returncode == 0


def test_what_a_killed_process_mounted_is_unmounted_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "lower").mkdir()
    (tmp_path / "lower" / "kept").touch()
    (tmp_path / "work" / "cell" / "odd name").mkdir(parents=True)
    program = (
        f"import sys, os, signal; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
        "from sandboxes.overlay import try_overlay\n"
        f"assert try_overlay(Path({str(tmp_path)!r}, 'lower'), Path({str(tmp_path)!r}, 'work/cell/odd name'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    assert (tmp_path / "work" / "cell" / "odd name").is_mount()
    remove_tree(tmp_path / "work")
    assert not (tmp_path / "work").exists()
    assert (tmp_path / "lower" / "kept").exists()


def test_a_workspace_goes_with_its_layers() -> None:
    with both() as (_, _, overlay, _):
        remove_tree(overlay)
        assert sorted(path.name for path in overlay.parent.iterdir()) == ["a,copy", "store"]


def test_where_an_overlay_cannot_be_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "lower").mkdir()
    assert not try_overlay(tmp_path / "lower", tmp_path / "missing")
    assert [path.name for path in tmp_path.iterdir()] == ["lower"]
