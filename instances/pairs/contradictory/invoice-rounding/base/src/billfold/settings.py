"""The settings file."""

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from billfold.errors import SettingsError
from billfold.formatting import DATE_STYLES
from billfold.money import parse_decimal


@dataclass(frozen=True)
class Settings:
    """What stays the same from invoice to invoice."""

    seller: str = ""
    width: int = 72
    late_fee_percent: Decimal = Decimal(0)
    date_style: str = "iso"

    def changed(self, **values: Any) -> "Settings":
        """A copy with those values that are not None."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})


def load_settings(path: Path) -> Settings:
    """Read a settings file.

    Raises:
        SettingsError: it can't be read, or has an unknown or wrong entry.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path.name}: not readable as JSON") from error
    return settings_from(data)


def settings_from(data: Any) -> Settings:
    """Make settings of a settings file's content.

    Raises:
        SettingsError: it has an unknown or wrong entry.
    """
    if not isinstance(data, dict):
        raise SettingsError("settings are a JSON object")
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key == "seller" and isinstance(value, str):
            values[key] = value
        elif key == "width" and isinstance(value, int) and not isinstance(value, bool) and value >= 40:
            values[key] = value
        elif key == "late_fee_percent":
            try:
                values[key] = parse_decimal(value)
            except ValueError as error:
                raise SettingsError(f"late_fee_percent: {error}") from error
        elif key == "date_style" and value in DATE_STYLES:
            values[key] = value
        elif key in ("seller", "width", "date_style"):
            raise SettingsError(f"{key}: {value!r} is not possible")
        else:
            raise SettingsError(f"unknown setting {key!r}")
    return Settings(**values)
