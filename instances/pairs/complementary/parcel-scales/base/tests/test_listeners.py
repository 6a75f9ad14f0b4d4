import pytest

from depot.errors import NotFound, UsageError
from depot.reporting import run_report


def test_customer_messages(depot):
    order = depot.orders.place("HARB", {"MUG": 3}).id
    depot.packing.pack(order)
    depot.shipping.ship(order, "NORTH")
    placed, shipped = depot.outbox.to("orders@harbour.example")
    assert placed.subject == "Order O-1001"
    assert "37.50" in placed.body
    assert shipped.body == "To Harbour Books\n\n1 parcel is on the way with Northline Parcel.\n"


def test_cancelled_message(depot):
    order = depot.orders.place("PEAK", {"MUG": 1}).id
    depot.orders.cancel(order, "no such address")
    assert "no such address" in depot.outbox.to("desk@peak.example")[-1].body


def test_low_stock_is_told_once(depot):
    for _ in range(3):
        depot.orders.place("HARB", {"MUG": 6})
    messages = depot.outbox.to("purchasing@depot.example")
    assert [message.subject for message in messages] == ["Low stock MUG"]
    assert "2 left, reorder at 5" in messages[0].body


def test_audit(depot):
    order = depot.orders.place("HARB", {"MUG": 1}).id
    assert depot.audit.about(order) == [
        "2026-03-02 #4 order.placed customer=HARB order_id=O-1001 total_cents=1250"
    ]
    assert len(depot.audit.entries) == 4


def test_stock_report(depot):
    depot.orders.place("HARB", {"MUG": 4})
    table = depot.reports.stock()
    assert table.columns == ("sku", "name", "on_hand", "reserved", "free")
    assert table.rows[0] == ("MUG", "Stone mug", 20, 4, 16)


def test_sales_report(depot):
    depot.orders.place("PEAK", {"MUG": 1})
    depot.orders.place("HARB", {"MUG": 2})
    gone = depot.orders.place("HARB", {"SACK": 1}).id
    depot.clock.advance(30)
    depot.orders.place("HARB", {"STOVE": 1})
    depot.orders.cancel(gone, "x")
    assert depot.reports.sales("2026-03").rows == (("HARB", 1, "25.00"), ("PEAK", 1, "12.50"))
    assert depot.reports.sales("2026-04").rows == (("HARB", 1, "450.00"),)
    assert depot.reports.sales("2026-05").rows == ()


def test_run_report(depot):
    assert run_report(depot.reports, "sales", ["2026-03"]).rows == ()
    with pytest.raises(NotFound):
        run_report(depot.reports, "weather", [])
    with pytest.raises(UsageError):
        run_report(depot.reports, "sales", [])
    with pytest.raises(UsageError):
        run_report(depot.reports, "sales", ["March"])
