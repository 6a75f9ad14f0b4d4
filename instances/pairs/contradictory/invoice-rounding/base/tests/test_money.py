from decimal import Decimal

import pytest

from billfold.currency import common_currency, find_currency
from billfold.errors import CurrencyError
from billfold.money import parse_decimal, percent_of, round_money, round_price

EUR, JPY, KWD = find_currency("eur"), find_currency("JPY"), find_currency(" kwd ")


@pytest.mark.parametrize(
    ("amount", "currency", "rounded"),
    [("1.005", EUR, "1.01"), ("-1.005", EUR, "-1.01"), ("1.004", EUR, "1.00"), ("2.5", JPY, "3"), ("1.0005", KWD, "1.001")],
)
def test_round_money(amount, currency, rounded):
    assert str(round_money(Decimal(amount), currency)) == rounded


def test_round_price():
    assert round_price(Decimal("0.00005")) == Decimal("0.0001")


def test_parse_decimal():
    assert parse_decimal("-3.20") == Decimal("-3.20")
    assert parse_decimal(4) == 4


@pytest.mark.parametrize("text", ["", "x", 1.5, True, None, "NaN", "Infinity"])
def test_parse_decimal_refuses(text):
    with pytest.raises(ValueError, match="number"):
        parse_decimal(text)


def test_percent_of():
    assert percent_of(Decimal(19), Decimal(50)) == Decimal("9.5")


def test_currencies():
    assert (EUR.digits, JPY.digits, KWD.digits) == (2, 0, 3)
    assert common_currency([EUR, EUR]) == EUR
    with pytest.raises(CurrencyError):
        common_currency([EUR, JPY])
    with pytest.raises(CurrencyError):
        common_currency([])
    with pytest.raises(CurrencyError, match="XYZ"):
        find_currency("XYZ")
