# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What is rounded by the chosen rule is written in the chosen style; the style goes by the rounded number."""

import csv
import decimal
import json
from decimal import Decimal

import pytest

from billfold.cli import main
from billfold.currency import find_currency
from billfold.document import invoice_from
from billfold.formatting import format_amount, format_unit_price
from billfold.reminder import render_reminder
from billfold.render_csv import render_csv
from billfold.render_text import render_text
from billfold.statement import render_statement

DIGITS = {"EUR": 2, "CHF": 2, "JPY": 0, "KWD": 3}
SIGNS = {"EUR": "€", "CHF": "CHF ", "JPY": "¥", "KWD": "KWD "}
RULES = {
    "half-up": decimal.ROUND_HALF_UP,
    "half-even": decimal.ROUND_HALF_EVEN,
    "floor": decimal.ROUND_FLOOR,
    "ceiling": decimal.ROUND_CEILING,
}
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


def rounded(amount, digits, rule):
    return amount.quantize(Decimal(1).scaleb(-digits), rounding=RULES[rule])


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


def amounts_of(data, rule):
    """The amounts of a document, worked out again from the README and the rule."""
    digits = DIGITS[data["currency"]]
    nets, groups = [], {}
    for item in data["lines"]:
        full = Decimal(item["quantity"]) * Decimal(item["unit_price"])
        net = rounded(full * (100 - Decimal(item["discount_percent"])) / 100, digits, rule)
        nets.append(net)
        rate = Decimal(item["tax_percent"])
        groups[rate] = groups.get(rate, 0) + net
    discount, taxes = Decimal(0), []
    for rate, net in sorted(groups.items()):
        less = rounded(net * Decimal(data["discount_percent"]) / 100, digits, rule)
        discount += less
        taxes.append((rate, rounded((net - less) * rate / 100, digits, rule)))
    paid = rounded(sum((Decimal(one["amount"]) for one in data["payments"]), Decimal(0)), digits, rule)
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


@pytest.mark.parametrize("rule", RULES)
def test_format_amount(rule):
    for style in STYLES:
        for amount in AMOUNTS:
            for code, digits in DIGITS.items():
                value = rounded(amount, digits, rule)
                currency = find_currency(code)
                text = format_amount(amount, currency, rounding=rule, negative=style)
                assert text == written(value, digits, style, SIGNS[code]), amount
                text = format_amount(amount, currency, symbol=False, grouping=False, rounding=rule, negative=style)
                assert text == written(value, digits, style, grouping=False), amount


@pytest.mark.parametrize("rule", RULES)
def test_format_unit_price(rule):
    for style in STYLES:
        for price in PRICES:
            for code, digits in DIGITS.items():
                value = rounded(price, 4, rule)
                for grouping in (True, False):
                    text = format_unit_price(
                        price, find_currency(code), grouping=grouping, rounding=rule, negative=style
                    )
                    assert text == written_price(value, digits, style, grouping), price


def test_rule_decides_what_is_negative():
    for amount, rule, parens in (
        ("-0.005", "half-up", "(€0.01)"),
        ("-0.005", "half-even", "€0.00"),
        ("-0.001", "floor", "(€0.01)"),
        ("-0.009", "ceiling", "€0.00"),
        ("-1.001", "floor", "(€1.01)"),
        ("-1.009", "ceiling", "(€1.00)"),
        ("-999.995", "half-even", "(€1,000.00)"),
    ):
        text = format_amount(Decimal(amount), find_currency("EUR"), rounding=rule, negative="parens")
        assert text == parens


@pytest.mark.parametrize("rule", RULES)
def test_csv_and_text(rule):
    for style in STYLES:
        for data in DOCUMENTS.values():
            code, digits = data["currency"], DIGITS[data["currency"]]
            expected = amounts_of(data, rule)
            rows = list(csv.reader(render_csv(invoice_from(data), rounding=rule, negative=style).splitlines()))[1:]
            entries = [*expected["nets"], expected["net"]]
            if Decimal(data["discount_percent"]):
                entries.append(-expected["discount"])
            entries += [amount for _, amount in expected["taxes"]]
            entries += [expected["gross"], -expected["paid"], expected["due"]]
            assert [row[-1] for row in rows] == [written(amount, digits, style, grouping=False) for amount in entries]
            prices = [rounded(Decimal(item["unit_price"]), 4, rule) for item in data["lines"]]
            count = len(prices)
            assert [row[5] for row in rows[:count]] == [written_price(one, digits, style, False) for one in prices]
            text = render_text(invoice_from(data), rounding=rule, negative=style)
            amounts = summary(text)
            assert amounts["Net"] == written(expected["net"], digits, style, SIGNS[code])
            assert amounts["Total"] == written(expected["gross"], digits, style, SIGNS[code])
            if data["payments"]:
                assert amounts["Paid"] == written(-expected["paid"], digits, style, SIGNS[code])
                assert amounts["Due"] == written(expected["due"], digits, style, SIGNS[code])
            cells = table_cells(text)
            nets = [written(amount, digits, style, SIGNS[code]) for amount in expected["nets"]]
            assert [row[-1] for row in cells] == nets
            assert [row[-3] for row in cells] == [written_price(one, digits, style) for one in prices]


@pytest.mark.parametrize("rule", RULES)
def test_prices_below_zero_in_print(rule):
    for style in STYLES:
        data = document("EUR", [line("2", text) for text in ("-0.12345", "-0.00004", "-7.00015", "-1234.00001")])
        prices = [rounded(Decimal(item["unit_price"]), 4, rule) for item in data["lines"]]
        text = render_text(invoice_from(data), rounding=rule, negative=style)
        assert [row[-3] for row in table_cells(text)] == [written_price(one, 2, style) for one in prices]
        rows = list(csv.reader(render_csv(invoice_from(data), rounding=rule, negative=style).splitlines()))
        assert [row[5] for row in rows[1:5]] == [written_price(one, 2, style, grouping=False) for one in prices]


@pytest.mark.parametrize("rule", RULES)
def test_statement_and_reminder(rule):
    for style in STYLES:
        first = document("EUR", DOCUMENTS["plain"]["lines"], "1.5", ["3.335"], number="a")
        second = document("EUR", [line("-20", "30.1275", "19"), line("3", "0.335")], number="b", issued="2026-03-04")
        one, two = amounts_of(first, rule), amounts_of(second, rule)
        balance = one["due"] + two["due"]
        show = {"rounding": rule, "negative": style}
        text = render_statement([invoice_from(first), invoice_from(second)], **show)
        expected = [
            [one["gross"], -one["paid"], one["due"], one["due"]],
            [two["gross"], Decimal(0), two["due"], balance],
        ]
        cells = [row[-4:] for row in table_cells(text)]
        assert cells == [[written(amount, 2, style) for amount in row] for row in expected]
        assert f"Balance: {written(balance, 2, style, '€')}\n" in text
        assert balance < 0
        letter = " ".join(render_reminder(invoice_from(second), 30, **show).split())
        assert f"Its balance is {written(two['due'], 2, style, '€')};" in letter
        fee = rounded(one["due"] * Decimal("1.37") / 100, 2, rule)
        letter = render_reminder(invoice_from(first), 30, percent=Decimal("1.37"), **show)
        assert f"Paid: {written(-one['paid'], 2, style, '€')}\n" in letter
        assert f"Late fee 1.37%: {written(fee, 2, style, '€')}\n" in letter
        assert f"To pay: {written(one['due'] + fee, 2, style, '€')}\n" in letter


@pytest.mark.parametrize("rule", RULES)
def test_command_line(rule, saved, capsys):
    for style in STYLES:
        data = document("EUR", [line("-20", "30.1275", "19", "7"), line("3", "-0.335")], "1.5", ["3.335"])
        expected = amounts_of(data, rule)
        file = saved("invoice", data)
        settings = saved("settings", {"rounding": rule, "negative": style})
        other_rule = "ceiling" if rule == "floor" else "floor"
        other_style = "parens" if style == "minus" else "minus"
        other = saved("other", {"rounding": other_rule, "negative": other_style})
        half = saved("half", {"rounding": rule, "negative": other_style})
        invoice = invoice_from(data)
        show = {"rounding": rule, "negative": style}
        shown = {
            ("show",): render_text(invoice, **show),
            ("show", "--format", "csv"): render_csv(invoice, **show),
            ("statement",): render_statement([invoice], **show),
            ("remind", "--days", "30"): render_reminder(invoice, 30, **show),
        }
        amounts = (expected["net"] - expected["discount"], expected["tax"], expected["gross"], expected["due"])
        shown[("totals",)] = "\t".join(["1", "EUR", *(written(amount, 2, style) for amount in amounts)]) + "\n"
        for (command, *more), output in shown.items():
            choice = ["--negative", style, "--rounding", rule, "--settings", other]
            assert printed(capsys, command, file, *more, *choice) == output
        for (command, *more), output in list(shown.items())[1:]:
            choice = ["--settings", half, "--negative", style] if command == "statement" else ["--settings", settings]
            assert printed(capsys, command, file, *more, *choice) == output


def test_wrong_choices():
    invoice = invoice_from(DOCUMENTS["credit"])
    for show in ({"rounding": "up", "negative": "parens"}, {"rounding": "floor", "negative": "red"}):
        for call in (
            lambda show=show: format_amount(Decimal(-1), find_currency("EUR"), **show),
            lambda show=show: format_unit_price(Decimal(-1), find_currency("EUR"), **show),
            lambda show=show: render_text(invoice, **show),
            lambda show=show: render_csv(invoice, **show),
            lambda show=show: render_statement([invoice], **show),
            lambda show=show: render_reminder(invoice, 40, **show),
        ):
            with pytest.raises(ValueError):
                call()
