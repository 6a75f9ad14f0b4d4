from decimal import Decimal

from billfold.document import invoice_from
from billfold.totals import compute


def test_example(example):
    totals = compute(example("consulting"))
    assert totals.line_nets == (Decimal("1175.00"), Decimal("122.70"), Decimal("17.33"))
    assert [(group.percent, group.tax) for group in totals.groups] == [(7, Decimal("8.42")), (19, Decimal("222.01"))]
    assert totals.discount == Decimal("26.30")
    assert totals.gross == Decimal("1519.16")
    assert totals.due == Decimal("1019.16")


def test_sums_are_of_rounded_amounts(document):
    lines = [{"description": "Part", "unit_price": "0.335"}] * 3
    totals = compute(invoice_from(document(lines=lines)))
    assert totals.net == Decimal("1.02")


def test_discount_comes_before_tax(document):
    line = {"unit_price": "100", "tax_percent": "20"}
    totals = compute(invoice_from(document(line=line, discount_percent="10")))
    assert (totals.discount, totals.tax, totals.gross) == (10, 18, 108)


def test_paid_back(document):
    payments = [{"received": "2026-05-05", "amount": "12"}, {"received": "2026-05-06", "amount": "-2"}]
    assert compute(invoice_from(document(payments=payments))).due == 0
