"""Whether two trees hold the same design: their code says the same, whatever its comments, spacing and prose do."""

import ast
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from sandboxes.gitstore import GitStore
from sandboxes.globs import compile_globs

_PROSE = frozenset([".md", ".rst", ".txt"])
_PYTHON = frozenset([".py", ".pyi"])
_CURLY = frozenset([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".css"])
_CURLY_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\w+|[^\w\s]", re.DOTALL
)


def same_design(store: GitStore, one: str, other: str, protected: Sequence[str]) -> bool:
    """Whether two trees differ in nothing that is code; the tests of a tree, which are `protected`, are none of its design."""
    tests = compile_globs(protected).fullmatch
    for path in store.changed_paths(one, other):
        if tests(path) or PurePosixPath(path).suffix in _PROSE:
            continue
        if code_of(path, store.read_file(one, path) or b"") != code_of(path, store.read_file(other, path) or b""):
            return False
    return True


def code_of(path: str, content: bytes) -> Sequence[str]:
    """What a file says as code, without comments and spacing; as good as its language allows."""
    suffix = PurePosixPath(path).suffix
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return [content.hex()]
    if suffix in _PYTHON:
        try:
            return [ast.dump(_Undocumented().visit(ast.parse(text)))]
        except (SyntaxError, ValueError, RecursionError):
            return text.split()
    if suffix in _CURLY:
        return [token[0] for token in _CURLY_TOKEN.finditer(text) if not token["comment"]]
    return text.split()


class _Undocumented(ast.NodeTransformer):
    """Takes the docstrings away, and whatever else stands alone and does nothing."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_Pass(self, _: ast.Pass) -> None:
        return None
