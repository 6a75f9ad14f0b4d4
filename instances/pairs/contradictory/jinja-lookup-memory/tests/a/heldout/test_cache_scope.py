# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Templates are kept apart by the value of cache_scope."""

import pytest
from jinja2 import BaseLoader
from jinja2 import Environment
from jinja2 import TemplateNotFound
from jinja2.sandbox import SandboxedEnvironment


class Shops(BaseLoader):
    """Answers for the current customer; every source names the customer."""

    def __init__(self, texts=None):
        self.customer = "start"
        self.texts = texts or {}
        self.fresh = {}
        self.calls = []

    def get_source(self, environment, template):
        self.calls.append((self.customer, template))
        if template.startswith("no-"):
            raise TemplateNotFound(template)
        text = self.texts.get(template, "{name} of {customer!r}")
        text = text.replace("{customer!r}", repr(self.customer)).replace(
            "{name}", template
        )
        customer = self.customer
        return text, None, lambda: self.fresh.get(customer, True)


def make(cls=Environment, texts=None, **options):
    loader = Shops(texts)
    env = cls(loader=loader, cache_scope=lambda: loader.customer, **options)
    return loader, env


def ask(loader, env, customer, name):
    loader.customer = customer
    return env.get_template(name).render()


@pytest.mark.parametrize("cls", [Environment, SandboxedEnvironment])
def test_each_value_has_its_own_template_loaded_once(cls):
    loader, env = make(cls)
    for _ in range(3):
        for customer in ("north", "south", "east"):
            assert ask(loader, env, customer, "a.html") == f"a.html of {customer!r}"
    assert sorted(loader.calls) == [(c, "a.html") for c in ("east", "north", "south")]


def test_falsy_and_odd_values_are_values_like_any_other():
    loader, env = make()
    values = [None, 0, "", (), frozenset(), "None", ("a", 1), -1]
    for _ in range(2):
        for value in values:
            assert ask(loader, env, value, "x") == f"x of {value!r}"
    assert len(loader.calls) == len(values)


def test_select_and_get_or_select():
    loader, env = make()
    for customer in ("north", "south", "north", "south"):
        loader.customer = customer
        assert env.select_template(["no-1", "b"]).render() == f"b of {customer!r}"
        assert env.get_or_select_template(["no-1", "c"]).render() == f"c of {customer!r}"
        assert env.get_or_select_template("d").render() == f"d of {customer!r}"
    found = [call for call in loader.calls if not call[1].startswith("no-")]
    assert len(found) == len(set(found)) == 6


def test_templates_pulled_in_by_templates():
    texts = {
        "page": "{% extends 'layout' %}{% block body %}{% include 'part' %}"
        "{% import 'macros' as m %}{{ m.sign() }}"
        "{% from 'macros' import sign %}{{ sign() }}{% endblock %}",
        "layout": "[{customer!r}:{% block body %}{% endblock %}]",
        "part": "part {customer!r} ",
        "macros": "{% macro sign() %}by {customer!r} {% endmacro %}",
    }
    loader, env = make(texts=texts)
    for customer in ("north", "south") * 3:
        expected = "['{0}':part '{0}' by '{0}' by '{0}' ]".format(customer)
        assert ask(loader, env, customer, "page") == expected
    assert len(loader.calls) == 8


def test_the_value_at_the_moment_of_the_lookup_counts():
    loader, env = make(texts={"page": "{customer!r} {% include 'part' %}"})
    loader.customer = "north"
    page = env.get_template("page")
    assert page.render() == "'north' part of 'north'"
    loader.customer = "south"
    assert page.render() == "'north' part of 'south'"
    loader.customer = "north"
    assert page.render() == "'north' part of 'north'"


def test_names_stay_plain():
    loader, env = make()
    for customer in ("north", None, ("x", "y")):
        loader.customer = customer
        assert env.get_template("shop/a.html").name == "shop/a.html"
    assert {name for _, name in loader.calls} == {"shop/a.html"}


def test_auto_reload_works_within_a_value():
    loader, env = make()
    for customer in ("north", "south"):
        ask(loader, env, customer, "a")
    loader.fresh["north"] = False
    for customer in ("north", "south", "south", "north"):
        ask(loader, env, customer, "a")
    assert loader.calls.count(("north", "a")) == 3
    assert loader.calls.count(("south", "a")) == 1

    loader, env = make(auto_reload=False)
    loader.fresh["north"] = False
    for customer in ("north", "south", "north"):
        assert ask(loader, env, customer, "a") == f"a of {customer!r}"
    assert len(loader.calls) == 2


def test_cache_size_limits_all_values_together():
    loader, env = make(cache_size=3)
    for customer in range(4):
        ask(loader, env, customer, "a")
    assert len(loader.calls) == 4
    for customer in (3, 2, 1):
        ask(loader, env, customer, "a")
    assert len(loader.calls) == 4
    ask(loader, env, 0, "a")
    assert len(loader.calls) == 5


@pytest.mark.parametrize("cache_size", [400, -1])
def test_forget_scope_drops_that_value_only(cache_size):
    loader, env = make(cache_size=cache_size)
    customers = ["north", "south", None, 0]
    for customer in customers:
        for name in ("a", "b", "c"):
            ask(loader, env, customer, name)
    for forgotten in ("south", None):
        loader.calls.clear()
        assert env.forget_scope(forgotten) is None
        for customer in customers * 2:
            for name in ("a", "b", "c"):
                assert ask(loader, env, customer, name) == f"{name} of {customer!r}"
        assert sorted(loader.calls, key=repr) == [(forgotten, n) for n in "abc"]


def test_forget_scope_with_nothing_to_forget():
    loader, env = make()
    ask(loader, env, "north", "a")
    assert env.forget_scope("never seen") is None
    ask(loader, env, "north", "a")
    assert len(loader.calls) == 1

    loader, env = make(cache_size=0)
    ask(loader, env, "north", "a")
    assert env.forget_scope("north") is None
    assert ask(loader, env, "south", "a") == "a of 'south'"

    plain = Environment(loader=Shops())
    plain.get_template("a")
    assert plain.forget_scope("north") is None
    plain.get_template("a")
    assert len(plain.loader.calls) == 1


def test_overlay_inherits_replaces_and_switches_off():
    loader, env = make()
    inherited = env.overlay(trim_blocks=True)
    replaced = env.overlay(cache_scope=lambda: "all" if loader.customer else "none")
    off = env.overlay(cache_scope=None)
    expected = [
        (inherited, ["north", "south", "north"], ["north", "south", "north"]),
        (replaced, ["north", "south", ""], ["north", "north", ""]),
        (off, ["north", "south", ""], ["north", "north", "north"]),
    ]
    for overlay, asked, answered in expected:
        for customer, shown in zip(asked, answered):
            assert ask(loader, overlay, customer, "a") == f"a of {shown!r}"
    assert ask(loader, env, "west", "a") == "a of 'west'"

    on = off.overlay(cache_scope=lambda: loader.customer)
    for customer in ("north", "south"):
        assert ask(loader, on, customer, "a") == f"a of {customer!r}"


def test_overlay_and_environment_forget_apart():
    loader, env = make()
    overlay = env.overlay()
    for e in (env, overlay):
        ask(loader, e, "north", "a")
    env.forget_scope("north")
    loader.calls.clear()
    ask(loader, overlay, "north", "a")
    assert loader.calls == []
    ask(loader, env, "north", "a")
    assert loader.calls == [("north", "a")]
    overlay.forget_scope("north")
    ask(loader, env, "north", "a")
    assert len(loader.calls) == 1
    ask(loader, overlay, "north", "a")
    assert len(loader.calls) == 2


def test_error_of_the_callable_goes_through():
    loader, env = make()

    def broken():
        raise RuntimeError("no customer")

    overlay = env.overlay(cache_scope=broken)
    with pytest.raises(RuntimeError, match="no customer"):
        overlay.get_template("a")
    with pytest.raises(RuntimeError, match="no customer"):
        overlay.select_template(["a", "b"])


def test_without_cache_scope_everything_is_shared():
    loader = Shops()
    env = Environment(loader=loader)
    for customer in ("north", "south"):
        assert ask(loader, env, customer, "a") == "a of 'north'"
    assert len(loader.calls) == 1


def test_forget_scope_without_cache_scope_leaves_templates_of_that_name():
    loader = Shops()
    env = Environment(loader=loader)
    ask(loader, env, "north", "a")
    env.forget_scope("a")
    ask(loader, env, "north", "a")
    assert len(loader.calls) == 1
