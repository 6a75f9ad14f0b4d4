# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Values filled down: within blocks, and only so far."""

import petl as etl
import pytest
from petl.errors import FieldSelectionError

TILL = [
    ["stall", "day", "seller", "price"],
    ["fish", 1, None, 5],
    ["fish", 1, "Ada", None],
    ["fish", 2, None, None],
    ["fruit", 2, None, None],
    ["fruit", 2, "Ben", 7],
    ["fruit", 2, None, None],
    ["fish", 2, None, None],
    ["fish", 2, "Cy", None],
]


def columns(table, *names):
    return [list(etl.values(table, name)) for name in names]


def test_within_a_field():
    filled = etl.filldown(TILL, "seller", "price", within="stall")
    seller = [None, "Ada", "Ada", None, "Ben", "Ben", None, "Cy"]
    price = [5, 5, 5, None, 7, 7, None, None]
    assert columns(filled, "seller", "price") == [seller, price]
    assert columns(filled, "stall", "day") == columns(TILL, "stall", "day")
    assert list(filled) == list(filled)
    assert all(type(row) is tuple for row in filled)


def test_only_the_fields_to_fill():
    filled = etl.filldown(TILL, "price", within="stall")
    assert columns(filled, "seller") == columns(TILL, "seller")
    assert columns(filled, "price") == [[5, 5, 5, None, 7, 7, None, None]]


@pytest.mark.parametrize("within", [["stall", "day"], ("day", "stall"), [0, 1], ["stall", 1]])
def test_within_several_fields(within):
    filled = etl.filldown(TILL, "seller", "price", within=within)
    seller = [None, "Ada", None, None, "Ben", "Ben", None, "Cy"]
    price = [5, 5, None, None, 7, 7, None, None]
    assert columns(filled, "seller", "price") == [seller, price]


def test_by_position():
    assert list(etl.filldown(TILL, 2, within=0)) == list(etl.filldown(TILL, "seller", within="stall"))
    assert list(etl.filldown(TILL, 0, 2, within=1)) == list(etl.filldown(TILL, "stall", "seller", within=["day"]))


def test_without_fields_to_fill():
    table = [["stall", "seller", "price"], ["a", "x", 1], ["a", None, None], ["b", None, 2], ["b", "y", None]]
    filled = [("stall", "seller", "price"), ("a", "x", 1), ("a", "x", 1), ("b", None, 2), ("b", "y", 2)]
    assert list(etl.filldown(table, within="stall")) == filled


def test_the_field_as_it_goes_in():
    table = [["stall", "seller"], ["a", 1], [None, None], [None, 2], [None, None], ["a", None], ["a", 3], ["a", None]]
    kept = [("stall", "seller"), ("a", 1), (None, None), (None, 2), (None, 2), ("a", None), ("a", 3), ("a", 3)]
    assert list(etl.filldown(table, "seller", within="stall")) == kept
    assert list(etl.filldown(table, within="stall")) == kept
    assert list(etl.filldown(table, "seller", "stall", within="stall")) == kept


def test_fields_filled_and_not_within():
    table = [["a", "b", "c"], [1, 1, "x"], [None, 1, None], [2, 1, None], [2, 2, None], [None, None, "y"], [None, 2, None]]
    assert list(etl.filldown(table, "a", "b", "c", within="b"))[1:] == [
        (1, 1, "x"),
        (1, 1, "x"),
        (2, 1, "x"),
        (2, 2, None),
        (None, None, "y"),
        (None, 2, None),
    ]


def test_what_cannot_be_filled_stays():
    table = [["k", "v"], ["a", ""], ["a", "x"], ["a", ""], ["b", ""], ["b", ""], ["b", None], ["b", ""]]
    filled = etl.filldown(table, "v", missing="", within="k")
    assert columns(filled, "v") == [["", "x", "x", "", "", None, None]]
    zeros = [["k", "v"], [1, 0], [1, 5], [1, 0], [2, 0], [2, None], [2, 0]]
    assert columns(etl.filldown(zeros, "v", missing=0, within="k"), "v") == [[0, 5, 5, 0, None, None]]


def test_rows_that_are_equal_but_cannot_be_hashed():
    table = [["k", "v"], [[1], "x"], [[1], None], [[2], None], [[2], "y"], [[2], None], [[1], None]]
    assert columns(etl.filldown(table, "v", within="k"), "v") == [["x", "x", None, "y", "y", None]]


@pytest.mark.parametrize(
    ("limit", "filled"),
    [
        (None, [None, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
        (1, [None, 1, 1, None, None, None, 2, 2, None, 3, 3]),
        (2, [None, 1, 1, 1, None, None, 2, 2, 2, 3, 3]),
        (3, [None, 1, 1, 1, 1, None, 2, 2, 2, 3, 3]),
        (100, [None, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
    ],
)
def test_limit(limit, filled):
    values = [None, 1, None, None, None, None, 2, None, None, 3, None]
    table = [["v"]] + [[value] for value in values]
    assert columns(etl.filldown(table, limit=limit), "v") == [filled]
    assert columns(etl.filldown(table, "v", limit=limit), "v") == [filled]


def test_limit_of_each_field_for_itself():
    table = [["a", "b"], [1, 1], [None, None], [None, 2], [None, None], [3, None], [None, None]]
    assert columns(etl.filldown(table, limit=1), "a", "b") == [[1, 1, None, None, 3, 3], [1, 1, 2, 2, None, None]]
    assert columns(etl.filldown(table, "b", limit=1), "a", "b") == [[1, None, None, None, 3, None], [1, 1, 2, 2, None, None]]


def test_an_equal_value_begins_anew():
    table = [["v"], [1], [None], [1], [None], [None]]
    assert columns(etl.filldown(table, limit=1), "v") == [[1, 1, 1, 1, None]]


def test_limit_with_missing():
    table = [["v"], [1], ["-"], ["-"], [None], ["-"], ["-"]]
    assert columns(etl.filldown(table, missing="-", limit=1), "v") == [[1, 1, "-", None, None, "-"]]


def test_together():
    table = [["k", "v"], ["a", 1], ["a", None], ["a", None], ["b", None], ["b", 2], ["b", None], ["b", None], ["a", None], ["a", 3], ["a", None]]
    expected = [1, 1, None, None, 2, 2, None, None, 3, 3]
    assert columns(etl.filldown(table, "v", within="k", limit=1), "v") == [expected]
    assert columns(etl.wrap(table).filldown("v", within="k", limit=1), "v") == [expected]
    assert columns(etl.wrap(table).filldown(within=["k"], limit=1), "v") == [expected]


@pytest.mark.parametrize("limit", [0, -1, 1.5, "2", [1]])
def test_no_limit(limit):
    with pytest.raises(ValueError):
        etl.filldown([["v"], [1], [None]], "v", limit=limit)
    with pytest.raises(ValueError):
        etl.wrap([["v"], [1], [None]]).filldown(limit=limit)


def test_no_such_field():
    for within in ("shop", ["stall", "shop"]):
        filled = etl.filldown(TILL, "seller", within=within)
        with pytest.raises(FieldSelectionError):
            list(filled)


def test_header_only():
    assert list(etl.filldown([["a", "b"]])) == [("a", "b")]
    assert list(etl.filldown([["a", "b"]], "b")) == [("a", "b")]
    assert list(etl.filldown([["a", "b"]], "b", within="a", limit=2)) == [("a", "b")]


def test_nothing_at_all():
    assert list(etl.filldown([], "b", within="a", limit=2)) == []


def test_several_readers():
    filled = etl.filldown(TILL, within="stall", limit=1)
    whole = list(filled)
    pairs = list(zip(filled, filled))
    assert [one for one, _ in pairs] == whole
    assert [two for _, two in pairs] == whole


def test_as_today():
    assert columns(etl.filldown(TILL, "seller"), "seller") == [[None, "Ada", "Ada", "Ada", "Ben", "Ben", "Ben", "Cy"]]
    assert columns(etl.filldown(TILL, within=None, limit=None), "price") == [[5, 5, 5, 5, 7, 7, 7, 7]]
