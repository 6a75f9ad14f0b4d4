# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Amounts are rounded by the chosen rule, wherever they are rounded."""

import csv
import decimal
import json
from decimal import Decimal

import pytest

from billfold.cli import main
from billfold.currency import find_currency
from billfold.document import invoice_from
from billfold.errors import SettingsError
from billfold.formatting import format_amount, format_unit_price
from billfold.money import round_money, round_price
from billfold.reminder import late_fee, render_reminder
from billfold.render_csv import render_csv
from billfold.render_text import render_text
from billfold.settings import Settings, settings_from
from billfold.statement import render_statement
from billfold.totals import compute

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


def plain(value, code, sign=False, grouping=True):
    """An amount that was rounded already, written as ever."""
    separator = "," if grouping else ""
    return f"{SIGNS[code] if sign else ''}{value:{separator}.{DIGITS[code]}f}"


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


def neutral(value):
    """Leave out what is rounded to zero from below: how that is written is not our matter."""
    return not (value.is_signed() and value == 0)


@pytest.mark.parametrize("rule", RULES)
def test_round_money_and_price(rule):
    for amount in AMOUNTS:
        for code, digits in DIGITS.items():
            assert round_money(amount, find_currency(code), rounding=rule) == rounded(amount, digits, rule)
    for price in PRICES:
        assert round_price(price, rounding=rule) == rounded(price, 4, rule)


@pytest.mark.parametrize("rule", RULES)
def test_format_amount(rule):
    for amount in AMOUNTS:
        for code, digits in DIGITS.items():
            value = rounded(amount, digits, rule)
            if neutral(value):
                currency = find_currency(code)
                assert format_amount(amount, currency, rounding=rule) == plain(value, code, sign=True)
                text = format_amount(amount, currency, symbol=False, grouping=False, rounding=rule)
                assert text == plain(value, code, grouping=False)


@pytest.mark.parametrize(
    ("price", "rule", "text"),
    [
        ("0.12345", "half-up", "0.1235"),
        ("0.12345", "half-even", "0.1234"),
        ("0.12355", "half-even", "0.1236"),
        ("-1234.00005", "floor", "-1,234.0001"),
        ("-1234.00015", "ceiling", "-1,234.0001"),
        ("0.99999", "floor", "0.9999"),
        ("0.99991", "ceiling", "1.00"),
    ],
)
def test_format_unit_price(price, rule, text):
    assert format_unit_price(Decimal(price), find_currency("EUR"), rounding=rule) == text


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_compute(name, rule):
    totals = compute(invoice_from(DOCUMENTS[name]), rounding=rule)
    expected = amounts_of(DOCUMENTS[name], rule)
    assert list(totals.line_nets) == expected["nets"]
    assert [(group.percent, group.tax) for group in totals.groups if group.percent] == expected["taxes"]
    for part in ("net", "discount", "tax", "gross", "paid", "due"):
        assert getattr(totals, part) == expected[part], part


def test_default_is_half_up():
    for data in DOCUMENTS.values():
        invoice = invoice_from(data)
        assert compute(invoice) == compute(invoice, rounding="half-up")
        assert render_text(invoice) == render_text(invoice, rounding="half-up")
        assert render_csv(invoice) == render_csv(invoice, rounding="half-up")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_csv_and_text(name, rule):
    data = DOCUMENTS[name]
    code = data["currency"]
    expected = amounts_of(data, rule)
    rows = list(csv.reader(render_csv(invoice_from(data), rounding=rule).splitlines()))[1:]
    entries = [*expected["nets"], expected["net"]]
    if Decimal(data["discount_percent"]):
        entries.append(-expected["discount"])
    entries += [amount for _, amount in expected["taxes"]]
    entries += [expected["gross"], -expected["paid"], expected["due"]]
    assert [row[-1] for row in rows] == [plain(amount, code, grouping=False) for amount in entries]
    text = render_text(invoice_from(data), rounding=rule)
    amounts = summary(text)
    assert amounts["Net"] == plain(expected["net"], code, sign=True)
    assert amounts["Total"] == plain(expected["gross"], code, sign=True)
    if data["payments"]:
        assert amounts["Due"] == plain(expected["due"], code, sign=True)
    cells = table_cells(text)
    assert [row[-1] for row in cells] == [plain(amount, code, sign=True).strip() for amount in expected["nets"]]


@pytest.mark.parametrize("rule", RULES)
def test_unit_prices_in_print(rule):
    data = document("EUR", [line("1", "0.12345"), line("1", "7.00015")])
    prices = [rounded(Decimal(text), 4, rule) for text in ("0.12345", "7.00015")]
    expected = [f"{price:f}".rstrip("0").ljust(4, "0") for price in prices]
    text = render_text(invoice_from(data), rounding=rule)
    assert [row[-3] for row in table_cells(text)] == [one if len(one) > 3 else f"{one}0" for one in expected]
    rows = list(csv.reader(render_csv(invoice_from(data), rounding=rule).splitlines()))
    assert [row[5] for row in rows[1:3]] == expected


@pytest.mark.parametrize("rule", RULES)
def test_statement_and_reminder(rule):
    first = document("EUR", DOCUMENTS["plain"]["lines"], "1.5", ["3.335"], number="a")
    second = document("EUR", DOCUMENTS["credit"]["lines"], number="b", issued="2026-03-04")
    one, two = amounts_of(first, rule), amounts_of(second, rule)
    text = render_statement([invoice_from(first), invoice_from(second)], rounding=rule)
    cells = table_cells(text)
    balance = one["due"] + two["due"]
    expected = [one["gross"], -one["paid"], one["due"], one["due"]]
    assert cells[0][-4:] == [plain(amount, "EUR") for amount in expected]
    assert [cells[1][-4], *cells[1][-2:]] == [plain(amount, "EUR") for amount in (two["gross"], two["due"], balance)]
    assert f"Balance: {plain(balance, 'EUR', sign=True)}\n" in text
    percent = Decimal("1.37")
    invoice = invoice_from(first)
    fee = rounded(one["due"] * percent / 100, 2, rule)
    assert late_fee(one["due"], percent, invoice, rounding=rule) == fee
    letter = render_reminder(invoice, 30, percent=percent, rounding=rule)
    assert f"Late fee 1.37%: {plain(fee, 'EUR', sign=True)}\n" in letter
    assert f"To pay: {plain(one['due'] + fee, 'EUR', sign=True)}\n" in letter


def test_unknown_rule():
    invoice = invoice_from(DOCUMENTS["plain"])
    euro = find_currency("EUR")
    for call in (
        lambda: round_money(Decimal(1), euro, rounding="up"),
        lambda: round_price(Decimal(1), rounding="up"),
        lambda: format_amount(Decimal(1), euro, rounding="up"),
        lambda: format_unit_price(Decimal(1), euro, rounding="up"),
        lambda: compute(invoice, rounding="up"),
        lambda: late_fee(Decimal(1), Decimal(1), invoice, rounding="up"),
        lambda: render_text(invoice, rounding="up"),
        lambda: render_csv(invoice, rounding="up"),
        lambda: render_statement([invoice], rounding="up"),
        lambda: render_reminder(invoice, 40, rounding="up"),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("rule", RULES)
def test_command_line(rule, saved, capsys):
    data = document("EUR", DOCUMENTS["plain"]["lines"], "1.5", ["3.335"])
    expected = amounts_of(data, rule)
    file, settings = saved("invoice", data), saved("settings", {"rounding": rule, "late_fee_percent": "1.37"})
    other = saved("other", {"rounding": "ceiling" if rule == "floor" else "floor", "late_fee_percent": "1.37"})
    invoice = invoice_from(data)
    for choice in (["--rounding", rule, "--settings", other], ["--settings", settings]):
        assert printed(capsys, "show", file, *choice) == render_text(invoice, rounding=rule)
        assert printed(capsys, "show", file, "--format", "csv", *choice) == render_csv(invoice, rounding=rule)
        assert printed(capsys, "statement", file, *choice) == render_statement([invoice], rounding=rule)
        letter = render_reminder(invoice, 30, percent=Decimal("1.37"), rounding=rule)
        assert printed(capsys, "remind", file, "--days", "30", *choice) == letter
        amounts = (expected["net"] - expected["discount"], expected["tax"], expected["gross"], expected["due"])
        row = ["1", "EUR", *(plain(amount, "EUR") for amount in amounts)]
        assert printed(capsys, "totals", file, *choice) == "\t".join(row) + "\n"


def test_wrong_choice(saved, capsys):
    file = saved("invoice", DOCUMENTS["plain"])
    with pytest.raises(SystemExit) as caught:
        main(["show", file, "--rounding", "up"])
    assert caught.value.code == 2
    for value in ("up", 2, None, ["floor"]):
        with pytest.raises(SettingsError):
            settings_from({"rounding": value})
    assert settings_from({"rounding": "floor"}) != Settings()
    assert settings_from({"rounding": "half-up"}) == Settings()
