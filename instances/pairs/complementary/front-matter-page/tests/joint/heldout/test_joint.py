# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import itertools
import sys
from html.parser import HTMLParser

import pytest

import mistune
import mistune.__main__ as program
from mistune.page import add_page_hook
from mistune.toc import add_toc_hook


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


DEFAULT = ["strikethrough", "footnotes", "table", "speedup"]


def page_of(text, lang="en", plugins=("front_matter",)):
    md = mistune.create_markdown(plugins=list(plugins))
    add_page_hook(md, lang=lang)
    return Page(md(text))


FULL = """---
# page
Title: Robot arm
DESCRIPTION: "Set-up & safety"
Lang: fr
tags: [setup, safety first]
draft: true
---

Welcome to {{ title }} ({{ tags }}), draft: {{ draft }}.
"""


@pytest.mark.parametrize("plugins", [["front_matter"], ["front_matter", *DEFAULT], [*DEFAULT, "front_matter"]], ids=["alone", "first", "last"])
def test_front_matter_fills_the_head(plugins):
    page = page_of(FULL, plugins=plugins)
    assert (page.title, page.lang) == ("Robot arm", "fr")
    assert page.meta == {
        "description": "Set-up & safety",
        "keywords": "setup, safety first",
        "robots": "noindex",
    }
    assert page.body == "<p>Welcome to Robot arm (setup, safety first), draft: true.</p>"


def test_each_combination_of_keys():
    lines = {
        "title": "Title: A <b> & 'c'",
        "description": "description: about it",
        "lang": "lang: no",
        "tags": "tags: [solo]",
        "draft": "draft: true",
    }
    shown = {"description": "about it", "keywords": "solo", "robots": "noindex"}
    key_of = {"description": "description", "tags": "keywords", "draft": "robots"}
    for size in range(len(lines) + 1):
        for chosen in itertools.combinations(lines, size):
            block = "".join(lines[key] + "\n" for key in chosen)
            page = page_of(f"---\n{block}other: 1\n---\n\n# Heading\n", lang="de")
            assert page.title == ("A <b> & 'c'" if "title" in chosen else "Heading")
            assert page.lang == ("no" if "lang" in chosen else "de")
            assert page.meta == {key_of[key]: shown[key_of[key]] for key in chosen if key in key_of}
            assert page.body == "<h1>Heading</h1>"


@pytest.mark.parametrize(("draft", "hidden"), [("true", True), ("false", False), (None, False)])
def test_draft(draft, hidden):
    line = "" if draft is None else f"draft: {draft}\n"
    page = page_of(f"---\ntitle: x\n{line}---\ndraft is {{{{ draft }}}}\n")
    assert ("robots" in page.meta) == hidden
    assert page.body == f"<p>draft is {draft or '{{ draft }}'}</p>"


@pytest.mark.parametrize(
    ("written", "keywords"),
    [("[]", None), ("[one]", "one"), ("[one, two]", "one, two"), ("[ 'a b' ,c,d ]", "a b, c, d"), ("[1, 2]", "1, 2")],
    ids=["none", "one", "two", "quoted", "numbers"],
)
def test_tags(written, keywords):
    page = page_of(f"---\ntags: {written}\n---\n({{{{ tags }}}})\n")
    assert page.meta.get("keywords") == keywords
    assert page.body == f"<p>({keywords or ''})</p>"


@pytest.mark.parametrize("title", ["1984", "2.0", "Plain", "a: b"], ids=["year", "version", "word", "colon"])
def test_title_as_written(title):
    page = page_of(f"---\ntitle: {title}\n---\n# {{{{ title }}}}, the book\n")
    assert page.title == title
    assert page.body == f"<h1>{title}, the book</h1>"


def test_title_from_a_heading_with_a_placeholder():
    text = "---\nproduct: Robot & arm\n{}---\n# The *{{{{ product }}}}* manual\n"
    assert page_of(text.format("")).title == "The Robot & arm manual"
    assert page_of(text.format("title:\n")).title == "The Robot & arm manual"
    assert page_of(text.format("title: Given\n")).title == "Given"


def test_documents_do_not_share():
    md = mistune.create_markdown(plugins=["front_matter"])
    add_toc_hook(md)
    add_page_hook(md)
    first = Page(md(FULL + "\n# {{ title }}\n"))
    second, third = Page(md("# Only text\n")), Page(md("---\ntags: [x]\n---\n\nno heading {{ title }}\n"))
    assert (first.title, first.lang) == ("Robot arm", "fr")
    assert (second.title, second.lang, second.meta) == ("Only text", "en", {})
    assert (third.title, third.lang, third.meta) == ("Untitled", "en", {"keywords": "x"})


def test_beside_what_the_site_builder_knows():
    md = mistune.create_markdown(plugins=["front_matter"])
    add_page_hook(md)
    state = md.block.state_cls()
    state.env["meta"] = {"lang": "fr", "draft": True, "product": "arm"}
    html, _ = md.parse("---\ntitle: Robot arm\n---\n\nThe {{ title }}.\n", state)
    page = Page(html)
    assert (page.title, page.lang, page.meta) == ("Robot arm", "fr", {"robots": "noindex"})
    assert page.body == "<p>The Robot arm.</p>"


def run(monkeypatch, *args):
    monkeypatch.setattr(sys, "argv", ["mistune", *args])
    program.cli()


def test_command_line(monkeypatch, capsys, tmp_path):
    source, target = tmp_path / "in.md", tmp_path / "out.html"
    source.write_text(FULL)
    run(monkeypatch, "-f", str(source), "-o", str(target), "--page", "--lang", "de", "-p", "front_matter", "speedup")
    run(monkeypatch, "-m", FULL.replace("true", "false").replace("Lang: fr\n", ""), "-p", "front_matter", "--page", "--lang", "de")
    saved, printed = Page(target.read_text()), Page(capsys.readouterr().out)
    assert (saved.title, saved.lang, saved.meta["robots"]) == ("Robot arm", "fr", "noindex")
    assert (printed.title, printed.lang) == ("Robot arm", "de")
    assert printed.meta == {"description": "Set-up & safety", "keywords": "setup, safety first"}
    assert printed.body == "<p>Welcome to Robot arm (setup, safety first), draft: false.</p>"
