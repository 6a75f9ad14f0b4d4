"""Suites: every held-out test is expected, every expected id has a test, and no glob throws an agent's work away."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from instances.changes import changes_of
from instances.files import own_files
from instances.lint.finding import Finding, Level, line_of, text_of
from instances.model import Instance, SuiteSpec

_TEST_FOLDERS = frozenset(["test", "tests", "testing", "testdata", "spec", "specs", "__tests__", "fixtures", "heldout"])
_TEST_FILE = re.compile(r"test_.*|.*[._-](test|tests|spec)\.\w+|tests?\.\w+|conftest\.py")
_JS_TEST = re.compile(
    r"(?<![\w.])(?:test|it)(?:\.(?:only|skip|todo))?\(\s*(?:'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\"|`([^`$]*)`|(\S))"
)
_GO_TEST = re.compile(r"^func (Test\w*)\(", re.MULTILINE)
_PATCHES = (
    "references/a",
    "references/b",
    "references/joint",
    "controls/half_a",
    "controls/half_b",
    "controls/alternative",
    "controls/divergent",
)


def listed(instance: Instance) -> Iterator[Finding]:
    """Tests that nobody expects, and ids that no test has, as far as names are written out."""
    metadata = text_of(instance.folder / "instance.json")
    base_files = {name for name, _ in own_files(instance.base_directory())}
    for suite in instance.tests.values():
        overlay = dict(suite.overlay_files())
        for test_id in suite.expected:
            file = test_id.partition("::")[0]
            if file not in overlay and file not in base_files:
                what = f"tests.{suite.name} expects {test_id!r}, and there is no {file}"
                yield Finding(
                    Level.ERROR, "test-ids", "instance.json", line_of(metadata, test_id), what, "take it out, or write the test"
                )
            elif not _is_run(suite, file):
                what = f"tests.{suite.name} expects {test_id!r}, and its command does not run {file}"
                yield Finding(
                    Level.ERROR, "test-ids", "instance.json", line_of(metadata, test_id), what, "name the file in the command"
                )
        for to, path in overlay.items():
            if _is_run(suite, to):
                yield from _file_listed(suite, to, text_of(path), path.relative_to(instance.folder).as_posix(), metadata)


def _is_run(suite: SuiteSpec, file: str) -> bool:
    named = [str(PurePosixPath(argument)) for argument in suite.command[1:] if not argument.startswith("-")]
    return any(file == one or one == "." or file.startswith(f"{one}/") for one in named)


def _file_listed(suite: SuiteSpec, to: str, text: str, file: str, metadata: str) -> Iterator[Finding]:
    """Compare the tests that a file writes out with the ids that are expected of it."""
    expected = {one for one in suite.expected if one.partition("::")[0] == to}
    written, whole = _written(to, text)
    names = {_last_name(one) for one in expected}
    for name, line in sorted(written.items()):
        if name not in names:
            what = f"{name!r} is in neither fail_to_pass nor pass_to_pass of tests.{suite.name}"
            yield Finding(Level.ERROR, "test-ids", file, line, what, "list it in instance.json, or take it out")
    for one in sorted(expected):
        if whole and _last_name(one) not in written:
            what = f"tests.{suite.name} expects {one!r}, and {to} has no such test"
            yield Finding(
                Level.ERROR, "test-ids", "instance.json", line_of(metadata, one), what, "take it out, or write the test"
            )


def _last_name(test_id: str) -> str:
    """A test's own name: without its file, its class or suite, its parameters."""
    if test_id.partition("::")[0].endswith(".py"):
        return test_id.partition("[")[0].rpartition("::")[2]
    return test_id.partition("::")[2].rpartition(" > ")[2]


def _written(path: str, text: str) -> tuple[dict[str, int], bool]:
    """The tests of a file by name, with their lines, and whether these are all of them."""
    if path.endswith(".go"):
        return {
            found[1]: text.count("\n", 0, found.start()) + 1 for found in _GO_TEST.finditer(text) if found[1] != "TestMain"
        }, True
    if not path.endswith(".py"):
        written, whole = {}, True
        for found in _JS_TEST.finditer(text):
            name = found[1] or found[2] or found[3]
            whole = whole and not found[4]
            if name:
                written[re.sub(r"\\(.)", r"\1", name)] = text.count("\n", 0, found.start()) + 1
        return written, whole and bool(written)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}, False
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    bodies = [tree.body, *(one.body for one in classes)]
    functions = [node for body in bodies for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    written = {node.name: node.lineno for node in functions if node.name.startswith("test")}
    # A class of unittest has any name, and inherits tests.
    return written, not any(isinstance(node, ast.ClassDef) and not node.name.startswith("Test") for node in tree.body)


def is_test_file(path: str) -> bool:
    """Whether a path of a tree is the place of a test or of what tests read."""
    parts = PurePosixPath(path).parts
    return not _TEST_FOLDERS.isdisjoint(parts[:-1]) or _TEST_FILE.fullmatch(parts[-1]) is not None


def put_back(
    instance: Instance, compiled: Callable[[Sequence[str]], re.Pattern[str]], control: re.Pattern[str]
) -> Iterator[Finding]:
    """Globs, and test runners' own files, by which a change is lost before it is graded."""
    metadata = text_of(instance.folder / "instance.json")
    base_files = [name for name, _ in own_files(instance.base_directory())]
    overlaid = [path for path, _ in instance.tests["base"].overlay_files()] if "base" in instance.tests else []
    changed = [(name, path) for name in _PATCHES if instance.has_patch(name) for path in changes_of(instance.patch(name))]
    for glob in instance.protected:
        covers = compiled([glob]).fullmatch
        line = line_of(metadata, f'"{glob}"')
        lost = sorted({f"{path} ({name})" for name, path in changed if covers(path) and not is_test_file(path)})
        if lost:
            what = f"protected {glob!r} covers {_some(lost)}: the change is put back before grading"
            yield Finding(Level.ERROR, "protected", "instance.json", line, what, "let it cover the base's tests only")
        elif broad := [path for path in base_files if covers(path) and not is_test_file(path)]:
            what = f"protected {glob!r} covers {_some(broad)}: what an agent does there is lost"
            yield Finding(Level.WARNING, "protected", "instance.json", line, what, "let it cover the base's tests only")
        elif not any(map(covers, [*base_files, *overlaid, *(path for _, path in changed)])):
            what = f"protected {glob!r} covers no file of the base"
            yield Finding(Level.WARNING, "protected", "instance.json", line, what, "mend or drop it")
    for name, path in changed:
        if control.fullmatch(path) and not is_test_file(path):
            what = f"{name} changes {path}, a test runner's own file, which grading puts back"
            yield Finding(Level.WARNING, "protected", name, None, what, "do without that change")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
