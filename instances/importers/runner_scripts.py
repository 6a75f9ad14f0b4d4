"""A task's `runner.sh` read, never run: which tests it starts for a feature, and what it installs for them."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from instances.importers.rejects import Code, RejectedError

_ASSIGNED = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=([\"']?)([^\"'$`()\n]+)\2\s*$", re.MULTILINE)
_USED = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_INSTALL = re.compile(r"(?:uv )?pip3? install\s+([^\n|&;]+)")
_PYTEST = re.compile(r"^(?!.*install).*?(?:python3? -m pytest|\bpytest)[ \t]+([^\n|;&]*)", re.MULTILINE)
_GO_TEST = re.compile(r"\bgo test\b")
_OF_THE_PATCH = re.compile(r"\bgrep\b.*(?:\\?\+){3}.*TEST_PATCH")
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py")
_WITH_VALUE = frozenset(
    ["-n", "-k", "-m", "-c", "-p", "-o", "-W", "--timeout", "--tb", "--maxfail", "--rootdir", "--cov", "--durations", "--dist"]
    + ["--deselect", "--ignore", "--ignore-glob"]
)
_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")  # what these name is needed anyway
_INSTALL_WITH_VALUE = frozenset(["-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url"])


@dataclass(frozen=True)
class RunnerScript:
    """Which tests a runner starts.

    Attributes:
        tool: `pytest` or `go-test`.
        paths: what pytest is given, each as the values that it may have, in order of preference: a path, or a pattern of paths.
        listed: test files that a loop goes through as far as they are there.
        of_the_patch: whether it also runs each file that the tests' patch names.
    """

    tool: str
    paths: tuple[tuple[str, ...], ...] = ()
    listed: frozenset[str] = frozenset()
    of_the_patch: bool = False

    @classmethod
    def of(cls, text: str) -> "RunnerScript":
        """Read a runner.

        Raises:
            RejectedError: it starts no runner that there is here, or no test files can be read off its commands.
        """
        text = without_comments(text)
        calls = _PYTEST.findall(text)
        if not calls:
            if _GO_TEST.search(text):
                return cls("go-test")
            raise RejectedError(Code.UNSUPPORTED_LANGUAGE, "the runner starts neither pytest nor go test")
        values: dict[str, list[str]] = {}
        for name, _, value in _ASSIGNED.findall(text):
            values.setdefault(name, []).append(value.strip())
        paths: dict[tuple[str, ...], None] = {}
        unknown = ""
        for call in calls:
            for word in _words(call):
                name = _USED.fullmatch(word)
                known = values.get(name[1], []) if name else [_USED.sub(lambda one: (values.get(one[1]) or [one[0]])[-1], word)]
                if known and not any("$" in one or "[@]" in one for one in known):
                    paths |= dict.fromkeys(_choices(known))
                else:
                    unknown = call
        listed = frozenset(one for each in values.values() for value in each for one in value.split() if one.endswith(".py"))
        of_the_patch = bool(unknown) and _OF_THE_PATCH.search(text) is not None
        if unknown and not of_the_patch and not listed or not (paths or unknown):
            raise RejectedError(
                Code.TESTS_NOT_RUN, f"the runner's command names no test files that can be read off: {unknown or calls[-1]}"
            )
        return cls("pytest", tuple(paths), listed if unknown else frozenset(), of_the_patch)

    def command(self, tests: Sequence[str]) -> tuple[str, ...]:
        """The command for a feature, as an instance has it.

        Args:
            tests: the paths that its tests' patch names.
        """
        if self.tool != "pytest":
            return (self.tool,)
        found = [one for choices in self.paths for one in _chosen(choices, tests)]
        covered = {one for one in tests if any(PurePosixPath(one).is_relative_to(each) for each in found)}
        for one in tests:
            wanted = self.of_the_patch or one in self.listed
            if wanted and one not in covered and _TEST_FILE.fullmatch(PurePosixPath(one).name):
                found.append(one)
        return (self.tool, *dict.fromkeys(found))


def without_comments(text: str) -> str:
    """A script's lines, continued ones joined, without those that are comments."""
    return re.sub(r"[ \t]*\\\n[ \t]*", " ", re.sub(r"(?m)^[ \t]*#.*\n?", "", text))


def _words(call: str) -> list[str]:
    """What a call of pytest names, without its options."""
    try:
        words = iter(shlex.split(call, comments=True))
    except ValueError:  # a quotation that goes on beyond what was read of the line
        words = iter(call.split())
    found = []
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-") and ">" not in word and not word.isdigit():
            found.append(word)
    return found


def _choices(values: Sequence[str]) -> list[tuple[str, ...]]:
    """The paths of a variable: each word of its one value; of several values, whichever is there."""
    plain = [[PurePosixPath(one.partition("::")[0]).as_posix() for one in value.split()] for value in values]
    return [(one,) for one in plain[0]] if len(plain) == 1 else [tuple(one for value in plain for one in value)]


def _chosen(choices: Sequence[str], tests: Sequence[str]) -> list[str]:
    for one in choices:
        if not re.search(r"[*?\[]", one):
            return [one]
        if matching := [path for path in tests if fnmatchcase(path, one)]:
            return matching
    return []


def installed(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Packages, the repository's own extras, and requirement files that the lines of installation name."""
    packages: dict[str, None] = {}
    extras: dict[str, None] = {}
    files: dict[str, None] = {}
    for line in _INSTALL.findall(text):
        try:
            words = iter(shlex.split(line, comments=True))
        except ValueError:
            continue
        for word in words:
            if word in _INSTALL_WITH_VALUE:
                value = next(words, "")
                if word in ("-r", "--requirement") and value and not value.endswith(_METADATA):
                    files[value] = None
            elif own := re.fullmatch(r"\.(?:\[([\w,\- ]+)\])?", word):
                extras.update(dict.fromkeys(name.strip() for name in (own[1] or "").split(",") if name.strip()))
            elif re.fullmatch(r"[A-Za-z][\w.-]*(\[[\w,-]+\])?([<>=!~]=?[\w.*,<>=!~]+)?", word):
                packages[word] = None
    return tuple(name for name in packages if name not in {"uv", "pip", "setuptools", "wheel"}), tuple(extras), tuple(files)
