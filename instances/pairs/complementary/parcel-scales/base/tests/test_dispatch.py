import pytest

from depot.errors import NotFound, StateError


def placed(depot, customer="HARB", **quantities):
    return depot.orders.place(customer, quantities).id


def test_one_parcel(depot):
    order = placed(depot, MUG=3)
    (parcel,) = depot.packing.pack(order)
    assert (parcel.number, parcel.contents, parcel.pieces) == (1, {"MUG": 3}, 3)


def test_boxes_hold_25_kilograms(depot):
    order = placed(depot, SACK=3, MUG=2)
    parcels = depot.packing.pack(order)
    assert [parcel.contents for parcel in parcels] == [{"SACK": 2}, {"SACK": 1, "MUG": 2}]


def test_a_heavy_piece_has_its_own_box(depot):
    order = placed(depot, MUG=1, STOVE=2)
    assert [parcel.contents for parcel in depot.packing.pack(order)] == [{"MUG": 1}, {"STOVE": 1}, {"STOVE": 1}]


def test_parcel_by_number(depot):
    order = placed(depot, SACK=3)
    assert depot.packing.parcels(order) == []
    depot.packing.pack(order)
    assert depot.packing.parcel(order, 2).contents == {"SACK": 1}
    with pytest.raises(NotFound):
        depot.packing.parcel(order, 3)
    with pytest.raises(StateError):
        depot.packing.pack(order)


def test_slip(depot):
    order = placed(depot, SACK=3)
    depot.packing.pack(order)
    assert depot.packing.slip(order) == [
        "O-1001 parcel 1 of 2, 2 pieces",
        "  2 x SACK Potting soil",
        "O-1001 parcel 2 of 2, 1 pieces",
        "  1 x SACK Potting soil",
    ]


def test_ship(depot):
    order = placed(depot, MUG=3)
    with pytest.raises(StateError):
        depot.shipping.ship(order, "NORTH")
    depot.packing.pack(order)
    assert depot.shipping.ship(order, "NORTH").carrier == "NORTH"
    level = depot.inventory.level("MUG")
    assert (level.on_hand, level.reserved) == (17, 0)
    with pytest.raises(StateError):
        depot.orders.cancel(order, "late")


def test_carrier_must_serve_the_country(depot):
    order = placed(depot, "PEAK", MUG=1)
    depot.packing.pack(order)
    with pytest.raises(StateError, match="does not deliver to CH"):
        depot.shipping.ship(order, "NORTH")
    with pytest.raises(NotFound):
        depot.shipping.ship(order, "SLOW")
    depot.shipping.ship(order, "WORLD")


def test_events_of_an_order(depot):
    order = placed(depot, MUG=3)
    depot.packing.pack(order)
    depot.shipping.ship(order, "SWIFT")
    names = [event.name for event in depot.bus.history if event.data.get("order_id") == order]
    assert names == ["order.placed", "order.packed", "order.shipped"]
