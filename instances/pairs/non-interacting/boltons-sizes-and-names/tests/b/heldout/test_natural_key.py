# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Names in the order in which a person would put them."""

import itertools
import random

import pytest
from boltons import strutils


def check(ordered):
    """Each pair of names is in this order, whichever comes first."""
    key = strutils.natural_key
    for first, second in itertools.combinations(ordered, 2):
        assert sorted([first, second], key=key) == [first, second]
        assert sorted([second, first], key=key) == [first, second]
    shuffled = list(ordered)
    for seed in range(3):
        random.Random(seed).shuffle(shuffled)
        assert sorted(shuffled, key=key) == ordered
        assert (min(shuffled, key=key), max(shuffled, key=key)) == (ordered[0], ordered[-1])
    shuffled.sort(key=key, reverse=True)
    assert shuffled == ordered[::-1]


def test_listed():
    assert "natural_key" in strutils.__all__


@pytest.mark.parametrize(
    "ordered",
    [
        ["Plate 9.tif", "plate 010 verso.tif", "Plate 10.tif", "plate 11.tif"],
        ["plate 1", "Plate 2", "plate 3", "PLATE 10"],
        ["", "0", "1", "2", "10", "a"],
        ["a", "a1", "a1b", "a2", "a10", "a-", "aa", "ab"],
        ["1", "1a", "1b", "2", "2a", "11"],
        ["a1b2", "a1b10", "a1c1", "a2b1", "a10b1"],
        ["A-2", "A-10"],
        ["1.5", "1.10"],
        ["v1.2.9", "v1.2.10", "v1.10.1", "v2"],
        ["STRASSE 1", "straße 2", "Strasse 3"],
        ["x 1 y", "x 1 z", "x 2 a"],
        ["a 1", "a 1 ", "a  1"],
        ["5!", "a!"],
        ["b1", "B2", "b3", "B4"],
    ],
)
def test_orders(ordered):
    check(ordered)


def test_numbers_come_before_all_other_characters():
    for char in " !\t\n-./:@AZaz~\x00\x1f\u00e4\u4e00\U0001f600":
        check(["x", "x5", "x10", "x" + char])
        check(["5", "10", char])
        check(["x5", "x5" + char, "x6"])


def test_only_ascii_digits_are_numbers():
    check(["a1", "a10", "a\u00b2", "a\u00b23"])
    check(["a\u0662", "a\u06621", "a\u0663"])
    check(["7", "8", "\u0661"])
    check(["\uff11\uff10", "\uff12"])
    check(["1", "1\u00bd", "12"])
    check(["x\u2460", "x\u2461"])


@pytest.mark.parametrize(
    "names",
    [
        ["a01", "A1", "a1", "A01", "a001"],
        ["x", "X"],
        ["0", "00", "000"],
        ["straße", "strasse", "STRASSE"],
        ["a1b01", "a01b1", "A1B1"],
        ["007", "7", "07"],
    ],
)
def test_ties_are_ordered_as_strings(names):
    check(sorted(names))
    check([*sorted(names), names[0] + "~"])


def test_value_of_zeros():
    check(["a", "a0", "a00", "a1", "a01b", "a2"])
    check(["a0b", "a00c", "a0d"])


def test_very_long_numbers():
    nines, power = "9" * 20000, "1" + "0" * 20000
    check([f"x{nines[:-1]}", f"x{nines[:-1]}8", f"x{nines}", f"x{power}", f"x{power[:-1]}1"])
    check(["x7", f"x{'0' * 30000}8", "x9", f"x{nines}"])


def test_everything_can_be_compared():
    random.seed(7)
    names = ["".join(random.choices("01 9aAbB-\u00b2\u0663\u00df", k=random.randrange(6))) for _ in range(250)]
    once = sorted(names, key=strutils.natural_key)
    random.shuffle(names)
    assert sorted(names, key=strutils.natural_key) == once
    assert sorted(names, key=strutils.natural_key, reverse=True) == once[::-1]


@pytest.mark.parametrize("value", [None, 5, b"a1", ["a1"], 1.5])
def test_no_text(value):
    with pytest.raises(TypeError):
        strutils.natural_key(value)
    with pytest.raises(TypeError):
        sorted(["a", value], key=strutils.natural_key)
