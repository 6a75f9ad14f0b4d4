"""What can go wrong in a way that the person at the keyboard can understand."""


class DepotError(Exception):
    """The root of all errors that a command reports in one line."""


class NotFound(DepotError):
    """Something was named that the depot does not know."""

    def __init__(self, what: str, key: object) -> None:
        super().__init__(f"no such {what}: {key}")
        self.what = what
        self.key = key


class OutOfStock(DepotError):
    """More was asked for than there is free stock of."""

    def __init__(self, sku: str, wanted: int, free: int) -> None:
        super().__init__(f"{sku}: {wanted} wanted, {free} free")
        self.sku = sku


class StateError(DepotError):
    """The order is not in a state in which that can be done."""


class UsageError(DepotError):
    """A command was not written as it should be."""
