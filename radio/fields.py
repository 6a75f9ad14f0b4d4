"""A request's fields, each taken with its type checked. Shell commands send text only, so text is parsed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from radio.errors import Reason, Refused
from radio.message import Confidence, Kind, Urgency

_LONGEST_ENTRY = 512
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_Choice = TypeVar("_Choice", bound=StrEnum)
_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?\Z")
_TREE = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ENVELOPE_FIELDS = {
    "kind",
    "claim",
    "affected",
    "evidence",
    "source_snapshot",
    "urgency",
    "confidence",
    "created_step",
    "expires_after_step",
    "response_requested",
}


@dataclass(frozen=True)
class Fields:
    """The fields of a request, each taken with its type checked. Shell commands send text only, so text is parsed."""

    values: Mapping[str, Any]

    def text(self, name: str, default: str | None = None, *, limit: int = 1 << 24) -> str:
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise Refused(Reason.MALFORMED, f"field {name!r} must be text")
        if len(value) > limit:
            raise Refused(Reason.BYTES, f"field {name!r} is longer than {limit} characters")
        if not value.isascii() and _HALF_CHARACTER.search(value):
            raise Refused(Reason.MALFORMED, f"field {name!r} holds half a character (a lone surrogate)")
        return value

    def optional_text(self, name: str, *, limit: int = 1 << 24) -> str | None:
        return None if self.values.get(name) in (None, "") else self.text(name, limit=limit)

    def number(self, name: str, default: float) -> float:
        value = self.values.get(name, default)
        if isinstance(value, str):
            value = float(value) if _NUMBER.match(value) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
            raise Refused(Reason.MALFORMED, f"field {name!r} must be a number from 0")
        return float(value)

    def optional_whole(self, name: str) -> int | None:
        if self.values.get(name) in (None, ""):
            return None
        number = self.number(name, 0)
        if not number.is_integer():
            raise Refused(Reason.MALFORMED, f"field {name!r} must be a whole number from 0")
        return int(number)

    def truth(self, name: str) -> bool:
        value = self.values.get(name, False)
        if value in (True, "true", "1", "yes"):
            return True
        if value in (False, None, "false", "0", "no", ""):
            return False
        raise Refused(Reason.MALFORMED, f"field {name!r} must be true or false")

    def names(self, name: str, *, limit: int = 256) -> tuple[str, ...]:
        """A list of short texts, or one text with commas between; repeated ones are kept once, in order."""
        value = self.values.get(name, ())
        if value is None:
            value = ()
        if isinstance(value, str):
            if len(value) > limit * _LONGEST_ENTRY:
                raise Refused(Reason.BYTES, f"field {name!r} is longer than {limit * _LONGEST_ENTRY} characters")
            value = [part.strip() for part in value.split(",") if part.strip()]
        if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
            raise Refused(Reason.MALFORMED, f"field {name!r} must be a list of texts")
        if len(value) > limit:
            raise Refused(Reason.FAN_OUT, f"field {name!r} has more than {limit} entries")
        return tuple(dict.fromkeys(Fields({name: part}).text(name, limit=_LONGEST_ENTRY) for part in value))

    def choice(self, name: str, kind: type[_Choice], default: _Choice | None) -> _Choice | None:
        value = self.values.get(name)
        if value in (None, ""):
            return default
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(member.value for member in kind)
            raise Refused(Reason.MALFORMED, f"field {name!r} must be one of {allowed}") from None


def envelope_from(fields: Fields, *, always: bool = False) -> dict[str, Any] | None:
    """What a sender may say of its message, checked; None when it said nothing (unless `always`).

    Raises:
        Refused: a field is malformed.
    """
    given = _ENVELOPE_FIELDS & fields.values.keys()
    if not always and not any(fields.values[name] not in (None, "", [], ()) for name in given):
        return None
    snapshot = fields.optional_text("source_snapshot", limit=64)
    if snapshot is not None and not _TREE.match(snapshot):
        raise Refused(Reason.MALFORMED, "field 'source_snapshot' must be a tree hash of 40 or 64 hexadecimal digits")
    kind = fields.choice("kind", Kind, Kind.NOTE)
    urgency = fields.choice("urgency", Urgency, Urgency.NORMAL)
    confidence = fields.choice("confidence", Confidence, None)
    assert kind is not None
    assert urgency is not None
    return {
        "kind": kind.value,
        "claim": fields.text("claim", "", limit=500),
        "affected": list(fields.names("affected")),
        "evidence": list(fields.names("evidence", limit=32)),
        "source_snapshot": snapshot,
        "urgency": urgency.value,
        "confidence": confidence.value if confidence else None,
        "created_step": fields.optional_whole("created_step"),
        "expires_after_step": fields.optional_whole("expires_after_step"),
        "response_requested": fields.truth("response_requested"),
    }
