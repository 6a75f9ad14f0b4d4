# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A cache counts what leaves it, and by which of three ways."""

import warnings

import cachetools
import pytest

PLAIN = ["Cache", "FIFOCache", "LFUCache", "LRUCache", "MRUCache", "RRCache"]
TIMED = ["TTLCache", "TLRUCache"]


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


def make(name, maxsize=3, clock=None, **options):
    """A cache; the items of those that know of time live for 10 s."""
    kind = getattr(cachetools, name)
    clock = clock or Clock()
    if name == "TTLCache":
        return kind(maxsize, 10, timer=clock, **options)
    if name == "TLRUCache":
        return kind(maxsize, lambda key, value, now: now + 10, timer=clock, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return kind(maxsize, **options)


def counts(pushed=0, expired=0, taken=0):
    return {"pushed": pushed, "expired": expired, "taken": taken}


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_nothing_has_left_a_fresh_cache(name):
    cache = make(name)
    assert cache.departures() == counts()
    cache["a"] = 1
    assert cache.departures() == counts()


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_pushed_out_for_room(name):
    cache = make(name)
    for number in range(8):
        cache[number] = number
    assert len(cache) == 3
    assert cache.departures() == counts(pushed=5)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_one_item_may_push_out_several(name):
    cache = make(name, getsizeof=lambda value: value)
    cache.update({"a": 1, "b": 1, "c": 1})
    cache["d"] = 3
    assert dict(cache) == {"d": 3}
    assert cache.departures() == counts(pushed=3)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_stored_by_setdefault_and_update(name):
    cache = make(name, maxsize=1)
    cache.setdefault("a", 1)
    cache.setdefault("b", 2)
    cache.setdefault("b", 3)
    cache.update(c=4)
    assert cache.departures() == counts(pushed=2)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_taken_in_each_way(name):
    cache = make(name, maxsize=9)
    cache.update((letter, letter) for letter in "abcdefgh")
    del cache["a"]
    assert cache.departures() == counts(taken=1)
    assert cache.pop("b") == "b"
    assert cache.pop("c", None) == "c"
    assert cache.departures() == counts(taken=3)
    cache.popitem()
    assert cache.departures() == counts(taken=4)
    cache.clear()
    assert len(cache) == 0
    assert cache.departures() == counts(taken=8)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_what_is_not_there_counts_nothing(name):
    cache = make(name)
    cache["a"] = 1
    with pytest.raises(KeyError):
        cache["b"]
    with pytest.raises(KeyError):
        del cache["b"]
    with pytest.raises(KeyError):
        cache.pop("b")
    assert cache.pop("b", 5) == 5
    assert cache.get("b") is None
    cache.clear()
    cache.clear()
    with pytest.raises(KeyError):
        cache.popitem()
    assert cache.departures() == counts(taken=1)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_another_value_is_no_departure(name):
    cache = make(name, maxsize=2)
    for value in range(5):
        cache["a"] = value
        cache["b"] = value
    assert cache.departures() == counts()


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_a_value_that_is_too_large(name):
    cache = make(name, getsizeof=lambda value: value)
    cache["a"] = 3
    with pytest.raises(ValueError, match="too large"):
        cache["b"] = 4
    assert dict(cache) == {"a": 3}
    assert cache.departures() == counts()


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_numbers_of_its_own(name):
    one, other = make(name, maxsize=1), make(name, maxsize=1)
    one["a"] = one["b"] = 1
    given = one.departures()
    given["pushed"] = 77
    given.clear()
    assert one.departures() == counts(pushed=1)
    assert other.departures() == counts()


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_pushed_and_taken_side_by_side(name):
    cache = make(name, maxsize=2)
    cache.update(a=1, b=2, c=3)
    cache.popitem()
    cache["d"] = 4
    cache["e"] = 5
    assert cache.departures() == counts(pushed=2, taken=1)


def by_len(cache):
    len(cache)


def by_expire(cache):
    cache.expire()


def by_storing(cache):
    cache["c"] = 4


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("act", [by_len, by_expire, by_storing])
def test_expired_whatever_removes_it(name, act):
    clock = Clock()
    cache = make(name, maxsize=4, clock=clock)
    cache.update(a=1, b=2)
    clock.now = 5
    cache["c"] = 3
    clock.now = 10
    act(cache)
    assert cache.departures() == counts(expired=2)
    clock.now = 30
    act(cache)
    assert cache.departures() == counts(expired=3)


@pytest.mark.parametrize("name", TIMED)
def test_a_full_cache_pushes_out_only_what_has_not_expired(name):
    clock = Clock()
    cache = make(name, maxsize=2, clock=clock)
    cache["a"] = 1
    clock.now = 6
    cache["b"] = 2
    clock.now = 12
    cache["c"] = 3
    assert cache.departures() == counts(expired=1)
    cache["d"] = 4
    assert cache.departures() == counts(expired=1, pushed=1)


@pytest.mark.parametrize("name", TIMED)
def test_del_of_what_is_too_old(name):
    clock = Clock()
    cache = make(name, clock=clock)
    cache.update(a=1, b=2)
    clock.now = 10
    with pytest.raises(KeyError):
        del cache["a"]
    assert cache.departures() == counts(expired=1)
    with pytest.raises(KeyError):
        del cache["a"]
    assert cache.departures() == counts(expired=1)
    cache.clear()
    assert cache.departures() == counts(expired=2)


@pytest.mark.parametrize("name", TIMED)
def test_clear_and_popitem_take_what_is_left(name):
    clock = Clock()
    cache = make(name, maxsize=5, clock=clock)
    cache.update(a=1, b=2)
    clock.now = 6
    cache.update(c=3, d=4)
    clock.now = 11
    cache.popitem()
    assert cache.departures() == counts(expired=2, taken=1)
    cache.clear()
    assert cache.departures() == counts(expired=2, taken=2)


@pytest.mark.parametrize("name", TIMED)
def test_stored_again_it_is_young_again(name):
    clock = Clock()
    cache = make(name, clock=clock)
    cache["a"] = 1
    clock.now = 8
    cache["a"] = 2
    clock.now = 12
    assert len(cache) == 1
    assert cache.departures() == counts()
    del cache["a"]
    assert cache.departures() == counts(taken=1)


def test_under_the_decorator():
    cache = cachetools.LRUCache(2)

    @cachetools.cached(cache)
    def double(number):
        return 2 * number

    assert [double(number) for number in (1, 2, 3, 3, 1)] == [2, 4, 6, 6, 2]
    assert cache.departures() == counts(pushed=2)
    double.cache_clear()
    assert cache.departures() == counts(pushed=2, taken=2)
