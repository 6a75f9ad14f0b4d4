"""Messages to customers and colleagues about what happened."""

from dataclasses import dataclass

from depot.carriers import CarrierBook
from depot.catalog import Catalog
from depot.customers import CustomerBook
from depot.events import Event, EventBus
from depot.money import shown

PURCHASING = "purchasing@depot.example"


@dataclass(frozen=True)
class Message:
    to: str
    subject: str
    body: str


class Outbox:
    """What is to be sent; a mail program outside fetches it."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def add(self, to: str, subject: str, body: str) -> Message:
        message = Message(to, subject, body)
        self.messages.append(message)
        return message

    def to(self, address: str) -> list[Message]:
        return [message for message in self.messages if message.to == address]


class Notifier:
    def __init__(
        self, bus: EventBus, outbox: Outbox, customers: CustomerBook, catalog: Catalog, carriers: CarrierBook
    ) -> None:
        self._outbox = outbox
        self._customers = customers
        self._catalog = catalog
        self._carriers = carriers
        bus.subscribe("order.placed", self._order_placed)
        bus.subscribe("order.shipped", self._order_shipped)
        bus.subscribe("order.cancelled", self._order_cancelled)
        bus.subscribe("stock.low", self._stock_low)

    def _to_customer(self, event: Event, subject: str, text: str) -> None:
        customer = self._customers.get(event.data["customer"])
        self._outbox.add(customer.email, subject, f"To {customer.name}\n\n{text}\n")

    def _order_placed(self, event: Event) -> None:
        total = shown(event.data["total_cents"])
        self._to_customer(event, f"Order {event.data['order_id']}", f"We have your order of {total}.")

    def _order_shipped(self, event: Event) -> None:
        carrier = self._carriers.get(event.data["carrier"]).name
        count = event.data["parcels"]
        parcels = "1 parcel is" if count == 1 else f"{count} parcels are"
        self._to_customer(event, f"Order {event.data['order_id']} shipped", f"{parcels} on the way with {carrier}.")

    def _order_cancelled(self, event: Event) -> None:
        reason = event.data["reason"]
        self._to_customer(event, f"Order {event.data['order_id']} cancelled", f"Your order was cancelled: {reason}.")

    def _stock_low(self, event: Event) -> None:
        product = self._catalog.get(event.data["sku"])
        text = f"{product.name}: {event.data['free']} left, reorder at {event.data['reorder_level']}.\n"
        self._outbox.add(PURCHASING, f"Low stock {product.sku}", text)
