# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Sizes and names side by side."""

import pytest
from boltons import strutils
from boltons.strutils import bytes2human, human2bytes, natural_key


def test_both_are_listed_and_nothing_is_lost():
    names = strutils.__all__
    assert len(names) == len(set(names))
    assert {"human2bytes", "natural_key", "bytes2human", "unwrap_text", "find_hashtags"} <= set(names)
    assert all(hasattr(strutils, name) for name in names)


def test_sizes_by_name_and_by_value():
    sizes = ["9K", "10K", "1.5M", "1.10M", "2", "512 kib", "20mb"]
    assert sorted(sizes, key=human2bytes) == ["2", "9K", "10K", "512 kib", "1.10M", "1.5M", "20mb"]
    assert sorted(sizes, key=natural_key) == ["1.5M", "1.10M", "2", "9K", "10K", "20mb", "512 kib"]


def test_a_listing():
    files = {"plate 10.tif": "1.1K", "Plate 9.tif": "0.5K", "plate 010.tif": "2"}
    ordered = sorted(files, key=natural_key)
    assert ordered == ["Plate 9.tif", "plate 010.tif", "plate 10.tif"]
    assert [human2bytes(files[name]) for name in ordered] == [512, 2, 1127]
    assert sorted(files, key=lambda name: (human2bytes(files[name]), natural_key(name))) == ["plate 010.tif", "Plate 9.tif", "plate 10.tif"]


def test_digits_of_both():
    for text in ("\u0663", "\u00b2", "\uff15"):
        with pytest.raises(ValueError):
            human2bytes(text)
        assert sorted([text, "9" * 30, "a" + text, "a7"], key=natural_key)[:1] == ["9" * 30]
    long = "4" * 9000
    assert sorted([long + "5", "6", long], key=natural_key) == ["6", long, long + "5"]
    assert human2bytes(long + "K") == human2bytes(long) * 1024
    assert human2bytes("1.1Y") == -(-11 * 1024**8 // 10)


def test_what_was_there():
    assert bytes2human(128991) == "126K"
    assert human2bytes(bytes2human(128991)) == 126 * 1024
    for function in (human2bytes, natural_key):
        with pytest.raises(TypeError):
            function(b"5K")
