"""Orders, from placed to shipped or cancelled."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from depot.catalog import Catalog
from depot.clock import Clock
from depot.customers import CustomerBook
from depot.errors import NotFound, StateError
from depot.events import EventBus
from depot.inventory import Inventory


class Status(StrEnum):
    PLACED = "placed"
    PACKED = "packed"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Line:
    sku: str
    quantity: int
    price_cents: int

    @property
    def amount_cents(self) -> int:
        return self.quantity * self.price_cents


@dataclass
class Order:
    id: str
    customer: str
    placed_on: date
    lines: tuple[Line, ...]
    status: Status = Status.PLACED
    carrier: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def total_cents(self) -> int:
        return sum(line.amount_cents for line in self.lines)

    @property
    def quantities(self) -> dict[str, int]:
        return {line.sku: line.quantity for line in self.lines}

    def must_be(self, *allowed: Status) -> None:
        if self.status not in allowed:
            wanted = " or ".join(allowed)
            raise StateError(f"{self.id} is {self.status}, not {wanted}")


class OrderBook:
    FIRST_NUMBER = 1001

    def __init__(
        self, catalog: Catalog, customers: CustomerBook, inventory: Inventory, bus: EventBus, clock: Clock
    ) -> None:
        self._catalog = catalog
        self._customers = customers
        self._inventory = inventory
        self._bus = bus
        self._clock = clock
        self._orders: dict[str, Order] = {}

    def place(self, customer: str, quantities: dict[str, int]) -> Order:
        """Take an order and reserve its stock.

        Raises:
            NotFound: the customer or a product is unknown.
            OutOfStock: there is not enough; nothing is reserved then.
        """
        self._customers.get(customer)
        if not quantities:
            raise ValueError("an order has at least one line")
        lines = tuple(self._line(sku, quantity) for sku, quantity in quantities.items())
        self._inventory.reserve(dict(quantities))
        order = Order(f"O-{self.FIRST_NUMBER + len(self._orders)}", customer, self._clock.today(), lines)
        self._orders[order.id] = order
        self._bus.publish("order.placed", order_id=order.id, customer=customer, total_cents=order.total_cents)
        return order

    def cancel(self, order_id: str, reason: str) -> Order:
        order = self.get(order_id)
        order.must_be(Status.PLACED, Status.PACKED)
        order.status = Status.CANCELLED
        self._inventory.release(order.quantities)
        self._bus.publish("order.cancelled", order_id=order.id, customer=order.customer, reason=reason)
        return order

    def get(self, order_id: str) -> Order:
        try:
            return self._orders[order_id]
        except KeyError:
            raise NotFound("order", order_id) from None

    def __iter__(self) -> Iterator[Order]:
        return iter(self._orders.values())

    def _line(self, sku: str, quantity: int) -> Line:
        if quantity <= 0:
            raise ValueError(f"{sku}: cannot order {quantity}")
        return Line(sku, quantity, self._catalog.get(sku).price_cents)
