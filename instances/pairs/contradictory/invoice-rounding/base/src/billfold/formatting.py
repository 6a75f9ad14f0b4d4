"""Amounts, prices, quantities and dates as text."""

from datetime import date
from decimal import Decimal

from billfold.currency import Currency
from billfold.money import round_money, round_price

DATE_STYLES = {"iso": "%Y-%m-%d", "dots": "%d.%m.%Y", "slashes": "%d/%m/%Y"}


def format_amount(amount: Decimal, currency: Currency, symbol: bool = True, grouping: bool = True) -> str:
    """An amount with the currency's digits, by default with its sign and with commas between thousands."""
    prefix = currency.symbol if symbol else ""
    separator = "," if grouping else ""
    return f"{prefix}{round_money(amount, currency):{separator}.{currency.digits}f}"


def format_unit_price(price: Decimal, currency: Currency, grouping: bool = True) -> str:
    """A unit price: up to four digits, at least the currency's, without the currency's sign."""
    separator = "," if grouping else ""
    whole, _, digits = f"{round_price(price):{separator}f}".partition(".")
    digits = digits.rstrip("0").ljust(currency.digits, "0")
    return f"{whole}.{digits}" if digits else whole


def format_quantity(quantity: Decimal, unit: str) -> str:
    """A quantity with its unit, without zeros at the end."""
    text = f"{quantity:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit}"


def format_percent(percent: Decimal) -> str:
    """A percentage, without zeros at the end."""
    text = f"{percent:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}%"


def format_date(day: date, style: str = "iso") -> str:
    """A date in one of the `DATE_STYLES`."""
    return day.strftime(DATE_STYLES[style])
