# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A trail of the package's own caches has an entry for each departure that they count."""

import warnings

import cachetools
import pytest

PLAIN = ["Cache", "FIFOCache", "LFUCache", "LRUCache", "MRUCache", "RRCache"]
TIMED = ["TTLCache", "TLRUCache"]
COUNTED_AS = {"evict": "pushed", "expire": "expired", "remove": "taken"}


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


def new_trail(*arguments, **options):
    from cachetools.trail import Trail

    return Trail(*arguments, **options)


def agree(cache, trail):
    """Whether the numbers of the cache are those of the trail, which has listened from the start."""
    return cache.departures() == {word: trail.total(event) for event, word in COUNTED_AS.items()}


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_pushed_out(name):
    cache = make(name)
    trail = new_trail(cache)
    for number in range(7):
        cache[number] = str(number)
    gone = [number for number in range(7) if number not in cache]
    assert sorted(trail.entries()) == [("evict", number, str(number)) for number in gone]
    assert len(gone) == 4
    assert agree(cache, trail)


@pytest.mark.parametrize("name", ["FIFOCache", "LRUCache", "TTLCache"])
def test_in_the_order_in_which_they_left(name):
    cache = make(name, maxsize=2)
    trail = new_trail(cache)
    for number in range(5):
        cache[number] = number
    assert [key for _, key, _ in trail.entries()] == [0, 1, 2]


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_taken_out(name):
    cache = make(name, maxsize=9)
    trail = new_trail(cache)
    cache.update((letter, letter.upper()) for letter in "abcde")
    del cache["a"]
    assert trail.entries() == [("remove", "a", "A")]
    cache.pop("b")
    assert trail.entries()[1:] == [("remove", "b", "B")]
    key, value = cache.popitem()
    assert trail.entries()[2:] == [("remove", key, value)]
    cache.clear()
    assert sorted(key for _, key, _ in trail.entries()) == list("abcde")
    assert {event for event, _, _ in trail.entries()} == {"remove"}
    assert agree(cache, trail)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_what_is_no_departure(name):
    cache = make(name, getsizeof=lambda value: value)
    trail = new_trail(cache)
    cache["a"] = 1
    cache["a"] = 1
    with pytest.raises(ValueError):
        cache["b"] = 4
    with pytest.raises(KeyError):
        del cache["c"]
    cache.pop("c", None)
    cache.get("c")
    assert trail.entries() == []
    assert agree(cache, trail)


def by_len(cache):
    len(cache)


def by_expire(cache):
    cache.expire()


def by_storing(cache):
    cache["c"] = 4


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("act", [by_len, by_expire, by_storing])
def test_expired(name, act):
    clock = Clock()
    cache = make(name, maxsize=4, clock=clock)
    trail = new_trail(cache)
    cache.update(a=1, b=2)
    clock.now = 5
    cache["c"] = 3
    clock.now = 10
    act(cache)
    assert sorted(trail.entries()) == [("expire", "a", 1), ("expire", "b", 2)]
    assert agree(cache, trail)


@pytest.mark.parametrize("name", TIMED)
def test_del_of_what_is_too_old(name):
    clock = Clock()
    cache = make(name, clock=clock)
    trail = new_trail(cache)
    cache["a"] = 1
    clock.now = 10
    with pytest.raises(KeyError):
        del cache["a"]
    assert trail.entries() == [("expire", "a", 1)]
    assert agree(cache, trail)


@pytest.mark.parametrize("name", TIMED)
def test_a_session_that_came_back(name):
    clock = Clock()
    cache = make(name, maxsize=1, clock=clock)
    trail = new_trail(cache)
    cache["a"] = "first"
    clock.now = 20
    cache["a"] = "second"
    assert trail.why("a") == "expire"
    cache["b"] = "other"
    assert trail.why("a") == "evict"
    cache.pop("b")
    assert trail.entries_of("a") == [("expire", "a", "first"), ("evict", "a", "second")]
    assert trail.why("b") == "remove"
    assert agree(cache, trail)


@pytest.mark.parametrize("name", TIMED)
def test_a_full_cache_of_old_and_young(name):
    clock = Clock()
    cache = make(name, maxsize=2, clock=clock)
    trail = new_trail(cache)
    cache["a"] = 1
    clock.now = 6
    cache["b"] = 2
    clock.now = 12
    cache["c"] = 3
    cache["d"] = 4
    assert trail.entries() == [("expire", "a", 1), ("evict", "b", 2)]
    assert agree(cache, trail)


@pytest.mark.parametrize("name", PLAIN + TIMED)
def test_several_trails_and_caches(name):
    cache, other = make(name, maxsize=1), make(name, maxsize=1)
    early, foreign = new_trail(cache), new_trail(other)
    cache["a"] = 1
    cache["b"] = 2
    late = new_trail(cache)
    cache["c"] = 3
    early.close()
    cache["d"] = 4
    assert early.entries() == [("evict", "a", 1), ("evict", "b", 2)]
    assert late.entries() == [("evict", "b", 2), ("evict", "c", 3)]
    assert foreign.entries() == []
    assert cache.departures() == {"pushed": 3, "expired": 0, "taken": 0}
    assert other.departures() == {"pushed": 0, "expired": 0, "taken": 0}


def test_under_the_decorator():
    cache = cachetools.LRUCache(1)
    trail = new_trail(cache)

    @cachetools.cached(cache, key=lambda number: number)
    def double(number):
        return 2 * number

    double(1)
    double(2)
    double.cache_clear()
    assert trail.entries() == [("evict", 1, 2), ("remove", 2, 4)]
    assert agree(cache, trail)
