# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
from decimal import Decimal

import pytest

from depot import Depot
from depot.catalog import Product
from depot.commands import run_line
from depot.customers import Customer
from depot.errors import NotFound, StateError, UsageError


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


@pytest.mark.parametrize("kilograms", ["1.0", Decimal("1.000"), "0.95", "1.05", "0.999"], ids=repr)
def test_within_tolerance(depot, kilograms):
    order = packed(depot, BRICK=1)
    parcel = depot.packing.weigh(order, 1, kilograms)
    assert (parcel.order_id, parcel.number) == (order, 1)
    assert parcel.weight_kg == Decimal(kilograms)
    assert parcel.held is False
    assert depot.packing.held() == []
    depot.shipping.ship(order, "NORTH")


@pytest.mark.parametrize("kilograms", ["0.949", "1.051", "0.001", Decimal("12"), "40"], ids=repr)
def test_off_is_held(depot, kilograms):
    order = packed(depot, BRICK=1)
    parcel = depot.packing.weigh(order, 1, kilograms)
    assert parcel.weight_kg == Decimal(kilograms)
    assert parcel.held is True
    for _ in range(2):
        with pytest.raises(StateError):
            depot.shipping.ship(order, "NORTH")
    assert depot.orders.get(order).status == "packed"
    assert depot.inventory.level("BRICK").on_hand == 500


@pytest.mark.parametrize(
    ("sku", "unit", "pieces", "expected"),
    [("MUG", None, 1, "0.550"), ("SACK", None, 2, "25.200"), ("STOVE", None, 1, "27.200"), ("TILE", "0.333", 1, "0.533"),
     ("TILE", "0.333", 7, "2.531"), ("BOLT", "0.007", 1, "0.207")],
)  # fmt: skip
def test_five_percent_of_what_it_should_weigh(depot, sku, unit, pieces, expected):
    if unit:
        depot.catalog.add(Product(sku, sku.title(), 1000, Decimal(unit)))
        depot.inventory.receive(sku, 500)
    order = packed(depot, **{sku: pieces})
    grams = int(Decimal(expected) * 1000)
    for off in range(grams // 20 - 2, grams // 20 + 4):
        for weight in (grams - off, grams + off):
            kilograms = Decimal(weight) / 1000
            parcel = depot.packing.weigh(order, 1, kilograms)
            assert parcel.held is (20 * off > grams), kilograms
    assert run_line(depot, f"weigh {order} 1 0.001") == [f"{order}/1: 0.001 kg, held, expected {expected} kg"]


def test_each_parcel_by_its_own_contents(depot):
    order = packed(depot, SACK=3, MUG=2)
    first, second = depot.packing.parcels(order)
    assert (first.weight_kg, first.held) == (None, False)
    assert not depot.packing.weigh(order, 1, "25.2").held
    assert depot.packing.weigh(order, 2, "12.7").held
    assert not depot.packing.weigh(order, 2, "13.400").held
    assert depot.packing.parcel(order, 1).weight_kg == Decimal("25.2")
    assert depot.packing.parcel(order, 2).weight_kg == Decimal("13.4")


def test_weighing_again_judges_anew(depot):
    order = packed(depot, BRICK=1)
    assert depot.packing.weigh(order, 1, "1.5").held
    assert not depot.packing.weigh(order, 1, "1.01").held
    assert depot.packing.weigh(order, 1, "0.5").held
    assert not depot.packing.release(order, 1, "half a brick was ordered").held
    assert depot.packing.weigh(order, 1, "0.5").held
    assert not depot.packing.weigh(order, 1, "1").held
    depot.shipping.ship(order, "SWIFT")


def test_release(depot):
    order = packed(depot, BRICK=1)
    with pytest.raises(StateError):
        depot.packing.release(order, 1, "why not")
    depot.packing.weigh(order, 1, "2")
    with pytest.raises(ValueError):
        depot.packing.release(order, 1, "")
    with pytest.raises(ValueError):
        depot.packing.release(order, 1, "  ")
    with pytest.raises(NotFound):
        depot.packing.release(order, 2, "no such parcel")
    assert depot.packing.parcel(order, 1).held
    parcel = depot.packing.release(order, 1, "wet-carton")
    assert (parcel.number, parcel.held, parcel.weight_kg) == (1, False, Decimal(2))
    assert any("wet-carton" in entry for entry in depot.audit.about(order))
    depot.shipping.ship(order, "NORTH")


def test_unweighed_parcels_ship(depot):
    order = packed(depot, SACK=3)
    depot.packing.weigh(order, 2, "12.7")
    assert depot.shipping.ship(order, "NORTH").status == "shipped"


def test_one_held_parcel_keeps_the_order(depot):
    order = packed(depot, SACK=3)
    depot.packing.weigh(order, 1, "25.2")
    depot.packing.weigh(order, 2, "11")
    with pytest.raises(StateError):
        depot.shipping.ship(order, "NORTH")


def test_held_list(depot):
    orders = [packed(depot, SACK=3) for _ in range(3)]
    for order in reversed(orders):
        depot.packing.weigh(order, 2, "1")
        depot.packing.weigh(order, 1, "1")
    depot.packing.release(orders[0], 1, "fine")
    depot.orders.cancel(orders[1], "no longer wanted")
    found = [(parcel.order_id, parcel.number) for parcel in depot.packing.held()]
    assert found == [(orders[0], 2), (orders[2], 1), (orders[2], 2)]


@pytest.mark.parametrize("kilograms", ["0", "-1", "0.000", "heavy", "", "1.2345", "nan", "inf", Decimal("0.0001")], ids=repr)
def test_no_weight(depot, kilograms):
    order = packed(depot, BRICK=1)
    depot.packing.weigh(order, 1, "1.02")
    before = len(depot.bus.history)
    with pytest.raises(ValueError):
        depot.packing.weigh(order, 1, kilograms)
    parcel = depot.packing.parcel(order, 1)
    assert (parcel.weight_kg, parcel.held) == (Decimal("1.02"), False)
    assert len(depot.bus.history) == before


def test_only_packed_orders(depot):
    placed = depot.orders.place("HARB", {"MUG": 1}).id
    shipped, cancelled = packed(depot, MUG=1), packed(depot, MUG=1)
    depot.shipping.ship(shipped, "NORTH")
    depot.orders.cancel(cancelled, "x")
    before = len(depot.bus.history)
    for order in (placed, shipped, cancelled):
        with pytest.raises(StateError):
            depot.packing.weigh(order, 1, "0.55")
    for order, number in (("O-9", 1), (packed(depot, MUG=1), 2), (packed(depot, MUG=1), 0)):
        with pytest.raises(NotFound):
            depot.packing.weigh(order, number, "0.55")
    assert len([event for event in depot.bus.history[before:] if not event.name.startswith("order.")]) == 0


def test_each_weighing_is_in_the_audit_log(depot):
    order, other = packed(depot, BRICK=1), packed(depot, BRICK=1)
    for kilograms in ("1", "1", "3", "0.2", "1.01"):
        before, others = len(depot.audit.about(order)), len(depot.audit.about(other))
        depot.packing.weigh(order, 1, kilograms)
        assert len(depot.audit.about(order)) > before
        assert len(depot.audit.about(other)) == others


def test_commands(depot):
    order = packed(depot, BRICK=1)
    other = packed(depot, SACK=2)
    assert run_line(depot, f"weigh {order} 1 1.02") == [f"{order}/1: 1.020 kg"]
    assert run_line(depot, "held") == []
    assert run_line(depot, f"weigh {other} 1 20") == [f"{other}/1: 20.000 kg, held, expected 25.200 kg"]
    assert run_line(depot, f"weigh {order} 1 0.5") == [f"{order}/1: 0.500 kg, held, expected 1.000 kg"]
    assert run_line(depot, "held") == [
        f"{order}/1: 0.500 kg, held, expected 1.000 kg",
        f"{other}/1: 20.000 kg, held, expected 25.200 kg",
    ]
    with pytest.raises(StateError):
        run_line(depot, f"ship {order} NORTH")
    assert run_line(depot, f"release {order} 1 seal was wet") == [f"{order}/1 released"]
    assert any("seal was wet" in line for line in run_line(depot, f"audit {order}"))
    assert run_line(depot, f"ship {order} NORTH") == [f"{order} shipped with NORTH"]
    for line in (f"weigh {other} 1 much", f"weigh {other} 1", f"release {other} 1"):
        with pytest.raises(UsageError):
            run_line(depot, line)
