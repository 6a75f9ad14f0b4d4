# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A question with a help text explains itself when it is answered with a question mark."""

import itertools

import click
import pytest
from click.testing import CliRunner

SENTINEL = "result="
HELP = "The TCP port of the service."


def run(question, answers, spare, mix_stderr=True):
    """Ask inside a command. Spare answers, all of them good, follow, so that no wrong design asks for ever."""

    @click.command()
    def cli():
        click.echo(f"{SENTINEL}{question()!r}")

    text = "".join(f"{answer}\n" for answer in [*answers, *[spare] * 30])
    return CliRunner(mix_stderr=mix_stderr).invoke(cli, input=text, standalone_mode=False)


def got(result, value):
    assert result.exception is None, result.output
    assert result.output.rstrip().endswith(f"{SENTINEL}{value!r}"), result.output


def help_lines(text, help_text=HELP):
    return text.splitlines().count(help_text)


@pytest.mark.parametrize("asked", [0, 1, 2, 7])
def test_value_prompt(asked):
    result = run(lambda: click.prompt("Port", type=int, help_text=HELP), ["?"] * asked, "7")
    got(result, 7)
    assert help_lines(result.output) == asked
    assert result.output.count("Port (? for help):") == asked + 1
    assert "Error" not in result.output


def test_help_and_mistakes_in_any_order():
    for answers in itertools.product(["?", "no", ""], repeat=4):
        result = run(lambda: click.prompt("Port", type=int, help_text=HELP), answers, "7")
        got(result, 7)
        assert help_lines(result.output) == answers.count("?")
        assert result.output.count("Error:") == answers.count("no")
        assert result.output.count("Port (? for help):") == 5


@pytest.mark.parametrize("mark", [" ?", "?  ", "\t?\t"], ids=["before", "after", "tabs"])
def test_blanks_around_the_mark(mark):
    got(run(lambda: click.prompt("Name", help_text=HELP), [mark], "x"), "x")
    got(run(lambda: click.confirm("Sure?", help_text=HELP), [mark], "y"), True)


@pytest.mark.parametrize("answer", ["??", "? x", "what?"], ids=["twice", "with more", "at the end"])
def test_only_the_bare_mark_is_special(answer):
    result = run(lambda: click.prompt("Name", help_text=HELP), [answer], "x")
    got(result, answer)
    assert help_lines(result.output) == 0


def test_hint_stands_after_choices_and_default():
    def question():
        return click.prompt("Size", default="s", type=click.Choice(["s", "m"]), help_text=HELP, prompt_suffix=" > ")

    result = run(question, ["?", ""], "m")
    got(result, "s")
    assert result.output.count("Size (s, m) [s] (? for help) >") == 2
    assert help_lines(result.output) == 1


def test_without_help_text_the_mark_is_an_answer():
    got(run(lambda: click.prompt("Name"), ["?"], "x"), "?")
    result = run(lambda: click.prompt("Name", help_text=None), ["?"], "x")
    got(result, "?")
    assert "for help" not in result.output
    assert "Error: invalid input" in run(lambda: click.confirm("Sure"), ["?"], "y").output


def test_mark_never_reaches_the_converter():
    seen = []

    def convert(value):
        seen.append(value)
        return value

    got(run(lambda: click.prompt("Name", value_proc=convert, help_text=HELP), ["?", " ? ", "a"], "x"), "a")
    assert seen == ["a"]


@pytest.mark.parametrize("hidden", [False, True])
def test_repeat_question(hidden):
    def question():
        return click.prompt("Phrase", confirmation_prompt="Again", hide_input=hidden, help_text=HELP)

    result = run(question, ["?", "one", "?", "?", "one"], "same")
    got(result, "one")
    assert help_lines(result.output) == 3
    assert result.output.count("Phrase (? for help):") == 2
    assert result.output.count("Again:") == 3
    result = run(question, ["one", "?", "two", "?", "two", "two"], "same")
    got(result, "two")
    assert result.output.count("Error: The two entered values do not match.") == 1


@pytest.mark.parametrize("default", [None, True, False])
def test_confirm(default):
    result = run(lambda: click.confirm("Go on", default=default, help_text=HELP), ["?", "hm", "?", "n"], "y")
    got(result, False)
    hint = {None: "y/n", True: "Y/n", False: "y/N"}[default]
    assert result.output.count(f"Go on [{hint}] (? for help):") == 4
    assert help_lines(result.output) == 2
    assert result.output.count("Error: invalid input") == 1


def test_help_goes_where_the_question_goes():
    for question in (
        lambda: click.prompt("Answer", err=True, help_text=HELP),
        lambda: click.confirm("Answer", err=True, help_text=HELP),
    ):
        result = run(question, ["?"], "y", mix_stderr=False)
        assert result.stderr.count(HELP) == 1
        assert HELP not in result.stdout


def test_options():
    seen = []

    def check(ctx, param, value):
        seen.append(value)
        return value

    @click.command()
    @click.option("--port", type=int, prompt=True, help="Where to listen.", prompt_help=True, callback=check)
    @click.option("--name", prompt="Your name", help="Not this.", prompt_help="As on the badge.")
    @click.option("--force/--no-force", prompt="Force", default=None, prompt_help="Skips all checks.")
    @click.password_option(prompt_help="At least a character.")
    @click.confirmation_option(prompt_help="The last way out.")
    def cli(port, name, force, password):
        click.echo(f"{SENTINEL}{port} {name} {force} {password}")

    answers = ["?", "7", "?", "?", "ann", "?", "n", "?", "pw", "?", "pw", "?", "y"]
    result = CliRunner().invoke(cli, input="\n".join(answers) + "\n" + "y\n" * 40)
    assert result.exit_code == 0, result.output
    assert f"{SENTINEL}7 ann False pw" in result.output
    assert help_lines(result.output, "Where to listen.") == 1
    assert help_lines(result.output, "As on the badge.") == 2
    assert help_lines(result.output, "Skips all checks.") == 1
    assert help_lines(result.output, "At least a character.") == 2
    assert help_lines(result.output, "The last way out.") == 1
    assert "Not this." not in result.output
    assert "Error" not in result.output
    assert set(seen) == {7}


def test_true_needs_the_option_help():
    with pytest.raises(TypeError):
        click.Option(["--port"], prompt=True, prompt_help=True)
    assert click.Option(["--port"], prompt=True, prompt_help=True, help="x").name == "port"


def test_end_of_input_still_aborts(monkeypatch):
    answers = iter(["?", "?"])

    def closing(prompt=""):
        for answer in answers:
            return answer
        raise EOFError

    monkeypatch.setattr("click.termui.visible_prompt_func", closing)
    with pytest.raises(click.Abort):
        click.prompt("Port", help_text=HELP)
    with pytest.raises(click.Abort):
        click.confirm("Sure?", help_text=HELP)
