from decimal import Decimal

import pytest

from depot import Depot
from depot.catalog import Product
from depot.customers import Customer


@pytest.fixture
def depot():
    depot = Depot()
    depot.catalog.add(Product("MUG", "Stone mug", 1250, Decimal("0.350"), 5))
    depot.catalog.add(Product("SACK", "Potting soil", 999, Decimal("12.5")))
    depot.catalog.add(Product("STOVE", "Cast stove", 45000, Decimal("27")))
    depot.customers.add(Customer("HARB", "Harbour Books", "orders@harbour.example", "NL"))
    depot.customers.add(Customer("PEAK", "Peak Huts", "desk@peak.example", "CH"))
    for sku in ("MUG", "SACK", "STOVE"):
        depot.inventory.receive(sku, 20)
    return depot
