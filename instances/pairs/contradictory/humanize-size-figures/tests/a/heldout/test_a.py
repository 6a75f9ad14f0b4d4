# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A size is never shown as less than it is."""

import pytest
from humanize import naturalsize


@pytest.mark.parametrize(
    ("size", "options", "text"),
    [
        (1_240_000, {}, "1.3 MB"),
        (1_240_000, {"format": "%.2f"}, "1.24 MB"),
        (1_240_001, {"format": "%.2f"}, "1.25 MB"),
        (1_240_000, {"format": "%.0f"}, "2 MB"),
        (1100, {}, "1.1 kB"),
        (1101, {}, "1.2 kB"),
        (4_600_000, {}, "4.6 MB"),
        (2 * 10**24 + 1, {}, "2.1 YB"),
        (23 * 10**23, {}, "2.3 YB"),
        (999_900, {}, "999.9 kB"),
        (999_901, {}, "1.0 MB"),
        (999_999, {}, "1.0 MB"),
        (999_001, {"format": "%.0f"}, "1 MB"),
        (999, {}, "999 Bytes"),
        (1000, {}, "1.0 kB"),
        (12.5, {}, "13 Bytes"),
        (999.5, {}, "1.0 kB"),
        (0.5, {}, "1 Byte"),
        (1, {}, "1 Byte"),
        (0, {}, "0 Bytes"),
        (1025, {"binary": True}, "1.1 KiB"),
        (1024, {"binary": True}, "1.0 KiB"),
        (1023, {"binary": True}, "1023 Bytes"),
        (2**20 - 1, {"binary": True}, "1.0 MiB"),
        (2**20 - 1, {"gnu": True}, "1.0M"),
        (3000, {"gnu": True}, "3.0K"),
        (300, {"gnu": True}, "300B"),
        (-1_240_000, {}, "-1.3 MB"),
        (-12.5, {}, "-13 Bytes"),
        (3 * 10**34 + 1, {}, "30000.1 QB"),
        ("1240000", {}, "1.3 MB"),
    ],
)
def test_never_less(size, options, text):
    assert naturalsize(size, never_less=True, **options) == text


@pytest.mark.parametrize("size", [1_240_000, 999_999, 12.5, -4096, 300])
def test_off_is_as_it_was(size):
    assert naturalsize(size, never_less=False) == naturalsize(size)


def test_off_takes_any_format():
    assert naturalsize(3000, format="%d", never_less=False) == "3 kB"


@pytest.mark.parametrize("format", ["%d", "%.1e", "%5.1f", "about %.1f", "%.1f ", ""])
@pytest.mark.parametrize("size", [5, 1_240_000])
def test_other_formats(format, size):
    with pytest.raises(ValueError):
        naturalsize(size, format=format, never_less=True)
