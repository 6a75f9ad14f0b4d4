# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""What is missing below starts at its lowest value, and the whole is the next such moment."""

from calendar import monthrange
from datetime import datetime, timedelta, timezone

import pytest
from dateutil.parser import ParserError, parse, parser

NOW = datetime(2021, 4, 14, 12, 30, 20, 5)  # a Wednesday


def both(text, default=NOW, **options):
    options = {"default": default, "absent": "start", "prefer": "future", **options}
    result = parse(text, **options)
    assert parser().parse(text, **options) == result
    return result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("March", datetime(2022, 3, 1)),
        ("April", datetime(2022, 4, 1)),
        ("May", datetime(2021, 5, 1)),
        ("April 9:00", datetime(2022, 4, 1, 9)),
        ("14 April", datetime(2022, 4, 14)),
        ("15 April", datetime(2021, 4, 15)),
        ("14 April 12:30", datetime(2022, 4, 14, 12, 30)),
        ("14 April 12:31", datetime(2021, 4, 14, 12, 31)),
        ("14", datetime(2021, 5, 14)),
        ("15", datetime(2021, 4, 15)),
        ("31", datetime(2021, 5, 31)),
        ("14th 13:00", datetime(2021, 4, 14, 13)),
        ("Wednesday", datetime(2021, 4, 21)),
        ("Thursday", datetime(2021, 4, 15)),
        ("Tuesday", datetime(2021, 4, 20)),
        ("Wednesday 12:30", datetime(2021, 4, 21, 12, 30)),
        ("Wednesday 12:31", datetime(2021, 4, 14, 12, 31)),
        ("12:30", datetime(2021, 4, 15, 12, 30)),
        ("12:30:20", datetime(2021, 4, 15, 12, 30, 20)),
        ("12:30:21", datetime(2021, 4, 14, 12, 30, 21)),
        ("12h", datetime(2021, 4, 15, 12)),
        ("1 pm", datetime(2021, 4, 14, 13)),
        ("30 m", datetime(2021, 4, 14, 13, 30)),
        ("31 m", datetime(2021, 4, 14, 12, 31)),
        ("20 s", datetime(2021, 4, 14, 12, 31, 20)),
        ("21 s", datetime(2021, 4, 14, 12, 30, 21)),
        ("29 February", datetime(2024, 2, 29)),
        ("Friday, March", datetime(2022, 3, 4)),
        ("Friday, April", datetime(2022, 4, 1)),
        ("Friday, May", datetime(2021, 5, 7)),
        ("2001", datetime(2001, 1, 1)),
        ("March 2001", datetime(2001, 3, 1)),
        ("April 2021", datetime(2021, 4, 1)),
        ("Friday, March 2001 9:00", datetime(2001, 3, 2, 9)),
    ],
)
def test_next_start(text, result):
    assert both(text) == result


def test_the_start_itself_is_not_before():
    assert both("April", datetime(2021, 4, 1)) == datetime(2021, 4, 1)
    assert both("April", datetime(2021, 4, 1, 0, 0, 0, 1)) == datetime(2022, 4, 1)
    assert both("Thursday", datetime(2021, 4, 1)) == datetime(2021, 4, 1)
    assert both("Thursday", datetime(2021, 4, 1, 0, 0, 1)) == datetime(2021, 4, 8)
    assert both("12:30", datetime(2021, 4, 1, 12, 30)) == datetime(2021, 4, 1, 12, 30)
    assert both("Friday, April", datetime(2021, 4, 2)) == datetime(2021, 4, 2)
    assert both("Friday, April", datetime(2021, 4, 3)) == datetime(2022, 4, 1)


@pytest.mark.parametrize(
    ("text", "default", "result"),
    [
        ("February", datetime(2021, 1, 31), datetime(2021, 2, 1)),
        ("February", datetime(2021, 2, 28), datetime(2022, 2, 1)),
        ("31", datetime(2021, 5, 31, 1), datetime(2021, 7, 31)),
        ("30", datetime(2021, 1, 30, 1), datetime(2021, 3, 30)),
        ("29 February", datetime(2020, 2, 29), datetime(2020, 2, 29)),
        ("29 February", datetime(2020, 2, 29, 0, 1), datetime(2024, 2, 29)),
        ("29 February", datetime(2096, 2, 29, 8), datetime(2104, 2, 29)),
        ("1", datetime(2021, 12, 1, 1), datetime(2022, 1, 1)),
        ("31 December", datetime(2021, 12, 31, 1), datetime(2022, 12, 31)),
        ("Friday", datetime(2021, 12, 31, 9), datetime(2022, 1, 7)),
        ("23:59", datetime(2021, 12, 31, 23, 59, 1), datetime(2022, 1, 1, 23, 59)),
        ("59 m", datetime(2021, 12, 31, 23, 59, 1), datetime(2022, 1, 1, 0, 59)),
    ],
)
def test_ends_of_months_and_years(text, default, result):
    assert both(text, default) == result


def test_each_day_of_a_leap_cycle():
    for days in range(0, 1500, 97):
        for time in ({"hour": 0}, {"hour": 10, "minute": 30, "second": 1}):
            default = datetime(2019, 1, 1).replace(**time) + timedelta(days=days)
            midnights = [default.replace(hour=0, minute=0, second=0) + timedelta(days=i) for i in range(1470)]
            coming = [day for day in midnights if day >= default]
            for month in range(1, 13):
                assert both(f"{datetime(2000, month, 1):%B}", default) == next(d for d in coming if (d.month, d.day) == (month, 1))
            for day in (1, 15, 28, 29, 30, 31):
                assert both(f"{day}", default) == next(d for d in coming if d.day == day)
            for month, day in ((1, 1), (2, 28), (2, 29), (8, 31)):
                assert both(f"{month}/{day}", default) == next(d for d in coming if (d.month, d.day) == (month, day))
            for number, name in enumerate(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]):
                assert both(name, default) == next(d for d in coming if d.weekday() == number)


def test_one_without_the_other():
    for month in range(1, 13):
        name = f"{datetime(2000, month, 1):%B}"
        assert parse(name, default=NOW, absent="start") == datetime(2021, month, 1)
        assert parse(name, default=NOW, prefer="future") == NOW.replace(2021 if month >= 4 else 2022, month)
        assert parse(name, default=NOW) == NOW.replace(month=month)
    default = datetime(2021, 1, 31, 8)
    assert parse("February", default=default, prefer="future").day == monthrange(2021, 2)[1]
    assert parse("February", default=default, absent="start") == datetime(2021, 2, 1)


def test_zones():
    result = both("12:30 +09:00")
    assert (result.replace(tzinfo=None), result.utcoffset()) == (datetime(2021, 4, 15, 12, 30), timedelta(hours=9))
    zone = timezone(timedelta(hours=5))
    result = both("April", NOW.replace(tzinfo=zone))
    assert (result.replace(tzinfo=None), result.tzinfo) == (datetime(2022, 4, 1), zone)
    assert both("12:30 +09:00", ignoretz=True) == datetime(2021, 4, 15, 12, 30)


def test_other_arguments():
    assert both("see you in April then", fuzzy=True) == datetime(2022, 4, 1)
    result, _ = parse("in April", default=NOW, fuzzy_with_tokens=True, absent="start", prefer="future")
    assert result == datetime(2022, 4, 1)
    assert both("4/3", dayfirst=True) == datetime(2022, 3, 4)


@pytest.mark.parametrize("text", ["30 February", "31 April", "not a date"])
def test_errors(text):
    with pytest.raises(ParserError):
        both(text)


@pytest.mark.parametrize("text", ["December", "31 December", "31", "Friday", "23:59", "59 m"])
def test_end_of_time(text):
    end = datetime(9999, 12, 31, 23, 59, 1)
    with pytest.raises(ParserError):
        both(text, end)


@pytest.mark.parametrize("text", ["April", "not a date"])
def test_bad_values(text):
    for options in ({"absent": "future"}, {"prefer": "start"}):
        with pytest.raises(ValueError) as caught:
            both(text, **options)
        assert not isinstance(caught.value, ParserError)
