"""Runs pytest inside the grading sandbox and writes each test's outcome to the grader as it is known.

Started by the environment's interpreter with `-I -B`; the arguments are the source roots, joined by colons, the tree
and pytest's own arguments. The report is JUnit XML on what was standard output when this began. That is a pipe: what
was written cannot be changed any more. Nothing of the tree is imported before the report has begun.
"""

import fcntl
import os
import sys

import pytest

_MESSAGE_LIMIT = 1000
_ESCAPES = {'"': "&quot;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def _quoted(text: str) -> str:
    """A quoted XML attribute; characters that XML has no place for are written as Python escapes."""
    return '"' + "".join(_ESCAPES.get(each) or (each if _allowed(each) else ascii(each)[1:-1]) for each in text) + '"'


def _allowed(character: str) -> bool:
    return " " <= character <= "\ud7ff" or "\ue000" <= character <= "\ufffd" or character > "\uffff"


class Reporter:
    """Writes a case when its test is over, and the end when the session is."""

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._outcomes: dict[str, tuple[str, str]] = {}
        self._write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="pytest">\n')

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

    def end(self, status: int) -> None:
        self._write(f'<properties><property name="exit" value="{status}"/></properties></testsuite></testsuites>\n')

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
        self._write(f"{head}>{inner}</testcase>\n")

    def _write(self, text: str) -> None:
        data = text.encode()
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


def main() -> None:
    """Run pytest and leave at once, past every exit handler and thread that the tested code left."""
    channel = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 64)
    os.dup2(2, 1)
    roots, tree, *arguments = sys.argv[1:]
    reporter = Reporter(channel)
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
    reporter.end(status)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
