"""Edit scripts say the same as the patch that they were made from, and hold none of the base's text."""

import contextlib
import difflib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from instances.edscript import SectionKind, from_patch, parse, to_patch
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


# Names that a patch must put in quotes, or that look as if it must. A line feed cannot be in a script.
NAMES = st.text(st.sampled_from("a\t\"\\ é'\x01\x7f./~€n03"), min_size=1, max_size=8).filter(
    lambda name: set(name.split("/")).isdisjoint({"", ".", "..", ".git"})
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(name=NAMES, kind=st.sampled_from(SectionKind), content=st.sampled_from([b"", b"one\n", b"one\ntwo"]))
def test_any_name_of_a_file_gets_through_git(tmp_path: Path, name: str, kind: SectionKind, content: bytes) -> None:
    store = GitStore(tmp_path / "store")
    base = store.overlay(store.write_tree({}), [] if kind is SectionKind.NEW else [(name, content, False)])
    marker = f"{kind} {name}\n".encode()
    script = {SectionKind.EDIT: b"0a\nours\n.\n", SectionKind.NEW: b"ours\n.\n", SectionKind.DELETE: b""}[kind]
    applied = store.apply(base, to_patch(marker + script, lambda path: store.read_file(base, path)))
    assert applied.tree is not None, applied.message
    assert (
        store.read_file(applied.tree, name)
        == {
            SectionKind.EDIT: b"ours\n" + content,
            SectionKind.NEW: b"ours\n",
            SectionKind.DELETE: None,
        }[kind]
    )
    if content or kind is not SectionKind.DELETE:
        assert from_patch(store.patch(base, applied.tree)) == marker + script


@pytest.mark.parametrize(
    ("script", "after"),
    [
        (b"2a\nend\n.\n", b"one\ntwo\nend\n"),
        (b"2c\nend\n.\n", b"one\nend\n"),
        (b"1c\nONE\n.\n", b"ONE\ntwo"),
        (b"2d\n", b"one\n"),
    ],
)
def test_a_last_line_without_its_end_is_what_git_makes_of_it(tmp_path: Path, script: bytes, after: bytes) -> None:
    store = GitStore(tmp_path / "store")
    base = store.overlay(store.write_tree({}), [("f", b"one\ntwo", False)])
    tree = store.apply(base, to_patch(b"--- f\n" + script, lambda path: store.read_file(base, path))).tree
    assert tree is not None
    assert store.read_file(tree, "f") == after
    again = store.apply(base, to_patch(from_patch(store.patch(base, tree)), lambda path: store.read_file(base, path)))
    assert again.tree == tree


def test_an_empty_file_is_made(tmp_path: Path) -> None:
    store = GitStore(tmp_path / "store")
    base = store.write_tree({})
    tree = store.apply(base, to_patch(b"+++ package/__init__.py\n.\n", lambda _: None)).tree
    assert tree is not None
    assert store.read_file(tree, "package/__init__.py") == b""


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
        (b"--- f.txt\n1c\nx\n.\n--- f.txt\n2c\ny\n.\n", "line 5: a second section for f.txt"),
        (b"xxx f.txt\n+++ f.txt\ny\n.\n", "line 2: a second section for f.txt"),
        (b"--- f.txt\n2,1d\n", "line 2: 2,1d goes backwards"),
        (b"--- f.txt\n1,2a\nx\n.\n", "after one line, not several"),
        (b"--- f.txt\n0c\nx\n.\n", "out of range"),
        (b"--- f.txt\r\n1d\n", "line 1: a carriage return"),
        (b"--- f.txt\n1d\r\n", "line 2: a carriage return"),
        (b"+++ new\nx\n.\r\n", "line 3: .* no carriage return"),
        (b"+++ new\n.x\n.\n", "line 2: .* write one more dot"),
        (b"+++ \xff\nx\n.\n", r"line 1: the path b'\\xff' is not UTF-8"),
        (b"+++ /etc/x\nx\n.\n", "'/etc/x' is no path of a file in the tree"),
        (b"+++ ../x\nx\n.\n", "no path of a file"),
        (b"+++ a/.git/x\nx\n.\n", "no path of a file"),
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
