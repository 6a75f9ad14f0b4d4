"""Reading and rounding of amounts."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from billfold.currency import Currency

UNIT_PRICE_DIGITS = 4


def parse_decimal(text: object) -> Decimal:
    """A decimal number from a JSON string or whole number; binary floats are refused.

    Raises:
        ValueError: it is none.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        raise ValueError(f"a number in quotes or a whole number is needed, not {text!r}")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"not a number: {text!r}") from None
    if not number.is_finite():
        raise ValueError(f"not a finite number: {text!r}")
    return number


def quantum(digits: int) -> Decimal:
    """The smallest step with so many digits: 0.01 for two."""
    return Decimal(1).scaleb(-digits)


def round_money(amount: Decimal, currency: Currency) -> Decimal:
    """Round an amount to the currency's digits."""
    return amount.quantize(quantum(currency.digits), rounding=ROUND_HALF_UP)


def round_price(price: Decimal) -> Decimal:
    """Round a unit price to the digits that unit prices are printed with."""
    return price.quantize(quantum(UNIT_PRICE_DIGITS), rounding=ROUND_HALF_UP)


def percent_of(percent: Decimal, amount: Decimal) -> Decimal:
    """So many percent of an amount, not rounded."""
    return amount * percent / 100
