"""From an invoice to its amounts."""

from dataclasses import dataclass
from decimal import Decimal

from billfold.model import Invoice, LineItem
from billfold.money import percent_of, round_money


@dataclass(frozen=True)
class TaxGroup:
    """All that is taxed at one rate: its net before and after the document discount, and the tax."""

    percent: Decimal
    net: Decimal
    discount: Decimal
    tax: Decimal


@dataclass(frozen=True)
class Totals:
    """The amounts of an invoice, all of them rounded."""

    line_nets: tuple[Decimal, ...]
    groups: tuple[TaxGroup, ...]
    paid: Decimal

    @property
    def net(self) -> Decimal:
        return sum(self.line_nets, Decimal(0))

    @property
    def discount(self) -> Decimal:
        return sum((group.discount for group in self.groups), Decimal(0))

    @property
    def tax(self) -> Decimal:
        return sum((group.tax for group in self.groups), Decimal(0))

    @property
    def gross(self) -> Decimal:
        return self.net - self.discount + self.tax

    @property
    def due(self) -> Decimal:
        return self.gross - self.paid


def line_net(line: LineItem, invoice: Invoice) -> Decimal:
    """What a line comes to before tax."""
    full = line.quantity * line.unit_price
    return round_money(full - percent_of(line.discount_percent, full), invoice.currency)


def compute(invoice: Invoice) -> Totals:
    """Work out all amounts of an invoice."""
    nets = tuple(line_net(line, invoice) for line in invoice.lines)
    by_rate: dict[Decimal, Decimal] = {}
    for line, net in zip(invoice.lines, nets, strict=True):
        by_rate[line.tax_percent] = by_rate.get(line.tax_percent, Decimal(0)) + net
    groups = tuple(_group(invoice, percent, net) for percent, net in sorted(by_rate.items()))
    paid = sum((payment.amount for payment in invoice.payments), Decimal(0))
    return Totals(nets, groups, round_money(paid, invoice.currency))


def _group(invoice: Invoice, percent: Decimal, net: Decimal) -> TaxGroup:
    discount = round_money(percent_of(invoice.discount_percent, net), invoice.currency)
    tax = round_money(percent_of(percent, net - discount), invoice.currency)
    return TaxGroup(percent, net, discount, tax)
