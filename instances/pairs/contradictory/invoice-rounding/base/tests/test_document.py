from datetime import date
from decimal import Decimal

import pytest

from billfold.document import invoice_from, load_invoice
from billfold.errors import DocumentError


def test_what_is_left_out(document):
    invoice = invoice_from(document())
    assert invoice.lines[0].quantity == 1
    assert invoice.lines[0].unit == "pc"
    assert invoice.lines[0].tax_percent == 0
    assert invoice.due_on == date(2026, 6, 3)
    assert invoice.payments == ()
    assert invoice.note == ""


def test_what_is_given(example):
    invoice = example("consulting")
    assert invoice.currency.code == "EUR"
    assert invoice.lines[2].unit_price == Decimal("0.1375")
    assert invoice.payments[0].reference == "in part"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"lines": []}, "invoice.lines"),
        ({"lines": "none"}, "invoice.lines"),
        ({"currency": "XYZ"}, "invoice.currency"),
        ({"issued": "yesterday"}, "invoice.issued"),
        ({"number": " "}, "invoice.number"),
        ({"payment_days": -1}, "invoice.payment_days"),
        ({"discount_percent": "101"}, "invoice.discount_percent"),
        ({"line": {"unit_price": 1.5}}, "invoice.lines[0].unit_price"),
        ({"line": {"colour": "red"}}, "invoice.lines[0]"),
        ({"payments": [{"amount": "1"}]}, "invoice.payments[0].received"),
    ],
    ids=["empty", "text", "currency", "date", "number", "days", "discount", "float", "key", "payment"],
)
def test_what_is_wrong(document, changes, place):
    with pytest.raises(DocumentError) as caught:
        invoice_from(document(**changes))
    assert caught.value.place == place


def test_unreadable(tmp_path):
    with pytest.raises(DocumentError, match="none.json"):
        load_invoice(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(DocumentError, match="not JSON"):
        load_invoice(tmp_path / "bad.json")
