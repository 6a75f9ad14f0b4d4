# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""locate() tells where the statements that split() returns stand."""

import io

import pytest

import sqlparse

SCRIPTS = [
    "select 1",
    "select 1;",
    "  select 1 ;  \n\n select 2;\n",
    "select 1;select 1;select 1",
    "\n\t\nselect a\n  from b;\n\n\n-- note; with semicolon\nselect 'a;b';\n",
    "select 1; -- first\nselect 2; /* second; */ select 3;\n/* third\n */\nselect 4",
    "insert into t values ('one\ntwo;\n three');\n  update t set a = 'x''y;';",
    "create function f() returns int as $$\nbegin\n  return 1;\nend;\n$$ language sql;"
    "\nselect f();",
    "create procedure p()\nbegin\n  select 1;\n  select 2;\nend;\n\nselect 3;",
    "select 1\r\n;\r\n\r\nselect 2;\rselect 3;\n\r select 4",
    "select 'ä';select \"ö\";\n select 'ü€';",
    "use db\nGO\nselect 1\nGO\n",
    "select 1;;\n;select 2",
    "begin; update a set b = 1; commit;\n" * 3,
]


@pytest.mark.parametrize("strip_semicolon", [False, True])
def test_spans_are_those_of_split(strip_semicolon):
    for text in SCRIPTS:
        spans = sqlparse.locate(text, strip_semicolon=strip_semicolon)
        shown = [text[span.start : span.end] for span in spans]
        assert shown == sqlparse.split(text, strip_semicolon=strip_semicolon)
        assert isinstance(spans, list)
        for earlier, later in zip(spans, spans[1:]):
            assert earlier.start <= earlier.end <= later.start <= later.end


def places(text, **options):
    return [(span.line, span.column) for span in sqlparse.locate(text, **options)]


def test_fields_and_their_order():
    (first, second) = sqlparse.locate("select 1;\n  select 2;")
    assert tuple(first) == (0, 9, 1, 1)
    start, end, line, column = second
    assert (start, end, line, column) == (12, 21, 2, 3)
    assert (second.start, second.end) == (start, end)
    assert (second.line, second.column) == (line, column)
    assert isinstance(second, tuple)


def test_the_same_statement_again():
    text = "select 1; select 1;\nselect 1;\n\n\tselect 1;"
    assert places(text) == [(1, 1), (1, 11), (2, 1), (4, 2)]
    assert places("commit;\nrollback;\ncommit;") == [(1, 1), (2, 1), (3, 1)]
    assert places("select 12;\nselect 1;\nselect 1") == [(1, 1), (2, 1), (3, 1)]


def test_breaks_in_strings_and_comments_count():
    text = (
        "select 'a\nb\nc'; select 2;\n"
        "/* one\n two */ select 3;\n"
        "select $$\n\n$$; select 4;"
    )
    assert places(text) == [(1, 1), (3, 5), (4, 1), (6, 1), (8, 5)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_every_kind_of_line_end(end):
    lines = ["select 1;", "", "  select", "2;", "   select 3; select 4", ""]
    text = end.join(lines)
    assert places(text) == [(1, 1), (3, 3), (5, 4), (5, 14)]
    shown = [text[s.start : s.end] for s in sqlparse.locate(text)]
    assert shown == ["select 1;", f"select{end}2;", "select 3;", "select 4"]


def test_mixed_line_ends():
    text = "select 1;\r\nselect 2;\r\rselect 3;\n\r\n select 4;\n\rselect 5;"
    assert places(text) == [(1, 1), (2, 1), (4, 1), (6, 2), (8, 1)]


def test_other_separators_end_no_line():
    for char in ("\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"):
        text = f"select 'a{char}b'; select 2;\n/* {char} */ select 3;"
        assert places(text) == [(1, 1), (1, 15), (2, 1)]
        assert places(f"select 1; {char} select 2") == [(1, 1), (1, 13)]


def test_bytes_and_files_count_characters():
    text = "select 'äöü€'; select 'ß';\n\u00e4 select 3;"
    expected = [tuple(span) for span in sqlparse.locate(text)]
    assert [(s[0], s[2], s[3]) for s in expected] == [(0, 1, 1), (15, 1, 16), (27, 2, 1)]
    assert sqlparse.locate(text.encode()) == expected
    assert sqlparse.locate(text.encode("utf-16"), encoding="utf-16") == expected
    assert sqlparse.locate(text.encode("utf-16"), "utf-16") == expected
    assert sqlparse.locate(io.StringIO(text)) == expected
    latin = "select 'ä'; select 2;"
    spans = sqlparse.locate(latin.encode("latin-1"), "latin-1")
    assert [tuple(s) for s in spans] == [(0, 11, 1, 1), (12, 21, 1, 13)]


def test_strip_semicolon_shortens_the_end_only():
    text = "select 1 ;\n  select 2; \n\nselect 3"
    kept = sqlparse.locate(text)
    stripped = sqlparse.locate(text, strip_semicolon=True)
    assert [s.end for s in kept] == [10, 22, 33]
    assert [s.end for s in stripped] == [8, 21, 33]
    for one, other in zip(kept, stripped):
        assert (one.start, one.line, one.column) == (other.start, other.line, other.column)
    assert sqlparse.locate(text, None, True) == stripped


def test_nothing_to_locate():
    for text in ("", " ", "\n\n", " \t\r\n ", b"", io.StringIO("")):
        assert sqlparse.locate(text) == []


def test_wrong_input_is_refused_as_by_split():
    for wrong in (None, 5, ["select 1"]):
        with pytest.raises(TypeError):
            sqlparse.split(wrong)
        with pytest.raises(TypeError):
            sqlparse.locate(wrong)


def test_long_script():
    parts, lines, line = [], [], 1
    for i in range(300):
        part = f"insert into t{i % 7} values ({i % 3},\n '{';' * (i % 4)}');" + "\n" * (i % 3)
        parts.append(part + "\n")
        lines.append(line)
        line += parts[-1].count("\n")
    text = "".join(parts)
    assert places(text) == [(line, 1) for line in lines]
    shown = [text[s.start : s.end] for s in sqlparse.locate(text)]
    assert shown == [part.strip() for part in parts]
