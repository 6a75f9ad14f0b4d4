"""`crosstalk reconcile` on a repository of anyone's own: a patch that git applies, or the conflicts, or what is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest
from canned_model import KEY, Canned, serving

ROOT = Path(__file__).parents[2]
TEXT = "".join(f"line {number}\n" for number in range(1, 21))
MAIN = """\
import sys
import typer
from reconcilers.commands import app
from sandboxes.errors import BenchError
try:
    sys.exit(app(standalone_mode=False) or 0)
except (BenchError, typer.BadParameter.__mro__[1]) as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    identity = ["-c", "user.name=x", "-c", "user.email=x@x.invalid"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, input=stdin, capture_output=True, check=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a commit, and beside it a.patch and b.patch (apart) and c.patch (in conflict with a)."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "f").write_text(TEXT)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "base")
    for name, old, new in (("a", "line 3\n", "a\n"), ("b", "line 18\n", "b\n"), ("c", "line 3\n", "c\n")):
        (folder / "f").write_text(TEXT.replace(old, new))
        (tmp_path / f"{name}.patch").write_bytes(git(folder, "diff"))
    (folder / "f").write_text(TEXT)
    return folder


def reconcile(repository: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    import os

    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=repository.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("reconciler", ["concat", "git-merge"])
def test_what_combines_comes_out_as_a_patch_that_git_applies(repository: Path, reconciler: str) -> None:
    done = reconcile(repository, "repository", "a.patch", "b.patch", "--reconciler", reconciler)
    assert done.returncode == 0, done.stderr
    git(repository, "apply", stdin=done.stdout)
    assert (repository / "f").read_text() == TEXT.replace("line 3\n", "a\n").replace("line 18\n", "b\n")


def test_a_patch_is_written_to_a_file_only_if_there_is_one(repository: Path) -> None:
    done = reconcile(repository, "repository", "a.patch", "c.patch", "--out", "both.patch")
    assert done.returncode == 1
    assert not (repository.parent / "both.patch").exists()
    assert b"f:3:\n<<<<<<< a\na\n=======\nc\n>>>>>>> b\n" in done.stdout
    assert b"git-merge: 1 conflict in 1 file" in done.stderr
    done = reconcile(repository, "repository", "a.patch", "b.patch", "--out", "both.patch")
    assert (done.returncode, done.stdout) == (0, b"")
    git(repository, "apply", str(repository.parent / "both.patch"))


def test_a_model_settles_a_conflict(repository: Path) -> None:
    both = TEXT.replace("line 3\n", "a\nc\n")
    with serving([Canned("no"), Canned(f"@@@ FILE f\n{both}@@@ END\n@@@ DONE")]) as endpoint:
        options = ["--reconciler", "model", "--model", "m", "--url", endpoint.url, "--key-variable", "SHOP_KEY"]
        done = reconcile(repository, "repository", "a.patch", "c.patch", *options, SHOP_KEY=KEY)
        assert endpoint.keys == [f"Bearer {KEY}"] * 2
    assert done.returncode == 0, done.stderr
    git(repository, "apply", stdin=done.stdout)
    assert (repository / "f").read_text() == both
    assert b"effective tokens: 300" in done.stderr
    assert b"attempt 1 was not accepted" in done.stderr


def test_a_model_that_settles_nothing_is_a_conflict(repository: Path) -> None:
    with serving([Canned("no", usage=None)], again=True) as endpoint:
        options = ["--reconciler", "model", "--model", "m", "--url", endpoint.url]
        done = reconcile(repository, "repository", "a.patch", "c.patch", *options)
    assert done.returncode == 1
    assert b"no acceptable answer in 3 attempts" in done.stderr
    assert b"effective tokens: unknown" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "a.patch", "b.patch"], "nowhere is no folder"),
        (["repository", "a.patch", "nowhere"], "cannot read nowhere"),
        (["repository", "a.patch", "empty"], "empty is empty"),
        (["repository", "a.patch", "stale"], "stale does not apply to the base: error: patch failed: f:"),
        (["repository", "a.patch", "b.patch", "--reconciler", "magic"], "magic"),
        (["repository", "a.patch", "b.patch", "--reconciler", "model"], "needs --model"),
        (["repository", "a.patch", "b.patch", "--model", "m"], "are for --reconciler model"),
        (["repository", "a.patch", "b.patch", "--out", "nowhere/x"], "cannot write nowhere/x"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(repository: Path, arguments: list[str], said: str) -> None:
    (repository.parent / "empty").touch()
    stale = (repository.parent / "b.patch").read_text().replace("line 17", "line x")
    (repository.parent / "stale").write_text(stale)
    done = reconcile(repository, *arguments)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr
