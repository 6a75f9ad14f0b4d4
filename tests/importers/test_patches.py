"""Other people's patches: cut by file, and refused where they are not what a tree can take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instances.importers.patches import is_test_file, joined, sections
from instances.importers.rejects import RejectedError

PLAIN = b"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        (b" \n", "patch-empty"),
        (b"words\n", "patch-malformed"),
        (PLAIN.replace(b"x.py", b"../x.py"), "patch-outside-tree"),
        (PLAIN.replace(b"x.py", b".git/config"), "patch-outside-tree"),
        (PLAIN.replace(b"x.py", b".GIT/config"), "patch-outside-tree"),
        (
            b'diff --git "a/\\056./x" "b/\\056./x"\n--- "a/\\056./x"\n+++ "b/\\056./x"\n@@ -1 +1 @@\n-a\n+b\n',
            "patch-outside-tree",
        ),
        (b"--- a/x\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "patch-outside-tree"),
        (
            b"diff --git a/s b/s\nnew file mode 160000\nindex 0..1\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject\n",
            "patch-outside-tree",
        ),
        (b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../../etc\n", "patch-outside-tree"),
        (b"diff --git a/p b/p\nBinary files a/p and b/p differ\n", "patch-binary"),
        (b"diff --git a/p b/p\nindex 0..1\nGIT binary patch\nliteral 0\n", "patch-binary"),
    ],
)
def test_what_no_tree_takes_is_refused(patch: bytes, code: str) -> None:
    with pytest.raises(RejectedError) as caught:
        sections(patch, "it")
    assert caught.value.rejection.code == code


def test_a_mail_s_header_is_left_out_and_a_line_feed_is_put_at_the_end() -> None:
    mail = b"From 1234 Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n x.py | 2 +-\n\n" + PLAIN.rstrip(b"\n")
    (part,) = sections(mail, "it")
    assert part.paths == ("x.py",)
    assert joined([part]) == PLAIN


def test_a_link_that_stays_within_is_taken() -> None:
    (part,) = sections(b"diff --git a/d/l b/d/l\nnew file mode 120000\n--- /dev/null\n+++ b/d/l\n@@ -0,0 +1 @@\n+../x\n", "it")
    assert part.paths == ("d/l",)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("tests/data/x.json", True),
        ("src/pkg/test_utils.py", True),
        ("mux_test.go", True),
        ("src/__tests__/form.tsx", True),
        ("src/form.spec.ts", True),
        ("src/latest.py", False),
        ("src/testing_tools.py", False),
        ("contest/x.py", False),
    ],
)
def test_tests_are_told_by_their_names(path: str, found: bool) -> None:
    assert is_test_file(path) is found


@given(st.binary(max_size=400))
def test_any_bytes_are_cut_or_refused(content: bytes) -> None:
    for patch in (content, PLAIN + content, b"diff --git " + content):
        try:
            parts = sections(patch, "it")
        except RejectedError:
            continue
        assert all(part.paths and part.content in patch for part in parts)
