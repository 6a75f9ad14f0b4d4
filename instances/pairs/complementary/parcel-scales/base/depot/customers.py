"""Who buys from the depot."""

from dataclasses import dataclass

from depot.errors import NotFound


@dataclass(frozen=True)
class Customer:
    code: str
    name: str
    email: str
    country: str


class CustomerBook:
    def __init__(self) -> None:
        self._customers: dict[str, Customer] = {}

    def add(self, customer: Customer) -> Customer:
        if "@" not in customer.email:
            raise ValueError(f"{customer.code}: not an address: {customer.email}")
        self._customers[customer.code] = customer
        return customer

    def get(self, code: str) -> Customer:
        try:
            return self._customers[code]
        except KeyError:
            raise NotFound("customer", code) from None
