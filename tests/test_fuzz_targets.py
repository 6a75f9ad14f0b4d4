"""What is fuzzed at length by `scripts/fuzz`, here for a moment: true inputs, with parts cut, doubled and put in."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from fuzz_targets import TARGETS, seeds

NASTY = [
    b"",
    b'"',
    b"\x00",
    b"\xff\xfe",
    b"\r",
    b"\n\n",
    b"9" * 5000,
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"true",
    b"[" * 5000,
    b"{}",
    b"[]",
    b"../",
    b"/dev/null",
    b"diff --git ",
    b"\n@@ -1 +1 @@\n",
    "\u202e".encode(),
    b"\\ud800",
]


@st.composite
def mangled(draw: st.DrawFn, name: str) -> bytes:
    text = draw(st.sampled_from(seeds(name)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 40)))
        put = draw(st.sampled_from(NASTY) | st.binary(max_size=8) | st.just(text[start:end] * 2))
        text = text[:start] + put + text[end:]
    return text


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_true_inputs_are_read(name: str) -> None:
    assert seeds(name)
    for seed in seeds(name):
        TARGETS[name](seed)


@pytest.mark.parametrize("name", sorted(TARGETS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_mangled_inputs_break_nothing(name: str, data: st.DataObject) -> None:
    TARGETS[name](data.draw(mangled(name)))
