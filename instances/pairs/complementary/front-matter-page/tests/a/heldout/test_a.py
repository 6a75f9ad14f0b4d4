# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import pytest

import mistune
from mistune.renderers.markdown import MarkdownRenderer
from mistune.renderers.rst import RSTRenderer
from mistune.toc import add_toc_hook

MANUAL = """---
# for the arm team
Title: Robot arm

version: "2.0"
tags: [setup, safety]
beta: true
empty:
---

"""


def render(text, plugins=("front_matter",), **options):
    return mistune.create_markdown(plugins=list(plugins), **options)(text)


@pytest.mark.parametrize(
    ("placeholder", "shown"),
    [
        ("{{ title }}", "Robot arm"),
        ("{{title}}", "Robot arm"),
        ("{{ TITLE }}", "Robot arm"),
        ("{{ version }}", "2.0"),
        ("{{ tags }}", "setup, safety"),
        ("{{ beta }}", "true"),
        ("[{{ empty }}]", "[]"),
    ],
    ids=["spaced", "tight", "upper", "quoted", "list", "flag", "empty"],
)
def test_placeholder(placeholder, shown):
    assert render(MANUAL + f"See {placeholder} now.\n") == f"<p>See {shown} now.</p>\n"


@pytest.mark.parametrize(
    ("value", "shown"), [('""', ""), ("''", ""), ("'a'", "a"), ('"', "&quot;"), ("\"a'", "&quot;a'"), ('  "a b"  ', "a b")]
)
def test_quotes_around_a_value(value, shown):
    assert render(f"---\nkey: {value}\n---\n\na{{{{ key }}}}b\n") == f"<p>a{shown}b</p>\n"


def test_blank_lines_may_hold_blanks():
    assert render("---\na: one\n   \n\t\n\nb: two\n---\n\n{{ a }} {{ b }}\n") == "<p>one two</p>\n"


def test_block_is_not_rendered():
    assert render(MANUAL + "Hello\n") == "<p>Hello</p>\n"
    assert render("---\na: b\n---") == ""


def test_in_every_kind_of_running_text():
    text = MANUAL + (
        "# About {{ title }}\n\n- the {{ title }}\n\n> {{ title }}, quoted\n\n*{{ title }}* [{{ version }}](/v)\n\n"
        "| a | b |\n|---|---|\n| {{ title }} | {{ tags }} |\n"
    )
    html = render(text, ["front_matter", "table"])
    assert "<h1>About Robot arm</h1>" in html
    assert "<li>the Robot arm</li>" in html
    assert "<p>Robot arm, quoted</p>" in html
    assert '<em>Robot arm</em> <a href="/v">2.0</a>' in html
    assert "<td>Robot arm</td>" in html
    assert "<td>setup, safety</td>" in html
    assert "{{" not in html


def test_value_is_plain_text():
    text = "---\nname: <b>*x*</b> & `y`\n---\nA {{ name }} B\n"
    shown = "<p>A &lt;b&gt;*x*&lt;/b&gt; &amp; `y` B</p>\n"
    assert render(text) == shown
    assert render(text, escape=False) == shown


def test_unknown_key_and_code_stay():
    text = MANUAL + "A {{ nobody }} `{{ title }}`\n\n```\n{{ title }}\n```\n\n    {{ title }}\n"
    html = render(text)
    assert "<p>A {{ nobody }} <code>{{ title }}</code></p>" in html
    assert html.count("{{ title }}") == 3
    assert "Robot arm" not in html


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n\nno end\n",
        "---\ntitle: x\njust words\n---\n\ntext\n",
        "---\nti tle: x\n---\n\ntext\n",
        "\n---\ntitle: x\n---\n\ntext\n",
        "text first\n\n---\ntitle: x\n---\n",
        "--- a\ntitle: x\n---\n",
    ],
    ids=["open", "words", "bad-key", "second-line", "later", "no-fence"],
)
def test_what_is_no_front_matter_renders_as_before(text):
    assert render(text) == mistune.create_markdown()(text)
    assert render(text + "\n{{ title }}\n") == mistune.create_markdown()(text + "\n{{ title }}\n")


def test_values():
    text = "---\na: 'one'\nb-1: two: three \nc_2: 5\"\nKey: first\nkey: last\nlist: [ 'x', y ]\nnone: []\n---\n"
    text += "{{a}}|{{ b-1 }}|{{ c_2 }}|{{ KEY }}|{{ list }}|{{ none }}|\n"
    assert render(text, escape=True) == "<p>one|two: three|5&quot;|last|x, y||</p>\n"


def test_documents_do_not_share_values():
    md = mistune.create_markdown(plugins=["front_matter"])
    assert md("---\na: 1\nb: 2\n---\n{{ a }} {{ b }}\n") == "<p>1 2</p>\n"
    assert md("---\na: 3\n---\n{{ a }} {{ b }}\n") == "<p>3 {{ b }}</p>\n"
    assert md("{{ a }}\n") == "<p>{{ a }}</p>\n"


def test_windows_line_ends():
    assert render("---\r\ntitle: x\r\n---\r\n\r\nan {{ title }}\r\n") == "<p>an x</p>\n"


def test_toc_hook_shows_filled_headings():
    md = mistune.create_markdown(plugins=["front_matter"])
    add_toc_hook(md)
    html, state = md.parse(MANUAL + "# {{ title }}\n\n## Version *{{ version }}* of {{ nobody }}\n")
    assert [(item[0], item[2]) for item in state.env["toc_items"]] == [
        (1, "Robot arm"),
        (2, "Version 2.0 of {{ nobody }}"),
    ]
    assert ">Robot arm</h1>" in html


@pytest.mark.parametrize("front_first", [True, False])
def test_with_the_default_plugins(front_first):
    default = ["strikethrough", "footnotes", "table", "speedup"]
    plugins = ["front_matter", *default] if front_first else [*default, "front_matter"]
    text = MANUAL + "Hello {{ title }} and {{ version }}.\n\nSome ~~old~~ {{ tags }}\n"
    assert render(text, plugins) == (
        "<p>Hello Robot arm and 2.0.</p>\n<p>Some <del>old</del> setup, safety</p>\n"
    )


@pytest.mark.parametrize("renderer", [MarkdownRenderer, RSTRenderer])
def test_other_renderers(renderer):
    output = render(MANUAL + "Hello {{ title }} and {{ version }}.\n", renderer=renderer())
    assert output.strip() == "Hello Robot arm and 2.0."


def test_plugin_is_opt_in():
    text = "---\ntitle: x\n---\n\n{{ title }}\n"
    assert "{{ title }}" in mistune.html(text)
