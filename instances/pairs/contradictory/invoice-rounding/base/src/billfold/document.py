"""Reading an invoice from its JSON document."""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from billfold.currency import find_currency
from billfold.errors import CurrencyError, DocumentError
from billfold.model import Invoice, LineItem, Payment
from billfold.money import parse_decimal

_INVOICE_KEYS = {
    "number",
    "customer",
    "issued",
    "currency",
    "lines",
    "payment_days",
    "discount_percent",
    "payments",
    "note",
}
_LINE_KEYS = {"description", "quantity", "unit_price", "unit", "tax_percent", "discount_percent"}
_PAYMENT_KEYS = {"received", "amount", "reference"}


def load_invoice(path: Path) -> Invoice:
    """Read one document.

    Raises:
        DocumentError: it can't be read, or something in it is missing, unknown or wrong.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(path.name, error.strerror or "not readable") from error
    except ValueError as error:
        raise DocumentError(path.name, f"not JSON: {error}") from error
    return invoice_from(data, path.name)


def invoice_from(data: Any, place: str = "invoice") -> Invoice:
    """Make an invoice of a document's content.

    Raises:
        DocumentError: something in it is missing, unknown or wrong.
    """
    _check_keys(data, _INVOICE_KEYS, place)
    lines = _list(data, "lines", place)
    if not lines:
        raise DocumentError(f"{place}.lines", "an invoice has at least one line")
    try:
        currency = find_currency(_text(data, "currency", place))
    except CurrencyError as error:
        raise DocumentError(f"{place}.currency", str(error)) from error
    return Invoice(
        number=_text(data, "number", place),
        customer=_text(data, "customer", place),
        issued=_date(data, "issued", place),
        currency=currency,
        lines=tuple(_line(line, f"{place}.lines[{n}]") for n, line in enumerate(lines)),
        payment_days=_days(data, "payment_days", place),
        discount_percent=_percent(data, "discount_percent", place),
        payments=tuple(
            _payment(payment, f"{place}.payments[{n}]")
            for n, payment in enumerate(_list(data, "payments", place, optional=True))
        ),
        note=_text(data, "note", place, optional=True),
    )


def _line(data: Any, place: str) -> LineItem:
    _check_keys(data, _LINE_KEYS, place)
    return LineItem(
        description=_text(data, "description", place),
        quantity=_number(data, "quantity", place, Decimal(1)),
        unit_price=_number(data, "unit_price", place),
        unit=_text(data, "unit", place, optional=True) or "pc",
        tax_percent=_percent(data, "tax_percent", place),
        discount_percent=_percent(data, "discount_percent", place),
    )


def _payment(data: Any, place: str) -> Payment:
    _check_keys(data, _PAYMENT_KEYS, place)
    return Payment(
        received=_date(data, "received", place),
        amount=_number(data, "amount", place),
        reference=_text(data, "reference", place, optional=True),
    )


def _check_keys(data: Any, known: set[str], place: str) -> None:
    if not isinstance(data, Mapping):
        raise DocumentError(place, "an object is needed here")
    unknown = sorted(set(data) - known)
    if unknown:
        raise DocumentError(place, f"unknown {', '.join(unknown)}")


def _list(data: Mapping[str, Any], key: str, place: str, optional: bool = False) -> list[Any]:
    if optional and key not in data:
        return []
    value = data.get(key)
    if not isinstance(value, list):
        raise DocumentError(f"{place}.{key}", "a list is needed here")
    return value


def _text(data: Mapping[str, Any], key: str, place: str, optional: bool = False) -> str:
    if optional and key not in data:
        return ""
    value = data.get(key)
    if not isinstance(value, str) or not (optional or value.strip()):
        raise DocumentError(f"{place}.{key}", "a text is needed here")
    return value.strip()


def _date(data: Mapping[str, Any], key: str, place: str) -> date:
    try:
        return date.fromisoformat(_text(data, key, place))
    except ValueError:
        raise DocumentError(f"{place}.{key}", "a date like 2026-03-31 is needed here") from None


def _number(data: Mapping[str, Any], key: str, place: str, default: Decimal | None = None) -> Decimal:
    if key not in data and default is not None:
        return default
    try:
        return parse_decimal(data.get(key))
    except ValueError as error:
        raise DocumentError(f"{place}.{key}", str(error)) from error


def _percent(data: Mapping[str, Any], key: str, place: str) -> Decimal:
    number = _number(data, key, place, Decimal(0))
    if not 0 <= number <= 100:
        raise DocumentError(f"{place}.{key}", "a percentage lies between 0 and 100")
    return number


def _days(data: Mapping[str, Any], key: str, place: str) -> int:
    value = data.get(key, 30)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DocumentError(f"{place}.{key}", "a number of days is needed here")
    return value
