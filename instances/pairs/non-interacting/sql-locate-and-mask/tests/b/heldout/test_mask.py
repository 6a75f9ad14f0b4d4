# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Literals are written as placeholders by format() and sqlformat."""

import pytest

import sqlparse
from sqlparse import cli
from sqlparse.exceptions import SQLParseError


def mask(sql, **options):
    return sqlparse.format(sql, mask_literals=True, **options)


def collapse(sql, **options):
    return mask(sql, mask_collapse=True, **options)


LITERALS = [
    "''", "'a'", "'it''s'", "'a''b''c'", r"'a\'b'", "'a;b -- c'", "'/* a */'", "'a\nb'",
    "'say \"x\"'", "'$$'", "$$a$$", "$$a\n;'b'$$", "$tag$a $$ b$tag$",
    "0", "7", "123456789012345678901", "1.5", ".5", "5.", "1e10", "1.5E-3",
    "0x1F", "0XaB",
]  # fmt: skip


def test_every_literal():
    for literal in LITERALS:
        for sql in ("select {} from t", "select a from t where b = {}", "select f({},b)"):
            assert mask(sql.format(literal)) == sql.format("?")


def test_minus_stays():
    assert mask("select -5, - 5, -0x1f, -1.5, -1e3") == "select -?, - ?, -?, -?, -?"
    assert mask("select a-5, a - 5, 7-3") == "select a-?, a - ?, ?-?"


def test_what_is_no_literal_stays():
    for sql in (
        'select "a 1", `b 2`, t1.c3, [d 4] from t5 as "x\'y"',
        "select null, true, false, a2b from schema_3.t where x is not null",
        "select a from t where b = ? and c = %s and d = :id and e = $1 and f = %(n)s",
        "select a -- 5 and 'x'\nfrom t /* 'y', 7 */",
    ):
        assert mask(sql) == sql
        assert collapse(sql) == sql
    sql = "select a from t where b = ? and c = 'x' and d in (%s, 5)"
    assert mask(sql) == "select a from t where b = ? and c = ? and d in (%s, ?)"


def test_placeholder_as_given():
    sql = "select 'a', -5 from t where b in (1, 2)"
    for text in ("$X", "***", "'...'", ":v", "<value>", "N", "MaSk", "[?]"):
        assert mask(sql, mask_placeholder=text) == (
            f"select {text}, -{text} from t where b in ({text}, {text})"
        )
        shown = collapse(
            "select a from t where b in (1, 'x', -2.5) or c = 4", mask_placeholder=text
        )
        assert shown == f"select a from t where b in ({text}) or c = {text}"


def test_collapse():
    pairs = {
        "a in (1, -2, 'x')": "a in (?)",
        "a in (1,2,3,4,5)": "a in (?)",
        "a in ( 1 ,\n  2 , 3 )": "a in ( ? )",
        "values (1, 2), (3, 4)": "values (?), (?)",
        "a in (-1)": "a in (-?)",
        "a in (-1, -2)": "a in (?)",
        "select 1, 'a', $$b$$ from t": "select ? from t",
        "select 1, 2, b, 3, 4, c": "select ?, b, ?, c",
        "f(1, 'a') = 5": "f(?) = ?",
        "limit 10, 20": "limit ?",
        "a in (0x1, 2.5, 1e3)": "a in (?)",
    }
    for number in range(1, 30):
        values = ", ".join(str(i) for i in range(number))
        pairs[f"a in ({values})"] = "a in (?)"
    for sql, expected in pairs.items():
        assert collapse(sql) == expected


def test_collapse_needs_single_commas_and_masked_values():
    for sql, expected in {
        "a in (?, 1, 2, ?, 3)": "a in (?, ?, ?, ?)",
        "a in (%s, %s, 1)": "a in (%s, %s, ?)",
        "f('a' 'b')": "f(? ?)",
        "f(1,, 2)": "f(?,, ?)",
        "f(1, 2,, 3, 4)": "f(?,, ?)",
        "f(1, 2, )": "f(?, )",
        "a in (1, /* x */ 2)": "a in (?, /* x */ ?)",
        "a in (1, null, 2, 3)": "a in (?, null, ?)",
        "a in (1 + 2, 3)": "a in (? + ?)",
        "a = 1 or b = 2": "a = ? or b = ?",
    }.items():
        assert collapse(sql) == expected
    assert mask("a in (1, 2)") == "a in (?, ?)"
    assert mask("a in (1, 2)", mask_collapse=False) == "a in (?, ?)"


def test_off_without_mask_literals():
    sql = "select 'a', 1, 2 from t where b in (-1, $$x$$)"
    assert sqlparse.format(sql) == sql
    assert sqlparse.format(sql, mask_literals=False) == sql
    assert sqlparse.format(sql, mask_collapse=True, mask_placeholder="X") == sql


def test_wrong_values():
    for options in (
        {"mask_literals": "yes"},
        {"mask_literals": "?"},
        {"mask_literals": 2},
        {"mask_literals": True, "mask_collapse": "no"},
        {"mask_collapse": "yes"},
        {"mask_literals": True, "mask_placeholder": ""},
        {"mask_literals": True, "mask_placeholder": 5},
        {"mask_placeholder": ""},
        {"mask_literals": False, "mask_placeholder": b"?"},
    ):
        with pytest.raises(SQLParseError):
            sqlparse.format("select 1", **options)


def test_together_with_other_options():
    sql = "Select a, b From t Where a = 'long text here' And b In (1, 2) -- c 5"
    assert mask(sql, keyword_case="upper", strip_comments=True).rstrip() == (
        "SELECT a, b FROM t WHERE a = ? AND b IN (?, ?)"
    )
    assert collapse("select a from t where a = 'x' and b in (1, 2)", reindent=True) == (
        "select a\nfrom t\nwhere a = ?\n  and b in (?)"
    )
    assert mask("select 'abcdefgh'", truncate_strings=3) == "select ?"
    long = "'0123456789'"
    assert mask("select 'a'", truncate_strings=3, mask_placeholder=long) == f"select {long}"
    assert mask("SELECT A FROM T WHERE B = 'C'", keyword_case="lower",
                identifier_case="lower") == "select a from t where b = ?"


def test_several_statements():
    sql = "select 'a;b';\nupdate t set a = 5 where b = $$;$$;\n\ndelete from t where c in (1, 2)"
    assert mask(sql) == (
        "select ?;\nupdate t set a = ? where b = ?;\n\ndelete from t where c in (?, ?)"
    )
    assert collapse(sql).endswith("c in (?)")
    assert len(sqlparse.split(mask(sql))) == 3


def test_queries_that_differ_in_values_are_equal():
    shape = "select a from t where b = {} and c in ({}) limit {}"
    seen = {
        collapse(shape.format(value, ", ".join(items), limit))
        for value in ("'x'", "5", "$$y$$", "''")
        for items in (["1"], ["1", "2"], ["'a'", "2", "3.5"])
        for limit in (1, 1000)
    }
    assert seen == {"select a from t where b = ? and c in (?) limit ?"}


def sqlformat(tmp_path, sql, *flags):
    source, target = tmp_path / "in.sql", tmp_path / "out.sql"
    source.write_text(sql, encoding="utf-8")
    assert cli.main([*flags, "-o", str(target), str(source)]) == 0
    return target.read_text(encoding="utf-8")


def test_command_line(tmp_path, capsys):
    sql = "select a from t where b = 'x' and c in (1, -2)"
    assert sqlformat(tmp_path, sql) == sql
    assert sqlformat(tmp_path, sql, "--mask_literals") == (
        "select a from t where b = ? and c in (?, -?)"
    )
    assert sqlformat(tmp_path, sql, "--mask_literals", "--mask_collapse") == (
        "select a from t where b = ? and c in (?)"
    )
    assert sqlformat(tmp_path, sql, "--mask_literals", "--mask_placeholder", "XX") == (
        "select a from t where b = XX and c in (XX, -XX)"
    )
    flags = ["--mask_collapse", "--mask_placeholder=#", "--mask_literals", "-k", "upper"]
    assert sqlformat(tmp_path, sql, *flags) == (
        "SELECT a FROM t WHERE b = # AND c IN (#)"
    )
    assert sqlformat(tmp_path, sql, "--mask_collapse") == sql

    source = tmp_path / "in.sql"
    capsys.readouterr()
    assert cli.main(["--mask_literals", str(source)]) == 0
    assert capsys.readouterr().out == "select a from t where b = ? and c in (?, -?)"
    assert cli.main(["--mask_literals", "--mask_placeholder", "", str(source)]) == 1
