"""An invoice as comma-separated values, for spreadsheets."""

import csv
import io

from billfold.formatting import format_amount, format_unit_price
from billfold.model import Invoice
from billfold.totals import compute

HEADINGS = ("invoice", "position", "description", "quantity", "unit", "unit_price", "tax_percent", "amount")


def render_csv(invoice: Invoice) -> str:
    """A row for each line, then rows for discount, taxes, total, payments and what is due."""
    totals = compute(invoice)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADINGS)
    for position, (line, net) in enumerate(zip(invoice.lines, totals.line_nets, strict=True), start=1):
        writer.writerow(
            [
                invoice.number,
                position,
                line.description,
                f"{line.quantity:f}",
                line.unit,
                format_unit_price(line.unit_price, invoice.currency, grouping=False),
                f"{line.tax_percent:f}",
                format_amount(net, invoice.currency, symbol=False, grouping=False),
            ]
        )
    entries = [("net", "", totals.net)]
    if invoice.discount_percent:
        entries.append(("discount", "", -totals.discount))
    entries += [("tax", f"{group.percent:f}", group.tax) for group in totals.groups if group.percent]
    entries += [("total", "", totals.gross), ("paid", "", -totals.paid), ("due", "", totals.due)]
    for label, percent, amount in entries:
        text = format_amount(amount, invoice.currency, symbol=False, grouping=False)
        writer.writerow([invoice.number, "", label, "", "", "", percent, text])
    return buffer.getvalue()
