# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A number has as many figures as there is room for."""

import pytest
from humanize import naturalsize


@pytest.mark.parametrize(
    ("size", "figures", "options", "text"),
    [
        (1_234_100, 3, {}, "1.23 MB"),
        (1_236_000, 3, {}, "1.24 MB"),
        (12_340_000, 3, {}, "12.3 MB"),
        (123_400_000, 3, {}, "123 MB"),
        (123_400_000, 4, {}, "123.4 MB"),
        (1_234_000, 6, {}, "1.23400 MB"),
        (1000, 3, {}, "1.00 kB"),
        (9996, 3, {}, "10.0 kB"),
        (9970, 3, {}, "9.97 kB"),
        (99_600, 3, {}, "99.6 kB"),
        (99_970, 4, {}, "99.97 kB"),
        (9_960_000, 3, {}, "9.96 MB"),
        (99_960, 3, {}, "100 kB"),
        (999_700, 3, {}, "1.00 MB"),
        (999_400, 3, {}, "999 kB"),
        (7, 3, {}, "7 Bytes"),
        (1, 3, {}, "1 Byte"),
        (0, 3, {}, "0 Bytes"),
        (999, 3, {}, "999 Bytes"),
        (1000, 3, {"binary": True}, "0.98 KiB"),
        (1000, 4, {"binary": True}, "1000 Bytes"),
        (1023 * 1024, 3, {"binary": True}, "1.00 MiB"),
        (1000 * 1024, 3, {"binary": True}, "0.98 MiB"),
        (1000 * 1024, 4, {"binary": True}, "1000 KiB"),
        (1023 * 1024, 5, {"binary": True}, "1023.0 KiB"),
        (2**20 - 1, 4, {"binary": True}, "1.000 MiB"),
        (3000, 3, {"gnu": True}, "2.93K"),
        (1000, 3, {"gnu": True}, "0.98K"),
        (300, 3, {"gnu": True}, "300B"),
        (-1_234_100, 3, {}, "-1.23 MB"),
        (-999_700, 3, {}, "-1.00 MB"),
        (30_000 * 10**30, 3, {}, "30000 QB"),
        (2_340 * 10**27, 3, {"format": "%.5f"}, "2.34 QB"),
    ],
)
def test_figures(size, figures, options, text):
    assert naturalsize(size, figures=figures, **options) == text


@pytest.mark.parametrize("size", [1_234_000, 999_999, 12, -4096, 300])
def test_none_is_as_it_was(size):
    assert naturalsize(size, figures=None) == naturalsize(size)


@pytest.mark.parametrize("figures", [2, 1, 0, -3])
@pytest.mark.parametrize("size", [5, 1_234_000])
def test_too_few(figures, size):
    with pytest.raises(ValueError):
        naturalsize(size, figures=figures)
