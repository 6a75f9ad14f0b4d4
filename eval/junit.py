"""Reading a JUnit report that tested code may have had a hand in: bounded, and refusing what no runner writes."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from xml.parsers import expat

REPORT_LIMIT = 64 << 20
_TAG_LENGTH = 32
_DEEPEST = 16
_MOST_CASES = 100_000
_MESSAGE_LIMIT = 2000


class Status(StrEnum):
    """What became of one test. `DUPLICATE` stands for a test that was reported more than once."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    DUPLICATE = "duplicate"


@dataclass(frozen=True)
class Case:
    """One reported test: `file::name`, how it ended and what was said about it."""

    id: str
    status: Status
    message: str


@dataclass(frozen=True)
class Report:
    """A whole report.

    Attributes:
        cases: the tests, in the order in which they ended.
        exit_status: the runner's own, written last; `None` when it wrote none.
        changed: a part of the runner that was another at its end than before the tests; empty when none was.
    """

    cases: tuple[Case, ...]
    exit_status: int | None
    changed: str = ""

    def statuses(self) -> dict[str, Status]:
        """Each reported id to its status."""
        found: dict[str, Status] = {}
        for case in self.cases:
            found[case.id] = Status.DUPLICATE if case.id in found else case.status
        return found


class UnreadableReportError(Exception):
    """The report is no whole JUnit report; the text says why."""


def own_lines(data: bytes, secret: bytes) -> tuple[bytes, bool]:
    """The lines that a runner wrote itself, up to the first that is not its own; and whether all are.

    Before each line stands the start of a digest of the secret, which only the runner was told, and of all lines so far.
    """
    digest = hashlib.sha256(secret)
    own: list[bytes] = []
    *lines, rest = data.split(b"\n")
    for written in lines:
        tag, _, line = written.partition(b" ")
        digest.update(line)
        if tag != digest.hexdigest()[:_TAG_LENGTH].encode():
            return b"".join(own), False
        own.append(line + b"\n")
    return b"".join(own), not rest


def parse_report(data: bytes) -> Report:
    """Read a report.

    Raises:
        UnreadableReportError: it is cut off, too large, no XML, or has a document type or entity declarations.
    """
    if len(data) > REPORT_LIMIT:
        raise UnreadableReportError(f"it is over {REPORT_LIMIT >> 20} MB")
    reader = _Reader()
    parser = expat.ParserCreate("utf-8")  # whatever encoding the report names
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse("a document type declaration")
    parser.EntityDeclHandler = _refuse("an entity declaration")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UnreadableReportError(f"it is cut off or no XML ({error})") from error
    return Report(tuple(reader.cases), reader.exit_status, reader.changed)


def _refuse(what: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise UnreadableReportError(f"it holds {what}")

    return refuse


class _Reader:
    """Collects cases from parser events."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.exit_status: int | None = None
        self.changed = ""
        self._path: list[str] = []
        self._id = ""
        self._status = Status.PASSED
        self._message: list[str] = []
        self._said = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) > _DEEPEST:
            raise UnreadableReportError("its elements are nested too deeply")
        if len(self._path) == 1 and name not in ("testsuites", "testsuite"):
            raise UnreadableReportError(f"it is a {name!r} document")
        if name == "testcase":
            self._start_case(attributes)
        elif self._inside_case():
            self._outcome(name, attributes)
        elif name == "property" and attributes.get("name") == "exit":
            self._exit(attributes.get("value", ""))
        elif name == "property" and attributes.get("name") == "changed":
            self.changed = attributes.get("value", "")

    def _inside_case(self) -> bool:
        return len(self._path) > 1 and self._path[-2] == "testcase"

    def _start_case(self, attributes: dict[str, str]) -> None:
        if "testcase" in self._path[:-1]:
            raise UnreadableReportError("it has a test case inside a test case")
        if "name" not in attributes:
            raise UnreadableReportError("it has a test case without a name")
        if len(self.cases) >= _MOST_CASES:
            raise UnreadableReportError(f"it has over {_MOST_CASES} test cases")
        file = attributes.get("file", "")
        self._id = f"{file}::{attributes['name']}" if attributes["name"] else file
        self._status, self._message, self._said = Status.PASSED, [], 0

    def _outcome(self, name: str, attributes: dict[str, str]) -> None:
        """A test case's child; of several the first that is no pass counts, so that none is overwritten."""
        if self._status is not Status.PASSED:
            return
        if name == "failure":
            self._status = Status.FAILED
        elif name == "error":
            self._status = Status.ERROR
        elif name == "skipped":
            kinds = {"xfailed": Status.XFAILED, "xpassed": Status.XPASSED}
            self._status = kinds.get(attributes.get("type", ""), Status.SKIPPED)
        else:
            return
        self.text(attributes.get("message", ""))

    def _exit(self, value: str) -> None:
        if self.exit_status is not None or not (value.isascii() and value.isdecimal()) or len(value) > 3:
            raise UnreadableReportError("its exit status is wrong")
        self.exit_status = int(value)

    def text(self, data: str) -> None:
        if self._said < _MESSAGE_LIMIT and "testcase" in self._path:
            self._message.append(data[: _MESSAGE_LIMIT - self._said])
            self._said += len(data)

    def end(self, name: str) -> None:
        self._path.pop()
        if name == "testcase":
            self.cases.append(Case(self._id, self._status, "".join(self._message).strip()))
