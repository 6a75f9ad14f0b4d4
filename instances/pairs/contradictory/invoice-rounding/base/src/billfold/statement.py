"""What a customer owes, over several invoices."""

from collections.abc import Sequence
from decimal import Decimal

from billfold.currency import common_currency
from billfold.errors import BillfoldError
from billfold.formatting import format_amount, format_date
from billfold.model import Invoice
from billfold.table import Column, render_table
from billfold.totals import compute

_COLUMNS = (
    Column("Invoice"),
    Column("Issued"),
    Column("Total", right=True),
    Column("Paid", right=True),
    Column("Due", right=True),
    Column("Balance", right=True),
)


def render_statement(invoices: Sequence[Invoice], width: int = 72, date_style: str = "iso") -> str:
    """The invoices of one customer in one currency, oldest first, with a running balance.

    Raises:
        BillfoldError: there is none, or they are of several customers or currencies.
    """
    customers = sorted({invoice.customer for invoice in invoices})
    if len(customers) != 1:
        raise BillfoldError(f"a statement is for one customer, not for {len(customers)}")
    currency = common_currency([invoice.currency for invoice in invoices])
    balance = Decimal(0)
    rows = []
    for invoice in sorted(invoices, key=lambda one: (one.issued, one.number)):
        totals = compute(invoice)
        balance += totals.due
        rows.append(
            (
                invoice.number,
                format_date(invoice.issued, date_style),
                format_amount(totals.gross, currency, symbol=False),
                format_amount(-totals.paid, currency, symbol=False),
                format_amount(totals.due, currency, symbol=False),
                format_amount(balance, currency, symbol=False),
            )
        )
    lines = [f"Statement for {customers[0]} ({currency.code})", ""]
    lines += render_table(_COLUMNS, rows, width)
    lines += ["", f"Balance: {format_amount(balance, currency)}"]
    return "\n".join(lines) + "\n"
