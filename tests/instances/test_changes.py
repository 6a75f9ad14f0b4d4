"""What a patch changes is counted as git shows it, and where two meet is where they do."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instances.changes import changes_of, overlap_of
from instances.errors import InstanceError
from sandboxes.gitstore import GitStore

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
EDITS = st.lists(st.sampled_from(["keep", "keep", "keep", "replace", "drop", "insert"]), min_size=30, max_size=30)


def edited(edits: list[str], mark: str) -> tuple[str, set[int], set[int]]:
    """The text after some edits, the lines that are gone, and after which lines something came in beside lines that stay."""
    lines, gone, places = [], set(), set()
    for number, (line, edit) in enumerate(zip(TEXT.splitlines(keepends=True), edits, strict=True), 1):
        if edit in ("keep", "insert"):
            lines.append(line)
        else:
            gone.add(number)
        if edit in ("replace", "insert"):
            lines.append(f"{mark} {number}\n")
        if edit == "insert":
            places.add(number)
    return "".join(lines), gone, places


@settings(max_examples=25, deadline=None)
@given(EDITS, EDITS)
def test_lines_and_places(tmp_path_factory: object, one: list[str], other: list[str]) -> None:
    store = GitStore(_folder(tmp_path_factory) / "store")
    base = store.overlay(store.import_directory(_folder(tmp_path_factory) / "empty"), [("a b.txt", TEXT.encode(), False)])
    found = []
    for edits, mark in ((one, "one"), (other, "other")):
        text, gone, places = edited(edits, mark)
        patch = store.patch(base, store.overlay(base, [("a b.txt", text.encode(), False)]))
        changes = changes_of(patch)
        if not gone and not places:
            assert changes == {}
            return
        [change] = changes.values()
        assert change.path == "a b.txt"
        assert change.replaced == gone
        # What comes in beside a line that goes counts as its replacement.
        assert change.places <= places
        assert places - change.places <= {number for number in places if {number + 1} & gone}
        assert change.hunks == patch.count(b"\n@@ ")
        assert change.lines == len([line for line in patch.split(b"\n") if line[:1] in (b"+", b"-")]) - 2
        found.append(changes)
    assert overlap_of(*found) == overlap_of(*reversed(found)) >= len(found[0]["a b.txt"].replaced & found[1]["a b.txt"].replaced)


def _folder(factory: object) -> Path:
    folder = Path(factory.getbasetemp()) / "changes"  # type: ignore[attr-defined]
    (folder / "empty").mkdir(parents=True, exist_ok=True)
    return folder


def patch_of(*hunks: str) -> bytes:
    return ("diff --git a/x b/x\n--- a/x\n+++ b/x\n" + "".join(hunks)).encode()


def test_where_two_meet() -> None:
    inserted = changes_of(patch_of("@@ -4,2 +4,3 @@\n four\n+new\n five\n"))
    around = changes_of(patch_of("@@ -3,4 +3,2 @@\n three\n-four\n-five\n+4 5\n six\n"))
    beside = changes_of(patch_of("@@ -5,2 +5,2 @@\n-five\n+5\n six\n"))
    assert overlap_of(inserted, inserted) == 1
    assert overlap_of(inserted, around) == 1
    assert overlap_of(around, beside) == 1
    assert overlap_of(inserted, beside) == 0
    created = changes_of(b"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n+two\n")
    assert overlap_of(created, created) == 1
    dropped = b"diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n--- a list\n"
    assert changes_of(dropped)["y"].replaced == {1}
    assert set(changes_of(b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n" + dropped)) == {"run", "y"}


@pytest.mark.parametrize(
    "header", [b'diff --git a/x"', b'diff --git "a/x', b"diff --git ", b"", b"no patch at all", b'diff --git "']
)
def test_what_names_no_file_is_no_patch(header: bytes) -> None:
    with pytest.raises(InstanceError, match="names no file"):
        changes_of(header + b"\nnew mode 100755\n")


def test_a_hunk_of_more_lines_than_can_be_is_none() -> None:
    assert changes_of(patch_of("@@ -" + "9" * 5000 + " +1 @@\n-one\n"))["x"].lines == 0
