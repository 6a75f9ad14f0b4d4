"""An invoice as plain text."""

from billfold.formatting import format_amount, format_date, format_percent, format_quantity, format_unit_price
from billfold.model import Invoice
from billfold.table import Column, render_table, wrap
from billfold.totals import Totals, compute

_COLUMNS = (
    Column("Description"),
    Column("Quantity", right=True),
    Column("Price", right=True),
    Column("Tax", right=True),
    Column("Net", right=True),
)


def render_text(invoice: Invoice, seller: str = "", width: int = 72, date_style: str = "iso") -> str:
    """The whole invoice, ready to be printed."""
    totals = compute(invoice)
    lines = _header(invoice, totals, seller, date_style)
    rows = [
        (
            _description(line.description, format_percent(line.discount_percent) if line.discount_percent else ""),
            format_quantity(line.quantity, line.unit),
            format_unit_price(line.unit_price, invoice.currency),
            format_percent(line.tax_percent),
            format_amount(net, invoice.currency),
        )
        for line, net in zip(invoice.lines, totals.line_nets, strict=True)
    ]
    lines += render_table(_COLUMNS, rows, width)
    lines.append("")
    lines += _summary(invoice, totals)
    if invoice.note:
        lines += ["", *wrap(invoice.note, width)]
    return "\n".join(lines) + "\n"


def _header(invoice: Invoice, totals: Totals, seller: str, date_style: str) -> list[str]:
    kind = "Credit note" if totals.gross < 0 else "Invoice"
    lines = [seller, ""] if seller else []
    return [
        *lines,
        f"{kind} {invoice.number}",
        f"For: {invoice.customer}",
        f"Issued: {format_date(invoice.issued, date_style)}",
        f"Due: {format_date(invoice.due_on, date_style)}",
        "",
    ]


def _description(text: str, discount: str) -> str:
    return f"{text} (less {discount})" if discount else text


def _summary(invoice: Invoice, totals: Totals) -> list[str]:
    entries = [("Net", format_amount(totals.net, invoice.currency))]
    if invoice.discount_percent:
        label = f"Discount {format_percent(invoice.discount_percent)}"
        entries.append((label, format_amount(-totals.discount, invoice.currency)))
    for group in totals.groups:
        if group.percent:
            label = f"Tax {format_percent(group.percent)}"
            entries.append((label, format_amount(group.tax, invoice.currency)))
    entries.append(("Total", format_amount(totals.gross, invoice.currency)))
    if invoice.payments:
        entries.append(("Paid", format_amount(-totals.paid, invoice.currency)))
        entries.append(("Due", format_amount(totals.due, invoice.currency)))
    label_width = max(len(label) for label, _ in entries)
    amount_width = max(len(amount) for _, amount in entries)
    return [f"{label.ljust(label_width)}  {amount.rjust(amount_width)}" for label, amount in entries]
