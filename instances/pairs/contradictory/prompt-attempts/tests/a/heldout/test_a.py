# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A prompt with a limit gives up when the last attempt was refused."""

import itertools

import click
import pytest
from click.testing import CliRunner

SENTINEL = "result="


def run(question, answers, spare, mix_stderr=True):
    """Ask inside a command. Spare answers, all of them good, follow, so that no wrong design asks for ever."""

    @click.command()
    def cli():
        click.echo(f"{SENTINEL}{question()!r}")

    text = "".join(f"{answer}\n" for answer in [*answers, *[spare] * 30])
    return CliRunner(mix_stderr=mix_stderr).invoke(cli, input=text, standalone_mode=False)


def lines_left(text):
    return [line.strip() for line in text.splitlines() if line.strip().endswith((" attempts left.", " attempt left."))]


def expected_lines(refused, limit):
    return [f"{n} attempt{'' if n == 1 else 's'} left." for n in range(limit - 1, limit - 1 - refused, -1) if n > 0]


def gave_up(result, limit):
    assert isinstance(result.exception, click.TooManyAttempts), (result.exception, result.output)
    assert result.exception.attempts == limit
    assert SENTINEL not in result.output


def test_exception_is_public():
    assert issubclass(click.TooManyAttempts, click.ClickException)
    assert click.exceptions.TooManyAttempts is click.TooManyAttempts
    assert click.TooManyAttempts.exit_code == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_values_that_do_not_convert(limit):
    def question():
        return click.prompt("Port", type=int, max_attempts=limit)

    for refused in range(limit):
        result = run(question, ["no"] * refused, "7")
        assert result.output.rstrip().endswith(f"{SENTINEL}7")
        assert lines_left(result.output) == expected_lines(refused, limit)
        assert result.output.count("Port:") == refused + 1
    result = run(question, ["no"] * limit, "7")
    gave_up(result, limit)
    assert lines_left(result.output) == expected_lines(limit, limit)
    assert result.output.count("Port:") == limit


def test_empty_answers_count_where_there_is_no_default():
    for answers in itertools.product(["", "no"], repeat=3):
        gave_up(run(lambda: click.prompt("Port", type=int, max_attempts=3), answers, "7"), 3)
        result = run(lambda: click.prompt("Port", type=int, max_attempts=4), answers, "7")
        assert result.output.rstrip().endswith(f"{SENTINEL}7")
        assert lines_left(result.output) == expected_lines(3, 4)


def test_default_is_no_refusal():
    result = run(lambda: click.prompt("Port", default=8080, max_attempts=1), [""], "7")
    assert result.output.rstrip().endswith(f"{SENTINEL}8080")
    assert lines_left(result.output) == []


def test_line_comes_after_the_error():
    result = run(lambda: click.prompt("Port", type=int, max_attempts=2), ["no"], "7")
    lines = [line.strip() for line in result.output.splitlines()]
    errors = [n for n, line in enumerate(lines) if line.startswith("Error:")]
    assert len(errors) == 1
    assert errors[0] < lines.index("1 attempt left.")


def test_confirmation_counts_in_the_same_call():
    def question(limit):
        return lambda: click.prompt("Phrase", confirmation_prompt=True, hide_input=True, max_attempts=limit)

    # two entries that differ, an empty repeat, two that differ again
    answers = ["one", "two", "one", "", "two"]
    gave_up(run(question(3), answers, "same"), 3)
    gave_up(run(question(2), answers[:4], "same"), 2)
    result = run(question(4), answers, "same")
    assert result.output.rstrip().endswith(f"{SENTINEL}'same'")
    assert lines_left(result.output) == ["3 attempts left.", "2 attempts left.", "1 attempt left."]


def test_hidden_answers_count_too():
    for limit in (1, 2, 3):
        for answers in itertools.product(["", "no"], repeat=3):

            def question():
                return click.prompt("PIN", type=int, hide_input=True, max_attempts=limit)

            gave_up(run(question, answers, "7"), limit)
            result = run(question, answers[: limit - 1], "7")
            assert result.output.rstrip().endswith(f"{SENTINEL}7")
            assert lines_left(result.output) == expected_lines(limit - 1, limit)


@pytest.mark.parametrize("default", [None, True, False])
def test_confirm(default):
    def question(limit):
        return lambda: click.confirm("Go on?", default=default, max_attempts=limit)

    bad = ["perhaps", "later", "" if default is None else "never"]
    gave_up(run(question(3), bad, "y"), 3)
    result = run(question(4), bad, "y")
    assert result.output.rstrip().endswith(f"{SENTINEL}True")
    assert lines_left(result.output) == expected_lines(3, 4)
    result = run(question(1), ["n"], "y")
    assert result.output.rstrip().endswith(f"{SENTINEL}False")


def test_lines_go_where_the_question_goes():
    result = run(lambda: click.prompt("Port", type=int, err=True, max_attempts=2), ["what"], "7", mix_stderr=False)
    assert lines_left(result.stderr) == ["1 attempt left."]
    assert lines_left(result.stdout) == []
    result = run(lambda: click.confirm("Sure?", err=True, max_attempts=2), ["what"], "y", mix_stderr=False)
    assert lines_left(result.stderr) == ["1 attempt left."]
    assert lines_left(result.stdout) == []


def test_no_limit_prints_nothing_new():
    result = run(lambda: click.prompt("Port", type=int), ["no", "", "no", "no"], "7")
    assert lines_left(result.output) == []
    assert result.output.rstrip().endswith(f"{SENTINEL}7")
    result = run(lambda: click.prompt("Port", type=int, max_attempts=None), ["no"] * 12, "7")
    assert lines_left(result.output) == []
    assert result.output.rstrip().endswith(f"{SENTINEL}7")


def options_command():
    def even(ctx, param, value):
        if value % 2:
            raise click.BadParameter("must be even")
        return value

    @click.command()
    @click.option("--size", type=int, prompt=True, prompt_attempts=3, callback=even)
    @click.option("--force/--no-force", prompt="Really force", default=None, prompt_attempts=2)
    @click.password_option(prompt_attempts=2)
    @click.confirmation_option(prompt_attempts=2)
    def cli(size, force, password):
        click.echo(f"{SENTINEL}{size} {force} {password}")

    return cli


SPARE = "4\n" * 3 + "y\n" * 30


@pytest.mark.parametrize(
    ("answers", "limit"),
    [
        (["3", "five", "5"], 3),
        (["4", "hm", "hm"], 2),
        (["4", "y", "a", "b", "a", "b"], 2),
        (["3", "", "4", "n", "a", "b", "a", "a", "hm", "hm"], 2),
    ],
)
def test_options_give_up(answers, limit):
    text = "\n".join(answers) + "\n" + SPARE
    result = CliRunner().invoke(options_command(), input=text, standalone_mode=False)
    gave_up(result, limit)
    result = CliRunner().invoke(options_command(), input=text)
    assert result.exit_code == 1
    assert "Error: " in result.output
    assert "Aborted!" not in result.output


def test_options_count_apart():
    answers = ["3", "", "4", "hm", "y", "a", "b", "a", "a", "hm", "y"]
    result = CliRunner().invoke(options_command(), input="\n".join(answers) + "\n" + SPARE)
    assert result.exit_code == 0, result.output
    assert f"{SENTINEL}4 True a" in result.output
    assert lines_left(result.output) == ["2 attempts left."] + ["1 attempt left."] * 4


def test_end_of_input_still_aborts(monkeypatch):
    def closed(prompt=""):
        raise EOFError

    monkeypatch.setattr("click.termui.visible_prompt_func", closed)
    with pytest.raises(click.Abort):
        click.prompt("Port", max_attempts=2)
    with pytest.raises(click.Abort):
        click.confirm("Sure?", max_attempts=2)


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_below_one(limit, monkeypatch):
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt="": "y")
    with pytest.raises(ValueError):
        click.prompt("Port", max_attempts=limit)
    with pytest.raises(ValueError):
        click.confirm("Sure?", max_attempts=limit)
    with pytest.raises(ValueError):
        click.Option(["--port"], prompt=True, prompt_attempts=limit)


def test_a_single_attempt_of_an_option():
    @click.command()
    @click.option("--size", type=int, prompt=True, prompt_attempts=1)
    def cli(size):
        click.echo(f"{SENTINEL}{size}")

    assert f"{SENTINEL}7" in CliRunner().invoke(cli, input="7\n").output
    result = CliRunner().invoke(cli, input="seven\n7\n", standalone_mode=False)
    gave_up(result, 1)
    assert lines_left(result.output) == []
