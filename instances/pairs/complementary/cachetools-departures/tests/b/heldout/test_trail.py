# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A trail remembers what it is told by something that has `on`."""

import cachetools
import pytest


def new_trail(*arguments, **options):
    from cachetools.trail import Trail

    return Trail(*arguments, **options)


class Store(dict):
    """A store of our own that says what leaves it; nobody else reads it."""

    def __init__(self):
        super().__init__()
        self.functions = []

    def on(self, event, function):
        self.functions.append((event, function))

    def tell(self, event, key, value):
        for name, function in self.functions:
            if name == event:
                function(key, value)

    def __getitem__(self, key):
        raise AssertionError("the trail reads the store")

    __contains__ = __iter__ = __len__ = __setitem__ = __delitem__ = get = pop = __getitem__


def test_registers_once_for_each_event():
    store = Store()
    new_trail(store)
    assert sorted(event for event, _ in store.functions) == ["evict", "expire", "remove"]


def test_entries_oldest_first():
    store = Store()
    trail = new_trail(store)
    assert trail.entries() == []
    store.tell("evict", "a", 1)
    store.tell("remove", "b", 2)
    store.tell("expire", "a", 3)
    assert trail.entries() == [("evict", "a", 1), ("remove", "b", 2), ("expire", "a", 3)]
    assert all(type(entry) is tuple for entry in trail.entries())


def test_a_new_list_each_time():
    store = Store()
    trail = new_trail(store)
    store.tell("evict", "a", 1)
    trail.entries().clear()
    trail.entries_of("a").clear()
    assert trail.entries() == trail.entries_of("a") == [("evict", "a", 1)]


def test_maxlen():
    store = Store()
    trail = new_trail(store, maxlen=3)
    for number in range(7):
        store.tell("evict" if number % 2 else "expire", number, str(number))
    assert trail.entries() == [("expire", 4, "4"), ("evict", 5, "5"), ("expire", 6, "6")]
    assert trail.why(0) is None
    assert trail.entries_of(3) == []
    assert (trail.total("evict"), trail.total("expire"), trail.total("remove")) == (3, 4, 0)


def test_maxlen_is_the_second_argument_and_100():
    store = Store()
    trail, short = new_trail(store), new_trail(store, 1)
    for number in range(150):
        store.tell("remove", number, None)
    assert [key for _, key, _ in trail.entries()] == list(range(50, 150))
    assert short.entries() == [("remove", 149, None)]
    assert trail.total("remove") == 150


def test_of_one_key():
    store = Store()
    trail = new_trail(store)
    for event, key, value in [("evict", 1, "x"), ("remove", 2, "y"), ("expire", 1.0, "z"), ("remove", None, "n"), ("remove", (1,), "t")]:
        store.tell(event, key, value)
    assert trail.entries_of(1) == [("evict", 1, "x"), ("expire", 1.0, "z")]
    assert trail.entries_of(None) == [("remove", None, "n")]
    assert trail.entries_of((1,)) == [("remove", (1,), "t")]
    assert trail.entries_of("nobody") == []


def test_why_is_the_newest():
    store = Store()
    trail = new_trail(store)
    assert trail.why("a") is None
    store.tell("evict", "a", 1)
    store.tell("remove", "a", 2)
    store.tell("expire", "b", 2)
    assert trail.why("a") == "remove"
    assert trail.why("b") == "expire"
    assert trail.why("c") is None


def test_values_are_the_very_ones():
    store = Store()
    trail = new_trail(store)
    cart = ["book"]
    store.tell("evict", "a", cart)
    assert trail.entries()[0][2] is cart


@pytest.mark.parametrize("event", ["evicted", "", "Evict", "delete", None, 1])
def test_total_of_another_name(event):
    with pytest.raises(ValueError):
        new_trail(Store()).total(event)


def test_close():
    store = Store()
    trail = new_trail(store)
    store.tell("evict", "a", 1)
    trail.close()
    trail.close()
    store.tell("evict", "b", 2)
    store.tell("remove", "a", 3)
    assert trail.entries() == [("evict", "a", 1)]
    assert trail.why("a") == "evict"
    assert (trail.total("evict"), trail.total("remove")) == (1, 0)


def test_two_trails():
    store = Store()
    one, other = new_trail(store), new_trail(store, maxlen=1)
    store.tell("evict", "a", 1)
    one.close()
    store.tell("remove", "b", 2)
    assert one.entries() == [("evict", "a", 1)]
    assert other.entries() == [("remove", "b", 2)]
    assert (other.total("evict"), other.total("remove")) == (1, 1)


@pytest.mark.parametrize("thing", [{}, object(), None, "on"])
def test_without_on(thing):
    with pytest.raises(TypeError):
        new_trail(thing)


def test_the_caches_go_on_as_before():
    cache = cachetools.LRUCache(2)
    cache.update(a=1, b=2)
    cache["c"] = 3
    assert dict(cache) == {"b": 2, "c": 3}
