# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Misses are remembered, and kept apart by the value of cache_scope."""

import itertools

import pytest
from jinja2 import BaseLoader
from jinja2 import Environment
from jinja2 import TemplateNotFound


class Shops(BaseLoader):
    """``pages`` maps (customer, name) to a source."""

    def __init__(self, pages=()):
        self.customer = "start"
        self.pages = dict(pages)
        self.calls = []

    def get_source(self, environment, template):
        key = (self.customer, template)
        self.calls.append(key)
        if key not in self.pages:
            raise TemplateNotFound(template, f"{template} not for {self.customer!r}")
        return self.pages[key], None, lambda: True


def make(pages=(), **options):
    loader = Shops(pages)
    options = {"cache_scope": lambda: loader.customer, "cache_missing": True, **options}
    return loader, Environment(loader=loader, **options)


def miss(env, customer, *names):
    env.loader.customer = customer
    for name in names:
        with pytest.raises(TemplateNotFound) as caught:
            env.get_template(name)
        assert caught.value.name == name
        assert caught.value.message == f"{name} not for {customer!r}"


def hit(env, customer, name):
    env.loader.customer = customer
    return env.get_template(name).render()


VALUES = ["north", "south", None, 0, "", (), ("north", 1)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_miss_of_one_customer_hides_nothing_of_another(order):
    owners = VALUES[::2]
    loader, env = make({(o, n): f"{n} {o!r}" for o in owners for n in "ab"})
    for _ in range(3):
        for customer in VALUES[::order]:
            for name in "ab":
                if customer in owners:
                    assert hit(env, customer, name) == f"{name} {customer!r}"
                else:
                    miss(env, customer, name)
    assert len(loader.calls) == len(set(loader.calls)) == 2 * len(VALUES)


def test_each_customer_asks_once_for_each_missing_name():
    loader, env = make()
    names = ["a", "b", "north", "None"]
    for _ in range(3):
        for customer, name in itertools.product(VALUES, names):
            miss(env, customer, name)
    assert sorted(loader.calls, key=repr) == sorted(
        itertools.product(VALUES, names), key=repr
    )


def test_every_way_to_look_up():
    pages = {}
    for customer in ("north", "south"):
        pages[customer, "page"] = (
            "{% extends 'layout' %}"
            "{% block b %}{% include 'part' ignore missing %}{% endblock %}"
        )
        pages[customer, "layout"] = (
            "{% include ['own head', 'head'] %}:{% block b %}{% endblock %}"
        )
        pages[customer, "head"] = "common"
    pages["south", "part"] = "south part"
    pages["south", "own head"] = "own"
    loader, env = make(pages)
    for _ in range(3):
        assert hit(env, "north", "page") == "common:"
        assert hit(env, "south", "page") == "own:south part"
        for customer in ("north", "south"):
            loader.customer = customer
            found = env.select_template(["own head", "head"])
            assert found.name == {"north": "head", "south": "own head"}[customer]
            found = env.get_or_select_template(["part", "page"])
            assert found.name == {"north": "page", "south": "part"}[customer]
    assert len(loader.calls) == len(set(loader.calls))
    assert ("north", "part") in loader.calls
    assert ("south", "head") not in loader.calls


@pytest.mark.parametrize("cache_size", [400, -1])
def test_forget_scope_forgets_that_customers_misses_only(cache_size):
    loader, env = make(
        {(c, "t"): f"t {c!r}" for c in VALUES}, cache_size=cache_size
    )
    for customer in VALUES:
        hit(env, customer, "t")
        miss(env, customer, "a", "b")
    for forgotten in VALUES:
        loader.calls.clear()
        env.forget_scope(forgotten)
        for customer in VALUES * 2:
            hit(env, customer, "t")
            miss(env, customer, "a", "b")
        assert sorted(loader.calls, key=repr) == [(forgotten, n) for n in "abt"]
    loader.pages["south", "a"] = "published"
    miss(env, "south", "a")
    env.forget_scope("south")
    assert hit(env, "south", "a") == "published"
    miss(env, "north", "a")


def test_forget_missing_by_name_reaches_every_customer():
    loader, env = make({(c, "t"): "t" for c in VALUES})
    for customer in VALUES:
        hit(env, customer, "t")
        miss(env, customer, "a", "b")
    loader.calls.clear()
    loader.customer = "north"
    env.forget_missing("a")
    for customer in VALUES * 2:
        hit(env, customer, "t")
        miss(env, customer, "a", "b")
    assert len(loader.calls) == len(VALUES)
    assert set(loader.calls) == {(c, "a") for c in VALUES}


def test_forget_missing_without_a_name_reaches_every_customer():
    loader, env = make({(c, "t"): "t" for c in VALUES})
    for customer in VALUES:
        hit(env, customer, "t")
        miss(env, customer, "a", "b")
    loader.calls.clear()
    loader.customer = "someone else"
    env.forget_missing()
    for customer in VALUES * 2:
        hit(env, customer, "t")
        miss(env, customer, "a", "b")
    assert len(loader.calls) == 2 * len(VALUES)
    assert set(loader.calls) == {(c, n) for c in VALUES for n in "ab"}


def test_limit_on_misses_holds_for_all_customers_together():
    loader, env = make({("shop-0", "t"): "t", ("shop-1", "t"): "t"}, cache_size=4)
    hit(env, "shop-0", "t")
    hit(env, "shop-1", "t")
    for i in range(12):
        miss(env, f"shop-{i}", f"name-{i}")
    loader.calls.clear()
    for i in range(11, 7, -1):
        miss(env, f"shop-{i}", f"name-{i}")
    hit(env, "shop-0", "t")
    hit(env, "shop-1", "t")
    assert loader.calls == []
    miss(env, "shop-0", "name-0")
    miss(env, "shop-1", "name-1")
    assert loader.calls == [("shop-0", "name-0"), ("shop-1", "name-1")]


def test_overlays():
    loader, env = make({("south", "a"): "south a"})
    miss(env, "north", "a")
    inherited = env.overlay()
    unscoped = env.overlay(cache_scope=None)
    forgetful = env.overlay(cache_missing=False)
    for _ in range(2):
        miss(inherited, "north", "a")
        assert hit(inherited, "south", "a") == "south a"
    assert loader.calls == [("north", "a"), ("north", "a"), ("south", "a")]

    miss(unscoped, "north", "a")
    loader.customer = "south"
    with pytest.raises(TemplateNotFound):
        unscoped.get_template("a")
    loader.calls.clear()
    for _ in range(2):
        miss(forgetful, "north", "a")
        assert hit(forgetful, "south", "a") == "south a"
    assert loader.calls == [("north", "a"), ("south", "a"), ("north", "a")]

    loader.calls.clear()
    env.forget_scope("north")
    miss(inherited, "north", "a")
    assert loader.calls == []
    miss(env, "north", "a")
    assert loader.calls == [("north", "a")]


def test_a_new_loader_is_asked_for_every_customer():
    loader, env = make(cache_scope=lambda: env.loader.customer)
    miss(env, "north", "a")
    miss(env, "south", "a")
    env.loader = other = Shops({("south", "a"): "new"})
    miss(env, "north", "a")
    assert hit(env, "south", "a") == "new"
    miss(env, "north", "a")
    env.forget_scope("north")
    miss(env, "north", "a")
    assert other.calls == [("north", "a"), ("south", "a"), ("north", "a")]
