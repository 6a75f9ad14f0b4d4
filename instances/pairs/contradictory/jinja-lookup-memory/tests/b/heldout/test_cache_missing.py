# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Names that the loader did not find are remembered with cache_missing."""

import pytest
from jinja2 import BaseLoader
from jinja2 import ChoiceLoader
from jinja2 import DictLoader
from jinja2 import Environment
from jinja2 import TemplateNotFound
from jinja2 import TemplatesNotFound
from jinja2 import TemplateSyntaxError


class Store(BaseLoader):
    def __init__(self, pages=()):
        self.pages = dict(pages)
        self.calls = []

    def get_source(self, environment, template):
        self.calls.append(template)
        page = self.pages.get(template)
        if isinstance(page, Exception):
            raise page
        if page is None:
            raise TemplateNotFound(template, f"{template} is not in the store")
        return page, None, lambda: self.pages.get(template) == page


def make(pages=(), **options):
    options.setdefault("cache_missing", True)
    store = Store(pages)
    return store, Environment(loader=store, **options)


def miss(env, *names):
    for name in names:
        with pytest.raises(TemplateNotFound):
            env.get_template(name)


def test_loader_is_asked_once_and_the_error_is_the_same():
    store, env = make()
    for _ in range(4):
        for name in ("a.html", "b/c.html"):
            with pytest.raises(TemplateNotFound) as caught:
                env.get_template(name)
            assert caught.value.name == name
            assert caught.value.message == f"{name} is not in the store"
            assert str(caught.value) == f"{name} is not in the store"
    assert store.calls == ["a.html", "b/c.html"]


def test_every_way_to_look_up():
    pages = {
        "base": "base",
        "inc": "<{% include 'gone' ignore missing %}>",
        "inc-list": "<{% include ['gone', 'gone too', 'base'] %}>",
        "ext": "{% extends 'gone' %}",
        "imp": "{% import 'gone' as g %}",
        "from": "{% from 'gone' import g %}",
    }
    store, env = make(pages)
    for _ in range(3):
        assert env.select_template(["gone", "gone too", "base"]).render() == "base"
        assert env.get_or_select_template(["gone too", "base"]).render() == "base"
        assert env.get_template("inc").render() == "<>"
        assert env.get_template("inc-list").render() == "<base>"
        for name in ("ext", "imp", "from"):
            with pytest.raises(TemplateNotFound) as caught:
                env.get_template(name).render()
            assert caught.value.name == "gone"
        with pytest.raises(TemplatesNotFound):
            env.select_template(["gone", "gone too"])
        with pytest.raises(TemplateNotFound):
            env.get_or_select_template("gone")
    assert store.calls.count("gone") == 1
    assert store.calls.count("gone too") == 1


def test_off_by_default():
    for options in ({}, {"cache_missing": False}):
        store = Store()
        env = Environment(loader=store, **options)
        miss(env, "a", "a", "a")
        assert store.calls == ["a"] * 3
        store.pages["a"] = "here"
        assert env.get_template("a").render() == "here"


def test_miss_stays_until_forgotten():
    for auto_reload in (True, False):
        store, env = make(auto_reload=auto_reload)
        miss(env, "a", "b")
        store.pages.update(a="new a", b="new b")
        miss(env, "a", "b")
        assert env.forget_missing("a") is None
        assert env.get_template("a").render() == "new a"
        miss(env, "b")
        assert env.forget_missing() is None
        assert env.get_template("b").render() == "new b"
        assert store.calls == ["a", "b", "a", "b"]


def test_other_loaders():
    themes = {}
    env = Environment(
        loader=ChoiceLoader([DictLoader(themes), DictLoader({"x": "x"})]),
        cache_missing=True,
    )
    miss(env, "y")
    themes.update(x="later", y="later")
    miss(env, "y")
    assert env.get_template("x").render() == "later"
    env.forget_missing("y")
    assert env.get_template("y").render() == "later"


def test_forgetting_keeps_templates_and_other_misses():
    store, env = make({"t": "t"})
    env.get_template("t")
    miss(env, "a", "b", "c")
    store.calls.clear()
    env.forget_missing("b")
    env.forget_missing("t")
    env.forget_missing("never asked")
    env.get_template("t")
    miss(env, "a", "c")
    assert store.calls == []
    miss(env, "b", "b")
    assert store.calls == ["b"]
    env.forget_missing()
    env.forget_missing()
    env.get_template("t")
    miss(env, "a", "b", "c")
    assert store.calls == ["b", "a", "b", "c"]


def test_other_errors_are_not_remembered():
    store, env = make(
        {"a": OSError("store is down"), "b": ValueError("bad"), "c": "{% if %}"}
    )
    for _ in range(2):
        for name, error in (("a", OSError), ("b", ValueError), ("c", TemplateSyntaxError)):
            with pytest.raises(error) as caught:
                env.get_template(name)
            assert not isinstance(caught.value, TemplateNotFound)
    assert store.calls == ["a", "b", "c"] * 2
    store.pages = dict.fromkeys("abc", "well")
    for name in "abc":
        assert env.get_template(name).render() == "well"


def test_limit_is_cache_size_and_least_recently_asked_goes_first():
    store, env = make(cache_size=3)
    miss(env, "a", "b", "c")
    miss(env, "a")
    miss(env, "d")
    assert store.calls == ["a", "b", "c", "d"]
    miss(env, "a", "c", "d")
    assert store.calls == ["a", "b", "c", "d"]
    miss(env, "b")
    assert store.calls == ["a", "b", "c", "d", "b"]
    miss(env, *(f"bot-{i}" for i in range(50)))
    store.calls.clear()
    miss(env, "bot-49", "bot-48", "bot-47")
    assert store.calls == []
    miss(env, "bot-0")
    assert store.calls == ["bot-0"]


def test_no_limit_and_no_memory():
    store, env = make(cache_size=-1)
    names = [f"n{i}" for i in range(600)]
    miss(env, *names)
    miss(env, *names)
    assert store.calls == names
    env.forget_missing("n5")
    miss(env, "n4", "n5")
    assert store.calls[600:] == ["n5"]

    store, env = make({"t": "t"}, cache_size=0)
    miss(env, "a", "a")
    assert store.calls == ["a", "a"]
    env.forget_missing()
    env.forget_missing("a")


def test_misses_push_no_template_out():
    pages = {"t1": "one", "t2": "two", "t3": "three"}
    store, env = make(pages, cache_size=3)
    for name in pages:
        env.get_template(name)
    miss(env, *(f"bot-{i}" for i in range(20)))
    store.calls.clear()
    for name, text in pages.items():
        assert env.get_template(name).render() == text
    assert store.calls == []


def test_new_loader_is_asked():
    store, env = make()
    miss(env, "a", "b")
    env.loader = other = Store({"a": "other a"})
    assert env.get_template("a").render() == "other a"
    miss(env, "b", "b")
    assert other.calls == ["a", "b"]


def test_name_after_join_path_counts():
    class Relative(Environment):
        def join_path(self, template, parent):
            return f"{parent.rpartition('/')[0]}/{template}"

    store = Store({"x/p": "x{% include 'q' ignore missing %}",
                   "y/p": "y{% include 'q' ignore missing %}", "y/q": "q"})
    env = Relative(loader=store, cache_missing=True)
    for _ in range(2):
        assert env.get_template("x/p").render() == "x"
        assert env.get_template("y/p").render() == "yq"
    assert store.calls.count("x/q") == 1
    store.pages["x/q"] = "new"
    env.forget_missing("x/q")
    assert env.get_template("x/p").render() == "xnew"


def test_overlay_has_its_own_memory():
    store, env = make(cache_size=5)
    miss(env, "a")
    overlay = env.overlay(trim_blocks=True)
    small = env.overlay(cache_size=1)
    off = env.overlay(cache_missing=False)
    miss(overlay, "a", "a")
    miss(small, "a", "a")
    assert store.calls == ["a"] * 3
    miss(small, "b", "a")
    assert store.calls == ["a"] * 3 + ["b", "a"]
    miss(off, "a", "a")
    assert len(store.calls) == 7
    overlay.forget_missing()
    miss(env, "a")
    assert len(store.calls) == 7
    env.forget_missing()
    miss(overlay, "a", "a")
    assert len(store.calls) == 8
    on = off.overlay(cache_missing=True)
    miss(on, "a", "a")
    assert len(store.calls) == 9
