"""Edit scripts say the same as the patch that they were made from, and hold none of the base's text."""

import contextlib
import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instances.edscript import from_patch, parse, to_patch
from instances.errors import InstanceError
from sandboxes.gitstore import GitStore

LINES = st.lists(
    st.sampled_from([b"one\n", b"two\n", b".\n", b"..\n", b"--- x\n", b"12,3c\n", b"\n", b"last \xff\n"]), max_size=12
)


def git_patch(before: list[bytes], after: list[bytes]) -> bytes:
    body = b"".join(difflib.diff_bytes(difflib.unified_diff, before, after, b"a/f.txt", b"b/f.txt", lineterm=b"\n"))
    return b"diff --git a/f.txt b/f.txt\n" + body if body else b""


@given(before=LINES, after=LINES)
def test_a_script_gives_back_its_patch(before: list[bytes], after: list[bytes]) -> None:
    patch = git_patch(before, after)
    base = {"f.txt": b"".join(before)}
    assert to_patch(from_patch(patch), base.get) == patch


def test_new_and_deleted_files_apply_with_git(tmp_path: Path) -> None:
    script = b"+++ new/file.py\nx = 1\n..hidden\n.\nxxx gone.txt\n--- kept.txt\n2c\nTWO\n.\n0a\nzero\n.\n"
    base = tmp_path / "base"
    base.mkdir()
    (base / "gone.txt").write_bytes(b"bye\n")
    (base / "kept.txt").write_bytes(b"one\ntwo\nthree")
    store = GitStore(tmp_path / "store")
    patch = to_patch(script, lambda path: (base / path).read_bytes() if (base / path).is_file() else None)
    tree = store.apply(store.import_directory(base), patch).tree
    assert tree is not None
    assert store.paths(tree) == ("kept.txt", "new/file.py")
    assert store.read_file(tree, "kept.txt") == b"zero\none\nTWO\nthree"
    assert store.read_file(tree, "new/file.py") == b"x = 1\n.hidden\n"


def test_a_script_holds_none_of_the_bases_text() -> None:
    before = [b"secret line %d\n" % number for number in range(9)]
    after = [*before[:4], b"ours\n", *before[5:]]
    assert b"secret" not in from_patch(git_patch(before, after))


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (b"nonsense\n", "expected a section or a command"),
        (b"--- f.txt\n1c\nno end\n", "not ended by a line with a lone dot"),
        (b"--- f.txt\n9d\n", "out of range"),
        (b"--- f.txt\n1c\nx\n.\n2c\ny\n.\n", "not in order"),
        (b"--- absent.txt\n1d\n", "does not have absent.txt"),
        (b"+++ f.txt\nx\n.\n", "already has f.txt"),
        (b"--- f.txt\n1c\none\n.\n", "nothing changes"),
        (b"1d\n", "expected a section"),
    ],
)
def test_a_wrong_script_is_named(script: bytes, problem: str) -> None:
    with pytest.raises(InstanceError, match=problem):
        to_patch(script, {"f.txt": b"one\ntwo\n"}.get)


@pytest.mark.parametrize(
    "patch",
    [
        b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        b"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\n",
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
    ],
)
def test_what_a_script_cannot_say_is_refused(patch: bytes) -> None:
    with pytest.raises(InstanceError):
        from_patch(patch)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(script: bytes) -> None:
    with contextlib.suppress(InstanceError):
        parse(script)
