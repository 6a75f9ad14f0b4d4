import csv

import pytest

from billfold.document import invoice_from
from billfold.errors import BillfoldError
from billfold.reminder import render_reminder
from billfold.render_csv import HEADINGS, render_csv
from billfold.render_text import render_text
from billfold.statement import render_statement
from billfold.table import Column, render_table, wrap


def test_text(example):
    text = render_text(example("consulting"), seller="Quay Engineers")
    lines = text.splitlines()
    assert lines[0] == "Quay Engineers"
    assert "Invoice 2026-0041" in lines
    assert "Total        €1,519.16" in lines
    assert "Due          €1,019.16" in lines
    assert lines[-1] == "Thank you for working with us."


def test_credit_note(example):
    text = render_text(example("credit"))
    assert text.startswith("Credit note 2026-0044\n")
    assert "€-5.72" in text


def test_csv(example):
    rows = list(csv.reader(render_csv(example("consulting")).splitlines()))
    assert tuple(rows[0]) == HEADINGS
    assert rows[3][5:] == ["0.1375", "19", "17.33"]
    assert [row[2] for row in rows[4:]] == ["net", "discount", "tax", "tax", "total", "paid", "due"]
    assert rows[-1][-1] == "1019.16"


def test_statement(example):
    text = render_statement([example("credit"), example("consulting")])
    assert text.index("2026-0041") < text.index("2026-0044")
    assert text.endswith("Balance: €1,013.44\n")


def test_statement_is_for_one_customer(example):
    with pytest.raises(BillfoldError, match="one customer"):
        render_statement([example("consulting"), example("hosting")])


def test_reminder(document):
    invoice = invoice_from(document(line={"unit_price": "1000"}, payment_days=14))
    text = render_reminder(invoice, 20, percent=invoice.lines[0].unit_price / 500)
    assert "6 days ago" in text
    assert "Late fee 2%: €20.00" in text
    assert text.endswith("To pay: €1,020.00\n")


def test_reminder_too_early(document):
    with pytest.raises(BillfoldError, match="not late"):
        render_reminder(invoice_from(document()), 30)


def test_reminder_for_a_credit(example):
    assert "€-5.72" in render_reminder(example("credit"), 40)


def test_table():
    lines = render_table([Column("Thing"), Column("Much", right=True)], [("one two three", "1"), ("x", "20")], 18)
    assert lines == ["Thing         Much", "------------------", "one two          1", "three", "x               20"]


def test_wrap():
    assert wrap("a bb ccc dddd", 4) == ["a bb", "ccc", "dddd"]
    assert wrap("", 4) == [""]
