"""CooperBench's task folders: a Dockerfile, a runner, and features with a text, a patch and tests each."""

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path, PurePosixPath

from instances.errors import InstanceError
from instances.importers.patches import sections
from instances.importers.raw import RawBase, RawPair, RawSide, RawTask
from instances.importers.rejects import Code, RejectedError, Rejection

_FEATURE = re.compile(r"feature(\d+)")
_CLONE = re.compile(r"git clone (?:--?\S+ )*(\S+)")
_URL = re.compile(r"(https://|ssh://|file://|/)\S+")
_CHECKOUT = re.compile(r"git checkout ([0-9a-f]{40})\b")
_BASE_COMMIT = re.compile(r"BASE_COMMIT=[\"']?([0-9a-f]{40})\b")
_VARIABLE = re.compile(r"^\s*([A-Z_][A-Z0-9_]*)=[\"']?([^\"'$`()\s]+)[\"']?\s*$", re.MULTILINE)
_INSTALL = re.compile(r"(?:uv )?pip3? install\s+([^\n|&;]+)")
_PYTEST = re.compile(r"^(?!.*install).*?(?:python3? -m pytest|\bpytest)[ \t]+([^\n|;&]*)", re.MULTILINE)
_GO_TEST = re.compile(r"\bgo test\b")
_WITH_VALUE = frozenset(["-n", "-k", "-m", "-c", "-p", "-o", "-W", "--timeout", "--tb", "--maxfail", "--rootdir", "--cov"])
_INSTALL_WITH_VALUE = frozenset(["-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url"])


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
    command = _command(runner)
    base = _base(folder, dockerfile, runner, command[0], repository)
    sides, rejected = {}, {}
    for number in found:
        try:
            sides[str(number)] = _side(folder / f"feature{number}", number, command)
        except RejectedError as error:
            rejected[str(number)] = error.rejection
    combined = folder / "combined.patch"
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted([*folder.glob("*"), *folder.glob("feature*/*")])
        if path.is_file() and path.name in {"Dockerfile", "runner.sh", "setup.sh", "combined.patch", *_FEATURE_FILES}
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


def _needed(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RejectedError(Code.MISSING_FILE, f"{path.parent.name}/{path.name}: {error.strerror}") from error


def _side(folder: Path, number: int, command: tuple[str, ...]) -> RawSide:
    text, reference, tests = (_needed(folder / name) for name in _FEATURE_FILES)
    for patch, name in ((reference, "feature.patch"), (tests, "tests.patch")):
        sections(patch, f"feature{number}/{name}")
    return RawSide(f"feature {number}", text.decode(errors="replace").strip(), reference, tests, command)


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
        )


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
    packages, extras, files = _installed(runner + "\n" + dockerfile)
    return RawBase(entry, "python", "python", packages, extras, files)


def _command(runner: str) -> tuple[str, ...]:
    """The runner's one test command, as an instance has it.

    Raises:
        RejectedError: it is of no runner that there is here.
    """
    values = dict(_VARIABLE.findall(runner))
    calls = _PYTEST.findall(runner)
    if calls:
        paths = []
        words = iter(shlex.split(_without_variables(calls[-1], values), comments=True))
        for word in words:
            if word in _WITH_VALUE:
                next(words, None)
            elif not word.startswith("-") and ">" not in word and not word.isdigit():
                paths.append(PurePosixPath(word.partition("::")[0]).as_posix())
        if not paths or any("$" in path for path in paths):
            raise RejectedError(Code.TESTS_NOT_RUN, f"the runner's command names no test files that can be read off: {calls[-1]}")
        return ("pytest", *dict.fromkeys(paths))
    if _GO_TEST.search(runner):
        return ("go-test",)
    raise RejectedError(Code.UNSUPPORTED_LANGUAGE, "the runner starts neither pytest nor go test")


def _without_variables(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{?([A-Z_][A-Z0-9_]*)\}?", lambda one: values.get(one[1], one[0]), text)


def _installed(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Packages, the repository's own extras, and requirement files that the lines of installation name."""
    packages: dict[str, None] = {}
    extras: dict[str, None] = {}
    files: dict[str, None] = {}
    for line in _INSTALL.findall(text):
        try:
            words = iter(shlex.split(line.replace("\\", " "), comments=True))
        except ValueError:
            continue
        for word in words:
            if word in _INSTALL_WITH_VALUE:
                value = next(words, "")
                if word in ("-r", "--requirement") and value:
                    files[value] = None
            elif own := re.fullmatch(r"\.(?:\[([\w,\- ]+)\])?", word):
                extras.update(dict.fromkeys(name.strip() for name in (own[1] or "").split(",") if name.strip()))
            elif re.fullmatch(r"[A-Za-z][\w.-]*(\[[\w,-]+\])?([<>=!~]=?[\w.*,<>=!~]+)?", word):
                packages[word] = None
    return tuple(name for name in packages if name not in {"uv", "pip", "setuptools", "wheel"}), tuple(extras), tuple(files)
