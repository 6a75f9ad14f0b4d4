"""The shipping desk hands packed orders to a carrier."""

from depot.carriers import CarrierBook
from depot.customers import CustomerBook
from depot.events import EventBus
from depot.inventory import Inventory
from depot.orders import Order, OrderBook, Status
from depot.packing import PackingDesk


class ShippingDesk:
    def __init__(
        self,
        orders: OrderBook,
        packing: PackingDesk,
        carriers: CarrierBook,
        customers: CustomerBook,
        inventory: Inventory,
        bus: EventBus,
    ) -> None:
        self._orders = orders
        self._packing = packing
        self._carriers = carriers
        self._customers = customers
        self._inventory = inventory
        self._bus = bus

    def ship(self, order_id: str, carrier_code: str) -> Order:
        """Hand all parcels of an order over.

        Raises:
            NotFound: the order or the carrier is unknown.
            StateError: the order is not packed, or the carrier does not go there.
        """
        order = self._orders.get(order_id)
        order.must_be(Status.PACKED)
        country = self._customers.get(order.customer).country
        carrier = self._carriers.for_country(carrier_code, country)
        self._inventory.take(order.quantities)
        order.status = Status.SHIPPED
        order.carrier = carrier.code
        self._bus.publish(
            "order.shipped",
            order_id=order.id,
            customer=order.customer,
            carrier=carrier.code,
            parcels=len(self._packing.parcels(order.id)),
        )
        return order
