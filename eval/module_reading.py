"""What can be read from a Python test module: what its tests must take, and which of its assertions can be turned wrong."""

import ast
import random
import re
from collections.abc import Callable, Collection, Iterator, Sequence

# Words of a test that may end it before its assertions, or for which everything is equal.
_UNSURE = re.compile(rb"skip|xfail|\bexit\b|\bANY\b|\breturn\b|\byield\b|\bglobal\b|\bnonlocal\b")
_ENDS = ("startswith", "endswith")


def parsed(content: bytes) -> list[ast.stmt]:
    """The statements of a module; none where it can't be read, which is for its tests to find out."""
    try:
        return ast.parse(content).body
    except (SyntaxError, ValueError):
        return []


def imported_names(module: Sequence[ast.stmt]) -> list[str]:
    """What a module imports at its top."""
    aliases = [
        alias
        for node in module
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__"
        for alias in node.names
    ]
    return [alias.asname or alias.name.partition(".")[0] for alias in aliases if alias.name != "*"]


def common_parameters(module: Sequence[ast.stmt]) -> list[str] | None:
    """The parameters that every test of a module must take; none of them known where it is not plain to see."""
    names: list[str] = []
    for node in module:
        if isinstance(node, ast.FunctionDef) and node.name == "pytest_generate_tests":
            return None
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if not any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in targets):
            continue
        value = getattr(node, "value", None)
        for mark in value.elts if isinstance(value, ast.List | ast.Tuple) else [value]:
            found = _mark_parameters(mark)
            if found is None:
                return None
            names += found
    return names


def _mark_parameters(mark: ast.expr | None) -> list[str] | None:
    """What one `pytest.mark...` makes its tests take."""
    called = mark.func if isinstance(mark, ast.Call) else mark
    if not (isinstance(called, ast.Attribute) and ast.unparse(called.value) == "pytest.mark"):
        return None
    if called.attr != "parametrize":
        return []
    if not (isinstance(mark, ast.Call) and mark.args):
        return None
    try:
        names = ast.literal_eval(mark.args[0])
    except ValueError:
        return None
    parts = names.split(",") if isinstance(names, str) else names
    return [part.strip() for part in parts if part.strip()]


def wrong_copies(
    content: bytes, module: Sequence[ast.stmt], wanted: Collection[str], new_name: Callable[[], str], choice: random.Random
) -> Iterator[str]:
    """Copies of a module's tests, in random order, each with one asserted value changed so that it must fail.

    Args:
        wanted: the names of the tests that may be copied.
        new_name: gives each copy's name.
    """
    tests = [node for node in module if isinstance(node, ast.FunctionDef) and node.name in wanted and not node.decorator_list]
    lines = content.split(b"\n")
    for test in choice.sample(tests, len(tests)):
        source = lines[test.lineno - 1 : test.end_lineno]
        constants = [each for statement in test.body for each in _constants(statement) if each.lineno == each.end_lineno]
        if not constants or _UNSURE.search(b"\n".join(source)):
            continue
        constant = choice.choice(constants)
        at = constant.lineno - test.lineno
        start, end = constant.col_offset, constant.end_col_offset
        source[at] = source[at][:start] + repr(_other(constant.value, choice)).encode() + source[at][end:]
        source[0] = source[0].replace(test.name.encode(), new_name().encode(), 1)
        yield b"\n".join(source).decode()


def _constants(statement: ast.stmt) -> Iterator[ast.Constant]:
    """The constants that a statement compares with a value for being equal, if it is an assertion."""
    if not isinstance(statement, ast.Assert):
        return
    test = statement.test
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]:
        match part:
            case ast.Compare(left, [ast.Eq()], [right]):
                sides = (left, right) if isinstance(right, ast.Constant) else (right, left)
            case ast.Call(ast.Attribute(value, attribute), [argument], []) if attribute in _ENDS:
                sides = (value, argument)
            case _:
                continue
        value, constant = sides
        if not isinstance(value, ast.Call | ast.Name | ast.Attribute | ast.Subscript):
            continue
        if isinstance(constant, ast.Constant) and type(constant.value) in (str, int):
            yield constant


def _other(value: object, choice: random.Random) -> object:
    number = choice.randrange(10**6, 10**7)
    return value + number if isinstance(value, int) else f"{number}{value}{number}"
