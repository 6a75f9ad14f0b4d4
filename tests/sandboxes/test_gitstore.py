"""The harness's git gives back what it was given, byte for byte, and obeys nobody but us."""

import hashlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sandboxes.errors import SandboxError
from sandboxes.git_objects import FILE_MODE, LINK_MODE, PROGRAM_MODE, Entry, make_room, path_text
from sandboxes.gitstore import GitStore

NAMES = [
    b"a",
    b"b",
    b"a.txt",
    b"-dash",
    b"--option=x",
    b"new\nline",
    b"tab\there",
    b'quo"te',
    b"back\\slash",
    b"sp ace ",
    b" ",
    b"a b",
    b"\xff\xfe",
    "naïve".encode(),
    b"[x]*?",
    b":(top)",
    b"CON",
    b"git~1",
    b".gitattributes",
    b".gitignore",
]
LINES = [b"one\n", b"two\n", b"crlf\r\n", b"\r\n", b"latin \xe9\n", b"-- \n", b"+++ b/a\n", b"=======\n", b" \n", b"\n"]
CONTENTS = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=12).map(b"".join),
    st.lists(st.sampled_from(LINES), max_size=6).map(lambda lines: b"".join(lines) + b"no newline"),
    st.binary(max_size=60),
    st.sampled_from([b"* text eol=crlf\n*.txt -diff\n", b"\0\1\2" * 2000, b"\r", b"x" * 5000]),
)
FILES = st.dictionaries(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(b"/".join),
    st.tuples(st.sampled_from([FILE_MODE, PROGRAM_MODE, LINK_MODE]), CONTENTS),
    max_size=8,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> GitStore:
    return GitStore(tmp_path_factory.mktemp("store") / "git")


@pytest.fixture
def store(tmp_path: Path) -> GitStore:
    return GitStore(tmp_path / "store")


def git(folder: Path, *arguments: str) -> str:
    """Run a git of the tests' own, as a lane would, and give its output."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout.decode()


def tree_of(store: GitStore, files: Mapping[str, bytes]) -> str:
    return store.overlay(store.write_tree({}), [(path, content, False) for path, content in files.items()])


def write_entries(store: GitStore, files: Mapping[bytes, tuple[str, bytes]]) -> str:
    entries: dict[bytes, Entry] = {}
    for path, (mode, content) in files.items():
        data = (content.replace(b"\0", b"0") or b"nowhere")[:200] if mode == LINK_MODE else content
        make_room(entries, path)
        entries[path] = Entry(mode, store.writer.blob(data))
    return store.write_tree(entries)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(before=FILES, after=FILES)
@example(before={}, after={b"ends with a space /a": (FILE_MODE, b"")})
@example(before={b"a": (FILE_MODE, b"x")}, after={b"a/b": (LINK_MODE, b"x"), b"c": (PROGRAM_MODE, b"x")})
def test_a_patch_turns_one_tree_into_the_other_and_a_checkout_gives_it_back(
    shared: GitStore,
    tmp_path_factory: pytest.TempPathFactory,
    before: dict[bytes, tuple[str, bytes]],
    after: dict[bytes, tuple[str, bytes]],
) -> None:
    base, tree = write_entries(shared, before), write_entries(shared, {**before, **after})

    applied = shared.apply(base, shared.patch(base, tree))

    assert applied.tree == tree, applied.message
    assert shared.apply(tree, shared.patch(tree, base)).tree == base
    folder = tmp_path_factory.mktemp("out")
    shared.checkout(tree, folder)
    assert shared.import_directory(folder) == tree


def test_trees_written_here_are_those_git_would_write(store: GitStore, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    for path in ["a/b/c", "a.b", "a-b", "a0/x", "a/b.c", "z"]:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    (folder / "z").chmod(0o755)
    (folder / "link").symlink_to("a/b")

    tree = store.import_directory(folder)

    git(folder, "init", "-q")
    git(folder, "add", "-A")
    assert git(folder, "write-tree").strip() == tree
    store.merge(tree, tree, tree)
    git(store.path, "fsck", "--strict", "--full", "--no-dangling")


HOSTILE_ATTRIBUTES = [
    "* text eol=crlf\n",
    "* text=auto eol=crlf\n",
    "* merge=union\n",
    "* -merge\n",
    "* -diff\n",
    "* binary\n",
    "* ident\n",
    "* filter=evil\n",
    "* working-tree-encoding=UTF-16\n",
    "* export-subst export-ignore\n",
    "[attr]binary text eol=crlf merge=union\n[attr]own -diff merge=union ident\n* own\n* binary\n",
    "* conflict-marker-size=40\n",
    "* whitespace=trailing-space,cr-at-eol\n",
    "* crlf=input\n",
]


@pytest.mark.parametrize("nested", [False, True], ids=["root", "nested"])
@pytest.mark.parametrize("attributes", HOSTILE_ATTRIBUTES)
def test_no_attributes_of_a_tree_have_any_effect(store: GitStore, tmp_path: Path, attributes: str, nested: bool) -> None:
    folder = "sub/" if nested else ""
    text = b"$Id$ $Format:%H$ \xe9\r\none\ntwo\nthree\n"
    plain = {f"{folder}f.py": text, f"{folder}.gitattributes": b"# nothing\n"}
    hostile = {**plain, f"{folder}.gitattributes": attributes.encode()}
    ours = {f"{folder}f.py": text.replace(b"two", b"ours")}
    theirs = {f"{folder}f.py": text.replace(b"two", b"theirs")}

    def outcome(base_files: dict[str, bytes]) -> tuple[bytes, bytes, bytes]:
        base = tree_of(store, base_files)
        one, other = tree_of(store, {**base_files, **ours}), tree_of(store, {**base_files, **theirs})
        merged = store.merge(base, one, other)
        assert merged.tree is None
        text_of_conflict = merged.conflicts[f"{folder}f.py"]
        for label in merged.labels:
            text_of_conflict = text_of_conflict.replace(label.encode(), b"label")
        out = tmp_path / hashlib.sha256(repr(base_files).encode()).hexdigest()
        store.checkout(one, out)
        assert store.import_directory(out) == one
        return store.patch(base, one), text_of_conflict, (out / folder / "f.py").read_bytes()

    assert outcome(hostile) == outcome(plain)


def test_the_callers_git_settings_have_no_effect(store: GitStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tree_of(store, {"tab\tname-é": b"a\nb\nc\n", "code.py": b"def f():\n    return 1\n"})
    tree = tree_of(store, {"tab\tname-é": b"a\nB\nc\n", "moved.py": b"def f():\n    return 1\n"})
    expected = store.patch(base, tree)

    home = tmp_path / "home"
    home.mkdir()
    (home / "attributes").write_text("* -diff merge=union text eol=crlf\n")
    (home / ".gitconfig").write_text(
        f"[diff]\nnoprefix = true\nmnemonicPrefix = true\nexternal = /bin/false\ncontext = 0\nrenames = copies\n"
        f"algorithm = patience\n[color]\nui = always\n[core]\nquotePath = false\nautocrlf = true\n"
        f"attributesFile = {home}/attributes\nhooksPath = {home}\n[apply]\nwhitespace = error\n"
        f"[merge]\nconflictStyle = diff3\n"
    )
    for name, value in {
        "HOME": os.fspath(home),
        "XDG_CONFIG_HOME": os.fspath(home),
        "GIT_CONFIG_GLOBAL": os.fspath(home / ".gitconfig"),
        "GIT_DIR": os.fspath(tmp_path / "elsewhere"),
        "GIT_INDEX_FILE": os.fspath(tmp_path / "elsewhere"),
        "GIT_OBJECT_DIRECTORY": os.fspath(tmp_path / "elsewhere"),
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_DIFF_OPTS": "-u0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.noprefix",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_DEFAULT_HASH": "sha256",
    }.items():
        monkeypatch.setenv(name, value)

    fresh = GitStore(tmp_path / "second")
    assert fresh.patch(tree_of(fresh, {"f": b"a\n"}), tree_of(fresh, {"f": b"b\n"})).startswith(b"diff --git a/f b/f\n")
    assert store.patch(base, tree) == expected
    assert store.apply(base, expected).tree == tree
    workspace = tmp_path / "workspace"
    store.prepare_workspace(workspace, [base])
    assert (workspace / "code.py").read_bytes() == b"def f():\n    return 1\n"


@pytest.mark.parametrize("name", ["--help", "-h", "HEAD", "main", "", "ext::sh -c true", "a" * 39, "A" * 40])
def test_only_a_whole_hash_names_a_tree(store: GitStore, name: str) -> None:
    good = tree_of(store, {"f": b"x"})
    calls: list[Callable[[], object]] = [
        lambda: store.patch(good, name),
        lambda: store.apply(name, b""),
        lambda: store.merge(good, name, good),
        lambda: store.entries(name),
        lambda: store.prepare_workspace(store.path / "w", [name]),
    ]
    for call in calls:
        with pytest.raises(SandboxError, match="not a git tree hash"):
            call()


def patch_for(path: str, *, mode: str = "100644", line: str = "owned") -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\nindex 0000000..1111111\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    ).encode()


@pytest.mark.parametrize(
    "patch",
    [
        patch_for("../outside"),
        patch_for("a/../../outside"),
        patch_for("/etc/crosstalk"),
        patch_for(".git/hooks/post-checkout", mode="100755"),
        patch_for(".GIT/config"),
        patch_for("sub/.git/config"),
        patch_for("link/escaped"),
        patch_for("module", mode="160000", line="Subproject commit " + "1" * 40),
        b"--- /dev/null\n+++ b/../outside\n@@ -0,0 +1 @@\n+x\n",
        b"not a patch\n",
        b"\n",
        patch_for("f") + b"@@ -1,3 +1,3 @@\n broken",
        patch_for("new")[:-1],
        b"diff --git a/b.bin b/b.bin\nindex 1111111..2222222 100644\nBinary files a/b.bin and b/b.bin differ\n",
    ],
)
def test_a_bad_patch_of_an_outsider_is_a_value_and_writes_nothing(store: GitStore, tmp_path: Path, patch: bytes) -> None:
    base = store.apply(tree_of(store, {"f": b"x\n", "b.bin": b"\0\1"}), patch_for("link", mode="120000", line="/tmp")).tree
    assert base is not None
    before = sorted(path for path in tmp_path.rglob("*") if "objects" not in path.parts)

    applied = store.apply(base, patch)

    assert applied.tree is None
    assert applied.message
    assert sorted(path for path in tmp_path.rglob("*") if "objects" not in path.parts) == before


def test_apply_neither_guesses_a_place_nor_a_direction(store: GitStore) -> None:
    twins = b"def a():\n    x = 1\n    y = 2\n    return x\n\n\ndef b():\n    x = 1\n    y = 2\n    return y\n"
    base = tree_of(store, {"f.py": twins})
    edited = tree_of(store, {"f.py": twins.replace(b"y = 2\n    return y", b"y = 3\n    return y")})
    patch = store.patch(base, edited)
    without_b = tree_of(store, {"f.py": twins[: twins.index(b"def b")]})

    assert store.apply(without_b, patch).tree is None
    assert store.apply(edited, patch).tree is None


def test_a_patch_of_tens_of_megabytes_applies(store: GitStore) -> None:
    base = tree_of(store, {"small": b"x\n"})
    text = b"".join(b"%d a line of some length to fill the file\n" % number for number in range(400_000))
    tree = tree_of(store, {"small": b"x\n", "large": text, "large.bin": os.urandom(2_000_000)})

    patch = store.patch(base, tree)

    assert len(patch) > 20_000_000
    assert store.apply(base, patch).tree == tree


def test_a_broken_store_is_an_error_never_an_empty_patch(store: GitStore) -> None:
    base, tree = tree_of(store, {"f": b"a\n"}), tree_of(store, {"f": b"b\n"})
    patch = store.patch(base, tree)
    (store.path / "HEAD").unlink()

    calls: list[Callable[[], object]] = [
        lambda: store.patch(base, tree),
        lambda: store.apply(base, patch),
        lambda: store.merge(base, tree, base),
        lambda: store.checkout(tree, store.path / "out"),
        lambda: store.read_file(tree, "f"),
    ]
    for call in calls:
        with pytest.raises(SandboxError):
            call()


def test_a_store_that_cannot_be_written_is_an_error_not_a_bad_patch(store: GitStore) -> None:
    base, tree = tree_of(store, {"f": b"a\n"}), tree_of(store, {"f": b"b\n"})
    patch = store.patch(base, tree)
    for number in range(256):
        folder = store.path / "objects" / f"{number:02x}"
        if not folder.exists():
            folder.touch()  # where git would make a folder for a new object
    other = patch.replace(b"+b", b"+%d")

    calls: list[Callable[[], object]] = [
        lambda: [store.apply(base, other % number) for number in range(4)],
        lambda: [tree_of(store, {"f": b"%d" % number}) for number in range(4)],
    ]
    for call in calls:
        with pytest.raises(SandboxError, match="git apply failed|cannot write to the git store"):
            call()


def test_a_tree_that_is_missing_is_an_error(store: GitStore, tmp_path: Path) -> None:
    base = tree_of(store, {"f": b"a\n"})
    calls: list[Callable[[], object]] = [
        lambda: store.patch(base, "1" * 40),
        lambda: store.apply("1" * 40, patch_for("x")),
        lambda: store.merge(base, base, "1" * 40),
        lambda: store.checkout("1" * 40, tmp_path / "out"),
        lambda: store.prepare_workspace(tmp_path / "workspace", ["1" * 40]),
    ]
    for call in calls:
        with pytest.raises(SandboxError):
            call()


def test_a_checkout_goes_into_an_empty_folder_only(store: GitStore, tmp_path: Path) -> None:
    tree = tree_of(store, {"f": b"a\n"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("keep")

    calls: list[Callable[[], None]] = [
        lambda: store.checkout(tree, tmp_path / "full"),
        lambda: store.prepare_workspace(tmp_path / "full", [tree]),
    ]
    for call in calls:
        with pytest.raises(SandboxError, match="not empty"):
            call()
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_an_import_names_what_a_tree_cannot_hold(store: GitStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SandboxError, match="'pipe' is a named pipe"):
        store.import_directory(tmp_path)


def test_overlay_replaces_whatever_is_in_the_way(store: GitStore) -> None:
    base = tree_of(store, {"a/b/c": b"1", "d": b"2", "keep": b"3", "gone/x": b"4", "gone/y": b"5"})

    tree = store.overlay(base, [("a", b"file", False), ("d/e/f", b"deep", True)], removed=["gone"])

    assert store.paths(tree) == ("a", "d/e/f", "keep")
    assert store.entries(tree)[b"d/e/f"].mode == PROGRAM_MODE
    assert store.read_file(tree, "a") == b"file"
    assert store.read_file(tree, "a/b/c") is None
    assert store.changed_paths(base, tree) == ("a", "a/b/c", "d", "d/e/f", "gone/x", "gone/y")


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/./b", ".git/x", "a/.git", ""])
def test_overlay_refuses_a_path_that_is_not_within_the_tree(store: GitStore, path: str) -> None:
    with pytest.raises(SandboxError, match="cannot make a tree"):
        store.overlay(tree_of(store, {}), [(path, b"x", False)])


def test_copy_paths_restores_changed_removed_and_added(store: GitStore) -> None:
    base = tree_of(store, {"conftest.py": b"1", "tests/a.py": b"1", "tests/deep/b.py": b"1", "src/x.py": b"1"})
    tree = tree_of(store, {"conftest.py": b"2", "tests/a.py/evil": b"2", "src/x.py": b"2", "src/conftest.py": b"2"})

    restored = store.copy_paths(tree, base, ["tests/**", "**/conftest.py"])

    assert restored == tree_of(store, {"conftest.py": b"1", "tests/a.py": b"1", "tests/deep/b.py": b"1", "src/x.py": b"2"})
    assert store.copy_paths(tree, base, []) == tree
    assert store.copy_paths(tree, base, ["*.py"]) == store.overlay(tree, [("conftest.py", b"1", False)])


def test_names_that_are_no_text_come_back_as_they_were(store: GitStore) -> None:
    name = path_text(b"caf\xe9/\xff")
    tree = tree_of(store, {name: b"x"})
    assert store.paths(tree) == (name,)
    assert store.read_file(tree, name) == b"x"


# --- workspaces


def test_a_workspace_holds_its_history_and_not_an_object_more(store: GitStore, tmp_path: Path) -> None:
    first = tree_of(store, {"f.py": b"one\n", "same": b"same\n"})
    second = tree_of(store, {"f.py": b"two\n", "same": b"same\n"})
    store.merge(first, second, tree_of(store, {"secret": b"a later fix\n"}))
    workspace = tmp_path / "workspace"

    store.prepare_workspace(workspace, [first, second])

    assert git(workspace, "log", "--format=%s %T", "main").splitlines() == [f"step 1 {second}", f"base {first}"]
    assert git(workspace, "status", "--porcelain", "--ignored") == ""
    listed = git(workspace, "cat-file", "--batch-check", "--batch-all-objects").split("\n")[:-1]
    reachable = git(workspace, "rev-list", "--objects", "main").split("\n")[:-1]
    assert {line.split(" ")[0] for line in listed} == {line.split(" ")[0] for line in reachable}
    assert len(listed) == 2 + 2 + 3
    assert git(workspace, "for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    assert git(workspace, "reflog", "--all") == ""
    assert git(workspace, "remote") == ""
    assert not (workspace / ".git" / "objects" / "info" / "alternates").exists()
    assert not list((workspace / ".git").glob("hooks/*"))
    assert os.fspath(store.path) not in git(workspace, "config", "--list", "--show-origin")


def test_an_agent_can_commit_in_its_workspace_and_nobody_else_sees_it(store: GitStore, tmp_path: Path) -> None:
    tree = tree_of(store, {"f.py": b"one\n"})
    for name in ["one", "other"]:
        store.prepare_workspace(tmp_path / name, [tree])
    (tmp_path / "one" / "f.py").write_bytes(b"two\n")
    git(tmp_path / "one", "commit", "-q", "-a", "-m", "work")
    blob = git(tmp_path / "one", "rev-parse", "HEAD:f.py").strip()

    for elsewhere in [tmp_path / "other", store.path]:
        assert blob not in git(elsewhere, "cat-file", "--batch-check", "--batch-all-objects")
    assert git(tmp_path / "other", "rev-list", "--count", "--all").strip() == "1"
    store.prepare_workspace(tmp_path / "third", [tree])
    assert (tmp_path / "third" / "f.py").read_bytes() == b"one\n"


@pytest.mark.parametrize("attributes", ["* text eol=crlf\n", "* text\n", "* ident filter=lfs\n"])
def test_a_workspace_is_verbatim_and_clean_whatever_its_attributes(store: GitStore, tmp_path: Path, attributes: str) -> None:
    files = {".gitattributes": attributes.encode(), "mixed": b"$Id$\r\none\n", "sub/lf": b"a\nb\n"}
    workspace = tmp_path / "workspace"
    store.prepare_workspace(workspace, [tree_of(store, files)])

    assert {path: (workspace / path).read_bytes() for path in files} == files
    (workspace / "sub" / "lf").touch()
    assert git(workspace, "status", "--porcelain") == ""


def test_a_workspace_keeps_links_modes_and_odd_names(store: GitStore, tmp_path: Path) -> None:
    tree = write_entries(
        store,
        {
            b"run": (PROGRAM_MODE, b"#!/bin/sh\n"),
            b"link": (LINK_MODE, b"../outside"),
            b"d/new\nline": (FILE_MODE, b"x"),
            b"\xff": (FILE_MODE, b"y"),
        },
    )
    store.prepare_workspace(tmp_path / "workspace", [tree])

    shutil.move(tmp_path / "workspace" / ".git", tmp_path / "aside")
    assert store.import_directory(tmp_path / "workspace") == tree


def test_sixteen_workspaces_at_once_all_start_from_the_base(store: GitStore, tmp_path: Path) -> None:
    trees = [tree_of(store, {f"d{number % 5}/f{number}": b"%d\n" % number for number in range(50)}) for _ in range(2)]
    trees.append(tree_of(store, {"other": b"x\n"}))
    barrier = threading.Barrier(16)
    failures: list[BaseException] = []

    def prepare(number: int) -> None:
        try:
            # Each thread has a store object of its own, as each process would.
            own = GitStore(store.path)
            barrier.wait()
            own.prepare_workspace(tmp_path / f"w{number}", [trees[number % 3]])
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=prepare, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    for number in range(16):
        workspace = tmp_path / f"w{number}"
        assert git(workspace, "rev-parse", "HEAD^{tree}").strip() == trees[number % 3]
        assert git(workspace, "status", "--porcelain") == ""
    assert len([path for path in (store.path / "prepared").iterdir() if path.is_dir()]) == 2


def test_one_store_made_by_many_at_once_is_one_store(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    made: list[str] = []

    def make() -> None:
        barrier.wait()
        made.append(tree_of(GitStore(tmp_path / "store"), {"f": b"x"}))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 8
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert GitStore(tmp_path / "store").paths(made[0]) == ("f",)


def test_descriptors_do_not_add_up(store: GitStore, tmp_path: Path) -> None:
    def once(number: int) -> None:
        base, tree = tree_of(store, {"f": b"a\n"}), tree_of(store, {"f": b"%d\n" % number})
        store.apply(base, store.patch(base, tree))
        store.merge(base, tree, base)
        store.prepare_workspace(tmp_path / f"w{number}", [base])

    once(0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(1, 15):
        once(number)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
