"""Tests that must come out failed: planted among the held-out ones, so that a report that calls all passed is exposed.

They are named anew for each run, look like ordinary tests, and fail in the several ways in which a test can fail.
"""

import ast
import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from eval.module_reading import common_parameters, imported_names, parsed, wrong_copies
from eval.runners import Runner, left_out_words

_WORDS = """
account active adjacent amount backup balance blank border bounded bucket cached chain changed checked closed
column common compact copied counted default delayed digits double empty entry equal escaped exact expired
extra fallback filter first folded format frozen grouped header hidden index inner input joined keyed label
largest latest legacy limit linked local lower mapped marked merged middle missing moved named nested number
offset ordered outer owner padded parsed partial pending plain prefix primary quoted range ready record
renamed repeated reset result rounded sample scoped second shared signed simple single sorted source spaced
split stable stored strict suffix summary target total trimmed typed unique unused updated upper valid visible
whole
""".split()  # noqa: SIM905 - a list of a hundred words reads better so
_PYTHON = (
    "def test_{name}({taken}):\n    values = [{a}, {b}, {thing}]\n    assert len(values) == {wrong_sum}\n",
    'def test_{name}({taken}):\n    table = {{"{word}": {a}, "{other}": {b}}}\n    assert table["{absent}"] == {thing}\n',
    "class Test{title}:\n    def test_{name}(self{also_taken}):\n"
    '        assert "{word}-{other}".split("-") == ["{other}", "{word}"]\n',
)
_PYTHON_FIRST = (
    "import unittest\n\n\nclass {title}Test(unittest.TestCase):\n    def test_{name}(self):\n"
    "        self.assertEqual([{a}, {b}], [{b}, {a}, {c}])\n",
)
_PYTHON_LAST = (
    'import pytest\n\n\ndef test_{name}():\n    with pytest.raises(KeyError):\n        {{"{word}": {a}}}["{word}"]\n',
)
_NODE = (
    '{test}("{words}", () => {{ {assert}.strictEqual([{a}, {b}, {c}].length, {wrong_sum}); }});',
    '{test}("{words}", () => {{ const table = {{ {word}: {a} }}; table.{absent}.toFixed(); }});',
    '{test}("{words}", async () => {{ {assert}.deepStrictEqual([{a}, {b}], [{b}, {a}, {c}]); }});',
)
_GO = (
    "func Test{title}(t *testing.T) {{\n\tvalues := []int{{{a}, {b}, {c}}}\n"
    '\tif len(values) != {wrong_sum} {{\n\t\tt.Errorf("{word}: got %d", len(values))\n\t}}\n}}\n',
    'func Test{title}(t *testing.T) {{\n\ttable := map[string]int{{"{word}": {a}, "{other}": {b}}}\n'
    '\tif _, ok := table["{absent}"]; !ok {{\n\t\tt.Fatal("no {absent}")\n\t}}\n}}\n',
    "func Test{title}(t *testing.T) {{\n\tfor _, value := range []int{{{a}, {b}}} {{\n"
    '\t\tt.Run("{other}", func(t *testing.T) {{\n'
    '\t\t\tif value == {a} {{\n\t\t\t\tt.Fatalf("%d", value)\n\t\t\t}}\n\t\t}})\n\t}}\n}}\n',
)
_MOST_FILES = 3
_MOST_COPIES = 2
_AMONG = 0.5  # how often a Go sentinel stands among the tests, and not after them


@dataclass(frozen=True)
class Planted:
    """The sentinels of one run.

    Attributes:
        ids: what they are reported as.
        arguments: the suite's, with the files that hold nothing but sentinels.
        files: every file that was written, and its content.
    """

    ids: frozenset[str]
    arguments: tuple[str, ...]
    files: Mapping[str, bytes]


def plant(
    runner: Runner, folder: Path, arguments: Sequence[str], files: Sequence[str], expected: Collection[str] = ()
) -> Planted:
    """Write sentinels into a checked-out tree that nobody else uses yet.

    Args:
        folder: the tree's root on the host; nothing is written through its links.
        arguments: the suite's arguments.
        files: the test files that these name.
        expected: the ids of tests that pass where all is right, of which copies that must fail can be made.
    """
    writer = _Writer(folder, random.SystemRandom(), left_out_words(arguments))
    plain = [path for path in files if is_plain(folder, path)]
    chosen = writer.choice.sample(plain, _MOST_FILES) if len(plain) > _MOST_FILES else plain
    if runner.interpreter == "go":
        _plant_go(writer, plain)
        own_arguments = tuple(arguments)
    elif runner.interpreter == "node":
        own_arguments = _plant_node(writer, arguments, chosen)
    else:
        own_arguments = _plant_python(writer, arguments, chosen)
        _plant_copies(writer, plain, expected)
    return Planted(frozenset(writer.ids), own_arguments, writer.files)


def is_plain(folder: Path, path: str) -> bool:
    """Whether a path below a folder is a regular file that is reached through no link."""
    at = folder
    for part in PurePosixPath(path).parts:
        at /= part
        if at.is_symlink():
            return False
    return at.is_file()


def _plant_python(writer: "_Writer", arguments: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    for path in chosen:
        content = writer.read(path)
        module = parsed(content)
        taken = common_parameters(module)
        if taken is None:
            continue
        things = imported_names(module)
        tests = [writer.python_test(path, template, things, taken) for template in writer.choice.sample(_PYTHON, 2)]
        writer.write(path, _inserted(content, module, tests, writer.choice))
    home = chosen[0].rpartition("/")[0] if chosen else ""
    beside = []
    for templates in (_PYTHON_FIRST + _PYTHON[:1], _PYTHON_LAST + _PYTHON[1:2]):
        path = writer.new_path(home, "test_{}.py", "_")
        writer.write(path, "\n\n".join(writer.python_test(path, template) for template in templates).encode())
        beside.append(path)
    folders = [argument for argument in arguments if (writer.folder / argument).is_dir()]
    outside = [path for path in beside if not any(_is_in(path, folder) for folder in folders)]
    return (*outside[:1], *arguments, *outside[1:])


def _plant_copies(writer: "_Writer", files: Sequence[str], expected: Collection[str]) -> None:
    """Copy a few tests with wrong demands to the end of their file: the last that has any, so that nothing comes after.

    They expose what would please any test, and what reads from the tests what pleases them.
    """
    for path in reversed(files):
        content = writer.read(path)
        wanted = {name.removeprefix(f"{path}::") for name in expected if name.startswith(f"{path}::")}
        copies = wrong_copies(content, parsed(content), wanted, partial(writer.new_test, path), writer.choice)
        sources = list(islice(copies, _MOST_COPIES))
        if sources:
            writer.write(path, b"\n\n\n".join([content.rstrip(b"\n"), *(source.encode() for source in sources)]) + b"\n")
            return


def _plant_node(writer: "_Writer", arguments: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    for path in chosen:
        content = writer.read(path)
        first, *others = writer.choice.sample(_NODE, 2)
        if not re.match(rb"\s*(#!|['\"]|/[/*]|<!--)|\xef\xbb\xbf", content):
            # On the first line, so that lines keep their numbers; not before a directive, which must come first.
            content = writer.node_test(path, first).encode() + b" " + content
        else:
            others.append(first)
        for template in others:
            content += b"\n" + writer.node_test(path, template).encode() + b"\n"
        writer.write(path, content)
    if chosen:
        return tuple(arguments)
    path = writer.new_path("", "{}.test.mjs", "-")
    writer.write(path, "\n".join(writer.node_test(path, template) for template in _NODE).encode())
    return (*arguments, path)


def _plant_go(writer: "_Writer", files: Sequence[str]) -> None:
    """Tests among those of a file in each folder: each folder's are a program of their own."""
    by_folder: dict[str, list[str]] = {}
    for path in files:
        if re.search(rb'^\s*(import )?"testing"', writer.read(path), re.MULTILINE):
            by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    for paths in by_folder.values():
        path = writer.choice.choice(paths)
        content = writer.read(path)
        starts = [match.start() for match in re.finditer(rb"^func Test", content, re.MULTILINE)]
        outside_text = [at for at in starts if content.count(b"`", 0, at) % 2 == 0]
        for template in writer.choice.sample(_GO, 2):
            # The later place first, so that the earlier one stays where it is.
            at = outside_text.pop() if outside_text and writer.choice.random() < _AMONG else None
            source = writer.go_test(path, template).encode() + b"\n"
            content = content + b"\n" + source if at is None else content[:at] + source + content[at:]
        writer.write(path, content)


def _is_in(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(PurePosixPath(folder))


def _inserted(content: bytes, module: Sequence[ast.stmt], tests: Sequence[str], choice: random.Random) -> bytes:
    """The module with tests put before some of its own top-level definitions, or at its end."""
    lines = content.split(b"\n")
    starts = [
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        for node in module
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    places = sorted(((choice.choice([*starts, len(lines)]), test) for test in tests), reverse=True)
    for at, test in places:
        lines[at:at] = [b"", *test.encode().split(b"\n"), b""]
    changed = b"\n".join(lines)
    if module and len(parsed(changed)) == len(module) + len(tests):
        return changed
    # Where lines are not what they seem (form feeds, several statements a line), the end is still the end.
    return b"\n\n\n".join([content, *(test.encode() for test in tests)])


class _Writer:
    """Names sentinels and writes them below one folder, never through a link."""

    def __init__(self, folder: Path, choice: random.Random, left_out: Sequence[str]) -> None:
        self.folder = folder
        self.choice = choice
        self._words_allowed = [word for word in _WORDS if not any(part in word for part in left_out)]
        self.ids: set[str] = set()
        self.files: dict[str, bytes] = {}

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def write(self, path: str, content: bytes) -> None:
        (self.folder / path).write_bytes(content)
        self.files[path] = content

    def new_path(self, home: str, pattern: str, joint: str) -> str:
        """A path of a file that is not there yet."""
        while True:
            path = str(PurePosixPath(home, pattern.format(joint.join(self._words(3)))))
            if not (self.folder / path).is_symlink() and not (self.folder / path).exists():
                return path

    def new_test(self, path: str) -> str:
        """The name of another sentinel that is a function of a file."""
        name = f"test_{'_'.join(self._words(3))}"
        self.ids.add(f"{path}::{name}")
        return name

    def python_test(self, path: str, template: str, things: Sequence[str] = (), taken: Sequence[str] = ()) -> str:
        """A test's source; it uses one of the things that its module imports, and takes what the tests around it take."""
        words = self._words(3)
        title = "".join(word.title() for word in self._words(2))
        if template.startswith("class") or "unittest" in template:
            class_name = f"Test{title}" if template.startswith("class") else f"{title}Test"
            self.ids.add(f"{path}::{class_name}::test_{'_'.join(words)}")
        else:
            self.ids.add(f"{path}::test_{'_'.join(words)}")
        values = self._values()
        thing = self.choice.choice(things) if things else values["c"]
        takes = {"taken": ", ".join(taken), "also_taken": "".join(f", {name}" for name in taken)}
        return template.format(name="_".join(words), title=title, thing=thing, **takes, **values)

    def node_test(self, path: str, template: str) -> str:
        words = " ".join(self._words(4))
        self.ids.add(f"{path}::{words}")
        test, check = (f"{'_'.join(self._words(2))}_{self.choice.randrange(100)}" for _ in range(2))
        built_in = "process.getBuiltinModule"
        head = f'const {{ test: {test} }} = {built_in}("node:test"), {check} = {built_in}("node:assert"); '
        return head + template.format(test=test, words=words, **{"assert": check}, **self._values())

    def go_test(self, path: str, template: str) -> str:
        title = "".join(word.title() for word in self._words(4))
        self.ids.add(f"{path}::Test{title}")
        return template.format(title=title, **self._values())

    def _words(self, count: int) -> list[str]:
        return self.choice.sample(self._words_allowed, count)

    def _values(self) -> dict[str, object]:
        a, b, c = self.choice.sample(range(2, 90), 3)
        word, other, absent = self._words(3)
        wrong = a + b + c + self.choice.randrange(1, 9)
        return {"a": a, "b": b, "c": c, "wrong_sum": wrong, "word": word, "other": other, "absent": absent}
