# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Summaries of a table stand in its exports too."""

import csv
import io
import json
import re

import pytest
from prettytable import PrettyTable

DATA = [["bolt", 30, 0.25], ["nut", 4, 0.5], ["washer", 1200, 0.125]]


def items(values):
    return f"{len(values)} items"


def mean(values):
    return sum(values) / len(values)


def stock(*summaries, **options):
    table = PrettyTable(["Item", "Qty", "Price"], **options)
    table.add_rows(DATA)
    for summary in summaries:
        table.add_summary(summary)
    return table


def footer(table, **options):
    """The cells of the ``<tfoot>``, or None."""
    html = table.get_html_string(**options)
    found = re.search(r"</tbody>\s*<tfoot>(.*)</tfoot>\s*</table>\Z", html, re.DOTALL)
    if not found:
        assert "tfoot" not in html
        return None
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in found[1].split("</tr>")[:-1]]


def shown(table, count, **options):
    lines = table.get_string(**options).split("\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[-1 - count : -1]]


TWO = ({"Item": items, "Qty": sum}, {"Price": mean})


def test_csv():
    rows = list(csv.reader(io.StringIO(stock(*TWO).get_csv_string())))
    assert rows[1:4] == [[str(value) for value in row] for row in DATA]
    assert rows[4:] == [["3 items", "1234", ""], ["", "", str(0.875 / 3)]]


def test_json():
    found = json.loads(stock(*TWO).get_json_string())
    assert found[4:] == [{"Item": "3 items", "Qty": 1234}, {"Price": 0.875 / 3}]
    assert found[:4] == json.loads(stock().get_json_string())


@pytest.mark.parametrize("style", [False, True])
def test_html(style):
    table = stock(*TWO, format=style)
    assert footer(table) == [["3 items", "1234", ""], ["", "", str(0.875 / 3)]]
    assert footer(stock(format=style)) is None


def test_values_are_raw_in_data_and_formatted_in_pages():
    table = stock(*TWO, float_format=".2", int_format="6")
    assert json.loads(table.get_json_string())[4:] == [{"Item": "3 items", "Qty": 1234}, {"Price": 0.875 / 3}]
    assert table.get_csv_string().split("\r\n")[-3:] == ["3 items,1234,", f",,{0.875 / 3}", ""]
    assert footer(table) == [["3 items", "  1234", ""], ["", "", "0.29"]]
    assert shown(table, 2) == [["3 items", "1234", ""], ["", "", "0.29"]]
    table.custom_format["Item"] = lambda field, value: f"<{value}>"
    assert footer(table)[0][0] == "&lt;3 items&gt;"
    assert json.loads(table.get_json_string())[4]["Item"] == "3 items"


def test_kinds_of_values():
    table = stock({"Item": lambda values: None, "Qty": lambda values: 0, "Price": lambda values: values})
    assert json.loads(table.get_json_string())[4:] == [{"Item": None, "Qty": 0, "Price": [0.25, 0.5, 0.125]}]
    assert table.get_csv_string().split("\r\n")[-2].startswith(",0,")


@pytest.mark.parametrize("options", [{"start": 1}, {"end": 2}, {"start": 1, "end": 2}, {"sortby": "Qty", "end": 2}, {"sortby": "Qty", "reversesort": True}])
def test_the_same_rows_in_each_format(options):
    table = stock({"Item": lambda values: "+".join(values), "Qty": sum})
    [(names, quantity, _)] = shown(table, 1, **options)
    rows = json.loads(table.get_json_string(**options))[1:]
    assert rows[-1] == {"Item": names, "Qty": int(quantity)}
    assert names == "+".join(row["Item"] for row in rows[:-1])
    assert int(quantity) == sum(row["Qty"] for row in rows[:-1])
    assert table.get_csv_string(**options).split("\r\n")[-2] == f"{names},{quantity},"
    assert footer(table, **options) == footer(table, format=True, **options) == [[names, quantity, ""]]


def test_hidden_columns():
    table = stock(*TWO)
    only = {"fields": ["Item", "Price"]}
    assert json.loads(table.get_json_string(**only))[4:] == [{"Item": "3 items"}, {"Price": 0.875 / 3}]
    assert table.get_csv_string(**only).split("\r\n")[-3:-1] == ["3 items,", f",{0.875 / 3}"]
    assert footer(table, **only) == [["3 items", ""], ["", str(0.875 / 3)]]


def test_no_rows_no_footer():
    def never(values):
        raise AssertionError

    table, plain = stock({"Qty": never}), stock()
    for options in ({"start": 3}, {"end": 0}):
        assert table.get_csv_string(**options) == plain.get_csv_string(**options)
        assert table.get_json_string(**options) == plain.get_json_string(**options)
        assert table.get_html_string(**options) == plain.get_html_string(**options)
    table.clear_rows()
    plain.clear_rows()
    assert table.get_html_string() == plain.get_html_string()
    assert table.get_json_string() == plain.get_json_string()
    assert table.get_csv_string() == plain.get_csv_string()


def test_without_summaries_the_exports_are_as_before():
    assert len(json.loads(stock().get_json_string())) == 4
    assert len(stock().get_csv_string().splitlines()) == 4


def test_changes_of_the_table():
    table = stock(*TWO)
    part, copy = table[1:], table.copy()
    copy.add_summary({"Qty": max})
    assert json.loads(part.get_json_string())[3:] == [{"Item": "2 items", "Qty": 1204}, {"Price": 0.3125}]
    assert json.loads(copy.get_json_string())[-1] == {"Qty": 1200}
    table.del_column("Qty")
    assert json.loads(table.get_json_string())[4:] == [{"Item": "3 items"}, {"Price": 0.875 / 3}]
    table.add_column("Qty", [1, 2, 3])
    assert footer(table) == [["3 items", "", ""], ["", str(0.875 / 3), ""]]
    table.clear()
    table.field_names = ["Item", "Qty", "Price"]
    table.add_rows(DATA)
    assert footer(table) is None
    assert len(json.loads(copy.get_json_string())) == 7


def test_each_callable_once_for_each_output_and_on_a_list_of_its_own():
    calls = []

    def rude(values):
        calls.append(list(values))
        values.clear()
        return len(calls[-1])

    table = stock({"Qty": rude}, {"Qty": rude})
    for output in (table.get_csv_string, table.get_json_string, table.get_html_string):
        calls.clear()
        output()
        assert calls == [[30, 4, 1200]] * 2
        assert "1200" in output()
    assert table.rows == DATA
