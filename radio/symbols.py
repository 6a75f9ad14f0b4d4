"""Which named things of a source file an edit touches: functions, classes and methods, and the names that it uses."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A definition's line in languages that are not parsed here, with its indentation, what kind it is, and its name.
_DEFINITION = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:export|default|public|private|protected|static|final|abstract|async|pub)\s+)*"
    r"(?P<kind>def|class|module|function\*?|func|fn|interface|trait|impl|type|struct|enum|const|let|var)\s+"
    r"(?:\(\w*\s*\*?(?P<receiver>\w+)[^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
)
# A method without a word that says so: `name(...) {`, or `name(` whose parameters go on; modifiers and types before the name.
_METHOD = re.compile(
    r"^(?P<indent>[ \t]+)(?:[\w<>\[\],.?*#]+\s+)*?(?P<name>[A-Za-z_$#][\w$]*)\s*\((?:[^;]*\{\s*(?:\}|//.*)?|[^;)]*)$"
)
_NO_METHOD = frozenset(
    ["if", "for", "while", "switch", "catch", "function", "return", "else", "do", "try", "with", "new", "await", "yield", "match"]
)
_HOLDS_METHODS = frozenset(["class", "module", "interface", "trait", "impl", "struct", "enum"])
_VALUES = frozenset(["const", "let", "var", "type"])
_OPENERS, _CLOSERS = ("{", "(", "["), ("}", ")", "]", "end")
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_SOURCE_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".rb", ".c", ".h", ".cc", ".cpp")


@dataclass(frozen=True)
class Symbol:
    """A named thing: its text without the named things in it, and its first line, from 1."""

    name: str
    text: str
    line: int


def is_source(path: str) -> bool:
    return path.endswith(_SOURCE_SUFFIXES)


def symbols_of(path: str, *contents: bytes | None) -> list[dict[str, Symbol]]:
    """The named things of versions of one file, by qualified name; empty where it is absent or no source.

    All versions are read in one way, so that they can be compared: a Python file by its syntax, where each version can be
    parsed (an agent at work leaves half-written ones), else by the lines at which definitions begin, and their indentation.
    """
    if not is_source(path):
        return [{} for _ in contents]
    texts = [None if content is None else content.decode(errors="replace") for content in contents]
    if path.endswith(".py"):
        try:
            return [{} if text is None else _python_symbols(text) for text in texts]
        except (SyntaxError, ValueError, RecursionError):
            pass
    return [{} if text is None else _symbols_by_line(text) for text in texts]


def _python_symbols(text: str) -> dict[str, Symbol]:
    lines = text.splitlines()
    found: dict[str, Symbol] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = prefix + child.name
                first = _first_line(child)
                inner = ast.walk(child) if isinstance(child, ast.ClassDef) else ()
                hidden = {
                    number
                    for one in inner
                    if one is not child and isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                    for number in range(_first_line(one), (one.end_lineno or 0) + 1)
                }
                own = [lines[number - 1] for number in range(first, (child.end_lineno or 0) + 1) if number not in hidden]
                found[name] = Symbol(name, "\n".join(own), first)
                if isinstance(child, ast.ClassDef):
                    visit(child, name + ".")
            elif isinstance(child, ast.Assign | ast.AnnAssign) and not prefix:
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        own_lines = lines[child.lineno - 1 : child.end_lineno]
                        found[target.id] = Symbol(target.id, "\n".join(own_lines), child.lineno)
            elif isinstance(child, ast.If | ast.Try | ast.With):
                visit(child, prefix)

    visit(ast.parse(text), "")
    return found


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Of a definition with its decorators."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


@dataclass
class _Open:
    """A definition whose extent has not ended yet."""

    name: str
    indent: int
    holds_methods: bool
    line: int
    text: list[str]


def _symbols_by_line(text: str) -> dict[str, Symbol]:
    """Definitions by their lines: each extends over the deeper lines below it, and to the line that closes it.

    What is defined inside a function is a part of it; what is defined in a class is a thing of its own, and no part of it.
    """
    found: dict[str, Symbol] = {}
    stack: list[_Open] = []
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        while stack and line.strip() and indent <= stack[-1].indent and not _goes_on(line, stack[-1]):
            _close(stack, found)
        begun = _definition(line, stack)
        if begun is not None:
            stack.append(_Open(begun[0], indent, begun[1], number, [line]))
        elif stack:
            stack[-1].text.append(line)
            if line.strip() and indent <= stack[-1].indent and not line.rstrip().endswith(_OPENERS):
                _close(stack, found)
    while stack:
        _close(stack, found)
    return found


def _close(stack: list[_Open], found: dict[str, Symbol]) -> None:
    done = stack.pop()
    own = "\n".join(done.text).rstrip()
    known = found.get(done.name)  # as Rust's several `impl` of one name
    found[done.name] = Symbol(done.name, f"{known.text}\n{own}" if known else own, known.line if known else done.line)


def _goes_on(line: str, opened: _Open) -> bool:
    """Whether a line that is not deeper than a definition still belongs to it: it closes it, or opens its body."""
    start = line.strip()
    indent = len(line) - len(line.lstrip())
    return indent == opened.indent and start.startswith((*_CLOSERS, "{"))


def _definition(line: str, stack: list[_Open]) -> tuple[str, bool] | None:
    """The qualified name of what a line defines, and whether methods can stand in it."""
    if stack and not stack[-1].holds_methods:
        return None
    outer = stack[-1].name + "." if stack else ""
    if match := _DEFINITION.match(line):
        if not stack and match["indent"] and match["kind"] in _VALUES:
            return None  # in a block that is no definition's
        name = f"{match['receiver']}.{match['name']}" if match["receiver"] else match["name"]
        return outer + name, match["kind"] in _HOLDS_METHODS or (match["kind"] == "type" and "struct" in line)
    if stack and (match := _METHOD.match(line)) and match["name"] not in _NO_METHOD:
        return outer + match["name"], False
    return None


def changed_symbols(before: Mapping[str, Symbol], after: Mapping[str, Symbol]) -> dict[str, Symbol]:
    """What differs: as it is after, or as it was where it is gone."""
    names = sorted(before.keys() | after.keys())
    changed = [name for name in names if _text(before, name) != _text(after, name)]
    return {name: after.get(name) or before[name] for name in changed}


def _text(symbols: Mapping[str, Symbol], name: str) -> str | None:
    return symbols[name].text if name in symbols else None


def new_names(before: bytes | None, after: bytes | None) -> dict[str, int]:
    """Names used in lines that an edit added, with the first such line, from 1."""
    old = set((before or b"").decode(errors="replace").splitlines())
    used: dict[str, int] = {}
    for number, line in enumerate((after or b"").decode(errors="replace").splitlines(), 1):
        if line not in old:
            for name in _NAME.findall(line):
                used.setdefault(name, number)
    return used


def names(content: bytes | None, wanted: Sequence[str]) -> bool:
    """Whether a file names all of these somewhere."""
    if not wanted:
        return True
    return set(wanted) <= set(_NAME.findall((content or b"").decode(errors="replace")))
