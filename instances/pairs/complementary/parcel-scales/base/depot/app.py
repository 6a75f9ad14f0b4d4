"""Everything wired together."""

from depot.audit import AuditLog
from depot.carriers import CarrierBook
from depot.catalog import Catalog
from depot.clock import Clock
from depot.customers import CustomerBook
from depot.events import EventBus
from depot.inventory import Inventory
from depot.notifications import Notifier, Outbox
from depot.orders import OrderBook
from depot.packing import PackingDesk
from depot.reporting import Reports
from depot.shipping import ShippingDesk


class Depot:
    """One warehouse. Its parts are public; they know of each other only what they are given here."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.bus = EventBus(self.clock)
        self.audit = AuditLog(self.bus)

        self.catalog = Catalog()
        self.customers = CustomerBook()
        self.carriers = CarrierBook()
        self.inventory = Inventory(self.catalog, self.bus)
        self.orders = OrderBook(self.catalog, self.customers, self.inventory, self.bus, self.clock)
        self.packing = PackingDesk(self.orders, self.catalog, self.bus)
        self.shipping = ShippingDesk(
            self.orders, self.packing, self.carriers, self.customers, self.inventory, self.bus
        )

        self.outbox = Outbox()
        self.notifier = Notifier(self.bus, self.outbox, self.customers, self.catalog, self.carriers)
        self.reports = Reports(self.bus, self.catalog, self.inventory)
