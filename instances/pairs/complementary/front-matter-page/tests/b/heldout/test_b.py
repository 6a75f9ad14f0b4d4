# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import sys
from html.parser import HTMLParser

import pytest

import mistune
import mistune.__main__ as program
from mistune.page import add_page_hook
from mistune.renderers.rst import RSTRenderer


class Page(HTMLParser):
    """What a browser would make of the page's head, and the tags around its body."""

    def __init__(self, html):
        super().__init__()
        self.html, self.title, self.lang, self.meta, self.charset = html, "", None, {}, None
        self.doctype, self.path = None, []
        self.feed(html)
        self.close()

    def handle_decl(self, decl):
        self.doctype = decl.lower()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.lang = attrs.get("lang")
        if tag == "meta":
            assert self.path == ["html", "head"]
            self.charset = attrs.get("charset", self.charset)
            if "name" in attrs:
                assert attrs["name"] not in self.meta
                self.meta[attrs["name"]] = attrs["content"]
        else:
            self.path.append(tag)

    def handle_endtag(self, tag):
        if tag in self.path:
            assert self.path.pop() == tag

    def handle_data(self, data):
        if self.path == ["html", "head", "title"]:
            self.title += data

    @property
    def body(self):
        return self.html.split("<body>", 1)[1].rsplit("</body>", 1)[0].strip()


def page_of(text, meta=None, lang=None, **options):
    md = mistune.create_markdown(**options)
    add_page_hook(md) if lang is None else add_page_hook(md, lang=lang)
    state = md.block.state_cls()
    if meta is not None:
        state.env["meta"] = meta
    html, _ = md.parse(text, state)
    return Page(html)


def test_complete_document():
    page = page_of("# Hi\n\n*you*\n", {"title": "Pumps"})
    assert page.doctype == "doctype html"
    assert page.charset.lower() == "utf-8"
    assert page.path == []
    assert (page.title, page.lang, page.meta) == ("Pumps", "en", {})
    assert page.body == "<h1>Hi</h1>\n<p><em>you</em></p>"


def test_everything_in_the_head():
    meta = {"title": "T", "description": "D", "lang": "fr", "tags": ["a b", "c"], "draft": True, "other": 3}
    page = page_of("x\n", meta, lang="de")
    assert (page.title, page.lang) == ("T", "fr")
    assert page.meta == {"description": "D", "keywords": "a b, c", "robots": "noindex"}


def test_missing_and_empty():
    for meta in (None, {}, {"title": "", "description": "", "lang": "", "tags": [], "draft": False}, {"other": "x"}):
        page = page_of("x\n", meta, lang="de")
        assert (page.title, page.lang, page.meta) == ("Untitled", "de", {})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## two\n\n# One *big* `x < y` [link](/u)\n\n# other\n", "One big x < y link"),
        ("> # nested\n\nOuter\n=====\n", "Outer"),
        ("> # nested\n\n## two\n", "Untitled"),
        ("# A & B\n", "A & B"),
    ],
    ids=["markup", "nested", "none", "escaped"],
)
def test_title_from_heading(text, title):
    assert page_of(text).title == title
    assert page_of(text, {"title": ""}).title == title
    assert page_of(text, {"title": "given"}).title == "given"


def test_escaped():
    nasty = 'a "quoted" </title> & <b>&amp;'
    meta = {"title": nasty, "description": nasty, "lang": 'x"y', "tags": [nasty, "z"]}
    for escape in (True, False):
        page = page_of("text\n", meta, escape=escape)
        assert (page.title, page.lang) == (nasty, 'x"y')
        assert page.meta == {"description": nasty, "keywords": nasty + ", z"}
        assert page.body == "<p>text</p>"


@pytest.mark.parametrize(
    "meta",
    [
        {"title": 3},
        {"description": ["d"]},
        {"lang": True},
        {"tags": "one, two"},
        {"tags": ["one", 2]},
        {"draft": "yes"},
        {"draft": "true"},
        {"draft": 1},
    ],
    ids=["title", "description", "lang", "tags", "tag", "draft-yes", "draft-true", "draft-1"],
)
def test_wrong_types(meta):
    with pytest.raises(TypeError):
        page_of("# x\n", meta)


@pytest.mark.parametrize("hooks", ["before_parse_hooks", "before_render_hooks"])
def test_meta_from_a_hook(hooks):
    md = mistune.create_markdown()
    add_page_hook(md)

    def builder(md, state):
        state.env["meta"] = {"title": "From hook", "draft": True}

    getattr(md, hooks).append(builder)
    page = Page(md("x\n"))
    assert (page.title, page.meta) == ("From hook", {"robots": "noindex"})


def test_pages_do_not_share_meta():
    md = mistune.create_markdown()
    add_page_hook(md)
    state = md.block.state_cls()
    state.env["meta"] = {"title": "one", "draft": True, "lang": "fr"}
    first = Page(md.parse("x\n", state)[0])
    second = Page(md("x\n"))
    assert (first.title, first.lang, first.meta) == ("one", "fr", {"robots": "noindex"})
    assert (second.title, second.lang, second.meta) == ("Untitled", "en", {})


@pytest.mark.parametrize("renderer", [None, "ast", RSTRenderer()], ids=["none", "ast", "rst"])
def test_only_html(renderer):
    md = mistune.create_markdown(renderer=renderer)
    with pytest.raises(ValueError):
        add_page_hook(md)


def run(monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["mistune", *args])
    program.cli()


def test_command_line(monkeypatch, capsys, tmp_path):
    run(monkeypatch, "-m", "# Hello\n\nyou", "--page")
    page = Page(capsys.readouterr().out)
    assert (page.title, page.lang, page.body) == ("Hello", "en", "<h1>Hello</h1>\n<p>you</p>")
    source, target = tmp_path / "in.md", tmp_path / "out.html"
    source.write_text("# Hallo\n\n~~du~~\n")
    run(monkeypatch, "-f", str(source), "-o", str(target), "--page", "--lang", "de")
    page = Page(target.read_text())
    assert (page.title, page.lang, page.body) == ("Hallo", "de", "<h1>Hallo</h1>\n<p><del>du</del></p>")


def test_command_line_without_page(monkeypatch, capsys):
    run(monkeypatch, "-m", "# Hello", "--lang", "de")
    assert capsys.readouterr().out.strip() == "<h1>Hello</h1>"


@pytest.mark.parametrize("renderer", ["rst", "markdown"])
def test_command_line_other_renderer(monkeypatch, capsys, renderer):
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, "-m", "# Hello", "--page", "-r", renderer)
    assert stop.value.code == 2
    assert "<" not in capsys.readouterr().out
