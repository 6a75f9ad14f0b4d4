"""What comes in is checked; the published schema and the code say the same of an envelope."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.errors import Reason, Refused
from radio.fields import Fields, envelope_from
from radio.message import (
    RESERVED_NAMES,
    Confidence,
    Envelope,
    Kind,
    Urgency,
    check_lane_name,
    envelope_of,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "radio" / "envelope.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NAMES = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20), max_size=5, unique=True)
STEPS = st.none() | st.integers(0, 10**6)
ENVELOPES = st.builds(
    Envelope,
    id=st.just("m12"),
    trace_id=st.just("m3"),
    sender=st.just("lane-a"),
    kind=st.sampled_from(Kind),
    claim=st.text(st.characters(exclude_categories=["Cs"]), max_size=500),
    affected=NAMES.map(tuple),
    evidence=NAMES.map(tuple),
    source_snapshot=st.none() | st.sampled_from(["0" * 40, "ab" * 32]),
    urgency=st.sampled_from(Urgency),
    confidence=st.none() | st.sampled_from(Confidence),
    created_step=STEPS,
    expires_after_step=STEPS,
    response_requested=st.booleans(),
)


@given(ENVELOPES)
def test_every_envelope_meets_the_published_schema_and_comes_back(envelope: Envelope) -> None:
    data = json.loads(json.dumps(envelope.to_json()))
    VALIDATOR.validate(data)
    assert envelope_of(data) == envelope


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        name: ANYTHING | good
        for name, good in {
            "kind": st.sampled_from([kind.value for kind in Kind]),
            "claim": st.text(max_size=600),
            "affected": NAMES,
            "evidence": NAMES,
            "source_snapshot": st.sampled_from(["0" * 40, "0" * 41, "g" * 40]),
            "urgency": st.sampled_from(["low", "high", "highest"]),
            "confidence": st.sampled_from(["guess", "sure"]),
            "created_step": st.integers(-1, 5),
            "expires_after_step": st.integers(-1, 5),
            "response_requested": st.booleans(),
        }.items()
    },
)


@given(ASKED)
def test_whatever_is_asked_for_is_refused_or_meets_the_schema(asked: dict[str, Any]) -> None:
    taken, reason = None, None
    try:
        taken = envelope_from(Fields(asked))
    except Refused as refusal:
        reason = refusal.reason
    assert reason in (None, Reason.MALFORMED, Reason.BYTES, Reason.FAN_OUT)
    if taken is not None:
        VALIDATOR.validate(json.loads(json.dumps({**taken, "id": "m1", "trace_id": "m1", "sender": "a"})))


@pytest.mark.parametrize("name", sorted(RESERVED_NAMES))
def test_a_reserved_name_is_no_lane(name: str) -> None:
    with pytest.raises(Refused) as refused:
        check_lane_name(name)
    assert refused.value.reason is Reason.RESERVED_NAME


@pytest.mark.parametrize("name", ["", "A", "1a", "a b", "a\n", "é", "a" * 33, "-a", "../a", "System"])
def test_what_could_be_mistaken_is_no_lane_name(name: str) -> None:
    with pytest.raises(Refused):
        check_lane_name(name)


def test_a_lane_name() -> None:
    assert check_lane_name("lane-a_2") == "lane-a_2"
