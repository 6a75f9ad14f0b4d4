"""Reports. Each one is a table, and is named in REPORTS for the command line."""

import re
from collections.abc import Callable
from datetime import date

from depot.catalog import Catalog
from depot.errors import NotFound, UsageError
from depot.events import Event, EventBus
from depot.inventory import Inventory
from depot.money import shown
from depot.tables import Table

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def month_of(day: date) -> str:
    return f"{day.year:04d}-{day.month:02d}"


def checked_month(text: str) -> str:
    if not _MONTH.fullmatch(text):
        raise UsageError(f"not a month, such as 2026-03: {text}")
    return text


class Reports:
    """Keeps what it needs to know from the events as they come."""

    def __init__(self, bus: EventBus, catalog: Catalog, inventory: Inventory) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._placed: dict[str, Event] = {}
        self._cancelled: set[str] = set()
        bus.subscribe("order.placed", self._on_placed)
        bus.subscribe("order.cancelled", self._on_cancelled)

    def _on_placed(self, event: Event) -> None:
        self._placed[event.data["order_id"]] = event

    def _on_cancelled(self, event: Event) -> None:
        self._cancelled.add(event.data["order_id"])

    def stock(self) -> Table:
        """Every product: on hand, reserved, free."""
        rows = []
        for product in self._catalog:
            level = self._inventory.level(product.sku)
            rows.append((product.sku, product.name, level.on_hand, level.reserved, level.free))
        return Table.of(("sku", "name", "on_hand", "reserved", "free"), rows)

    def sales(self, month: str) -> Table:
        """The month's orders by customer, without those cancelled since."""
        checked_month(month)
        sums: dict[str, list[int]] = {}
        for order_id, event in self._placed.items():
            if month_of(event.day) == month and order_id not in self._cancelled:
                entry = sums.setdefault(event.data["customer"], [0, 0])
                entry[0] += 1
                entry[1] += event.data["total_cents"]
        rows = [(customer, count, shown(total)) for customer, (count, total) in sorted(sums.items())]
        return Table.of(("customer", "orders", "total"), rows)


REPORTS: dict[str, Callable[..., Table]] = {
    "stock": Reports.stock,
    "sales": Reports.sales,
}


def run_report(reports: Reports, name: str, arguments: list[str]) -> Table:
    """Run a report by its name.

    Raises:
        NotFound: there is no such report.
        UsageError: it takes other arguments.
    """
    if name not in REPORTS:
        raise NotFound("report", name)
    try:
        return REPORTS[name](reports, *arguments)
    except TypeError:
        raise UsageError(f"report {name}: wrong number of arguments") from None
