"""Asking for money that is late."""

from decimal import Decimal

from billfold.errors import BillfoldError
from billfold.formatting import format_amount, format_date, format_percent
from billfold.model import Invoice
from billfold.money import percent_of, round_money
from billfold.table import wrap
from billfold.totals import compute


def late_fee(due: Decimal, percent: Decimal, invoice: Invoice) -> Decimal:
    """The fee for paying late; nothing on what we owe the customer."""
    return round_money(percent_of(percent, max(due, Decimal(0))), invoice.currency)


def render_reminder(
    invoice: Invoice, days: int, percent: Decimal = Decimal(0), width: int = 72, date_style: str = "iso"
) -> str:
    """A letter about an invoice, so many days after it was issued.

    Raises:
        BillfoldError: nothing is late.
    """
    totals = compute(invoice)
    late = days - invoice.payment_days
    if late <= 0 or totals.due == 0:
        raise BillfoldError(f"{invoice.number} is not late")
    fee = late_fee(totals.due, percent, invoice)
    lines = [f"Reminder for {invoice.customer}", ""]
    if totals.due < 0:
        text = (
            f"Invoice {invoice.number} was paid twice or credited. Its balance is"
            f" {format_amount(totals.due, invoice.currency)}; please tell us where to send it."
        )
        return "\n".join([*lines, *wrap(text, width)]) + "\n"
    text = (
        f"Invoice {invoice.number} was due on {format_date(invoice.due_on, date_style)}, {late} days ago."
        f" Please pay the following amount within ten days."
    )
    lines += [*wrap(text, width), ""]
    lines.append(f"Total: {format_amount(totals.gross, invoice.currency)}")
    if invoice.payments:
        lines.append(f"Paid: {format_amount(-totals.paid, invoice.currency)}")
    if fee:
        lines.append(f"Late fee {format_percent(percent)}: {format_amount(fee, invoice.currency)}")
    lines.append(f"To pay: {format_amount(totals.due + fee, invoice.currency)}")
    return "\n".join(lines) + "\n"
