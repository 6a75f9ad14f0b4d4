# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Values filled to the right and to the left: among some columns, and into gaps only."""

import petl as etl
import pytest
from petl.errors import FieldSelectionError

HEAD = ("no", "street", "jan", "feb", "mar", "apr")
ROWS = [
    (1, "Elm", None, 3, None, 4),
    (2, None, 5, None, None, None),
    (3, "Oak", None, None, 6, None),
    (None, "Ash", 7, None, None, 8),
    (5, None, None, None, None, None),
]
TABLE = [HEAD, *ROWS]
MONTHS = ["jan", "feb", "mar", "apr"]


def rows(table):
    header, *rest = list(table)
    assert header == HEAD
    assert all(type(row) is tuple for row in rest)
    return rest


def test_right_among():
    filled = etl.fillright(TABLE, among=MONTHS)
    expected = [
        (1, "Elm", None, 3, 3, 4),
        (2, None, 5, 5, 5, 5),
        (3, "Oak", None, None, 6, 6),
        (None, "Ash", 7, 7, 7, 8),
        (5, None, None, None, None, None),
    ]
    assert rows(filled) == expected
    assert rows(filled) == expected


def test_left_among():
    filled = etl.fillleft(TABLE, among=MONTHS)
    expected = [
        (1, "Elm", 3, 3, 4, 4),
        (2, None, 5, None, None, None),
        (3, "Oak", 6, 6, 6, None),
        (None, "Ash", 7, 8, 8, 8),
        (5, None, None, None, None, None),
    ]
    assert rows(filled) == expected
    assert rows(filled) == expected


@pytest.mark.parametrize("among", [("apr", "jan", "mar", "feb"), [2, 3, 4, 5], (5, 4, 3, 2), ["apr", 2, "mar", 3]])
def test_named_in_whatever_order(among):
    assert rows(etl.fillright(TABLE, among=among)) == rows(etl.fillright(TABLE, among=MONTHS))
    assert rows(etl.fillleft(TABLE, among=among)) == rows(etl.fillleft(TABLE, among=MONTHS))


def test_columns_between_are_left_alone():
    table = [HEAD, (1, "Elm", 3, None, None, "x"), (2, "Oak", None, 4, None, None), (3, None, None, 5, 6, None)]
    assert rows(etl.fillright(table, among=["jan", "mar"])) == [
        (1, "Elm", 3, None, 3, "x"),
        (2, "Oak", None, 4, None, None),
        (3, None, None, 5, 6, None),
    ]
    assert rows(etl.fillleft(table, among=["mar", "jan"])) == [
        (1, "Elm", 3, None, None, "x"),
        (2, "Oak", None, 4, None, None),
        (3, None, 6, 5, 6, None),
    ]
    assert rows(etl.fillright(table, among=["no", "mar", "apr"])) == [
        (1, "Elm", 3, None, 1, "x"),
        (2, "Oak", None, 4, 2, 2),
        (3, None, None, 5, 6, 6),
    ]
    assert rows(etl.fillleft(table, among=[0, 1, "apr"])) == [
        (1, "Elm", 3, None, None, "x"),
        (2, "Oak", None, 4, None, None),
        (3, None, None, 5, 6, None),
    ]


def test_the_first_column_may_be_filled():
    table = [HEAD, (None, "Elm", 3, None, None, None)]
    assert rows(etl.fillleft(table, among=(0, 2))) == [(3, "Elm", 3, None, None, None)]
    assert rows(etl.fillleft(table, among=[0, 3])) == [(None, "Elm", 3, None, None, None)]


def test_among_nothing_and_among_one():
    for fill in (etl.fillright, etl.fillleft):
        for among in ([], (), ["feb"], [0]):
            assert rows(fill(TABLE, among=among)) == ROWS
            assert rows(fill(TABLE, among=among, inner=True)) == ROWS


def test_right_into_gaps():
    assert rows(etl.fillright(TABLE, inner=True)) == [
        (1, "Elm", "Elm", 3, 3, 4),
        (2, 2, 5, None, None, None),
        (3, "Oak", "Oak", "Oak", 6, None),
        (None, "Ash", 7, 7, 7, 8),
        (5, None, None, None, None, None),
    ]


def test_left_into_gaps():
    assert rows(etl.fillleft(TABLE, inner=True)) == [
        (1, "Elm", 3, 3, 4, 4),
        (2, 5, 5, None, None, None),
        (3, "Oak", 6, 6, 6, None),
        (None, "Ash", 7, 8, 8, 8),
        (5, None, None, None, None, None),
    ]


def test_together():
    right = [(1, "Elm", None, 3, 3, 4), ROWS[1], ROWS[2], (None, "Ash", 7, 7, 7, 8), ROWS[4]]
    left = [(1, "Elm", None, 3, 4, 4), ROWS[1], ROWS[2], (None, "Ash", 7, 8, 8, 8), ROWS[4]]
    assert rows(etl.fillright(TABLE, among=MONTHS, inner=True)) == right
    assert rows(etl.fillleft(TABLE, among=MONTHS, inner=True)) == left
    assert rows(etl.wrap(TABLE).fillright(among=MONTHS, inner=True)) == right
    assert rows(etl.wrap(TABLE).fillleft(among=MONTHS, inner=True)) == left


def test_gaps_between_columns_that_do_not_count():
    table = [HEAD, (1, "x", None, None, None, 9), (1, None, None, 4, None, None), (None, 1, None, 4, None, 9)]
    assert rows(etl.fillright(table, among=["street", "feb", "mar"], inner=True)) == [table[1], table[2], table[3]]
    assert rows(etl.fillright(table, among=["no", "feb", "jan"], inner=True)) == [table[1], (1, None, 1, 4, None, None), table[3]]
    assert rows(etl.fillleft(table, among=["street", "apr", "jan", "mar"], inner=True)) == [
        (1, "x", 9, None, 9, 9),
        table[2],
        (None, 1, 9, 4, 9, 9),
    ]


def test_missing():
    table = [HEAD, (1, "", 0, "", "", None), ("", 0, "", None, "", 2), ("", "", "", "", 0, "")]
    assert rows(etl.fillright(table, missing="", among=MONTHS)) == [
        (1, "", 0, 0, 0, None),
        ("", 0, "", None, None, 2),
        ("", "", "", "", 0, 0),
    ]
    assert rows(etl.fillleft(table, "", among=MONTHS)) == [
        (1, "", 0, None, None, None),
        ("", 0, None, None, 2, 2),
        ("", "", 0, 0, 0, ""),
    ]
    assert rows(etl.fillright(table, missing="", inner=True)) == [
        (1, 1, 0, 0, 0, None),
        ("", 0, 0, None, None, 2),
        ("", "", "", "", 0, ""),
    ]
    assert rows(etl.fillleft(table, missing="", inner=True)) == [
        (1, 0, 0, None, None, None),
        ("", 0, None, None, 2, 2),
        ("", "", "", "", 0, ""),
    ]


SHORT = [HEAD, (1, "Elm", 3, None, None), (2, "Oak", None, 4), (3, "Ash", None), (4,), (), (None, "Fir", None, None)]


def test_short_rows_among():
    assert rows(etl.fillright(SHORT, among=MONTHS)) == [
        (1, "Elm", 3, 3, 3),
        (2, "Oak", None, 4),
        (3, "Ash", None),
        (4,),
        (),
        (None, "Fir", None, None),
    ]
    assert rows(etl.fillleft(SHORT, among=[0, "jan", "feb", "apr"])) == [
        (1, "Elm", 3, None, None),
        (2, "Oak", 4, 4),
        (3, "Ash", None),
        (4,),
        (),
        (None, "Fir", None, None),
    ]


def test_short_rows_into_gaps():
    assert rows(etl.fillright(SHORT, inner=True)) == [
        (1, "Elm", 3, None, None),
        (2, "Oak", "Oak", 4),
        (3, "Ash", None),
        (4,),
        (),
        (None, "Fir", None, None),
    ]
    assert rows(etl.fillleft(SHORT, inner=True, among=["no", "feb", "jan"])) == [
        (1, "Elm", 3, None, None),
        (2, "Oak", 4, 4),
        (3, "Ash", None),
        (4,),
        (),
        (None, "Fir", None, None),
    ]


def test_no_such_field():
    for fill in (etl.fillright, etl.fillleft):
        for inner in (False, True):
            filled = fill(TABLE, among=["jan", "may"], inner=inner)
            with pytest.raises(FieldSelectionError):
                list(filled)


def test_no_rows():
    for fill in (etl.fillright, etl.fillleft):
        assert list(fill([HEAD], among=MONTHS, inner=True)) == [HEAD]
        assert list(fill([], among=MONTHS, inner=True)) == []


def test_as_today():
    assert rows(etl.fillright(TABLE, among=None, inner=False))[:2] == [(1, "Elm", "Elm", 3, 3, 4), (2, 2, 5, 5, 5, 5)]
    assert rows(etl.fillleft(TABLE))[:2] == [(1, "Elm", 3, 3, 4, 4), (2, 5, 5, None, None, None)]
