"""The test runners: how a suite is started so that only our configuration holds, and which files could change that."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sandboxes.errors import SetupError

RUNNER_FILES = Path(__file__).parent / "runner_files"
FILES_TARGET = "/crosstalk/runner"

# Put back as the base has them before grading, wherever in the tree they are, whichever runner is used.
CONTROL_GLOBS = (
    *("**/conftest.py", "**/conftest.*.so", "**/conftest.so", "**/conftest/**"),
    *("**/pytest.ini", "**/.pytest.ini", "**/pytest.toml", "**/.pytest.toml", "**/tox.ini", "**/setup.cfg"),
    *("**/sitecustomize.py", "**/usercustomize.py", "**/sitecustomize/**", "**/usercustomize/**"),
    *("**/*.pth", "**/*.egg-link", "**/__editable__*", "**/*.dist-info/**", "**/*.egg-info/**", "**/pyvenv.cfg"),
    *("**/*.pyc", "**/*.pyo", "**/__pycache__/**", "**/.coveragerc", "**/.pytest_cache/**"),
    *("**/*_test.go", "**/go.work", "**/go.work.sum"),
    *("**/.npmrc", "**/.noderc", "**/node.config.json", "**/.node_repl_history", "**/.nycrc", "**/.c8rc.json"),
)
_LEFT_OUT = re.compile(r"not \w+(?: and not \w+)*")
_NO_TEST_OPTIONS = re.compile(
    r"-k.+|-m.*|-x|-n.*|--(exitfirst|maxfail|lf|last-failed|ff|sw|stepwise|co|collect-only|"
    r"pyargs|keywords|junit.*|rootdir|confcutdir|import-mode|config-file|test-(name-pattern|skip-pattern|only|"
    r"reporter|reporter-destination|shard|isolation|concurrency))(=.*)?|-c|-h|--help|--version|-o|--override-ini(=.*)?"
)


@dataclass(frozen=True)
class Runner:
    """How tests of one kind are run.

    Attributes:
        name: what an instance's command starts with.
        interpreter: the environment's interpreter that it needs.
        variables: the environment of the run, besides what the sandbox gives.
    """

    name: str
    interpreter: str
    variables: Mapping[str, str]
    _test_file: re.Pattern[str] = field(repr=False)

    def test_files(self, arguments: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
        """The files of the tree that the arguments name: each as it is, and the test files in each folder."""
        named = [str(PurePosixPath(argument)) for argument in arguments if not argument.startswith("-")]
        return tuple(
            path
            for path in paths
            if path in named or (self._test_file.fullmatch(path.rpartition("/")[2]) and any(_is_in(path, name) for name in named))
        )

    def arguments(self, arguments: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
        """The arguments as the runner takes them: node's takes no folders, in its newer versions, and Go's only test files."""
        if self.interpreter == "go":
            return tuple(files)
        if self.interpreter == "node":
            return (*(argument for argument in arguments if argument.startswith("-")), *files)
        return tuple(arguments)

    def argv(self, executable: str, files: str, roots: Sequence[str], tree: str, arguments: Sequence[str]) -> list[str]:
        """The command line.

        Args:
            executable: the interpreter's path inside the sandbox.
            files: where the runner's own files are inside.
            roots: the tree's folders on the import path, for Python.
            tree: the tree's path inside.
            arguments: paths in the tree and the runner's own options.
        """
        if self.interpreter == "go":
            return [executable, "run", f"{files}/go_runner.go", executable, *arguments]
        if self.interpreter == "node":
            reporter = [f"--test-reporter={files}/junit_reporter.mjs", "--test-reporter-destination=stdout"]
            hooks = ["frozen.mjs", *(["typescript.mjs"] if self.name == "node-test-ts" else [])]
            loaded = [f"--import={files}/{hook}" for hook in hooks]
            return [executable, *loaded, "--test", "--test-concurrency=1", *reporter, *arguments]
        folders = ":".join(str(PurePosixPath(tree, root)) for root in roots)
        flags = ["-I", "-B", "-X", "utf8"]
        return [executable, *flags, f"{files}/pytest_runner.py", folders, tree, *arguments]


def _is_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


_COMMON = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
RUNNERS = {
    "pytest": Runner(
        "pytest",
        "python",
        {**_COMMON, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        re.compile(r"test_.*\.py|.*_test\.py"),
    ),
    "node-test": Runner(
        "node-test",
        "node",
        {**_COMMON, "NO_COLOR": "1"},
        re.compile(r"(.*[._-]test|test(-.*)?|.*\.spec)\.[cm]?js"),
    ),
    "node-test-ts": Runner(
        "node-test-ts",
        "node",
        {**_COMMON, "NO_COLOR": "1"},
        re.compile(r"(.*[._-]test|test(-.*)?|.*\.spec)\.[cm]?[jt]s"),
    ),
    # No go.mod of the tree can keep the runner itself from starting.
    "go-test": Runner("go-test", "go", {**_COMMON, "GO111MODULE": "off"}, re.compile(r".*_test\.go")),
}


def runner_of(command: Sequence[str]) -> Runner:
    """The runner of a suite's command.

    Raises:
        SetupError: it is unknown, or the command has an option that would choose among tests or configure the run.
    """
    runner = RUNNERS.get(command[0]) if command else None
    if runner is None:
        raise SetupError(f"unknown test runner {' '.join(command[:1])!r}: it must be one of {', '.join(RUNNERS)}")
    for argument, following in zip(command[1:], (*command[2:], ""), strict=True):
        if argument == "-k" and not _LEFT_OUT.fullmatch(following):
            raise SetupError(f"a suite's `-k` may only leave tests out, as in 'not slow and not windows': {following!r}")
        if _NO_TEST_OPTIONS.fullmatch(argument) or (runner.interpreter == "go" and argument.startswith("-")):
            raise SetupError(f"a suite's command can't have {argument!r}: it names files and folders, and runs all in them")
        if "::" in argument and not argument.startswith("--deselect="):
            raise SetupError(f"a suite's command names files and folders, no single tests: {argument!r}")
    return runner


def left_out_words(arguments: Sequence[str]) -> tuple[str, ...]:
    """The words of the names that a suite leaves out by pytest's `-k`."""
    if "-k" not in arguments:
        return ()
    expression = arguments[arguments.index("-k") + 1]
    return tuple(word.lower() for word in re.split(r"(?: and )?not ", expression) if word)
