# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Footers of the CSV, JSON and HTML exports, from the table's own method."""

import csv
import io
import json
from html.parser import HTMLParser

import pytest
from prettytable import PrettyTable

DATA = [["bolt", 30, 0.25], ["nut", 4, 0.5], ["washer", 1200, 0.125]]


class Sales(PrettyTable):
    """Its footer is what the function in ``said`` makes of the rows; calls are noted."""

    said = None

    def footer_rows(self, rows):
        self.__dict__.setdefault("calls", []).append(rows)
        return self.said(rows)


def sales(said, **options):
    table = Sales(["Item", "Qty", "Price"], **options)
    table.add_rows(DATA)
    table.said = said
    table.calls = []
    return table


def plain(**options):
    table = PrettyTable(["Item", "Qty", "Price"], **options)
    table.add_rows(DATA)
    return table


def total(rows):
    return [{"Item": "total", "Qty": sum(row[1] for row in rows)}, {"Price": 0.875}]


class Page(HTMLParser):
    """The cells of each section of a table, and the attributes of the cells."""

    def __init__(self, html):
        super().__init__()
        self.sections, self.styles, self.order = {}, {}, []
        self.section = self.cell = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag in ("thead", "tbody", "tfoot"):
            assert tag not in self.sections
            self.section, self.sections[tag], self.styles[tag] = tag, [], []
            self.order.append(tag)
        elif tag == "tr":
            self.sections[self.section].append([])
            self.styles[self.section].append([])
        elif tag in ("td", "th"):
            self.cell = ""
            self.styles[self.section][-1].append(dict(attrs))
        elif tag == "br":
            self.cell += "\n"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.sections[self.section][-1].append(self.cell)
            self.cell = None
        elif tag in ("thead", "tbody", "tfoot"):
            self.section = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def exports(table, **options):
    return table.get_csv_string(**options), table.get_json_string(**options), table.get_html_string(**options)


def test_csv():
    rows = list(csv.reader(io.StringIO(sales(total).get_csv_string())))
    assert rows == [["Item", "Qty", "Price"], *[[str(v) for v in row] for row in DATA], ["total", "1234", ""], ["", "", "0.875"]]
    assert sales(total).get_csv_string(header=False, delimiter=";").endswith("total;1234;\r\n;;0.875\r\n")


def test_json():
    found = json.loads(sales(total).get_json_string())
    assert found[:-2] == json.loads(plain().get_json_string())
    assert found[-2:] == [{"Item": "total", "Qty": 1234}, {"Price": 0.875}]
    assert sales(total).get_json_string(indent=None, header=False).endswith('{"Item": "total","Qty": 1234},{"Price": 0.875}]')


@pytest.mark.parametrize("style", [False, True])
def test_html(style):
    html = sales(total, format=style).get_html_string()
    page = Page(html)
    assert page.order == ["thead", "tbody", "tfoot"]
    assert page.sections["tfoot"] == [["total", "1234", ""], ["", "", "0.875"]]
    assert page.sections["tbody"] == [[str(v) for v in row] for row in DATA]
    before, rest = html.split("</tbody>")
    assert rest.lstrip().startswith("<tfoot>")
    assert rest.rstrip().endswith("</tfoot>\n</table>")
    assert before + "</tbody>\n</table>" == plain(format=style).get_html_string()


def test_html_cells_are_written_as_data_cells():
    table = sales(lambda rows: [{"Item": "a<b>\n&c", "Qty": 12, "Price": 2 / 3}], format=True, float_format=".2", int_format="5")
    table.align["Qty"], table.align["Item"], table.valign["Price"] = "r", "l", "b"
    page = Page(table.get_html_string(padding_width=3))
    assert page.sections["tfoot"] == [["a<b>\n&c", "   12", "0.67"]]
    assert page.styles["tfoot"] == page.styles["tbody"][:1]
    assert page.styles["tfoot"][0][1]["style"].count("3em") == 2
    table.custom_format["Item"] = lambda field, value: f"{field}: {value.upper()}"
    html = table.get_html_string(format=False, escape_data=False, xhtml=True)
    assert "<td>Item: A<B><br/>&C</td>" in html


def test_empty_cells_are_not_formatted():
    table = sales(lambda rows: [{}])
    table.custom_format = {name: lambda field, value: f"[{value}]" for name in table.field_names}
    page = Page(table.get_html_string())
    assert page.sections["tfoot"] == [["", "", ""]]
    assert page.sections["tbody"][0] == ["[bolt]", "[30]", "[0.25]"]
    assert table.get_csv_string().split("\r\n")[-2] == ",,"
    assert json.loads(table.get_json_string())[-1] == {}


def test_none_is_a_value():
    table = sales(lambda rows: [{"Qty": None, "Item": 0}])
    assert json.loads(table.get_json_string())[-1] == {"Qty": None, "Item": 0}
    assert Page(table.get_html_string()).sections["tfoot"] == [["0", "None", ""]]
    assert table.get_csv_string().split("\r\n")[-2] == "0,,"


def test_rows_are_those_that_are_exported_in_full():
    table = sales(lambda rows: [{"Qty": [row[1] for row in rows]}])
    for export in (table.get_csv_string, table.get_json_string, table.get_html_string):
        table.calls.clear()
        export()
        export(fields=["Item"], sortby="Qty", reversesort=True)
        export(start=1, end=2)
        export(sortby="Qty", start=1)
        assert table.calls == [DATA, [DATA[2], DATA[0], DATA[1]], [DATA[1]], [DATA[0], DATA[2]]]
        assert all(type(row) is list for rows in table.calls for row in rows)


def test_once_for_each_export():
    table = sales(total)
    for style in (False, True):
        table.format = style
        table.calls.clear()
        exports(table)
        assert len(table.calls) == 3


def test_lists_may_be_changed():
    def rude(rows):
        count = len(rows)
        for row in rows:
            row[:] = ["x"]
        rows.clear()
        return [{"Qty": count}]

    def polite(rows):
        return [{"Qty": len(rows)}]

    for style in (False, True):
        assert exports(sales(rude, format=style)) == exports(sales(polite, format=style))
    table = sales(rude)
    exports(table)
    assert table.rows == DATA


def test_columns_that_are_not_exported():
    table = sales(total)
    text, found, html = (table.get_csv_string(fields=["Item", "Price"]), table.get_json_string(fields=["Item", "Price"]), table.get_html_string(fields=["Item", "Price"]))
    assert text.split("\r\n")[-3:] == ["total,", ",0.875", ""]
    assert json.loads(found)[-2:] == [{"Item": "total"}, {"Price": 0.875}]
    assert Page(html).sections["tfoot"] == [["total", ""], ["", "0.875"]]
    assert Page(table.get_html_string(fields=["Qty"], format=True)).sections["tfoot"] == [["1234"], [""]]


def test_without_the_method_or_rows_it_is_as_it_was():
    for options in ({}, {"format": True}):
        assert exports(sales(lambda rows: [], **options)) == exports(plain(**options))
    assert "tfoot" not in plain().get_html_string()
    for export in (PrettyTable(["a"]).get_csv_string, PrettyTable(["a"]).get_json_string):
        export()


@pytest.mark.parametrize("answer", [{"Qty": 3}, None, "Qty", [["total", 1, 2]], [("Qty", 1)], [{"Qty": 1}, None], ({"Qty": 1},), 3])
def test_other_answers(answer):
    table = sales(lambda rows: answer)
    for style in (False, True):
        for export in (table.get_csv_string, table.get_json_string, lambda: table.get_html_string(format=style)):
            with pytest.raises(TypeError):
                export()


def test_errors_of_the_method_come_through():
    table = sales(lambda rows: [{"Qty": rows[0].missing}])
    for export in (table.get_csv_string, table.get_json_string, table.get_html_string):
        with pytest.raises(AttributeError):
            export()


def test_formatted_string():
    table = sales(total)
    for name, expected in zip(("csv", "json", "html"), exports(table)):
        assert table.get_formatted_string(name) == expected
