# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
from decimal import Decimal

import pytest

from depot import Depot
from depot.catalog import Product
from depot.commands import run_line
from depot.customers import Customer
from depot.errors import UsageError


@pytest.fixture
def depot():
    depot = Depot()
    for sku, kilograms in (("MUG", "0.350"), ("SACK", "12.5"), ("STOVE", "27"), ("BRICK", "0.800")):
        depot.catalog.add(Product(sku, sku.title(), 1000, Decimal(kilograms)))
        depot.inventory.receive(sku, 500)
    depot.customers.add(Customer("HARB", "Harbour Books", "orders@harbour.example", "NL"))
    return depot


def packed(depot, **quantities):
    order_id = depot.orders.place("HARB", quantities).id
    depot.packing.pack(order_id)
    return order_id


def weighed(depot, order_id, parcel, grams):
    depot.bus.publish("parcel.weighed", order_id=order_id, parcel=parcel, grams=grams)


def shipped(depot, carrier, *grams):
    """An order of one parcel for each weight; None is for one that is not weighed."""
    order_id = packed(depot, STOVE=len(grams))
    for number, weight in enumerate(grams, 1):
        if weight is not None:
            weighed(depot, order_id, number, weight)
    depot.shipping.ship(order_id, carrier)
    return order_id


def rows(depot, month="2026-03"):
    return depot.reports.freight(month).rows


def test_columns_and_nothing(depot):
    table = depot.reports.freight("2026-03")
    assert table.columns == ("carrier", "parcels", "unweighed", "half_kilos", "cost")
    assert table.rows == ()


@pytest.mark.parametrize(
    ("carrier", "grams", "halves", "cost"),
    [
        ("NORTH", 1, 1, "4.45"),
        ("NORTH", 500, 1, "4.45"),
        ("NORTH", 501, 2, "4.80"),
        ("NORTH", 12345, 25, "12.85"),
        ("NORTH", 30000, 60, "25.10"),
        ("NORTH", 30001, 61, "43.45"),
        ("SWIFT", 1000, 2, "8.10"),
        ("SWIFT", 30500, 61, "61.50"),
        ("WORLD", 999, 2, "14.40"),
        ("WORLD", 31250, 63, "120.85"),
    ],
)
def test_one_parcel(depot, carrier, grams, halves, cost):
    shipped(depot, carrier, grams)
    assert rows(depot) == ((carrier, 1, 0, halves, cost),)


def test_sums_by_carrier(depot):
    shipped(depot, "WORLD", 100)
    shipped(depot, "NORTH", 499, 501)
    shipped(depot, "NORTH", 30001, None)
    shipped(depot, "SWIFT", None)
    assert rows(depot) == (
        ("NORTH", 4, 1, 64, "52.70"),
        ("SWIFT", 1, 1, 0, "0.00"),
        ("WORLD", 1, 0, 1, "12.95"),
    )


def test_last_weighing_before_shipping(depot):
    order = packed(depot, STOVE=1)
    for grams in (3000, 700, 900):
        weighed(depot, order, 1, grams)
    depot.shipping.ship(order, "NORTH")
    weighed(depot, order, 1, 5000)
    assert rows(depot) == (("NORTH", 1, 0, 2, "4.80"),)


def test_only_shipped_in_the_month(depot):
    waiting, gone, later = packed(depot, MUG=1), packed(depot, MUG=1), packed(depot, MUG=1)
    for order in (waiting, gone, later):
        weighed(depot, order, 1, 550)
    depot.orders.cancel(gone, "x")
    assert rows(depot) == ()
    depot.clock.advance(40)
    depot.shipping.ship(later, "SWIFT")
    assert rows(depot) == ()
    assert rows(depot, "2026-04") == (("SWIFT", 1, 0, 2, "8.10"),)
    assert rows(depot, "2025-04") == ()


@pytest.mark.parametrize("grams", [0, -5, 3.15, "3150", Decimal("3.15"), None, 3.0, True], ids=repr)
def test_grams_must_be_grams(depot, grams):
    order = packed(depot, STOVE=1)
    with pytest.raises(ValueError):
        weighed(depot, order, 1, grams)
    depot.shipping.ship(order, "NORTH")
    assert rows(depot) == (("NORTH", 1, 1, 0, "0.00"),)
    other = packed(depot, STOVE=1)
    weighed(depot, other, 1, 800)
    with pytest.raises(ValueError):
        weighed(depot, other, 1, grams)
    depot.shipping.ship(other, "NORTH")
    assert rows(depot) == (("NORTH", 2, 1, 2, "4.80"),)


def test_overweight_message(depot):
    order = packed(depot, STOVE=3)
    weighed(depot, order, 1, 30000)
    assert depot.outbox.to("dispatch@depot.example") == []
    weighed(depot, order, 2, 31250)
    (message,) = depot.outbox.to("dispatch@depot.example")
    assert message.subject == f"Overweight {order}/2"
    assert "31250 g" in message.body
    weighed(depot, order, 2, 32000)
    weighed(depot, order, 2, 900)
    weighed(depot, order, 2, 32000)
    weighed(depot, order, 3, 30001)
    subjects = [message.subject for message in depot.outbox.to("dispatch@depot.example")]
    assert subjects == [f"Overweight {order}/2", f"Overweight {order}/3"]


def test_command(depot):
    shipped(depot, "NORTH", 499, None)
    shipped(depot, "WORLD", 100)
    assert run_line(depot, "report freight 2026-03 --csv") == [
        "carrier,parcels,unweighed,half_kilos,cost",
        "NORTH,2,1,1,4.45",
        "WORLD,1,0,1,12.95",
    ]
    assert run_line(depot, "report freight 2026-03")[1].split() == ["NORTH", "2", "1", "1", "4.45"]


def test_bad_month(depot):
    for month in ("March", "2026-13", "2026-3", ""):
        with pytest.raises(UsageError):
            depot.reports.freight(month)
    with pytest.raises(UsageError):
        run_line(depot, "report freight")


def test_other_reports_stay(depot):
    shipped(depot, "NORTH", 499)
    assert depot.reports.sales("2026-03").rows == (("HARB", 1, "10.00"),)
    assert run_line(depot, "report stock --csv")[4] == "STOVE,Stove,499,0,499"
