import io

import pytest

from depot import Depot
from depot.__main__ import main
from depot.commands import run_line, run_script
from depot.errors import NotFound, UsageError
from depot.money import percent_of, shown
from depot.tables import Table

DAY = """
product MUG "Stone mug" 1250 0.350 10   # heavy
customer HARB "Harbour Books" orders@harbour.example NL
receive MUG 40
order HARB MUG:3
pack O-1001
ship O-1001 NORTH
report sales 2026-03
"""


def test_a_day():
    assert run_script(Depot(), DAY.splitlines()) == [
        "MUG: 40 on hand",
        "O-1001 placed, 37.50",
        "O-1001 packed in 1 parcel",
        "O-1001 shipped with NORTH",
        "customer  orders  total",
        "HARB           1  37.50",
    ]


def test_report_as_csv(depot):
    run_line(depot, "order HARB MUG MUG:2")
    assert run_line(depot, "report sales 2026-03 --csv") == ["customer,orders,total", "HARB,1,37.50"]


def test_outbox_and_audit(depot):
    run_line(depot, "order HARB MUG")
    run_line(depot, "cancel O-1001 wrong size")
    assert run_line(depot, "outbox")[-1] == "orders@harbour.example: Order O-1001 cancelled"
    assert len(run_line(depot, "audit O-1001")) == 2
    assert len(run_line(depot, "audit")) == 5


@pytest.mark.parametrize(
    "line", ["order HARB", "receive MUG", "receive MUG many", "order HARB MUG:x", "day yesterday", "receive MUG 0"]
)
def test_usage(depot, line):
    with pytest.raises(UsageError):
        run_line(depot, line)


def test_unknown_command(depot):
    with pytest.raises(NotFound):
        run_line(depot, "dance")


def test_main(tmp_path, capsys, monkeypatch):
    script = tmp_path / "day.txt"
    script.write_text(DAY)
    assert main([str(script)]) == 0
    assert "O-1001 shipped with NORTH" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("receive CUP 1\n"))
    assert main([]) == 1
    assert capsys.readouterr().err == "input:1: no such product: CUP\n"


def test_money():
    assert [shown(cents) for cents in (0, 5, 1234, -250)] == ["0.00", "0.05", "12.34", "-2.50"]
    assert percent_of(250, 21) == 53


def test_table():
    with pytest.raises(ValueError, match="cells for"):
        Table.of(("a", "b"), [(1,)])
    assert Table.of(("name", "n"), [("x", 10), ("yy", 2)]).to_lines() == ["name  n", "x     10", "yy     2"]
