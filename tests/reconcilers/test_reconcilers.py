"""Clean means that every edit of both lanes is in the tree; anything else is a conflict with its place."""

import importlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reconcilers import RECONCILERS
from reconcilers.base import Combined, CombineStatus, Edit, Reconciler
from reconcilers.concat import Concat
from reconcilers.git_merge import GitMerge
from sandboxes.errors import SandboxError
from sandboxes.git_objects import FILE_MODE, LINK_MODE, PROGRAM_MODE, Entry
from sandboxes.gitstore import GitStore

Files = Mapping[str, bytes | tuple[str, bytes]]
TEXT = b"".join(b"line %d\n" % number for number in range(1, 31))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GitStore:
    return GitStore(tmp_path_factory.mktemp("store") / "git")


MECHANICAL = ["concat", "git-merge"]


def reconciler(name: str) -> Reconciler:
    module, _, attribute = RECONCILERS[name].rpartition(".")
    made: Reconciler = getattr(importlib.import_module(module), attribute)()
    return made


def tree_of(store: GitStore, files: Files) -> str:
    entries = {}
    for path, content in files.items():
        mode, data = content if isinstance(content, tuple) else (FILE_MODE, content)
        entries[path.encode("utf-8", "surrogateescape")] = Entry(mode, store.writer.blob(data))
    return store.write_tree(entries)


def combine(store: GitStore, how: Reconciler, base: Files, ours: Files, theirs: Files) -> Combined:
    """Combine in one order, and prove that the other order says the same."""
    root = tree_of(store, base)
    edits = [
        Edit(lane, tree, store.patch(root, tree)) for lane, tree in [("a", tree_of(store, ours)), ("b", tree_of(store, theirs))]
    ]
    combined = how.combine(store, root, edits[0], edits[1])
    swapped = how.combine(store, root, edits[1], edits[0])
    assert (swapped.status, swapped.tree) == (combined.status, combined.tree)
    assert combined.reconciler == how.name
    assert (combined.tree is None) == (combined.status is CombineStatus.CONFLICT)
    assert bool(combined.reason) == (combined.status is CombineStatus.CONFLICT)
    return combined


@pytest.mark.parametrize("name", MECHANICAL)
def test_the_registry_gives_what_it_names(name: str) -> None:
    assert reconciler(name).name == name


@pytest.mark.parametrize("name", MECHANICAL)
def test_edits_apart_combine_whatever_they_are(store: GitStore, name: str) -> None:
    crlf, no_utf8 = TEXT.replace(b"\n", b"\r\n"), b"\xe9\n" + TEXT
    base: Files = {
        "f": TEXT,
        "run": b"#!/bin/sh\n",
        "crlf": crlf,
        "gone": b"x\n",
        "bin": b"\0" * 999,
        "latin": no_utf8,
    }
    ours: Files = {
        **base,
        "f": TEXT.replace(b"line 2\n", b"ours\n"),
        "run": (PROGRAM_MODE, b"#!/bin/sh\n"),
        "bin": b"\0\1" * 9999,
        "new/a": b"no newline",
        "latin": b"\xe9\n" + TEXT.replace(b"line 3\n", b"\xe8\n"),
    }
    theirs: dict[str, bytes | tuple[str, bytes]] = {
        **base,
        "f": TEXT.replace(b"line 28\n", b"theirs\n"),
        "crlf": b"first\r\n" + crlf,
        "link": (LINK_MODE, b"../x"),
        "latin": b"\xe9\n" + TEXT.replace(b"line 27\n", b"\xe7\n"),
    }
    del theirs["gone"]

    combined = combine(store, reconciler(name), base, ours, theirs)

    expected: dict[str, bytes | tuple[str, bytes]] = {
        **ours,
        "f": TEXT.replace(b"line 2\n", b"ours\n").replace(b"line 28\n", b"theirs\n"),
        "crlf": theirs["crlf"],
        "link": theirs["link"],
        "latin": b"\xe9\n" + TEXT.replace(b"line 3\n", b"\xe8\n").replace(b"line 27\n", b"\xe7\n"),
    }
    del expected["gone"]
    assert combined.tree == tree_of(store, expected)


@pytest.mark.parametrize("name", MECHANICAL)
def test_an_empty_edit_changes_nothing(store: GitStore, name: str) -> None:
    base, ours = {"f": TEXT}, {"f": TEXT + b"more\n"}
    assert combine(store, reconciler(name), base, base, base).tree == tree_of(store, base)
    assert combine(store, reconciler(name), base, ours, base).tree == tree_of(store, ours)


@pytest.mark.parametrize("name", MECHANICAL)
def test_edits_of_the_same_line_conflict(store: GitStore, name: str) -> None:
    combined = combine(
        store,
        reconciler(name),
        {"f": TEXT},
        {"f": TEXT.replace(b"line 9\n", b"ours\n")},
        {"f": TEXT.replace(b"line 9\n", b"theirs\n")},
    )
    assert combined.status is CombineStatus.CONFLICT


@pytest.mark.parametrize("name", MECHANICAL)
def test_a_textually_clean_pair_that_breaks_the_program_is_clean(store: GitStore, name: str) -> None:
    """Tests tell, not the reconciler: two definitions of one name merge."""
    helper = b"def helper():\n    return %d\n"
    combined = combine(store, reconciler(name), {"f": TEXT}, {"f": helper % 1 + b"\n" + TEXT}, {"f": TEXT + b"\n" + helper % 2})
    assert combined.tree == tree_of(store, {"f": helper % 1 + b"\n" + TEXT + b"\n" + helper % 2})


LINES = [b"base %d\n" % number for number in range(14)]
# Each edit: where, how many lines it drops there, whether it adds one.
EDITS = st.lists(st.tuples(st.integers(0, 13), st.integers(0, 2), st.booleans()), max_size=3)


def edited(edits: list[tuple[int, int, bool]], lane: bytes) -> list[bytes]:
    lines: list[bytes] = list(LINES)
    for number, (place, dropped, adds) in enumerate(edits):
        lines[place : place + dropped] = [b"%s adds %d\n" % (lane, number)] if adds else []
    return lines


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(one=EDITS, other=EDITS)
@pytest.mark.parametrize("name", MECHANICAL)
def test_a_clean_tree_has_every_addition_and_no_deletion_undone(
    store: GitStore, name: str, one: list[tuple[int, int, bool]], other: list[tuple[int, int, bool]]
) -> None:
    ours, theirs = edited(one, b"a"), edited(other, b"b")

    combined = combine(
        store,
        reconciler(name),
        {"f": b"".join(LINES)},
        {"f": b"".join(ours)},
        {"f": b"".join(theirs)},
    )

    if combined.tree is not None:
        content = store.read_file(combined.tree, "f")
        assert content is not None
        kept = set(LINES) & set(ours) & set(theirs)
        added = (set(ours) | set(theirs)) - set(LINES)
        assert sorted(content.splitlines(keepends=True)) == sorted(kept | added)


@pytest.mark.parametrize("name", MECHANICAL)
def test_a_broken_store_is_an_error_not_a_conflict(tmp_path: Path, name: str) -> None:
    broken = GitStore(tmp_path / "store")
    base, ours = tree_of(broken, {"f": TEXT}), tree_of(broken, {"f": TEXT + b"x\n"})
    edit = Edit("a", ours, broken.patch(base, ours))
    (broken.path / "HEAD").unlink()
    with pytest.raises(SandboxError):
        reconciler(name).combine(broken, base, edit, Edit("b", base, b""))


# --- concat


def test_concat_names_the_order_and_gives_gits_reason(store: GitStore) -> None:
    combined = combine(store, Concat(), {"f": TEXT}, {"f": b"ours\n" + TEXT, "new": b"1\n"}, {"f": TEXT, "new": b"1\n"})
    assert combined.reason == "a then b: the patch of b does not apply: error: new: already exists in index"
    assert combined.detail == "git apply: error: new: already exists in index"


def test_concat_fails_when_only_one_order_does(store: GitStore) -> None:
    root = tree_of(store, {"f": TEXT})
    first = tree_of(store, {"f": TEXT, "sub/new": b"x\n"})
    second = tree_of(store, {"f": TEXT, "sub/new": b"y\n"})
    # A patch made against the other lane's tree applies after it and not before.
    after = Edit("b", second, store.patch(first, second))
    combined = Concat().combine(store, root, Edit("a", first, store.patch(root, first)), after)
    assert combined.status is CombineStatus.CONFLICT
    assert combined.reason.startswith("b then a: the patch of b does not apply")


def test_concat_fails_when_the_orders_give_different_trees(store: GitStore) -> None:
    """One lane copies a block before itself, the other edits it: which copy is edited depends on the order."""
    block = [b"p%d\n" % number for number in range(9)]
    root = tree_of(store, {"f": b"top\n" + b"".join(block) + b"end\n"})
    ours = tree_of(store, {"f": b"top\n" + b"".join(block).replace(b"p4", b"P4") + b"end\n"})
    theirs = tree_of(store, {"f": b"top\n" + b"".join(block) * 2 + b"end\n"})
    copy_before = b"--- a/f\n+++ b/f\n@@ -1,4 +1,13 @@\n top\n" + b"".join(b"+" + line for line in block) + b" p0\n p1\n p2\n"
    edits = Edit("a", ours, store.patch(root, ours)), Edit("b", theirs, copy_before)

    combined = Concat().combine(store, root, *edits)

    assert combined.status is CombineStatus.CONFLICT
    assert combined.reason == "a then b, and b then a, give different trees: differing: 'f'"


def test_concat_takes_no_fuzz(store: GitStore) -> None:
    """The neighbours of one edit are the other's edit: a looser applier would put both in."""
    combined = combine(
        store,
        Concat(),
        {"f": TEXT},
        {"f": TEXT.replace(b"line 9\n", b"ours\n")},
        {"f": TEXT.replace(b"line 11\n", b"theirs\n")},
    )
    assert combined.status is CombineStatus.CONFLICT
    assert "patch does not apply" in combined.detail


def test_concat_refuses_a_patch_that_leaves_the_tree(store: GitStore) -> None:
    root = tree_of(store, {"f": TEXT})
    evil = b"diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"
    combined = Concat().combine(store, root, Edit("a", root, evil), Edit("b", root, b""))
    assert combined.status is CombineStatus.CONFLICT
    assert "invalid path" in combined.reason


# --- git merge


def test_a_merge_conflict_is_recorded_hunk_by_hunk(store: GitStore) -> None:
    def lane(word: bytes) -> Files:
        return {"f": TEXT.replace(b"line 3\n", word + b" 3\n").replace(b"line 20\n", word + b" 20\n"), "g": word + b"\n"}

    combined = combine(store, GitMerge(), {"f": TEXT}, lane(b"ours"), lane(b"theirs"))

    assert [(hunk.path, hunk.line) for hunk in combined.conflicts] == [("f", 3), ("f", 24), ("g", 1)]
    assert combined.conflicts[0].text == "<<<<<<< a\nours 3\n=======\ntheirs 3\n>>>>>>> b\n"
    assert combined.reason == "3 conflicts in 2 files"


def test_content_that_looks_like_markers_is_not_taken_for_them(store: GitStore) -> None:
    lookalike = b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    title = b"Title\n=======\n"

    def lane(word: bytes) -> Files:
        return {"f": lookalike + TEXT.replace(b"line 9\n", lookalike + word + b"\n" + title) + lookalike}

    combined = combine(store, GitMerge(), {"f": lookalike + TEXT + lookalike}, lane(b"ours"), lane(b"theirs"))

    assert [hunk.line for hunk in combined.conflicts] == [19]
    assert "ours" in combined.conflicts[0].text
    assert "theirs" in combined.conflicts[0].text


BINARY = b"\0binary\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "said"),
    [
        ({"f": TEXT}, {"f": TEXT + b"x\n"}, {}, "f deleted in b and modified in a"),
        ({}, {"f": BINARY + b"1"}, {"f": BINARY + b"2"}, "Merge conflict in f"),
        ({"f": BINARY}, {"f": BINARY + b"1"}, {"f": BINARY + b"2"}, "Cannot merge binary files: f (a vs. b)"),
        ({"f": TEXT}, {"g": TEXT}, {"h": TEXT}, "f renamed to g in a and to h in b"),
        ({"f": TEXT}, {"f": (LINK_MODE, b"x")}, {"f": TEXT + b"x\n"}, "f"),
        ({"f": (LINK_MODE, b"x")}, {"f": (LINK_MODE, b"y")}, {"f": (LINK_MODE, b"z")}, "Merge conflict in f"),
        ({"k": TEXT}, {"k": TEXT, "f": b"1\n"}, {"k": TEXT, "f/g": b"2\n"}, "f"),
        ({}, {"f": (PROGRAM_MODE, b"x\n")}, {"f": b"x\n"}, "f"),
    ],
    ids=["modify-delete", "add-add", "binary", "rename-rename", "kind", "link", "file-folder", "mode"],
)
def test_files_that_collide_are_conflicts_with_gits_word_for_it(
    store: GitStore, base: Files, ours: Files, theirs: Files, said: str
) -> None:
    root = tree_of(store, base)
    edits = [
        Edit(lane, tree, store.patch(root, tree)) for lane, tree in [("a", tree_of(store, ours)), ("b", tree_of(store, theirs))]
    ]

    combined = GitMerge().combine(store, root, edits[0], edits[1])

    assert combined.status is CombineStatus.CONFLICT
    assert combined.conflicts
    assert any(said in hunk.text for hunk in combined.conflicts), combined.conflicts
    assert said in combined.detail
    assert GitMerge().combine(store, root, edits[1], edits[0]).status is CombineStatus.CONFLICT


def test_an_edit_follows_a_rename(store: GitStore) -> None:
    combined = combine(store, GitMerge(), {"old": TEXT}, {"new": TEXT}, {"old": TEXT.replace(b"line 9\n", b"theirs\n")})
    assert combined.tree == tree_of(store, {"new": TEXT.replace(b"line 9\n", b"theirs\n")})


def test_equal_edits_of_both_lanes_merge_into_one(store: GitStore) -> None:
    both = {"f": TEXT.replace(b"line 9\n", b"both\n"), "new": b"x\n"}
    assert combine(store, GitMerge(), {"f": TEXT}, both, both).tree == tree_of(store, both)


def test_a_conflict_in_a_file_with_an_odd_name_and_no_text_is_recorded(store: GitStore) -> None:
    name = "d\n\t\udcff"
    combined = combine(store, GitMerge(), {name: b"\xe9\n"}, {name: b"\xe9 ours\n"}, {name: b"\xe9 theirs\n"})
    assert [(hunk.path, hunk.line) for hunk in combined.conflicts] == [(name, 1)]
    assert "\\xe9 ours" in combined.conflicts[0].text
