# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Sizes that people write, in bytes."""

from fractions import Fraction
from math import ceil

import pytest
from boltons import strutils

SYMBOLS = "BKMGTPEZY"


def read(text):
    result = strutils.human2bytes(text)
    assert type(result) is int
    return result


def test_listed():
    assert "human2bytes" in strutils.__all__


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("17", 17),
        ("007", 7),
        ("1.5G", 3 * 2**29),
        ("512 KiB", 2**19),
        ("20mb", 20 * 2**20),
        (" \t 3 \t k \t", 3072),
        ("1.2", 2),
        ("1.0", 1),
        ("0.0001K", 1),
        ("0.0", 0),
        ("0.5 B", 1),
        ("-1.2", -1),
        ("-0.5", 0),
        ("-3K", -3072),
        ("-0.7Kib", -716),
        ("1023.9990234375K", 1048575),
        ("1.10K", 1127),
    ],
)
def test_sizes(text, size):
    assert read(text) == size


def test_each_way_to_write_each_unit():
    for power, symbol in enumerate(SYMBOLS):
        endings = ["", "B", "b", "iB", "ib", "IB", "Ib"] if power else [""]
        for ending in endings:
            for unit in (symbol + ending, symbol.lower() + ending):
                for gap in ("", " ", "\t "):
                    assert read(f"3{gap}{unit}") == 3 * 1024**power


def test_what_bytes2human_prints():
    for nbytes in [0, 1, 500, 1024, 1025, 128991, 100001221, 2**50, 2**83, -1, -128991]:
        for ndigits in (0, 1, 4):
            text = strutils.bytes2human(nbytes, ndigits)
            number, symbol = text[:-1], text[-1]
            assert read(text) == ceil(Fraction(number) * 1024 ** SYMBOLS.index(symbol))
    assert strutils.bytes2human(128991) == "126K"


def test_exact():
    assert read("1.1Y") == ceil(Fraction(11, 10) * 1024**8)
    assert read("9007199254740993") == 2**53 + 1
    assert read("9007199254740993Z") == (2**53 + 1) * 1024**7
    assert read("0.1") == 1
    assert read("1." + "0" * 400 + "1") == 2
    assert read("0." + "0" * 400 + "1Y") == 1
    assert read("-1." + "9" * 400) == -1
    for digits in range(1, 30):
        text = "1234567890.12345678901234567890123456789"[: 11 + digits]
        for power, symbol in enumerate(SYMBOLS):
            assert read(text + symbol) == ceil(Fraction(text) * 1024**power)


def test_very_long_numbers():
    assert read("1" + "0" * 10000) == 10**10000
    assert read("2" + "0" * 10000 + "k") == 2 * 10**10000 * 1024
    assert read("7." + "0" * 10000) == 7
    assert read("7." + "0" * 9999 + "1") == 8
    assert read("0" * 10000 + "5") == 5


BAD = [
    "", " ", "K", "KB", ".", "1.", ".5", "1.K", "-", "- 5", "+5", "--5", "1e3", "1,000", "1_000", "1 000", "1.2.3", "0x10", "five", "nan", "inf",
    "5 BB", "5BiB", "5iB", "5Kbit", "5KiBB", "5Ki", "5 K B", "5K i B", "5X", "5KK", "5K5", "5\n", "\n5", "5\nK", "\u06635", "\u0665", "5\u00a0K", "\uff15K", "5\u212a", "5K\u0130B", "5 \u212aB", "5k\u0131", "5k\u0131b", "\u00b2", "5K/s",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_no_sizes(text):
    with pytest.raises(ValueError) as caught:
        strutils.human2bytes(text)
    assert text in str(caught.value) or repr(text)[1:-1] in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, 1.5, b"5K", ["5K"], True])
def test_no_text(value):
    with pytest.raises(TypeError):
        strutils.human2bytes(value)
