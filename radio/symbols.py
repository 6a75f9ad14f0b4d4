"""Which named things of a source file an edit touches: functions, classes and methods, and the names that it uses."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

# A definition's line in languages that are not parsed here. Its extent is up to the next definition.
_DEFINITION = re.compile(
    r"^[ \t]*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub\s+)*"
    r"(?:def|class|function\*?|func|fn|interface|type|struct|enum|const|let|var)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
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


def symbols_of(path: str, content: bytes | None) -> dict[str, Symbol]:
    """The named things of a file, by qualified name; empty where it is absent or can't be read."""
    if content is None or not is_source(path):
        return {}
    text = content.decode(errors="replace")
    if path.endswith(".py"):
        try:
            return _python_symbols(text)
        except (SyntaxError, ValueError, RecursionError):
            pass  # half-written: an agent is at work on it
    return _other_symbols(text)


def _python_symbols(text: str) -> dict[str, Symbol]:
    lines = text.splitlines()
    found: dict[str, Symbol] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = prefix + child.name
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                inner = [one for one in ast.walk(child) if one is not child and isinstance(one, ast.FunctionDef | ast.ClassDef)]
                hidden = {
                    number
                    for one in inner
                    if isinstance(child, ast.ClassDef)
                    for number in range(one.lineno, (one.end_lineno or 0) + 1)
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


def _other_symbols(text: str) -> dict[str, Symbol]:
    starts = list(_DEFINITION.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {
        match.group(1): Symbol(match.group(1), text[match.start() : end].rstrip(), text.count("\n", 0, match.start()) + 1)
        for match, end in zip(starts, ends, strict=True)
    }


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
