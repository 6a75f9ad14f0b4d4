# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""The figures that there is room for, and never less than the size."""

import pytest
from humanize import naturalsize


@pytest.mark.parametrize(
    ("size", "figures", "options", "text"),
    [
        (1_231_000, 3, {}, "1.24 MB"),
        (1_230_000, 3, {}, "1.23 MB"),
        (1_230_001, 3, {}, "1.24 MB"),
        (9991, 3, {}, "10.0 kB"),
        (9981, 3, {}, "9.99 kB"),
        (99_801, 3, {}, "99.9 kB"),
        (99_901, 3, {}, "100 kB"),
        (999_001, 3, {}, "1.00 MB"),
        (999_000, 3, {}, "999 kB"),
        (4_600_000, 4, {}, "4.600 MB"),
        (1006, 3, {"binary": True}, "0.99 KiB"),
        (1001, 3, {"binary": True}, "0.98 KiB"),
        (1006, 4, {"binary": True}, "1006 Bytes"),
        (1015 * 1024, 3, {"binary": True}, "1.00 MiB"),
        (1023 * 1024 + 1, 4, {"binary": True}, "1.000 MiB"),
        (1023 * 1024, 4, {"binary": True}, "1023 KiB"),
        (2**20 + 1, 3, {"gnu": True}, "1.01M"),
        (-1_231_000, 3, {}, "-1.24 MB"),
        (2 * 10**24 + 1, 3, {}, "2.01 YB"),
        (30_000 * 10**30 + 1, 3, {}, "30001 QB"),
        (5, 3, {}, "5 Bytes"),
        (999, 3, {}, "999 Bytes"),
    ],
)
def test_both(size, figures, options, text):
    assert naturalsize(size, never_less=True, figures=figures, **options) == text


def test_each_alone():
    assert naturalsize(1_231_000, never_less=True) == "1.3 MB"
    assert naturalsize(1_231_000, figures=3) == "1.23 MB"
