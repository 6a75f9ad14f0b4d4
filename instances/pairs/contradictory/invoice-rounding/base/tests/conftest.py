import json
from pathlib import Path

import pytest

from billfold.document import invoice_from

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example():
    """Read one of the examples."""

    def read(name):
        return invoice_from(json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8")))

    return read


@pytest.fixture
def examples():
    return EXAMPLES


@pytest.fixture
def document():
    """A document of one line, with whatever is to be different."""

    def make(**changes):
        line = {"description": "Work", "unit_price": "10.00"}
        line |= changes.pop("line", {})
        data = {
            "number": "7",
            "customer": "Mill Lane School",
            "issued": "2026-05-04",
            "currency": "EUR",
            "lines": [line],
        }
        return data | changes

    return make
