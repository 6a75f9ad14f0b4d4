"""How much of each product is on the shelves, and how much of that is promised to an order."""

from dataclasses import dataclass

from depot.catalog import Catalog
from depot.errors import OutOfStock
from depot.events import EventBus


@dataclass
class Level:
    on_hand: int = 0
    reserved: int = 0

    @property
    def free(self) -> int:
        return self.on_hand - self.reserved


class Inventory:
    def __init__(self, catalog: Catalog, bus: EventBus) -> None:
        self._catalog = catalog
        self._bus = bus
        self._levels: dict[str, Level] = {}

    def level(self, sku: str) -> Level:
        self._catalog.get(sku)
        return self._levels.setdefault(sku, Level())

    def receive(self, sku: str, quantity: int) -> Level:
        if quantity <= 0:
            raise ValueError(f"{sku}: cannot receive {quantity}")
        level = self.level(sku)
        level.on_hand += quantity
        self._bus.publish("stock.received", sku=sku, quantity=quantity, on_hand=level.on_hand)
        return level

    def reserve(self, wanted: dict[str, int]) -> None:
        """Promise stock for several products, all or none of it."""
        for sku, quantity in wanted.items():
            level = self.level(sku)
            if quantity > level.free:
                raise OutOfStock(sku, quantity, level.free)
        for sku, quantity in wanted.items():
            level = self.level(sku)
            before = level.free
            level.reserved += quantity
            self._warn_if_low(sku, before, level.free)

    def release(self, wanted: dict[str, int]) -> None:
        for sku, quantity in wanted.items():
            self.level(sku).reserved -= quantity

    def take(self, wanted: dict[str, int]) -> None:
        """Take promised stock off the shelves."""
        for sku, quantity in wanted.items():
            level = self.level(sku)
            level.reserved -= quantity
            level.on_hand -= quantity

    def _warn_if_low(self, sku: str, before: int, after: int) -> None:
        limit = self._catalog.get(sku).reorder_level
        if before > limit >= after:
            self._bus.publish("stock.low", sku=sku, free=after, reorder_level=limit)
