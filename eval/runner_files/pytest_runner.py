"""Runs pytest inside the grading sandbox and writes each test's outcome to the grader as it is known.

Started by the environment's interpreter with `-I -B`; the arguments are the source roots, joined by colons, the tree
and pytest's own arguments. The report is JUnit XML on what was standard output when this began. That is a pipe: what
was written cannot be changed any more. Before each line stands a digest of the run's secret, which standard input gave,
and of all lines so far, so that nobody else can write one. Nothing of the tree is imported before the report has begun.
"""

import fcntl
import hashlib
import importlib
import os
import sys
from collections.abc import Iterator
from types import FunctionType

import pytest

_MESSAGE_LIMIT = 1000
_TAG_LENGTH = 32
_OWN_MODULES = ("_pytest", "pluggy", "__main__")
_ESCAPES = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def _quoted(text: str) -> str:
    """A quoted XML attribute; characters that XML has no place for are written as Python escapes."""
    return '"' + "".join(_ESCAPES.get(each) or (each if _allowed(each) else ascii(each)[1:-1]) for each in text) + '"'


def _allowed(character: str) -> bool:
    return " " <= character <= "\ud7ff" or "\ue000" <= character <= "\ufffd" or character > "\uffff"


class Reporter:
    """Writes a case when its test is over, and the end when the session is."""

    def __init__(self, channel: int, secret: bytes) -> None:
        self._channel = channel
        self._digest = hashlib.sha256(secret)
        self._outcomes: dict[str, tuple[str, str]] = {}
        self._write('<?xml version="1.0" encoding="utf-8"?>')
        self._write('<testsuites><testsuite name="pytest">')

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._case(report.nodeid, "error", _told(report))
        elif report.skipped:
            self._case(report.nodeid, "skipped", _told(report))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = _outcome(report)
        known = self._outcomes.get(report.nodeid)
        # A report for a part of a test, such as a subtest, never makes a pass of a failure.
        if outcome is not None and (known is None or known[0] == "passed"):
            self._outcomes[report.nodeid] = (outcome, "" if outcome == "passed" else _told(report))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        outcome, message = self._outcomes.pop(nodeid, ("error", "the test was never run"))
        self._case(nodeid, outcome, message)

    def end(self, status: int, changed: str) -> None:
        told = f'<property name="changed" value={_quoted(changed)}/>' if changed else ""
        self._write(f'<properties>{told}<property name="exit" value="{status}"/></properties></testsuite></testsuites>')

    def _case(self, nodeid: str, outcome: str, message: str) -> None:
        file, _, name = nodeid.partition("::")
        said = f" message={_quoted(message[:_MESSAGE_LIMIT])}"
        inner = {
            "passed": "",
            "failed": f"<failure{said}/>",
            "error": f"<error{said}/>",
        }.get(outcome, f'<skipped type="{outcome}"{said}/>')
        classname = file.removesuffix(".py").replace("/", ".")
        head = f"<testcase classname={_quoted(classname)} name={_quoted(name)} file={_quoted(file)}"
        self._write(f"{head}>{inner}</testcase>")

    def _write(self, text: str) -> None:
        line = text.encode()
        self._digest.update(line)
        data = b"%s %s\n" % (self._digest.hexdigest()[:_TAG_LENGTH].encode(), line)
        while data:
            data = data[os.write(self._channel, data) :]


def _outcome(report: pytest.TestReport) -> str | None:
    """What one phase says of its test; nothing for a setup or a teardown that went well."""
    expected_to_fail = hasattr(report, "wasxfail")
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if report.skipped:
        return "xfailed" if expected_to_fail else "skipped"
    if report.when != "call":
        return None
    return "xpassed" if expected_to_fail else "passed"


def _told(report: pytest.CollectReport | pytest.TestReport) -> str:
    representation = report.longrepr
    if isinstance(representation, tuple):
        return str(representation[-1])
    crash = getattr(representation, "reprcrash", None)
    return str(crash.message) if crash is not None else str(representation)


def _parts() -> Iterator[tuple[str, object]]:
    """What pytest and this file consist of: the code of each function and method, by its name."""
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] in _OWN_MODULES:
            for name, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__ == module_name:
                    for inner, member in list(vars(value).items()):
                        yield f"{module_name}.{name}.{inner}", _code(member)
                else:
                    yield f"{module_name}.{name}", _code(value)


def _code(value: object) -> object:
    value = getattr(value, "__func__", value)
    value = getattr(value, "fget", value)
    return value.__code__ if isinstance(value, FunctionType) else None


def _changed(before: dict[str, object]) -> str:
    """The first part that is another now, or gone."""
    now = dict(_parts())
    return next((name for name, code in before.items() if now.get(name) is not code), "")


def _silent_input() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def main() -> None:
    """Run pytest and leave at once, past every exit handler and thread that the tested code left."""
    channel = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 64)
    os.dup2(2, 1)
    roots, tree, *arguments = sys.argv[1:]
    reporter = Reporter(channel, sys.stdin.buffer.read())
    _silent_input()
    for plugin in importlib.import_module("_pytest.config").default_plugins:
        importlib.import_module(f"_pytest.{plugin}")
    before = {name: code for name, code in _parts() if code is not None}
    sys.argv[:] = ["pytest"]
    sys.path.extend(roots.split(":"))
    options = [
        *("-c", os.devnull),
        *("--rootdir", tree),
        *("--confcutdir", tree),
        *("--import-mode", "importlib"),
        *("-p", "no:cacheprovider"),
        *("--capture", "no"),
        *("--color", "no"),
        *("--tb", "short"),
        *("--maxfail", "0"),
        "--continue-on-collection-errors",
        "--no-header",
        "-q",
    ]
    status = int(pytest.main([*arguments, *options], plugins=[reporter]))
    reporter.end(status, _changed(before))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
