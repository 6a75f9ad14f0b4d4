"""The command language of the terminals: one command a line, `#` starts a comment."""

import shlex
from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal, InvalidOperation

from depot.app import Depot
from depot.catalog import Product
from depot.customers import Customer
from depot.errors import DepotError, NotFound, UsageError
from depot.money import shown
from depot.reporting import run_report

Command = Callable[..., list[str]]
COMMANDS: dict[str, Command] = {}


def command(name: str) -> Callable[[Command], Command]:
    def register(function: Command) -> Command:
        COMMANDS[name] = function
        return function

    return register


def run_line(depot: Depot, line: str) -> list[str]:
    """Run one line and return what it prints.

    Raises:
        DepotError: the command is unknown, is not written as it should be, or cannot be done.
    """
    words = shlex.split(line, comments=True)
    if not words:
        return []
    name, *arguments = words
    if name not in COMMANDS:
        raise NotFound("command", name)
    function = COMMANDS[name]
    try:
        return function(depot, *arguments)
    except DepotError:
        raise
    except TypeError:
        raise UsageError(f"{name}: wrong number of arguments") from None
    except (ValueError, InvalidOperation) as error:
        raise UsageError(f"{name}: {error}") from None


def run_script(depot: Depot, lines: Iterable[str]) -> list[str]:
    output = []
    for line in lines:
        output += run_line(depot, line)
    return output


@command("day")
def _day(depot: Depot, day: str) -> list[str]:
    depot.clock.set(date.fromisoformat(day))
    return []


@command("product")
def _product(depot: Depot, sku: str, name: str, cents: str, kilograms: str, reorder: str = "0") -> list[str]:
    depot.catalog.add(Product(sku, name, int(cents), Decimal(kilograms), int(reorder)))
    return []


@command("customer")
def _customer(depot: Depot, code: str, name: str, email: str, country: str) -> list[str]:
    depot.customers.add(Customer(code, name, email, country))
    return []


@command("receive")
def _receive(depot: Depot, sku: str, quantity: str) -> list[str]:
    level = depot.inventory.receive(sku, int(quantity))
    return [f"{sku}: {level.on_hand} on hand"]


@command("order")
def _order(depot: Depot, customer: str, first: str, *more: str) -> list[str]:
    quantities: dict[str, int] = {}
    for item in (first, *more):
        sku, colon, quantity = item.partition(":")
        quantities[sku] = quantities.get(sku, 0) + (int(quantity) if colon else 1)
    order = depot.orders.place(customer, quantities)
    return [f"{order.id} placed, {shown(order.total_cents)}"]


@command("cancel")
def _cancel(depot: Depot, order_id: str, *reason: str) -> list[str]:
    depot.orders.cancel(order_id, " ".join(reason) or "no reason given")
    return [f"{order_id} cancelled"]


@command("pack")
def _pack(depot: Depot, order_id: str) -> list[str]:
    count = len(depot.packing.pack(order_id))
    return [f"{order_id} packed in {count} parcel{'' if count == 1 else 's'}"]


@command("slip")
def _slip(depot: Depot, order_id: str) -> list[str]:
    return depot.packing.slip(order_id)


@command("ship")
def _ship(depot: Depot, order_id: str, carrier: str) -> list[str]:
    order = depot.shipping.ship(order_id, carrier)
    return [f"{order_id} shipped with {order.carrier}"]


@command("report")
def _report(depot: Depot, name: str, *arguments: str) -> list[str]:
    words = [word for word in arguments if word != "--csv"]
    table = run_report(depot.reports, name, words)
    return table.to_csv().splitlines() if "--csv" in arguments else table.to_lines()


@command("outbox")
def _outbox(depot: Depot) -> list[str]:
    return [f"{message.to}: {message.subject}" for message in depot.outbox.messages]


@command("audit")
def _audit(depot: Depot, about: str = "") -> list[str]:
    return depot.audit.about(about) if about else list(depot.audit.entries)
