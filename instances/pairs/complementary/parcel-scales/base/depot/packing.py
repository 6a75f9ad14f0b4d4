"""The packing desk: an order becomes parcels."""

from dataclasses import dataclass, field
from decimal import Decimal

from depot.catalog import Catalog
from depot.errors import NotFound
from depot.events import EventBus
from depot.orders import OrderBook, Status

MAX_GOODS_KG = Decimal(25)


@dataclass
class Parcel:
    """One box of an order. `number` counts from 1 within the order; `contents` is pieces by product."""

    order_id: str
    number: int
    contents: dict[str, int] = field(default_factory=dict)

    @property
    def pieces(self) -> int:
        return sum(self.contents.values())


class PackingDesk:
    def __init__(self, orders: OrderBook, catalog: Catalog, bus: EventBus) -> None:
        self._orders = orders
        self._catalog = catalog
        self._bus = bus
        self._parcels: dict[str, list[Parcel]] = {}

    def pack(self, order_id: str) -> list[Parcel]:
        """Fill boxes in the order of the lines, up to 25 kg of goods a box; a heavier piece has a box of its own.

        Raises:
            NotFound: there is no such order.
            StateError: the order is not waiting to be packed.
        """
        order = self._orders.get(order_id)
        order.must_be(Status.PLACED)
        parcels: list[Parcel] = []
        room = Decimal(0)
        for line in order.lines:
            weight = self._catalog.get(line.sku).unit_weight_kg
            for _ in range(line.quantity):
                if not parcels or weight > room:
                    parcels.append(Parcel(order_id, len(parcels) + 1))
                    room = MAX_GOODS_KG
                contents = parcels[-1].contents
                contents[line.sku] = contents.get(line.sku, 0) + 1
                room -= weight
        self._parcels[order_id] = parcels
        order.status = Status.PACKED
        self._bus.publish("order.packed", order_id=order_id, parcels=len(parcels))
        return parcels

    def parcels(self, order_id: str) -> list[Parcel]:
        """The order's parcels; none before it is packed."""
        self._orders.get(order_id)
        return list(self._parcels.get(order_id, []))

    def parcel(self, order_id: str, number: int) -> Parcel:
        for parcel in self.parcels(order_id):
            if parcel.number == number:
                return parcel
        raise NotFound("parcel", f"{order_id}/{number}")

    def slip(self, order_id: str) -> list[str]:
        """The packing slip: a line for each parcel, and under it what goes in."""
        lines = []
        parcels = self.parcels(order_id)
        for parcel in parcels:
            lines.append(f"{order_id} parcel {parcel.number} of {len(parcels)}, {parcel.pieces} pieces")
            for sku, quantity in parcel.contents.items():
                lines.append(f"  {quantity} x {sku} {self._catalog.get(sku).name}")
        return lines
