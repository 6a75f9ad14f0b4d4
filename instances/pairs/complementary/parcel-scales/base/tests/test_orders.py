import pytest

from depot.errors import NotFound, OutOfStock, StateError


def test_place_reserves(depot):
    order = depot.orders.place("HARB", {"MUG": 3, "SACK": 1})
    assert (order.id, order.status, order.total_cents) == ("O-1001", "placed", 4749)
    assert depot.inventory.level("MUG").free == 17
    assert depot.inventory.level("MUG").on_hand == 20


def test_all_or_nothing(depot):
    with pytest.raises(OutOfStock):
        depot.orders.place("HARB", {"MUG": 3, "SACK": 21})
    assert depot.inventory.level("MUG").free == 20


def test_unknown(depot):
    with pytest.raises(NotFound):
        depot.orders.place("NOBODY", {"MUG": 1})
    with pytest.raises(NotFound):
        depot.orders.place("HARB", {"CUP": 1})
    with pytest.raises(NotFound):
        depot.orders.get("O-1")


def test_cancel_releases(depot):
    order = depot.orders.place("HARB", {"MUG": 3})
    depot.orders.cancel(order.id, "changed mind")
    assert depot.inventory.level("MUG").free == 20
    with pytest.raises(StateError):
        depot.orders.cancel(order.id, "again")


def test_quantities(depot):
    with pytest.raises(ValueError, match="cannot order"):
        depot.orders.place("HARB", {"MUG": 0})
    with pytest.raises(ValueError, match="at least one line"):
        depot.orders.place("HARB", {})
