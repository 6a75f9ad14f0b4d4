# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Down and across, one after the other and side by side."""

import petl as etl
import pytest
from petl.errors import FieldSelectionError

TABLE = [
    ["stall", "seller", "mon", "tue", "wed"],
    ["fish", "Ada", 1, None, 3],
    ["fish", None, None, 4, None],
    ["fish", None, None, None, None],
    ["fruit", None, None, 5, 6],
    ["fruit", "Ben", 7, None, None],
    ["fruit", None, None, None, 8],
    ["fish", None, 9, None, None],
]
DAYS = ["mon", "tue", "wed"]


def body(table):
    header, *rows = list(table)
    assert header == tuple(TABLE[0])
    return rows


def test_down_and_then_right():
    table = etl.wrap(TABLE).filldown("seller", within="stall").fillright(among=DAYS, inner=True)
    assert body(table) == [
        ("fish", "Ada", 1, 1, 3),
        ("fish", "Ada", None, 4, None),
        ("fish", "Ada", None, None, None),
        ("fruit", None, None, 5, 6),
        ("fruit", "Ben", 7, None, None),
        ("fruit", "Ben", None, None, 8),
        ("fish", None, 9, None, None),
    ]


def test_left_and_then_down():
    table = etl.filldown(etl.fillleft(TABLE, among=DAYS), *DAYS, within=["stall"], limit=1)
    assert body(table) == [
        ("fish", "Ada", 1, 3, 3),
        ("fish", None, 4, 4, 3),
        ("fish", None, 4, 4, None),
        ("fruit", None, 5, 5, 6),
        ("fruit", "Ben", 7, 5, 6),
        ("fruit", None, 8, 8, 8),
        ("fish", None, 9, None, None),
    ]


def test_down_and_then_left_into_gaps():
    table = etl.wrap(TABLE).filldown("mon", "wed", within=0, limit=1).fillleft(among=(4, 2, 3), inner=True)
    assert body(table) == [
        ("fish", "Ada", 1, 3, 3),
        ("fish", None, 1, 4, 3),
        ("fish", None, None, None, None),
        ("fruit", None, None, 5, 6),
        ("fruit", "Ben", 7, 6, 6),
        ("fruit", None, 7, 8, 8),
        ("fish", None, 9, None, None),
    ]


def test_what_is_filled_across_is_what_belongs_together():
    table = [["a", "b", "c"], [1, None, None], [1, None, 5], [2, None, None], [None, 2, None], [2, 2, 7], [2, None, None]]
    across = etl.fillright(table, among=["a", "b"])
    assert list(etl.filldown(across, "c", within="b"))[1:] == [
        (1, 1, None),
        (1, 1, 5),
        (2, 2, None),
        (None, 2, None),
        (2, 2, 7),
        (2, 2, 7),
    ]
    assert list(etl.filldown(across, within="b", limit=1))[1:] == [
        (1, 1, None),
        (1, 1, 5),
        (2, 2, None),
        (2, 2, None),
        (2, 2, 7),
        (2, 2, 7),
    ]


def test_missing_is_told_to_each():
    table = [["k", "x", "y", "z"], ["a", "-", 1, ""], ["a", "", "-", 2], ["b", "-", "-", ""], ["b", 3, "", "-"], ["b", "-", 4, 5]]
    down = etl.wrap(table).filldown(missing="-", within="k", limit=1)
    assert list(down)[1:] == [("a", "-", 1, ""), ("a", "", 1, 2), ("b", "-", "-", ""), ("b", 3, "", ""), ("b", 3, 4, 5)]
    assert list(down.fillright("", among=["x", "y", "z"], inner=True))[1:] == list(down)[1:]
    assert list(down.fillleft(missing="", among=["x", "y", "z"]))[1:] == [
        ("a", "-", 1, ""),
        ("a", 1, 1, 2),
        ("b", "-", "-", ""),
        ("b", 3, "", ""),
        ("b", 3, 4, 5),
    ]


def test_what_is_refused():
    with pytest.raises(ValueError):
        etl.fillright(TABLE, among=DAYS).filldown("mon", limit=0)
    for table in (
        etl.filldown(etl.fillleft(TABLE, among=["thu"]), within="stall"),
        etl.fillright(etl.filldown(TABLE, within="shop"), among=DAYS),
    ):
        with pytest.raises(FieldSelectionError):
            list(table)


def test_no_rows():
    assert body(etl.wrap(TABLE[:1]).filldown(within="stall").fillright(among=DAYS).fillleft(inner=True)) == []


def test_as_today():
    table = etl.wrap(TABLE)
    assert list(table.filldown())[-1] == ("fish", "Ben", 9, 5, 8)
    assert body(table.fillright())[1] == ("fish", "fish", "fish", 4, 4)
    assert body(table.fillleft())[3] == ("fruit", 5, 5, 5, 6)
    assert body(table.filldown(within=None, limit=None).fillright(among=None, inner=False))[0] == ("fish", "Ada", 1, 1, 3)
    assert body(table.filldown("seller", within="stall").fillleft(among=DAYS))[-1] == ("fish", None, 9, None, None)


def test_wide_gaps_both_ways():
    header = ["k", "a", "b", "c", "d"]
    table = [header, ["x", 1, None, None, 4], ["x", None, None, None, None], ["x", None, 2, None, None], ["y", None, None, None, 5], ["y", 6, None, None, None]]
    gaps = etl.fillright(table, among=header[1:], inner=True)
    assert list(gaps)[1:] == [("x", 1, 1, 1, 4), *map(tuple, table[2:])]
    assert list(gaps.filldown(within="k", limit=1))[1:] == [
        ("x", 1, 1, 1, 4),
        ("x", 1, 1, 1, 4),
        ("x", None, 2, None, None),
        ("y", None, None, None, 5),
        ("y", 6, None, None, 5),
    ]
    down = etl.wrap(table).filldown("a", "d", within="k", limit=1)
    assert list(down.fillleft(among=["d", "c", "b", "a"], inner=True))[1:] == [
        ("x", 1, 4, 4, 4),
        ("x", 1, 4, 4, 4),
        ("x", None, 2, None, None),
        ("y", None, None, None, 5),
        ("y", 6, 5, 5, 5),
    ]


def test_a_stall_without_a_name():
    table = [["k", "a", "b"], ["x", 1, None], [None, None, 2], [None, None, None], ["x", None, None], ["x", None, 3]]
    for down in (etl.wrap(table).filldown(within="k"), etl.wrap(table).filldown("k", "a", "b", within=["k"], limit=1)):
        assert list(down)[1:] == [("x", 1, None), (None, None, 2), (None, None, 2), ("x", None, None), ("x", None, 3)]
        assert list(down.fillright(among=["b", "a"]))[1:] == [("x", 1, 1), (None, None, 2), (None, None, 2), ("x", None, None), ("x", None, 3)]
        assert list(down.fillleft(among=["k", "b"]))[1:] == [("x", 1, None), (2, None, 2), (2, None, 2), ("x", None, None), ("x", None, 3)]
