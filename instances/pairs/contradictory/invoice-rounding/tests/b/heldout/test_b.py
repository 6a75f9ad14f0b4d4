# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Negative amounts are written in the chosen style, and zero is never negative."""

import csv
import json
from decimal import ROUND_HALF_UP, Decimal

import pytest

from billfold.cli import main
from billfold.currency import find_currency
from billfold.document import invoice_from
from billfold.errors import SettingsError
from billfold.formatting import format_amount, format_unit_price
from billfold.reminder import render_reminder
from billfold.render_csv import render_csv
from billfold.render_text import render_text
from billfold.settings import Settings, settings_from
from billfold.statement import render_statement

DIGITS = {"EUR": 2, "CHF": 2, "JPY": 0, "KWD": 3}
SIGNS = {"EUR": "€", "CHF": "CHF ", "JPY": "¥", "KWD": "KWD "}
AMOUNTS = [
    sign * Decimal(text)
    for text in ("0", "0.0004", "0.0005", "0.001", "0.004", "0.005", "0.009", "0.015", "0.025", "0.4", "0.5", "0.51")
    + ("1.005", "1.0005", "1.5", "2.345", "2.5", "12", "99.995", "999.995", "1234.5", "1249.9949", "1234567.125")
    for sign in (1, -1)
]
PRICES = [
    sign * Decimal(text)
    for text in ("0", "0.00004", "0.00005", "0.00015", "0.1375", "0.12345", "0.5", "4.2505", "94", "1234.56785")
    for sign in (1, -1)
]


def rounded(amount, digits):
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def line(quantity, price, tax="0", discount="0"):
    return {
        "description": "Thing",
        "quantity": quantity,
        "unit_price": price,
        "tax_percent": tax,
        "discount_percent": discount,
    }


def document(code, lines, discount="0", payments=(), number="1", issued="2026-03-02"):
    return {
        "number": number,
        "customer": "Lock Keepers",
        "issued": issued,
        "currency": code,
        "payment_days": 10,
        "discount_percent": discount,
        "lines": lines,
        "payments": [{"received": "2026-03-05", "amount": amount} for amount in payments],
    }


DOCUMENTS = {
    "plain": document("EUR", [line("3", "0.335", "19"), line("1", "10.125", "7"), line("7", "33.3345", "19")]),
    "credit": document("EUR", [line("-35", "0.1375", "19"), line("-3", "0.335", "7", "10")]),
    "discount": document("EUR", [line("12.5", "94.01", "19"), line("-2", "61.355", "7")], "2.5", ["500.005"]),
    "paid twice": document("CHF", [line("1", "1500.255", "8.1")], "0", ["1621.78", "1621.785"]),
    "yen": document("JPY", [line("3", "150.5", "10"), line("-1", "2000.5", "8")], "3"),
    "dinar": document("KWD", [line("3", "4.2505", "5"), line("-9", "410.12345")], "1", ["-2.5"]),
}


def amounts_of(data):
    """The amounts of a document, worked out again from the README."""
    digits = DIGITS[data["currency"]]
    nets, groups = [], {}
    for item in data["lines"]:
        full = Decimal(item["quantity"]) * Decimal(item["unit_price"])
        net = rounded(full * (100 - Decimal(item["discount_percent"])) / 100, digits)
        nets.append(net)
        rate = Decimal(item["tax_percent"])
        groups[rate] = groups.get(rate, 0) + net
    discount, taxes = Decimal(0), []
    for rate, net in sorted(groups.items()):
        less = rounded(net * Decimal(data["discount_percent"]) / 100, digits)
        discount += less
        taxes.append((rate, rounded((net - less) * rate / 100, digits)))
    paid = rounded(sum((Decimal(one["amount"]) for one in data["payments"]), Decimal(0)), digits)
    net = sum(nets)
    tax = sum(amount for _, amount in taxes)
    gross = net - discount + tax
    return {
        "nets": nets,
        "taxes": [(rate, amount) for rate, amount in taxes if rate],
        "net": net,
        "discount": discount,
        "tax": tax,
        "gross": gross,
        "paid": paid,
        "due": gross - paid,
    }


STYLES = ("minus", "parens", "trailing")


def written(value, digits, style, sign="", grouping=True):
    """An amount that was rounded already, as it has to be shown."""
    separator = "," if grouping else ""
    body = f"{abs(value):{separator}.{digits}f}"
    if value >= 0:
        return f"{sign}{body}"
    return {"minus": f"{sign}-{body}", "parens": f"({sign}{body})", "trailing": f"{sign}{body}-"}[style]


def written_price(value, digits, style, grouping=True):
    """A unit price that was rounded to four digits already, as it has to be shown."""
    separator = "," if grouping else ""
    whole, _, rest = f"{abs(value):{separator}.4f}".partition(".")
    rest = rest.rstrip("0").ljust(digits, "0")
    body = f"{whole}.{rest}" if rest else whole
    if value >= 0:
        return body
    return {"minus": f"-{body}", "parens": f"({body})", "trailing": f"{body}-"}[style]


@pytest.fixture
def saved(tmp_path):
    """Write documents and settings to files."""

    def save(name, data):
        path = tmp_path / f"{name.replace(' ', '-')}.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        return str(path)

    return save


def printed(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def summary(text):
    """Label and amount of each line of a printed invoice's last block, the taxes too."""
    rows = {}
    for row in text.split("\n\n")[-1].splitlines():
        label, _, amount = row.partition("  ")
        rows[label.strip()] = amount.strip()
    return rows


def table_cells(text, start=4):
    """The last cells of a printed table's rows, from the first row below the rule."""
    lines = text.splitlines()
    first = next(n for n, one in enumerate(lines) if one and not one.strip("-")) + 1
    rows = []
    for one in lines[first:]:
        if not one:
            return rows
        rows.append([cell.strip() for cell in one.split("  ") if cell.strip()])
    return rows


@pytest.mark.parametrize("style", STYLES)
def test_format_amount(style):
    for amount in AMOUNTS:
        for code, digits in DIGITS.items():
            value = rounded(amount, digits)
            for sign in (True, False):
                for grouping in (True, False):
                    text = format_amount(
                        amount, find_currency(code), symbol=sign, grouping=grouping, negative=style
                    )
                    assert text == written(value, digits, style, SIGNS[code] if sign else "", grouping), amount


@pytest.mark.parametrize("style", STYLES)
def test_format_unit_price(style):
    for price in PRICES:
        for code, digits in DIGITS.items():
            value = rounded(price, 4)
            for grouping in (True, False):
                text = format_unit_price(price, find_currency(code), grouping=grouping, negative=style)
                assert text == written_price(value, digits, style, grouping), price


def test_as_in_the_letter():
    for amount, code, style, text in (
        ("-12", "EUR", "minus", "€-12.00"),
        ("-12", "EUR", "parens", "(€12.00)"),
        ("-1.5", "KWD", "parens", "(KWD 1.500)"),
        ("-12", "EUR", "trailing", "€12.00-"),
        ("-0.001", "EUR", "minus", "€0.00"),
        ("-0.001", "EUR", "parens", "€0.00"),
        ("-0.001", "EUR", "trailing", "€0.00"),
        ("-0.005", "EUR", "parens", "(€0.01)"),
        ("-0.4", "JPY", "trailing", "¥0"),
        ("12", "EUR", "parens", "€12.00"),
    ):
        assert format_amount(Decimal(amount), find_currency(code), negative=style) == text


def test_minus_is_the_default():
    euro = find_currency("EUR")
    assert format_amount(Decimal("-1234.5"), euro) == "€-1,234.50"
    assert format_amount(Decimal("-0.004"), euro) == "€0.00"
    assert format_unit_price(Decimal("-0.1375"), euro) == "-0.1375"
    assert format_unit_price(Decimal("-0.00001"), euro) == "0.00"
    for data in DOCUMENTS.values():
        invoice = invoice_from(data)
        assert render_text(invoice) == render_text(invoice, negative="minus")
        assert render_csv(invoice) == render_csv(invoice, negative="minus")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_csv_and_text(name, style):
    data = DOCUMENTS[name]
    code, digits = data["currency"], DIGITS[data["currency"]]
    expected = amounts_of(data)
    rows = list(csv.reader(render_csv(invoice_from(data), negative=style).splitlines()))[1:]
    entries = [*expected["nets"], expected["net"]]
    if Decimal(data["discount_percent"]):
        entries.append(-expected["discount"])
    entries += [amount for _, amount in expected["taxes"]]
    entries += [expected["gross"], -expected["paid"], expected["due"]]
    assert [row[-1] for row in rows] == [written(amount, digits, style, grouping=False) for amount in entries]
    assert [row[3] for row in rows if row[1]] == [item["quantity"] for item in data["lines"]]
    text = render_text(invoice_from(data), negative=style)
    amounts = summary(text)
    assert amounts["Net"] == written(expected["net"], digits, style, SIGNS[code])
    assert amounts["Total"] == written(expected["gross"], digits, style, SIGNS[code])
    if data["payments"]:
        assert amounts["Paid"] == written(-expected["paid"], digits, style, SIGNS[code])
        assert amounts["Due"] == written(expected["due"], digits, style, SIGNS[code])
    if Decimal(data["discount_percent"]):
        discount = next(amount for label, amount in amounts.items() if label.startswith("Discount"))
        assert discount == written(-expected["discount"], digits, style, SIGNS[code])
    cells = table_cells(text)
    assert [row[-1] for row in cells] == [written(amount, digits, style, SIGNS[code]) for amount in expected["nets"]]


@pytest.mark.parametrize("style", STYLES)
def test_unit_prices_in_print(style):
    data = document("EUR", [line("-1", "-0.1375"), line("2", "-1250"), line("5", "3"), line("1", "-0.00001")])
    prices = [Decimal("-0.1375"), Decimal("-1250"), Decimal("3"), Decimal(0)]
    text = render_text(invoice_from(data), negative=style)
    assert [row[-3] for row in table_cells(text)] == [written_price(price, 2, style) for price in prices]
    assert table_cells(text)[0][-4] == "-1 pc"
    rows = list(csv.reader(render_csv(invoice_from(data), negative=style).splitlines()))
    assert [row[5] for row in rows[1:5]] == [written_price(price, 2, style, grouping=False) for price in prices]


@pytest.mark.parametrize("style", STYLES)
def test_statement_and_reminder(style):
    first = document("EUR", [line("-1", "2000")], payments=["-12.5"], number="a")
    second = document("EUR", [line("1", "500")], payments=["600"], number="b", issued="2026-03-04")
    text = render_statement([invoice_from(first), invoice_from(second)], negative=style)
    show = [[-2000, "12.50", "-1987.5", "-1987.5"], [500, -600, -100, "-2087.5"]]
    assert [row[-4:] for row in table_cells(text)] == [
        [written(Decimal(amount), 2, style) for amount in row] for row in show
    ]
    assert f"Balance: {written(Decimal('-2087.5'), 2, style, '€')}\n" in text
    letter = " ".join(render_reminder(invoice_from(first), 30, negative=style).split())
    assert f"Its balance is {written(Decimal('-1987.5'), 2, style, '€')};" in letter
    third = document("EUR", [line("1", "500")], payments=["60"])
    letter = render_reminder(invoice_from(third), 30, negative=style)
    assert f"Paid: {written(Decimal('-60'), 2, style, '€')}\n" in letter
    assert "To pay: €440.00\n" in letter


def test_unknown_style():
    invoice = invoice_from(DOCUMENTS["plain"])
    euro = find_currency("EUR")
    for call in (
        lambda: format_amount(Decimal(1), euro, negative="red"),
        lambda: format_amount(Decimal(-1), euro, negative="red"),
        lambda: format_unit_price(Decimal(1), euro, negative="red"),
        lambda: render_text(invoice, negative="red"),
        lambda: render_csv(invoice, negative="red"),
        lambda: render_statement([invoice], negative="red"),
        lambda: render_reminder(invoice, 40, negative="red"),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("style", STYLES)
def test_command_line(style, saved, capsys):
    data = DOCUMENTS["discount"] | {"payments": [{"received": "2026-03-05", "amount": "2000"}]}
    expected = amounts_of(data)
    file, settings = saved("invoice", data), saved("settings", {"negative": style})
    other = saved("other", {"negative": "parens" if style == "minus" else "minus"})
    invoice = invoice_from(data)
    for choice in (["--negative", style, "--settings", other], ["--settings", settings]):
        assert printed(capsys, "show", file, *choice) == render_text(invoice, negative=style)
        assert printed(capsys, "show", file, "--format", "csv", *choice) == render_csv(invoice, negative=style)
        assert printed(capsys, "statement", file, *choice) == render_statement([invoice], negative=style)
        letter = render_reminder(invoice, 30, negative=style)
        assert printed(capsys, "remind", file, "--days", "30", *choice) == letter
        amounts = (expected["net"] - expected["discount"], expected["tax"], expected["gross"], expected["due"])
        row = ["1", "EUR", *(written(amount, 2, style) for amount in amounts)]
        assert printed(capsys, "totals", file, *choice) == "\t".join(row) + "\n"


def test_wrong_choice(saved, capsys):
    file = saved("invoice", DOCUMENTS["plain"])
    with pytest.raises(SystemExit) as caught:
        main(["show", file, "--negative", "red"])
    assert caught.value.code == 2
    for value in ("red", 2, None, ["parens"]):
        with pytest.raises(SettingsError):
            settings_from({"negative": value})
    assert settings_from({"negative": "parens"}) != Settings()
    assert settings_from({"negative": "minus"}) == Settings()
