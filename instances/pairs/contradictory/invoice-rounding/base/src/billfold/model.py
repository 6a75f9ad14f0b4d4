"""An invoice as it was agreed; nothing here is computed."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from billfold.currency import Currency


@dataclass(frozen=True)
class LineItem:
    """One line: something, how much of it, at what price and tax."""

    description: str
    quantity: Decimal
    unit_price: Decimal
    unit: str = "pc"
    tax_percent: Decimal = Decimal(0)
    discount_percent: Decimal = Decimal(0)


@dataclass(frozen=True)
class Payment:
    """Money that came in; negative if it was paid back."""

    received: date
    amount: Decimal
    reference: str = ""


@dataclass(frozen=True)
class Invoice:
    """An invoice or, with negative quantities, a credit note."""

    number: str
    customer: str
    issued: date
    currency: Currency
    lines: tuple[LineItem, ...]
    payment_days: int = 30
    discount_percent: Decimal = Decimal(0)
    payments: tuple[Payment, ...] = field(default_factory=tuple)
    note: str = ""

    @property
    def due_on(self) -> date:
        return self.issued + timedelta(days=self.payment_days)
