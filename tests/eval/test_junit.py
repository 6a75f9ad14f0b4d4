"""Reading reports: what runners write comes back, and nothing that tested code may write breaks the reader."""

import contextlib
import hashlib
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.junit import REPORT_LIMIT, Case, Report, Status, UnreadableReportError, own_lines, parse_report

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="x">\n'
TAIL = '<properties><property name="exit" value="1"/></properties></testsuite></testsuites>\n'
INNER = {
    Status.PASSED: "",
    Status.FAILED: "<failure message={}/>",
    Status.ERROR: "<error message={}/>",
    Status.SKIPPED: '<skipped type="skipped" message={}/>',
    Status.XFAILED: '<skipped type="xfailed" message={}/>',
    Status.XPASSED: '<skipped type="xpassed" message={}/>',
}
characters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
names = st.text(characters, min_size=1, max_size=30)


def document(*cases: str) -> bytes:
    return (HEAD + "\n".join(cases) + TAIL).encode()


def case(file: str, name: str, status: Status = Status.PASSED, message: str = "") -> str:
    inner = INNER[status].format(quoteattr(message))
    return f"<testcase name={quoteattr(name)} file={quoteattr(file)}>{inner}</testcase>"


@given(st.lists(st.tuples(names, names, st.sampled_from(sorted(INNER)), names)))
def test_what_is_written_is_read(written: list[tuple[str, str, Status, str]]) -> None:
    report = parse_report(document(*(case(*each) for each in written)))
    expected = [
        Case(f"{file}::{name}", status, "" if status is Status.PASSED else message.strip())
        for file, name, status, message in written
    ]
    assert list(report.cases) == expected
    assert report.exit_status == 1


@given(st.binary(max_size=300), st.integers(min_value=0, max_value=200))
def test_anything_else_is_refused_or_read_and_never_breaks(noise: bytes, at: int) -> None:
    whole = document(case("a", "b"), case("a", "c", Status.FAILED, "no"))
    for data in (noise, whole[:at] + noise + whole[at:], whole[:at]):
        with contextlib.suppress(UnreadableReportError):
            assert isinstance(parse_report(data), Report)


@given(st.integers(min_value=1, max_value=len(document(case("a", "b")).rstrip()) - 1))
def test_a_report_that_is_cut_off_proves_nothing(length: int) -> None:
    with pytest.raises(UnreadableReportError):
        parse_report(document(case("a", "b"))[:length])


def test_what_comes_after_the_end_spoils_it() -> None:
    with pytest.raises(UnreadableReportError):
        parse_report(document(case("a", "b")) + b"<testsuites/>")


def test_twice_is_a_duplicate_whatever_was_said() -> None:
    report = parse_report(document(case("a", "b"), case("a", "c"), case("a", "b", Status.FAILED)))
    assert report.statuses() == {"a::b": Status.DUPLICATE, "a::c": Status.PASSED}


@pytest.mark.parametrize(
    "inner", ["<failure/><skipped/>", "<error/><failure/>", "<system-out>x</system-out><failure>x</failure>"]
)
def test_of_several_outcomes_none_makes_a_pass(inner: str) -> None:
    (found,) = parse_report(document(f'<testcase name="b" file="a">{inner}</testcase>')).cases
    assert found.status in (Status.FAILED, Status.ERROR)


def test_message_from_text_is_bounded() -> None:
    text = "why " * 10000
    (found,) = parse_report(document(f'<testcase name="b" file="a"><failure>{text}</failure></testcase>')).cases
    assert found.message.startswith("why why")
    assert len(found.message) <= 2000


def test_a_file_that_could_not_be_loaded_is_named_alone() -> None:
    assert parse_report(document(case("a/b.py", ""))).cases[0].id == "a/b.py"


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">' for n in range(9)
)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "no XML"),
        (b"not xml", "no XML"),
        (b"<html/>", "'html' document"),
        ((BOMB + "]><testsuites>&j;</testsuites>").encode(), "document type"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "document type"),
        (b"<testsuites>&undefined;</testsuites>", "no XML"),
        (b"<testsuites>" + b"<testsuite>" * 100_000, "too deeply"),
        (document("<testcase/>"), "without a name"),
        (document('<testcase name="a"><testcase name="b"/></testcase>'), "inside a test case"),
        (document('<testcase name="a" name="b"/>'), "no XML"),
        (document(TAIL.replace("</testsuite></testsuites>", "")), "exit status"),
        (document().replace(b'value="1"', b'value="-1"'), "exit status"),
        (document().replace(b'value="1"', 'value="\u0661"'.encode()), "exit status"),
        (b"<testsuites>" + b" " * REPORT_LIMIT + b"</testsuites>", "over 64 MB"),
    ],
)
def test_refused(data: bytes, word: str) -> None:
    with pytest.raises(UnreadableReportError, match=word):
        parse_report(data)


def test_the_encoding_that_a_report_names_is_not_asked_for() -> None:
    data = document(case("a", "\u00e9")).replace(b'encoding="utf-8"', b'encoding="utf-7"')
    assert parse_report(data).cases[0].id == "a::\u00e9"


def test_twenty_thousand_cases() -> None:
    report = parse_report(document(*(case("a", f"t[{number}]") for number in range(20_000))))
    assert len(report.statuses()) == 20_000


def signed(*lines: bytes, secret: bytes = b"s") -> bytes:
    digest = hashlib.sha256(secret)
    written = []
    for line in lines:
        digest.update(line)
        written.append(digest.hexdigest()[:32].encode() + b" " + line + b"\n")
    return b"".join(written)


@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b""))))
def test_own_lines_are_read(lines: list[bytes]) -> None:
    assert own_lines(signed(*lines), b"s") == (b"".join(line + b"\n" for line in lines), True)


@pytest.mark.parametrize(
    "data",
    [
        signed(b"a", secret=b"t"),
        signed(b"a") + b"b\n",
        signed(b"a") + b"b",
        signed(b"a") + signed(b"b"),
        signed(b"a") + signed(b"a"),
        b"b\n" + signed(b"a"),
        b"".join(reversed(signed(b"a", b"b").splitlines(keepends=True))),
        signed(b"a", b"b", b"c").replace(signed(b"a", b"b")[len(signed(b"a")) :], b""),
        b"\n",
    ],
)
def test_other_lines_are_told(data: bytes) -> None:
    lines, whole = own_lines(data, b"s")
    assert lines in (b"", b"a\n")
    assert not whole
