"""CooperBench's task folders: a Dockerfile, a runner, and features with a text, a patch and tests each."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from instances.errors import InstanceError
from instances.importers.patches import sections
from instances.importers.raw import RawBase, RawPair, RawSide, RawTask
from instances.importers.rejects import Code, RejectedError, Rejection
from instances.importers.runner_scripts import RunnerScript, installed, without_comments

_FEATURE = re.compile(r"feature(\d+)")
_CLONE = re.compile(r"git clone (?:--?\S+ )*(\S+)")
_URL = re.compile(r"(https://|ssh://|file://|/)\S+")
_CHECKOUT = re.compile(r"git checkout ([0-9a-f]{40})\b")
_BASE_COMMIT = re.compile(r"BASE_COMMIT=[\"']?([0-9a-f]{40})\b")


def read_task(folder: Path, repository: str = "", pairs: Sequence[tuple[int, int]] = ()) -> RawTask:
    """Read one task's folder.

    Args:
        repository: where the repository is to be had, in place of where the Dockerfile clones it from.
        pairs: the features to pair; every two by default.

    Raises:
        InstanceError: it is no task's folder.
        RejectedError: the task as a whole cannot be taken over.
    """
    found = (
        sorted(int(name[1]) for path in folder.iterdir() if (name := _FEATURE.fullmatch(path.name))) if folder.is_dir() else []
    )
    if not found:
        raise InstanceError(f"{folder}: no folder of a task: it has no feature1/, feature2/, ...")
    dockerfile, runner = (_needed(folder / name).decode(errors="replace") for name in ("Dockerfile", "runner.sh"))
    script = RunnerScript.of(runner)
    base = _base(folder, dockerfile, runner, script.tool, repository)
    sides, rejected = {}, {}
    for number in found:
        try:
            sides[str(number)] = _side(folder / f"feature{number}", number, script)
        except RejectedError as error:
            rejected[str(number)] = error.rejection
    combined = folder / "combined.patch"
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted([*folder.glob("*"), *folder.glob("feature*/*"), *folder.glob(f"feature*/{_RESOLUTIONS}/*")])
        if path.is_file() and (path.name in _FILES or _RESOLUTION.fullmatch(path.name))
    }
    return RawTask(
        format="cooperbench",
        source=f"{folder.absolute().parent.name}/{folder.absolute().name}",
        base=base,
        sides=sides,
        pairs=tuple(_pairs(folder.absolute(), found, pairs)),
        rejected=rejected,
        joint=combined.read_bytes() if combined.is_file() else None,
        files=files,
    )


_FEATURE_FILES = ("feature.md", "feature.patch", "tests.patch")
_FILES = frozenset(["Dockerfile", "runner.sh", "setup.sh", "combined.patch", *_FEATURE_FILES])
_RESOLUTIONS = "resolution_patches"
_RESOLUTION = re.compile(r"vs_feature\d+\.patch")


def _needed(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RejectedError(Code.MISSING_FILE, f"{path.parent.name}/{path.name}: {error.strerror}") from error


def _side(folder: Path, number: int, script: RunnerScript) -> RawSide:
    text, reference, tests = (_needed(folder / name) for name in _FEATURE_FILES)
    sections(reference, f"feature{number}/feature.patch")
    own = [part.paths[-1] for part in sections(tests, f"feature{number}/tests.patch")]
    return RawSide(f"feature {number}", text.decode(errors="replace").strip(), reference, tests, script.command(own))


def _pairs(folder: Path, found: Sequence[int], wanted: Sequence[tuple[int, int]]) -> Iterator[RawPair]:
    repository = folder.parent.name.removesuffix("_task")
    for first, second in wanted or combinations(found, 2):
        slug = re.sub(r"[^a-z0-9]+", "-", f"cooperbench-{repository}-{folder.name}-f{first}-f{second}".lower()).strip("-")
        yield RawPair(
            label=f"{folder.parent.name}/{folder.name} f{first} f{second}",
            slug=slug,
            a=str(first),
            b=str(second),
            title=f"{repository} {folder.name}, features {first} and {second}",
            principals={"a": f"feature-{first}", "b": f"feature-{second}"},
            joint=_resolution(folder, first, second),
        )


def _resolution(folder: Path, first: int, second: int) -> bytes | None:
    """The task's own solution of just these two features, which newer tasks keep beside the later one; `None` without."""
    for own, other in ((max(first, second), min(first, second)), (min(first, second), max(first, second))):
        path = folder / f"feature{own}" / _RESOLUTIONS / f"vs_feature{other}.patch"
        if path.is_file():
            return path.read_bytes()
    return None


def pair_problem(pair: RawPair, task: RawTask) -> Rejection | None:
    """Why a pair's sides cannot be had; `None` where both can."""
    if pair.a == pair.b:
        return Rejection(Code.SAME_FEATURE, f"feature {pair.a} with itself")
    for key in (pair.a, pair.b):
        if key in task.rejected:
            return Rejection(task.rejected[key].code, f"feature {key}: {task.rejected[key].reason}")
        if key not in task.sides:
            return Rejection(Code.NO_SUCH_FEATURE, f"there is no feature {key}")
    return None


def _base(folder: Path, dockerfile: str, runner: str, tool: str, repository: str) -> RawBase:
    commit, setup = _CHECKOUT.search(dockerfile), folder / "setup.sh"
    if commit is None:
        raise RejectedError(Code.BAD_BASE, "the Dockerfile checks out no commit of 40 hexadecimal digits")
    if setup.is_file():
        other = _BASE_COMMIT.search(setup.read_text(encoding="utf-8", errors="replace"))
        if other is not None and other[1] != commit[1]:
            raise RejectedError(Code.BAD_BASE, f"the Dockerfile checks out {commit[1]}, setup.sh {other[1]}")
    cloned = _CLONE.search(dockerfile)
    if not repository and cloned is None:
        raise RejectedError(Code.BAD_BASE, "the Dockerfile clones no repository")
    url = repository or (cloned[1] if cloned else "")
    if not _URL.fullmatch(url):
        raise RejectedError(Code.BAD_BASE, f"the repository is at {url!r}: https, ssh, file, or an absolute path")
    entry = {"kind": "git", "url": url, "commit": commit[1]}
    if tool == "go-test":
        return RawBase(entry, "go", "go")
    packages, extras, files = installed(without_comments(runner + "\n" + dockerfile))
    return RawBase(entry, "python", "python", packages, extras, files)
