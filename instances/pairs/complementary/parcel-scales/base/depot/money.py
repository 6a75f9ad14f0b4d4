"""Amounts of money are whole cents everywhere; only people see a decimal point."""

from decimal import ROUND_HALF_UP, Decimal


def shown(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d}"


def percent_of(cents: int, percent: int) -> int:
    return int((Decimal(cents) * percent / 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))
