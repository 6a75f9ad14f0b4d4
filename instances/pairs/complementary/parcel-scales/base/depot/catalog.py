"""What the depot sells."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from depot.errors import NotFound


@dataclass(frozen=True)
class Product:
    """`unit_weight_kg` is what the supplier says one piece weighs, its own wrapping included."""

    sku: str
    name: str
    price_cents: int
    unit_weight_kg: Decimal
    reorder_level: int = 0


class Catalog:
    def __init__(self) -> None:
        self._products: dict[str, Product] = {}

    def add(self, product: Product) -> Product:
        if product.price_cents < 0 or product.unit_weight_kg <= 0:
            raise ValueError(f"{product.sku}: a price is not negative and a weight is more than nothing")
        self._products[product.sku] = product
        return product

    def get(self, sku: str) -> Product:
        try:
            return self._products[sku]
        except KeyError:
            raise NotFound("product", sku) from None

    def __iter__(self) -> Iterator[Product]:
        return iter(sorted(self._products.values(), key=lambda product: product.sku))
