"""Names that a Python test takes from others' code: what it imports from the tree, members, keyword arguments."""

import ast
import builtins
import sys
from collections.abc import Iterator

from instances.lint.vocabulary import PYTHON_WORDS

_THIRD_PARTY = frozenset(["pytest", "hypothesis", "attr", "yaml", "numpy"])


def demanded(text: str) -> Iterator[tuple[str, int, bool]]:
    """Each name, its line, and whether it is imported from the tree; nothing of a file that does not parse."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    outside, own = _outside(tree), defined(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield from ((part, node.lineno, True) for part in _imported(node) if part != "*")
        elif isinstance(node, ast.Attribute) and _root(node) not in outside and node.attr not in PYTHON_WORDS:
            yield node.attr, node.lineno, False
        elif isinstance(node, ast.Call) and _root(node.func) not in outside and getattr(node.func, "id", None) not in own:
            words = [keyword.arg for keyword in node.keywords if keyword.arg]
            yield from ((word, node.lineno, False) for word in words if word not in PYTHON_WORDS)


def _imported(node: ast.ImportFrom | ast.Import) -> list[str]:
    """The names of what is imported from the tree, its modules' too."""
    if isinstance(node, ast.Import):
        return [part for alias in node.names if not _is_outside(alias.name) for part in alias.name.split(".")]
    if not node.module or _is_outside(node.module):
        return []
    return [*node.module.split("."), *(alias.name for alias in node.names)]


def _outside(tree: ast.AST) -> set[str]:
    """Names bound to modules that are not the tree's, to what is imported from them, and builtins."""
    names = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names if _is_outside(alias.name)}
        elif isinstance(node, ast.ImportFrom) and node.module and _is_outside(node.module):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def _is_outside(module: str) -> bool:
    top = module.split(".")[0]
    return top in sys.stdlib_module_names or top in _THIRD_PARTY


def _root(node: ast.AST) -> str:
    """The name that a chain of members and calls starts with, empty where it starts with something else."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def defined(text: str) -> set[str]:
    """Names that a test file brings itself: functions, classes, parameters, variables and members that it sets."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return names
