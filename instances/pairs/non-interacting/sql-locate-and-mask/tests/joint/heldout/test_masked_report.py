# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Reports that name the place of a statement and show it without its values."""

import pytest

import sqlparse
from sqlparse import cli

SCRIPT = """\
-- accounts
insert into account values (17, 'secret; one', -2.5);

  update account set note = 'secret
two' where id in (4, 5, 6);
update account set note = 'secret
two' where id in (4, 5, 6); select $$secret; three$$, a1 from "t 9";
"""
PLACES = [(1, 1), (4, 3), (6, 1), (7, 29)]
MASKED = [
    "-- accounts\ninsert into account values (?, ?, -?);",
    "update account set note = ? where id in (?, ?, ?);",
    "update account set note = ? where id in (?, ?, ?);",
    'select ?, a1 from "t 9";',
]
COLLAPSED = [
    "-- accounts\ninsert into account values (?);",
    "update account set note = ? where id in (?);",
    "update account set note = ? where id in (?);",
    'select ?, a1 from "t 9";',
]


def report(script, **options):
    return [
        (
            (span.line, span.column),
            sqlparse.format(script[span.start : span.end], mask_literals=True, **options),
        )
        for span in sqlparse.locate(script)
    ]


def test_places_of_the_script_with_masked_statements():
    assert report(SCRIPT) == list(zip(PLACES, MASKED))
    assert report(SCRIPT, mask_collapse=True) == list(zip(PLACES, COLLAPSED))
    marked = report(SCRIPT, mask_placeholder="<v>")
    assert marked == [(p, m.replace("?", "<v>")) for p, m in zip(PLACES, MASKED)]


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["crlf", "cr"])
def test_other_line_ends(end):
    script = SCRIPT.replace("\n", end)
    places = [place for place, _ in report(script)]
    assert places == PLACES
    assert [text.split() for _, text in report(script)] == [m.split() for m in MASKED]


def test_locating_in_the_masked_script():
    for options in ({}, {"mask_collapse": True}):
        masked = sqlparse.format(SCRIPT, mask_literals=True, **options)
        assert "secret" not in masked
        spans = sqlparse.locate(masked)
        shown = [masked[span.start : span.end] for span in spans]
        assert shown == (COLLAPSED if options else MASKED)
        assert [span.line for span in spans] == [1, 4, 5, 5]


def test_semicolons_stripped():
    spans = sqlparse.locate(SCRIPT, strip_semicolon=True)
    shown = [
        sqlparse.format(SCRIPT[s.start : s.end], mask_literals=True, mask_collapse=True)
        for s in spans
    ]
    assert shown == [text[:-1] for text in COLLAPSED]
    assert [(s.line, s.column) for s in spans] == PLACES


def test_statements_of_one_shape_are_counted_with_their_lines():
    script = "".join(
        f"select a from t{i % 2}\n where b in ({', '.join(map(str, range(i % 5 + 1)))})\n"
        f" and c = '{';' * i}';\n"
        for i in range(40)
    )
    lines = {}
    for (line, _), text in report(script, mask_collapse=True):
        lines.setdefault(text, []).append(line)
    assert lines == {
        f"select a from t{t}\n where b in (?)\n and c = ?;": list(range(1 + 3 * t, 120, 6))
        for t in (0, 1)
    }


def test_through_the_command_line(tmp_path):
    source, target = tmp_path / "in.sql", tmp_path / "out.sql"
    source.write_text(SCRIPT, encoding="utf-8")
    flags = ["--mask_literals", "--mask_collapse", "-o", str(target), str(source)]
    assert cli.main(flags) == 0
    with target.open(encoding="utf-8") as file:
        spans = sqlparse.locate(file)
    text = target.read_text(encoding="utf-8")
    assert [text[s.start : s.end] for s in spans] == COLLAPSED
    assert sqlparse.locate(target.read_bytes()) == spans
