# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
from decimal import Decimal

import pytest

from depot import Depot
from depot.catalog import Product
from depot.commands import run_script
from depot.customers import Customer
from depot.errors import NotFound, StateError


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


def ship_anyway(depot, order_id, carrier):
    for parcel in depot.packing.parcels(order_id):
        if parcel.held:
            depot.packing.release(order_id, parcel.number, "checked by hand")
    depot.shipping.ship(order_id, carrier)


def rows(depot, month="2026-03"):
    return depot.reports.freight(month).rows


WEIGHTS = {
    "0.001": 1, "0.499": 1, "0.5": 1, "0.500": 1, "0.501": 2, "1": 2, "1.001": 3, "2.3": 5, "4.35": 9, "8.2": 17,
    "16.001": 33, "25.2": 51, "27.2": 55, "29.999": 60, "30": 60, "30.001": 61, "40.5": 81,
}  # fmt: skip


@pytest.mark.parametrize(("carrier", "fixed", "step"), [("NORTH", 410, 35), ("SWIFT", 690, 60), ("WORLD", 1150, 145)])
def test_what_the_scale_says_is_billed(depot, carrier, fixed, step):
    sums = [0, 0, 0]
    for kilograms, halves in WEIGHTS.items():
        for given in (kilograms, Decimal(kilograms)):
            order = packed(depot, STOVE=1)
            depot.packing.weigh(order, 1, given)
            ship_anyway(depot, order, carrier)
            extra = 1800 if Decimal(kilograms) > 30 else 0
            sums = [sums[0] + 1, sums[1] + halves, sums[2] + fixed + step * halves + extra]
            assert rows(depot) == ((carrier, sums[0], 0, sums[1], f"{sums[2] // 100}.{sums[2] % 100:02d}"),)


def test_on_the_bus_as_finance_wants_it(depot):
    seen = []
    depot.bus.subscribe("parcel.weighed", seen.append)
    order, other = packed(depot, SACK=3), packed(depot, MUG=1)
    depot.packing.weigh(order, 2, "12.7")
    depot.packing.weigh(other, 1, "9")
    depot.packing.release(other, 1, "a gift inside")
    depot.packing.weigh(order, 1, Decimal("25.205"))
    found = [(event.data["order_id"], event.data["parcel"], event.data["grams"]) for event in seen]
    assert found == [(order, 2, 12700), (other, 1, 9000), (order, 1, 25205)]
    assert all(type(event.data["grams"]) is int and type(event.data["parcel"]) is int for event in seen)


def test_each_parcel_has_its_own_weight(depot):
    order = packed(depot, SACK=5)
    depot.packing.weigh(order, 3, "12.7")
    depot.packing.weigh(order, 1, "25.2")
    depot.shipping.ship(order, "NORTH")
    assert rows(depot) == (("NORTH", 3, 1, 26 + 51, "35.15"),)


def test_last_weighing_counts(depot):
    order = packed(depot, BRICK=1)
    for kilograms in ("3", "0.4", "1.02", "0.99"):
        depot.packing.weigh(order, 1, kilograms)
    depot.shipping.ship(order, "NORTH")
    with pytest.raises(StateError):
        depot.packing.weigh(order, 1, "5")
    assert rows(depot) == (("NORTH", 1, 0, 2, "4.80"),)


def test_held_and_released_is_billed_as_weighed(depot):
    order, other = packed(depot, BRICK=1), packed(depot, BRICK=1)
    depot.packing.weigh(order, 1, "2.6")
    depot.packing.weigh(other, 1, "2.6")
    assert rows(depot) == ()
    depot.packing.release(order, 1, "two bricks on purpose")
    depot.shipping.ship(order, "SWIFT")
    depot.orders.cancel(other, "wrong")
    assert rows(depot) == (("SWIFT", 1, 0, 6, "10.50"),)


def test_refused_weighings_are_not_billed(depot):
    order = packed(depot, BRICK=1)
    depot.packing.weigh(order, 1, "1.02")
    for kilograms in ("0", "-3", "x", "2.0001"):
        with pytest.raises(ValueError):
            depot.packing.weigh(order, 1, kilograms)
    with pytest.raises(NotFound):
        depot.packing.weigh(order, 2, "3")
    depot.shipping.ship(order, "NORTH")
    assert rows(depot) == (("NORTH", 1, 0, 3, "5.15"),)
    assert depot.outbox.to("dispatch@depot.example") == []


def test_overweight_is_told_at_the_scale(depot):
    order = packed(depot, STOVE=2, MUG=1)
    depot.packing.weigh(order, 1, "30")
    assert depot.outbox.to("dispatch@depot.example") == []
    assert depot.packing.weigh(order, 2, "31.25").held
    (message,) = depot.outbox.to("dispatch@depot.example")
    assert message.subject == f"Overweight {order}/2"
    assert "31250 g" in message.body
    depot.packing.weigh(order, 2, "31.3")
    depot.packing.release(order, 2, "pedestal included")
    depot.packing.weigh(order, 1, "30.001")
    subjects = [message.subject for message in depot.outbox.to("dispatch@depot.example")]
    assert subjects == [f"Overweight {order}/2", f"Overweight {order}/1"]


def test_scale_and_other_site_together(depot):
    first, second, third = (packed(depot, BRICK=1) for _ in range(3))
    depot.bus.publish("parcel.weighed", order_id=first, parcel=1, grams=990)
    depot.packing.weigh(first, 1, "1.04")
    depot.packing.weigh(second, 1, "1.04")
    depot.bus.publish("parcel.weighed", order_id=second, parcel=1, grams=990)
    for order in (first, second, third):
        depot.shipping.ship(order, "NORTH")
    assert rows(depot) == (("NORTH", 3, 1, 3 + 2, "9.95"),)


def test_a_day_at_the_terminal():
    lines = """
        product BRICK "Fire brick" 900 0.8
        product STOVE "Cast stove" 45000 30
        customer HARB "Harbour Books" orders@harbour.example NL
        receive BRICK 50
        receive STOVE 5
        order HARB BRICK:2 STOVE
        pack O-1001
        weigh O-1001 1 1.85
        weigh O-1001 2 33.5
        release O-1001 2 pallet included
        ship O-1001 NORTH
        order HARB BRICK
        pack O-1002
        weigh O-1002 1 9.999
        weigh O-1002 1 1.001
        ship O-1002 WORLD
        report freight 2026-03 --csv
        outbox
    """
    output = run_script(Depot(), lines.splitlines())
    assert output[4:9] == [
        "O-1001/1: 1.850 kg",
        "O-1001/2: 33.500 kg, held, expected 30.200 kg",
        "O-1001/2 released",
        "O-1001 shipped with NORTH",
        "O-1002 placed, 9.00",
    ]
    table = output.index("carrier,parcels,unweighed,half_kilos,cost")
    assert output[table + 1 : table + 3] == ["NORTH,2,0,71,51.05", "WORLD,1,0,3,15.85"]
    assert output[table + 3 :].count("dispatch@depot.example: Overweight O-1001/2") == 1
