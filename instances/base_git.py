"""Bases of kind `git`: the tree of one commit, byte for byte as it is stored, and nothing of its history."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from instances.errors import InstanceError
from instances.fetched import beside, drop, put_in_place
from instances.programs import output_of

_PASSED = re.compile(
    r"SSH_AUTH_SOCK|GIT_SSH(_COMMAND)?|GIT_SSL_.*|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|"
    r"HOME|XDG_CONFIG_HOME|PATH|LD_LIBRARY_PATH"
)
_SETTINGS = ("core.hooksPath=/dev/null", "gc.auto=0", "fetch.fsckObjects=true", "safe.directory=*")
_LINK, _PROGRAM, _SUBMODULE = b"120000", b"100755", b"160000"


def fetch(url: str, commit: str, exclude: Sequence[str], target: Path) -> None:
    """Put the tree of a commit in place.

    Raises:
        InstanceError: the repository cannot be read, has no such commit, or its tree holds a submodule or a link that leads out.
    """
    with beside(target) as scratch:
        store, tree = scratch / "store", scratch / "tree"
        store.mkdir()
        tree.mkdir()
        git = _Git(f"{url} {commit[:12]}: cannot fetch it", store)
        git("init", "--quiet", "--bare", "--template=", ".")
        git("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--end-of-options", url, commit)
        # git names a commit by what is in it, so that what was asked for is what came.
        entries = [_entry(line) for line in git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0") if line]
        for (mode, _, path), content in zip(entries, _contents(git, entries), strict=True):
            _write(tree, path, mode, content, git.what)
        drop(tree, exclude)
        put_in_place(tree, target)


def commit_of(url: str, name: str) -> str:
    """The full name of the commit that a branch, a tag or a full name means in a repository.

    Raises:
        InstanceError: the repository cannot be read, or has no branch or tag of that name.
    """
    if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name):
        return name
    git = _Git(f"{url}: cannot read it", Path.cwd())
    listed = git(
        "ls-remote", "--quiet", "--end-of-options", url, f"refs/heads/{name}", f"refs/tags/{name}", f"refs/tags/{name}^{{}}"
    )
    lines = [line.split(b"\t") for line in listed.splitlines() if b"\t" in line]
    if not lines:
        raise InstanceError(f"{url} has no branch or tag {name!r}; give one, or a commit's full name (40 hexadecimal digits)")
    # What a tag of its own points to is listed with `^{}` behind the tag.
    peeled = [commit for commit, ref in lines if ref.endswith(b"^{}")]
    return (peeled or [commit for commit, _ in lines])[0].decode()


class _Git:
    """Runs git in a store of our own."""

    def __init__(self, what: str, store: Path) -> None:
        self.what = what
        self._store = store
        passed = {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)}
        self._environment = {**passed, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}

    def __call__(self, *arguments: str, stdin: bytes = b"") -> bytes:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        return output_of(["git", *settings, *arguments], self.what, self._environment, self._store, stdin)


def _entry(line: bytes) -> tuple[bytes, bytes, str]:
    """Mode, object and path of a line of `ls-tree`."""
    facts, _, path = line.partition(b"\t")
    mode, _, name = facts.split(b" ")
    return mode, name, os.fsdecode(path)


def _contents(git: _Git, entries: Sequence[tuple[bytes, bytes, str]]) -> Iterator[bytes]:
    for mode, _, path in entries:
        if mode == _SUBMODULE:
            raise InstanceError(f"{git.what}: {path} is a submodule; a base holds all its files itself")
    answer = git("cat-file", "--batch", stdin=b"".join(name + b"\n" for _, name, _ in entries)) if entries else b""
    at = 0
    for _ in entries:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].rsplit(b" ", 1)[1])
        yield answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def _write(root: Path, path: str, mode: bytes, content: bytes, what: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if mode == _LINK:
        leads_to = os.path.normpath(Path(path).parent / os.fsdecode(content))
        if leads_to.startswith(("..", "/")):
            raise InstanceError(f"{what}: the link {path} leads out of the tree")
        file.symlink_to(os.fsdecode(content))
        return
    file.write_bytes(content)
    file.chmod(0o755 if mode == _PROGRAM else 0o644)
