# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""Parts that a text does not give start at their lowest value."""

from datetime import datetime, timedelta, timezone

import pytest
from dateutil import parser as module
from dateutil.parser import ParserError, parse, parser, parserinfo

NOW = datetime(2020, 3, 15, 12, 34, 56, 7)  # a Sunday


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1887", datetime(1887, 1, 1)),
        ("March 1903", datetime(1903, 3, 1)),
        ("1903-02", datetime(1903, 2, 1)),
        ("12 May 1911", datetime(1911, 5, 12)),
        ("12 May 1911, 3 pm", datetime(1911, 5, 12, 15)),
        ("12 May 1911 15:04", datetime(1911, 5, 12, 15, 4)),
        ("12 May 1911 15:04:05", datetime(1911, 5, 12, 15, 4, 5)),
        ("12 May 1911 15:04:05.25", datetime(1911, 5, 12, 15, 4, 5, 250000)),
        ("19110512", datetime(1911, 5, 12)),
        ("March", datetime(2020, 3, 1)),
        ("February", datetime(2020, 2, 1)),
        ("May, 3 pm", datetime(2020, 5, 1, 15)),
        ("12 May", datetime(2020, 5, 12)),
        ("12 May, 10:30", datetime(2020, 5, 12, 10, 30)),
        ("10th", datetime(2020, 3, 10)),
        ("10th 9:00", datetime(2020, 3, 10, 9)),
        ("3 pm", datetime(2020, 3, 15, 15)),
        ("10:30", datetime(2020, 3, 15, 10, 30)),
        ("10:30:20", datetime(2020, 3, 15, 10, 30, 20)),
        ("36 m", datetime(2020, 3, 15, 12, 36)),
        ("28 s", datetime(2020, 3, 15, 12, 34, 28)),
        ("Friday", datetime(2020, 3, 20)),
        ("Sunday", datetime(2020, 3, 15)),
        ("Friday 9:05", datetime(2020, 3, 20, 9, 5)),
        ("Friday, May 1911", datetime(1911, 5, 5)),
        ("Friday, May", datetime(2020, 5, 1)),
        ("Sunday, May", datetime(2020, 5, 3)),
        ("Friday 12 May", datetime(2020, 5, 12)),
        ("1887 10:30", datetime(1887, 1, 1, 10, 30)),
    ],
)
def test_start(text, result):
    assert parse(text, default=NOW, absent="start") == result
    assert parser().parse(text, default=NOW, absent="start") == result


def test_the_same_on_each_day():
    for days in range(0, 800, 23):
        default = datetime(2019, 1, 31, 23, 59, 59, 999999) + timedelta(days=days)
        assert parse("March 1903", default=default, absent="start") == datetime(1903, 3, 1)
        assert parse("February", default=default, absent="start") == datetime(default.year, 2, 1)
        assert parse("1887", default=default, absent="start") == datetime(1887, 1, 1)
        assert parse("3 pm", default=default, absent="start") == default.replace(hour=15, minute=0, second=0, microsecond=0)
        assert parse("29", default=default.replace(day=1, month=3), absent="start") == datetime(default.year, 3, 29)


def test_today_without_a_default():
    before = datetime.now()
    result = parse("March", absent="start")
    assert result in {datetime(before.year, 3, 1), datetime(datetime.now().year, 3, 1)}
    assert parse("March 1903", absent="start") == datetime(1903, 3, 1)


@pytest.mark.parametrize("text", ["1887", "March 1903", "12 May", "May, 3 pm", "3 pm", "10:30", "Friday", "Friday, May"])
def test_none_is_as_it_was(text):
    assert parse(text, default=NOW, absent=None) == parse(text, default=NOW) == parser().parse(text, NOW)


def test_none_takes_the_rest_from_default():
    assert parse("March 1903", default=NOW) == NOW.replace(year=1903)
    assert parse("3 pm", default=NOW) == NOW.replace(hour=15)


def test_zones():
    plus2 = timezone(timedelta(hours=2))
    result = parse("May, 3 pm +02:00", default=NOW, absent="start")
    assert (result.replace(tzinfo=None), result.utcoffset()) == (datetime(2020, 5, 1, 15), timedelta(hours=2))
    result = parse("March 1903", default=NOW.replace(tzinfo=plus2), absent="start")
    assert (result.replace(tzinfo=None), result.tzinfo) == (datetime(1903, 3, 1), plus2)
    result = parse("May, 3 pm BRST", default=NOW, absent="start", tzinfos={"BRST": -7200})
    assert result.utcoffset() == timedelta(hours=-2)
    assert parse("May, 3 pm +02:00", default=NOW, absent="start", ignoretz=True) == datetime(2020, 5, 1, 15)


def test_other_arguments():
    assert parse("the card of March 1903, torn", default=NOW, fuzzy=True, absent="start") == datetime(1903, 3, 1)
    result, tokens = parse("card of March 1903", default=NOW, fuzzy_with_tokens=True, absent="start")
    assert result == datetime(1903, 3, 1)
    assert tokens == parse("card of March 1903", default=NOW, fuzzy_with_tokens=True)[1]
    assert parse("1/2 9:00", default=NOW, dayfirst=True, absent="start") == datetime(2020, 2, 1, 9)
    assert parse("1/2 9:00", default=NOW, parserinfo=parserinfo(dayfirst=True), absent="start") == datetime(2020, 2, 1, 9)
    assert module.parser(parserinfo(dayfirst=True)).parse("1/2", default=NOW, absent="start") == datetime(2020, 2, 1)


def test_errors_are_those_there_were():
    with pytest.raises(ParserError):
        parse("31", default=datetime(2020, 4, 1), absent="start")
    with pytest.raises(ParserError):
        parse("29 February", default=datetime(2021, 4, 1), absent="start")
    with pytest.raises(ParserError):
        parse("not a date", absent="start")
    with pytest.raises(ParserError):
        parse("", absent="start")


@pytest.mark.parametrize("value", ["end", "", "START", 0, False, True, 1, ["start"]])
@pytest.mark.parametrize("text", ["March 1903", "not a date", "12 May 1911 15:04:05.25"])
def test_other_values(value, text):
    for function in (parse, parser().parse):
        with pytest.raises(ValueError) as caught:
            function(text, default=NOW, absent=value)
        assert not isinstance(caught.value, ParserError)
