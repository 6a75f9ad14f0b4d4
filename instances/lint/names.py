"""Names that a suite demands, and that nobody who has the requirement and the base could know of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from instances.lint.finding import Finding, Level, text_of
from instances.lint.python_names import defined as defined_by_python
from instances.lint.python_names import demanded as demanded_by_python
from instances.lint.vocabulary import CURLY_WORDS
from instances.model import Instance, SuiteSpec
from instances.source_text import tokens

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_PYTHON = (".py", ".pyi")
_GROUP = re.compile(r"\(\?P?<(\w+)>")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
# A test that describes a command line of its own brings these, and members named after them.
_OWN_OPTION = re.compile(r"--([a-z][a-z0-9-]+)(?= ?=?[<\[])")
_JS_IMPORT = re.compile(
    r"(?:import|const|let|var)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*(?:from|=\s*(?:await\s+import|require)\()\s*['\"]\."
)
_GO_IMPORT = re.compile(r"^\s*(?:import\s+)?(\w+\s+)?\"([\w.-]+\.[\w-]+/[^\"]+|[\w-]+/internal/[^\"]+)\"", re.MULTILINE)
_GO_STANDARD = re.compile(r"^\s*(?:import\s+)?(\w+\s+)?\"([a-z0-9]+(?:/[a-z0-9/]+)?)\"", re.MULTILINE)


@dataclass(frozen=True)
class Demand:
    """A name that a test uses.

    Attributes:
        imported: whether it is taken from the tree by name, so that it is the tree's for certain.
    """

    name: str
    line: int
    imported: bool


def unsaid(instance: Instance, base: str) -> Iterator[Finding]:
    """Names and options that tests use, and that neither their requirement nor the base mentions; private ones of the tree."""
    in_base = frozenset(_WORD.findall(base))
    for suite in instance.tests.values():
        if suite.name == "base":
            continue
        sides = ("a", "b") if suite.name == "joint" else (suite.name,)
        asked = "\n".join(instance.requirement(side) for side in sides)
        yield from _of_suite(instance, suite, in_base, asked)
        yield from _options(instance, suite, base, asked)


def _of_suite(instance: Instance, suite: SuiteSpec, in_base: frozenset[str], asked: str) -> Iterator[Finding]:
    said = frozenset(_WORD.findall(asked))
    files = {path: text_of(path) for _, path in suite.overlay_files()}
    own = _own_names({path.name: text for path, text in files.items()})
    told: set[str] = set()
    source = "requirement_a.md, requirement_b.md" if suite.name == "joint" else f"requirement_{suite.name}.md"
    for path, text in files.items():
        for demand in _demands(path.name, text):
            name = demand.name
            if name in told or name in said or (name in own and not demand.imported):
                continue
            private = name.startswith("_") and not name.endswith("__")
            if not private and (name in in_base or name.startswith("__")):
                continue
            told.add(name)
            certain = private or demand.imported
            what = (
                f"{name} is private, and {source} does not mention it"
                if private
                else f"neither {source} nor the base mentions {name}"
            )
            fix = "test by what the requirement asks for" if private else "say it in the requirement, or test without it"
            level = Level.ERROR if certain else Level.WARNING
            yield Finding(level, "unsaid-name", path.relative_to(instance.folder).as_posix(), demand.line, what, fix)


def _options(instance: Instance, suite: SuiteSpec, base: str, asked: str) -> Iterator[Finding]:
    """Options of a command line that tests use in strings."""
    told = {f"--{option}" for _, path in suite.overlay_files() for option in _OWN_OPTION.findall(text_of(path))}
    for _, path in suite.overlay_files():
        for token in tokens(path.name, text_of(path)):
            for option in _OPTION.findall(token.text) if token.kind == "string" else ():
                known = option.replace("--no-", "--", 1)
                if option not in told and known not in asked + base and known[2:].replace("-", "_") not in base:
                    told.add(option)
                    what = f"neither the requirement nor the base mentions {option}"
                    file = path.relative_to(instance.folder).as_posix()
                    yield Finding(
                        Level.WARNING, "unsaid-name", file, token.line, what, "say it in the requirement, or test without it"
                    )


def _own_names(files: dict[str, str]) -> frozenset[str]:
    """Names that a suite's files bring themselves: they stand somewhere without a dot before them, or are set behind one."""
    own = set()
    for name, text in files.items():
        own |= set(_GROUP.findall(text))
        own |= {re.sub(r"-(\w)", lambda found: found[1].upper(), option) for option in _OWN_OPTION.findall(text)}
        if name.endswith(_PYTHON):
            own |= defined_by_python(text)
            continue
        found = [token for token in tokens(name, text) if token.kind != "comment"]
        before = ["", *(token.text for token in found)]
        after = [*(token.text for token in found[1:]), "", ""]
        for number, token in enumerate(found):
            is_set = after[number] == "=" and after[number + 1] != "="
            if token.kind == "name" and (before[number] != "." or is_set):
                own.add(token.text)
    return frozenset(own)


def _demands(name: str, text: str) -> list[Demand]:
    if name.endswith(_PYTHON):
        return [Demand(*each) for each in demanded_by_python(text)]
    return [*_imported(name, text), *_members(name, text)]


def _imported(name: str, text: str) -> Iterator[Demand]:
    if name.endswith(".go"):
        packages = {(found[1] or found[2].rpartition("/")[2]).strip() for found in _GO_IMPORT.finditer(text)}
        for package in sorted(packages):
            for found in re.finditer(rf"(?<![\w.\"]){re.escape(package)}\.([A-Z]\w*)", text):
                yield Demand(found[1], text.count("\n", 0, found.start()) + 1, imported=True)
        return
    for found in _JS_IMPORT.finditer(text):
        for part in found[1].split(","):
            word = _WORD.search(part.replace("type ", "", 1))
            if word:
                yield Demand(word[0], text.count("\n", 0, found.start()) + 1, imported=True)


def _members(name: str, text: str) -> Iterator[Demand]:
    """What is taken from something by a dot, but for what the language itself has."""
    standard = (
        {(found[1] or found[2].rpartition("/")[2]).strip() for found in _GO_STANDARD.finditer(text)}
        if name.endswith(".go")
        else set()
    )
    two_before = before = ""
    for token in tokens(name, text):
        if token.kind == "comment":
            continue
        if (
            token.kind == "name"
            and before == "."
            and two_before != "."
            and two_before not in standard
            and token.text not in CURLY_WORDS
        ):
            yield Demand(token.text, token.line, imported=False)
        two_before, before = before, token.text
