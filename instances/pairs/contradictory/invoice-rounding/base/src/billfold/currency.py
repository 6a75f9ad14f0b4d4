"""The currencies that we bill in."""

from dataclasses import dataclass

from billfold.errors import CurrencyError


@dataclass(frozen=True)
class Currency:
    """A currency, its sign, and how many digits its amounts have."""

    code: str
    symbol: str
    digits: int = 2


_KNOWN = {
    currency.code: currency
    for currency in (
        Currency("EUR", "€"),
        Currency("USD", "$"),
        Currency("GBP", "£"),
        Currency("CHF", "CHF "),
        Currency("SEK", "SEK "),
        Currency("JPY", "¥", 0),
        Currency("KWD", "KWD ", 3),
    )
}


def find_currency(code: str) -> Currency:
    """The currency with this code, in whatever case it is written.

    Raises:
        CurrencyError: there is none.
    """
    try:
        return _KNOWN[code.strip().upper()]
    except KeyError:
        known = ", ".join(sorted(_KNOWN))
        raise CurrencyError(f"unknown currency {code!r}; known are {known}") from None


def common_currency(currencies: list[Currency]) -> Currency:
    """The one currency of a list.

    Raises:
        CurrencyError: the list is empty or has several.
    """
    different = {currency.code: currency for currency in currencies}
    if len(different) != 1:
        found = ", ".join(sorted(different)) or "none"
        raise CurrencyError(f"one currency is needed here, found {found}")
    return next(iter(different.values()))
