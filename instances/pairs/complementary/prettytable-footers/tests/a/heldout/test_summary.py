# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Summary rows below the data of a plain text table."""

import pytest
from prettytable import HRuleStyle, PrettyTable, TableStyle


def text(block):
    return "\n".join(line.strip() for line in block.strip().split("\n"))


def stock(**options):
    table = PrettyTable(["Item", "Qty", "Price"], **options)
    table.add_rows([["bolt", 30, 0.25], ["nut", 4, 0.5], ["washer", 1200, 0.125]])
    return table


def items(values):
    return f"{len(values)} items"


def cells(line, char="|"):
    return [cell.strip() for cell in line.strip(char).split(char)]


def test_one_row():
    table = stock()
    table.add_summary({"Qty": sum, "Item": items})
    assert table.get_string() == text(
        """
        +---------+------+-------+
        |   Item  | Qty  | Price |
        +---------+------+-------+
        |   bolt  |  30  |  0.25 |
        |   nut   |  4   |  0.5  |
        |  washer | 1200 | 0.125 |
        +---------+------+-------+
        | 3 items | 1234 |       |
        +---------+------+-------+
        """
    )
    assert str(table) == table.get_string()


def test_rows_in_the_order_of_the_calls():
    table = stock()
    table.add_summary({"Qty": max})
    table.add_summary({"Item": lambda values: "mean", "Price": lambda values: sum(values) / len(values)})
    table.add_summary({"Qty": min})
    lines = table.get_string().split("\n")
    assert [cells(line) for line in lines[7:10]] == [["", "1200", ""], ["mean", "", str(0.875 / 3)], ["", "4", ""]]
    assert lines[6] == lines[2]
    assert len(lines) == 11


def test_widths_take_the_summary_into_account():
    table = stock()
    table.add_summary({"Qty": lambda values: "a long remark"})
    assert {len(line) for line in table.get_string().split("\n")} == {len("+--------+---------------+-------+")}
    table.max_width["Qty"] = 6
    assert "| a long |" in table.get_string()


def test_formatted_as_the_column():
    table = stock(int_format="6", float_format=".1")
    table.custom_format["Item"] = lambda field, value: f"<{value}>"
    table.align["Qty"] = "r"
    table.align["Price"] = "l"
    table.none_format["Price"] = "none"
    table.add_summary({"Item": lambda values: "all", "Qty": sum, "Price": sum})
    table.add_summary({"Price": lambda values: None})
    lines = table.get_string().split("\n")
    assert lines[-3] == "|  <all>   |   1234 | 0.9   |"
    assert lines[-2] == "|          |        | none  |"


def test_values_are_those_that_were_added_and_shown_in_their_order():
    seen = []

    def note(values):
        assert type(values) is list
        seen.append(list(values))
        values.clear()
        return len(seen)

    class Odd:
        def __str__(self):
            return "odd"

    odd = Odd()
    table = PrettyTable(["A", "B"], float_format=".1")
    table.add_rows([[3, 0.123], [1, odd], [2, None], [None, "x"]])
    table.add_summary({"B": note})
    table.get_string()
    table.get_string(start=1, end=3)
    assert seen[0][0] == 0.123
    assert seen[0][2:] == [None, "x"]
    assert isinstance(seen[0][1], Odd)
    assert len(seen[1]) == 2
    seen.clear()
    table.del_row(3)
    table.get_string(sortby="A", end=2)
    table.get_string(sortby="A", reversesort=True, end=1)
    assert isinstance(seen[0][0], Odd)
    assert seen[0][1:] == [None]
    assert seen[1] == [0.123]
    assert len(table.rows) == 3


def test_hidden_columns():
    table = stock()
    table.add_summary({"Qty": sum, "Price": sum})
    lines = table.get_string(fields=["Item", "Price"]).split("\n")
    assert cells(lines[-2]) == ["", "0.875"]


def test_pages():
    table = PrettyTable(["n"])
    table.add_rows([[n] for n in (1, 2, 4, 8, 16)])
    table.add_summary({"n": sum})
    pages = table.paginate(page_length=2).split("\f")
    assert [cells(page.split("\n")[-2]) for page in pages] == [["3"], ["12"], ["16"]]


@pytest.mark.parametrize("hrules", [HRuleStyle.ALL, HRuleStyle.NONE, HRuleStyle.HEADER])
def test_other_rules(hrules):
    table = stock(hrules=hrules)
    plain = stock(hrules=hrules)
    plain.add_rows([["", 1234, ""], ["", 1200, ""]])
    table.add_summary({"Qty": sum})
    table.add_summary({"Qty": max})
    assert table.get_string() == plain.get_string()


def test_no_border():
    table, plain = stock(border=False), stock(border=False)
    plain.add_row(["", 1234, ""])
    table.add_summary({"Qty": sum})
    assert table.get_string() == plain.get_string()


def test_rule_between_is_the_one_below_the_header():
    table = stock()
    table.set_style(TableStyle.SINGLE_BORDER)
    table.add_summary({"Qty": sum})
    lines = table.get_string().split("\n")
    assert lines[6] == lines[2]
    assert lines[2].startswith("\u251c")
    assert lines[-1].startswith("\u2514")
    assert cells(lines[7], "\u2502") == ["", "1234", ""]
    without = table.get_string(header=False).split("\n")
    assert without[4] == lines[2].replace("\u253c", lines[2][9]) or without[4][0] == "\u251c"


def test_dividers_of_rows_stay():
    table = PrettyTable(["n"])
    table.add_row([1], divider=True)
    table.add_row([2])
    table.add_row([3], divider=True)
    before = table.get_string().split("\n")
    table.add_summary({"n": sum})
    assert table.get_string().split("\n") == [*before[:-1], before[2], "| 6 |", before[-1]]


def test_nothing_shown_nothing_summarised():
    def never(values):
        raise AssertionError

    table = stock()
    full = stock()
    table.add_summary({"Qty": never})
    assert table.get_string(start=3) == full.get_string(start=3)
    table.clear_rows()
    full.clear_rows()
    assert table.get_string() == full.get_string()


def test_multiline_results():
    table, plain = stock(), stock()
    table.add_summary({"Item": lambda values: "in\nall", "Qty": sum})
    lines = table.get_string().split("\n")
    assert [cells(line) for line in lines[7:9]] == [["in", "1234", ""], ["all", "", ""]]
    assert plain.get_string().split("\n")[:3] == lines[:3]


def test_bad_functions():
    table = stock()
    before = table.get_string()
    with pytest.raises(ValueError):
        table.add_summary({"Qty": sum, "Size": sum})
    with pytest.raises(TypeError):
        table.add_summary({"Item": items, "Qty": "sum"})
    assert table.get_string() == before


def test_errors_of_a_callable_come_through():
    table = stock()
    table.add_summary({"Item": sum})
    with pytest.raises(TypeError):
        table.get_string()


def test_del_column():
    table = stock()
    table.add_summary({"Qty": sum, "Price": sum})
    table.del_column("Qty")
    assert cells(table.get_string().split("\n")[-2]) == ["", "0.875"]
    table.add_column("Qty", [1, 1, 1])
    assert cells(table.get_string().split("\n")[-2]) == ["", "0.875", ""]


def test_clear_and_clear_rows():
    table = stock()
    table.add_summary({"Qty": sum})
    table.clear_rows()
    table.add_row(["pin", 7, 0.1])
    assert cells(table.get_string().split("\n")[-2]) == ["", "7", ""]
    table.clear()
    table.field_names = ["Item", "Qty", "Price"]
    table.add_row(["pin", 7, 0.1])
    assert cells(table.get_string().split("\n")[-2]) == ["pin", "7", "0.1"]


def test_slices_and_copies():
    table = stock()
    table.add_summary({"Qty": sum})
    assert cells(table[1:].get_string().split("\n")[-2]) == ["", "1204", ""]
    assert cells(table[0].get_string().split("\n")[-2]) == ["", "30", ""]
    before = table.get_string()
    for other in (table.copy(), table[:]):
        assert other.get_string() == before
        other.add_summary({"Qty": max})
        assert cells(other.get_string().split("\n")[-2]) == ["", "1200", ""]
        other.del_column("Qty")
        assert table.get_string() == before


def test_the_dict_is_not_kept():
    functions = {"Qty": sum}
    table = stock()
    table.add_summary(functions)
    functions["Qty"] = max
    functions["Item"] = items
    assert cells(table.get_string().split("\n")[-2]) == ["", "1234", ""]


def test_tables_without_a_summary():
    assert stock().get_string() == text(
        """
        +--------+------+-------+
        |  Item  | Qty  | Price |
        +--------+------+-------+
        |  bolt  |  30  |  0.25 |
        |  nut   |  4   |  0.5  |
        | washer | 1200 | 0.125 |
        +--------+------+-------+
        """
    )
