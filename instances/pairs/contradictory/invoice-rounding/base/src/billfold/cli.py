"""The command line."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from billfold import __version__
from billfold.document import load_invoice
from billfold.errors import BillfoldError
from billfold.formatting import DATE_STYLES, format_amount
from billfold.reminder import render_reminder
from billfold.render_csv import render_csv
from billfold.render_text import render_text
from billfold.settings import Settings, load_settings
from billfold.statement import render_statement
from billfold.totals import compute


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it went well, 1 if what it was given is wrong, 2 (from argparse) if it was called wrongly."""
    options = _parser().parse_args(argv)
    try:
        settings = _settings(options)
        output, status = options.run(options, settings)
    except BillfoldError as error:
        print(f"billfold: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(output)
    return status


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--settings", type=Path, metavar="FILE", help="a JSON file of settings")
    common.add_argument("--width", type=int, help="how wide a page is")
    common.add_argument("--date-style", choices=sorted(DATE_STYLES), help="how dates are written")

    parser = argparse.ArgumentParser(prog="billfold", description="Invoices from small JSON documents.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    show = commands.add_parser("show", parents=[common], help="print an invoice")
    show.add_argument("file", type=Path)
    show.add_argument("--format", choices=["text", "csv"], default="text")
    show.set_defaults(run=_show)

    totals = commands.add_parser("totals", parents=[common], help="print a line for each invoice")
    totals.add_argument("files", type=Path, nargs="+", metavar="file")
    totals.set_defaults(run=_totals)

    statement = commands.add_parser("statement", parents=[common], help="print what a customer owes")
    statement.add_argument("files", type=Path, nargs="+", metavar="file")
    statement.set_defaults(run=_statement)

    remind = commands.add_parser("remind", parents=[common], help="print a reminder")
    remind.add_argument("file", type=Path)
    remind.add_argument("--days", type=int, required=True, help="days since the invoice was issued")
    remind.set_defaults(run=_remind)

    check = commands.add_parser("check", parents=[common], help="tell what is wrong with documents")
    check.add_argument("files", type=Path, nargs="+", metavar="file")
    check.set_defaults(run=_check)
    return parser


def _settings(options: argparse.Namespace) -> Settings:
    settings = load_settings(options.settings) if options.settings else Settings()
    return settings.changed(width=options.width, date_style=options.date_style)


def _show(options: argparse.Namespace, settings: Settings) -> tuple[str, int]:
    invoice = load_invoice(options.file)
    if options.format == "csv":
        return render_csv(invoice), 0
    return render_text(invoice, settings.seller, settings.width, settings.date_style), 0


def _totals(options: argparse.Namespace, settings: Settings) -> tuple[str, int]:
    lines = []
    for file in options.files:
        invoice = load_invoice(file)
        totals = compute(invoice)
        amounts = [
            format_amount(amount, invoice.currency, symbol=False)
            for amount in (totals.net - totals.discount, totals.tax, totals.gross, totals.due)
        ]
        lines.append("\t".join([invoice.number, invoice.currency.code, *amounts]) + "\n")
    return "".join(lines), 0


def _statement(options: argparse.Namespace, settings: Settings) -> tuple[str, int]:
    invoices = [load_invoice(file) for file in options.files]
    return render_statement(invoices, settings.width, settings.date_style), 0


def _remind(options: argparse.Namespace, settings: Settings) -> tuple[str, int]:
    invoice = load_invoice(options.file)
    text = render_reminder(invoice, options.days, settings.late_fee_percent, settings.width, settings.date_style)
    return text, 0


def _check(options: argparse.Namespace, settings: Settings) -> tuple[str, int]:
    problems = []
    for file in options.files:
        try:
            load_invoice(file)
        except BillfoldError as error:
            problems.append(f"{error}\n")
    return "".join(problems) or "all well\n", 1 if problems else 0
