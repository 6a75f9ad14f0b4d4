from datetime import date
from decimal import Decimal

import pytest

from billfold.currency import find_currency
from billfold.formatting import format_amount, format_date, format_percent, format_quantity, format_unit_price

EUR = find_currency("EUR")


@pytest.mark.parametrize(
    ("amount", "code", "text"),
    [
        ("1234.5", "EUR", "€1,234.50"),
        ("-12", "USD", "$-12.00"),
        ("0.005", "GBP", "£0.01"),
        ("1234567.5", "JPY", "¥1,234,568"),
        ("2", "KWD", "KWD 2.000"),
    ],
    ids=["EUR", "USD", "GBP", "JPY", "KWD"],
)
def test_amount(amount, code, text):
    assert format_amount(Decimal(amount), find_currency(code)) == text


def test_amount_without_this_and_that():
    assert format_amount(Decimal("1234.5"), EUR, symbol=False) == "1,234.50"
    assert format_amount(Decimal("1234.5"), EUR, grouping=False) == "€1234.50"


@pytest.mark.parametrize(
    ("price", "code", "text"),
    [
        ("0.1375", "EUR", "0.1375"),
        ("94", "EUR", "94.00"),
        ("1.23456", "EUR", "1.2346"),
        ("1200", "JPY", "1,200"),
        ("0.5", "JPY", "0.5"),
        ("-4.25", "KWD", "-4.250"),
    ],
)
def test_unit_price(price, code, text):
    assert format_unit_price(Decimal(price), find_currency(code)) == text


def test_quantity_and_percent():
    assert format_quantity(Decimal("12.50"), "h") == "12.5 h"
    assert format_quantity(Decimal("100"), "pc") == "100 pc"
    assert format_percent(Decimal("7.0")) == "7%"


def test_date():
    assert format_date(date(2026, 3, 9)) == "2026-03-09"
    assert format_date(date(2026, 3, 9), "dots") == "09.03.2026"
