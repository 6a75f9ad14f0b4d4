# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Asking for help uses up no attempt, in whatever prompt and in whatever order."""

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


def lines_left(text):
    return [line.strip() for line in text.splitlines() if line.strip().endswith((" attempts left.", " attempt left."))]


def help_lines(text, help_text=HELP):
    return text.splitlines().count(help_text)


def check(result, answers, limit, value, help_text=HELP):
    """What one question must do with ``answers``, in which all but ``?`` are refused."""
    refused = [n for n, answer in enumerate(answers) if answer.strip() != "?"]
    if len(refused) >= limit:
        assert isinstance(result.exception, click.TooManyAttempts), (answers, limit, result.output)
        assert result.exception.attempts == limit
        assert SENTINEL not in result.output
        asked = refused[limit - 1] + 1 - limit
        shown = limit - 1
    else:
        assert result.exception is None, (answers, limit, result.output)
        assert result.output.rstrip().endswith(f"{SENTINEL}{value!r}"), (answers, limit, result.output)
        asked = len(answers) - len(refused)
        shown = len(refused)
    assert help_lines(result.output, help_text) == asked, (answers, limit, result.output)
    left = [f"{n} attempt{'' if n == 1 else 's'} left." for n in range(limit - 1, limit - 1 - shown, -1)]
    assert lines_left(result.output) == left, (answers, limit, result.output)


def test_value_prompt_in_every_order():
    for limit in (1, 2, 3):
        for answers in itertools.product(["?", "no", ""], repeat=4):
            result = run(lambda: click.prompt("Port", type=int, max_attempts=limit, help_text=HELP), answers, "7")
            check(result, answers, limit, 7)


@pytest.mark.parametrize("default", [None, True, False])
def test_confirm_in_every_order(default):
    for limit in (1, 2, 3):
        for answers in itertools.product(["?", "hm"], repeat=5):
            result = run(
                lambda: click.confirm("Go on", default=default, max_attempts=limit, help_text=HELP), answers, "y"
            )
            check(result, answers, limit, True)


def test_any_number_of_requests_leaves_a_single_attempt():
    marks = ["?", " ? "] * 10
    for question, spare, value in (
        (lambda: click.prompt("Port", type=int, max_attempts=1, help_text=HELP), "7", 7),
        (lambda: click.prompt("Key", hide_input=True, max_attempts=1, help_text=HELP), "k", "k"),
        (lambda: click.prompt("Size", type=click.Choice(["s"]), max_attempts=1, help_text=HELP), "s", "s"),
        (lambda: click.confirm("Go on", max_attempts=1, help_text=HELP), "y", True),
    ):
        check(run(question, marks, spare), marks, 1, value)


@pytest.mark.parametrize("hidden", [False, True])
def test_repeat_question(hidden):
    def question(limit):
        return lambda: click.prompt(
            "Phrase", confirmation_prompt=True, hide_input=hidden, max_attempts=limit, help_text=HELP
        )

    # differ, empty repeat, differ: three refusals, with requests for help all around them
    answers = ["?", "one", "?", "?", "two", "?", "one", "?", "", "?", "?", "two", "?"]
    result = run(question(4), answers, "same")
    assert result.exception is None, result.output
    assert result.output.rstrip().endswith(f"{SENTINEL}'same'")
    assert lines_left(result.output) == ["3 attempts left.", "2 attempts left.", "1 attempt left."]
    assert help_lines(result.output) == 8
    result = run(question(3), answers, "same")
    assert isinstance(result.exception, click.TooManyAttempts)
    assert result.exception.attempts == 3
    assert lines_left(result.output) == ["2 attempts left.", "1 attempt left."]
    assert help_lines(result.output) == 7
    # help at the repeat question only, with a single attempt
    result = run(question(1), ["one", "?", "?", "?", "one"], "same")
    assert result.exception is None, result.output
    assert result.output.rstrip().endswith(f"{SENTINEL}'one'")
    assert result.output.count("Repeat for confirmation:") == 4
    assert lines_left(result.output) == []


def test_help_does_not_set_the_count_back():
    answers = ["no", "?", "no", "?", "?", "no", "?"]
    for limit in (1, 2, 3, 4):
        for question, spare, value in (
            (lambda: click.prompt("Port", type=int, max_attempts=limit, help_text=HELP), "7", 7),
            (lambda: click.confirm("Go on", default=None, max_attempts=limit, help_text=HELP), "n", False),
        ):
            marked = [answer if answer == "?" else "maybe" for answer in answers]
            check(run(question, marked, spare), marked, limit, value)


def test_default_after_help():
    result = run(lambda: click.prompt("Port", default=8080, max_attempts=1, help_text=HELP), ["?", "?", ""], "7")
    assert result.exception is None, result.output
    assert result.output.rstrip().endswith(f"{SENTINEL}8080")
    assert result.output.count("Port [8080] (? for help):") == 3
    assert lines_left(result.output) == []


def test_without_a_help_text_the_mark_is_one_refused_answer():
    for question, good, value in ((lambda: click.prompt("Port", type=int, max_attempts=3), "7", 7),
                                  (lambda: click.confirm("Sure?", max_attempts=3), "y", True)):  # fmt: skip
        result = run(question, ["?", " ?"], good)
        assert result.output.rstrip().endswith(f"{SENTINEL}{value!r}")
        assert lines_left(result.output) == ["2 attempts left.", "1 attempt left."]
        assert isinstance(run(question, ["?", "what", "?"], good).exception, click.TooManyAttempts)
        helped = run(lambda: click.prompt("Port", type=int, max_attempts=1, help_text=HELP), ["?"], "7")
        assert helped.output.rstrip().endswith(f"{SENTINEL}7")


def test_everything_goes_where_the_question_goes():
    for question, bad in (
        (lambda: click.prompt("Answer", type=click.BOOL, err=True, max_attempts=3, help_text=HELP), "what"),
        (lambda: click.confirm("Answer", err=True, max_attempts=3, help_text=HELP), "what"),
    ):
        result = run(question, ["?", bad, "?", bad, "?"], "y", mix_stderr=False)
        assert result.exception is None
        assert result.stderr.count(HELP) == 3
        assert lines_left(result.stderr) == ["2 attempts left.", "1 attempt left."]
        assert HELP not in result.stdout
        assert lines_left(result.stdout) == []


def command():
    def even(ctx, param, value):
        if value % 2:
            raise click.BadParameter("must be even")
        return value

    @click.command()
    @click.option("--size", type=int, prompt=True, help="How many.", prompt_help=True, prompt_attempts=3, callback=even)
    @click.option("--force/--no-force", prompt="Force", default=None, prompt_help="No checks.", prompt_attempts=2)
    @click.password_option(prompt_help="At least a character.", prompt_attempts=2)
    @click.confirmation_option(prompt_help="The last way out.", prompt_attempts=2)
    def cli(size, force, password):
        click.echo(f"{SENTINEL}{size} {force} {password}")

    return cli


SPARE = "4\n" * 3 + "y\n" * 30


def test_options_accept():
    answers = ["?", "3", "?", "", "?", "4", "?", "hm", "?", "y", "?", "a", "?", "b", "?", "a", "?", "a", "?", "hm", "?", "y"]
    result = CliRunner().invoke(command(), input="\n".join(answers) + "\n" + SPARE)
    assert result.exit_code == 0, result.output
    assert f"{SENTINEL}4 True a" in result.output
    assert lines_left(result.output) == ["2 attempts left."] + ["1 attempt left."] * 4
    for help_text, times in (("How many.", 3), ("No checks.", 2), ("At least a character.", 4), ("The last way out.", 2)):
        assert help_lines(result.output, help_text) == times


@pytest.mark.parametrize(
    ("answers", "limit"),
    [
        (["3", "?", "five", "?", "?", "5"], 3),
        (["4", "?", "hm", "?", "hm"], 2),
        (["4", "y", "a", "?", "b", "?", "a", "b"], 2),
        (["4", "n", "a", "a", "hm", "?", "?", "hm"], 2),
    ],
)
def test_options_give_up(answers, limit):
    text = "\n".join(answers) + "\n" + SPARE
    result = CliRunner().invoke(command(), input=text, standalone_mode=False)
    assert isinstance(result.exception, click.TooManyAttempts), result.output
    assert result.exception.attempts == limit
    result = CliRunner().invoke(command(), input=text)
    assert result.exit_code == 1
    assert SENTINEL not in result.output
