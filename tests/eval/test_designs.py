"""A design is its code: comments, spacing and prose make no other one, a changed token does."""

from pathlib import Path

import pytest

from eval.designs import code_of, same_design
from sandboxes.gitstore import GitStore


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        (
            "a.py",
            "def f(x):\n    return x + 1\n",
            'def f( x ):  # why\n\n    """Doc."""\n    return (\n        x\n        + 1\n    )\n',
        ),
        ("a.py", "class A:\n    pass\n", 'class A:\n    """A."""\n'),
        ("a.js", "const a = 'x // y'\nf(a)\n", "/* what\n * for */ const a='x // y' // then\n  f( a )"),
        ("a.mjs", "f(`a /* b`)\n", "f( `a /* b` ) // c\n"),
        ("a.toml", "a = 1\n", "\n a  =  1\n"),
    ],
)
def test_the_same_code(path: str, one: str, other: str) -> None:
    assert code_of(path, one.encode()) == code_of(path, other.encode())


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", "x = 1\n", "x = 2\n"),
        ("a.py", "def (\n", "def ((\n"),
        ("a.py", "x = 'a # b'\n", "x = 'a # c'\n"),
        ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
        ("a.js", "f('a  b')\n", "f('a b')\n"),
        ("a.js", "return a\n", "returna\n"),
        ("a.js", "f(`a // b`)\n", "f(`a // c`)\n"),
        ("a.bin", "\udcff1", "\udcff2"),
    ],
)
def test_other_code(path: str, one: str, other: str) -> None:
    contents = [text.encode(errors="surrogateescape") for text in (one, other)]
    assert code_of(path, contents[0]) != code_of(path, contents[1])


def test_what_of_a_tree_is_no_design(tmp_path: Path) -> None:
    store = GitStore(tmp_path / "store")
    files = [("a.py", b"x = 1\n", False), ("README.md", b"A\n", False), ("tests/test_a.py", b"y = 1\n", False)]
    one = store.overlay(store.write_tree({}), files)
    other = store.overlay(
        one, [("README.md", b"B\n", False), ("tests/test_a.py", b"y = 2\n", False), ("b/__init__.py", b"", False)]
    )
    assert same_design(store, one, other, ["tests/**"])
    assert not same_design(store, one, other, [])
    assert not same_design(store, one, store.overlay(one, [], ["a.py"]), ["tests/**"])
