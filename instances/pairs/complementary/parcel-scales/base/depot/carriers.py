"""The carriers that fetch our parcels, and where they go."""

from collections.abc import Iterator
from dataclasses import dataclass

from depot.errors import NotFound, StateError


@dataclass(frozen=True)
class Carrier:
    """`countries` is empty for a carrier that goes everywhere."""

    code: str
    name: str
    countries: frozenset[str] = frozenset()

    def serves(self, country: str) -> bool:
        return not self.countries or country in self.countries


STANDARD = (
    Carrier("NORTH", "Northline Parcel", frozenset({"NL", "BE", "DE", "DK"})),
    Carrier("SWIFT", "Swift Overnight", frozenset({"NL", "BE"})),
    Carrier("WORLD", "Worldpost"),
)


class CarrierBook:
    def __init__(self, carriers: tuple[Carrier, ...] = STANDARD) -> None:
        self._carriers = {carrier.code: carrier for carrier in carriers}

    def get(self, code: str) -> Carrier:
        try:
            return self._carriers[code]
        except KeyError:
            raise NotFound("carrier", code) from None

    def for_country(self, code: str, country: str) -> Carrier:
        carrier = self.get(code)
        if not carrier.serves(country):
            raise StateError(f"{carrier.name} does not deliver to {country}")
        return carrier

    def __iter__(self) -> Iterator[Carrier]:
        return iter(self._carriers.values())
