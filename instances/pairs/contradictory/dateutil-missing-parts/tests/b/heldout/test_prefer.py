# crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
"""A text without a year, a date or an hour means the next one."""

from datetime import datetime, timedelta, timezone

import pytest
from dateutil.parser import ParserError, parse, parser, parserinfo

NOW = datetime(2021, 4, 14, 12, 30, 20, 5)  # a Wednesday


def later(text, default=NOW, **options):
    result = parse(text, default=default, prefer="future", **options)
    assert parser().parse(text, default=default, prefer="future", **options) == result
    return result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("10 March", NOW.replace(2022, 3, 10)),
        ("10 May", NOW.replace(2021, 5, 10)),
        ("14 April", NOW),
        ("13 April", NOW.replace(2022, 4, 13)),
        ("14 April 12:00", NOW.replace(2022, 4, 14, 12, 0)),
        ("14 April 12:30", NOW),
        ("14 April 12:30:19.9", datetime(2022, 4, 14, 12, 30, 19, 900000)),
        ("14 April 13:00", NOW.replace(hour=13, minute=0)),
        ("March", NOW.replace(2022, 3)),
        ("April", NOW),
        ("April 9:00", NOW.replace(2022, hour=9, minute=0)),
        ("10", NOW.replace(month=5, day=10)),
        ("14", NOW),
        ("20", NOW.replace(day=20)),
        ("14th 9:00", NOW.replace(month=5, hour=9, minute=0)),
        ("31", NOW.replace(month=5, day=31)),
        ("Friday", NOW.replace(day=16)),
        ("Wednesday", NOW),
        ("Wednesday 9:00", NOW.replace(day=21, hour=9, minute=0)),
        ("Wednesday 18:00", NOW.replace(hour=18, minute=0)),
        ("Tuesday 23:00", NOW.replace(day=20, hour=23, minute=0)),
        ("18:30", NOW.replace(hour=18)),
        ("12:30", NOW),
        ("12:29", NOW.replace(day=15, minute=29)),
        ("3 pm", NOW.replace(hour=15)),
        ("9h", NOW.replace(day=15, hour=9)),
        ("29 m", NOW.replace(hour=13, minute=29)),
        ("30 m", NOW),
        ("31 m", NOW.replace(minute=31)),
        ("19.5 s", datetime(2021, 4, 14, 12, 31, 19, 500000)),
        ("21.5 s", datetime(2021, 4, 14, 12, 30, 21, 500000)),
        ("29 February", NOW.replace(2024, 2, 29)),
        ("10 March 2001", NOW.replace(2001, 3, 10)),
        ("2001", NOW.replace(2001)),
        ("March 2001 9:00", NOW.replace(2001, 3, hour=9, minute=0)),
        ("Friday, March 2001", datetime(2001, 3, 16, 12, 30, 20, 5)),
    ],
)
def test_future(text, result):
    assert later(text) == result


def test_years_end():
    eve = datetime(2021, 12, 31, 23, 59, 59)
    assert later("1", eve) == datetime(2022, 1, 1, 23, 59, 59)
    assert later("0:00", eve) == datetime(2022, 1, 1, 0, 0, 59)
    assert later("58 m", eve) == datetime(2022, 1, 1, 0, 58, 59)
    assert later("5.5 s", eve) == datetime(2022, 1, 1, 0, 0, 5, 500000)
    assert later("Friday 8:00", eve) == datetime(2022, 1, 7, 8, 0, 59)
    assert later("January", eve) == datetime(2022, 1, 31, 23, 59, 59)


@pytest.mark.parametrize(
    ("text", "default", "result"),
    [
        ("31", datetime(2021, 4, 1), datetime(2021, 5, 31)),
        ("30", datetime(2021, 1, 31), datetime(2021, 3, 30)),
        ("29", datetime(2021, 1, 30), datetime(2021, 3, 29)),
        ("29", datetime(2020, 1, 30), datetime(2020, 2, 29)),
        ("31", datetime(2021, 12, 31, 1), datetime(2021, 12, 31, 1)),
        ("31 10:00", datetime(2021, 7, 31, 11), datetime(2021, 8, 31, 10)),
        ("31 10:00", datetime(2021, 8, 31, 11), datetime(2021, 10, 31, 10)),
        ("29 February", datetime(2020, 2, 29), datetime(2020, 2, 29)),
        ("29 February", datetime(2020, 3, 1), datetime(2024, 2, 29)),
        ("29 February", datetime(2096, 3, 1), datetime(2104, 2, 29)),
        ("29 February", datetime(1896, 3, 1), datetime(1904, 2, 29)),
        ("29 February", datetime(1996, 3, 1), datetime(2000, 2, 29)),
        ("29 February 9:00", datetime(2096, 2, 29, 10), datetime(2104, 2, 29, 9)),
    ],
)
def test_dates_that_do_not_exist_are_passed_over(text, default, result):
    assert later(text, default) == result


def test_what_is_missing_below_is_filled_in_for_each_date():
    assert later("February", datetime(2021, 1, 31)) == datetime(2021, 2, 28)
    assert later("February", datetime(2023, 3, 31)) == datetime(2024, 2, 29)
    assert later("April", datetime(2021, 5, 31, 9)) == datetime(2022, 4, 30, 9)
    assert later("June", datetime(2021, 5, 31, 9)) == datetime(2021, 6, 30, 9)
    assert later("February", datetime(2020, 2, 29)) == datetime(2020, 2, 29)


def test_each_day_of_a_leap_cycle():
    """The choice is the first of all that could be."""
    for days in range(0, 1500, 61):
        default = datetime(2019, 1, 1, 12) + timedelta(days=days)
        for month, day in ((2, 28), (2, 29), (3, 31), (12, 31), (1, 1), (7, 15)):
            found = default
            while (found.month, found.day) != (month, day):
                found += timedelta(days=1)
            assert later(f"{month}/{day}", default) == found
        for day in (1, 14, 28, 29, 30, 31):
            found = default
            while found.day != day:
                found += timedelta(days=1)
            assert later(f"{day}", default) == found
        for number, name in enumerate(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]):
            found = default.replace(hour=11)
            while found < default or found.weekday() != number:
                found += timedelta(days=1)
            assert later(f"{name} 11:00", default) == found


@pytest.mark.parametrize("text", ["30 February", "31 April", "31 June 10:00"])
def test_dates_that_never_exist(text):
    with pytest.raises(ParserError):
        later(text)


@pytest.mark.parametrize("text", ["10 March", "March", "14 December", "Monday 9:00", "9:00", "28 February"])
def test_end_of_time(text):
    end = datetime(9999, 12, 31, 23, 59)
    with pytest.raises(ParserError):
        later(text, end)
    assert later("23:59", end) == end
    assert later("31 December", end) == end


def test_year_in_the_text_keeps_its_errors():
    with pytest.raises(ParserError):
        later("29 February 2021")
    with pytest.raises(ParserError):
        later("not a date")


def test_without_a_default_it_is_midnight():
    before = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    result = parse("0:00", prefer="future")
    assert before <= result <= datetime.now()
    result = parse("10 March", prefer="future")
    assert (result.month, result.day, result.hour) == (3, 10, 0)
    assert before <= result < before + timedelta(days=367)


def test_zones_do_not_matter_for_the_choice():
    result = later("12:00 +09:00")
    assert (result.replace(tzinfo=None), result.utcoffset()) == (NOW.replace(day=15, minute=0), timedelta(hours=9))
    result = later("13:00 -11:00")
    assert (result.replace(tzinfo=None), result.utcoffset()) == (NOW.replace(hour=13, minute=0), timedelta(hours=-11))
    zone = timezone(timedelta(hours=5))
    aware = NOW.replace(tzinfo=zone)
    result = later("10 March", aware)
    assert (result.replace(tzinfo=None), result.tzinfo) == (NOW.replace(2022, 3, 10), zone)
    result = later("12:00 UTC", aware)
    assert (result.replace(tzinfo=None), result.utcoffset()) == (NOW.replace(day=15, minute=0), timedelta(0))
    assert later("12:00 +09:00", ignoretz=True) == NOW.replace(day=15, minute=0)


def test_other_arguments():
    assert later("remind me on 10 March please", fuzzy=True) == NOW.replace(2022, 3, 10)
    result, tokens = parse("on 10 March", default=NOW, fuzzy_with_tokens=True, prefer="future")
    assert result == NOW.replace(2022, 3, 10)
    assert tokens == parse("on 10 March", default=NOW, fuzzy_with_tokens=True)[1]
    assert later("5/3", dayfirst=True) == NOW.replace(2022, 3, 5)
    assert parse("5/3", default=NOW, parserinfo=parserinfo(dayfirst=True), prefer="future") == NOW.replace(2022, 3, 5)


@pytest.mark.parametrize("text", ["10 March", "10", "Friday 9:00", "9:00", "March 1999", "29 m"])
def test_none_is_as_it_was(text):
    assert parse(text, default=NOW, prefer=None) == parse(text, default=NOW) == parser().parse(text, NOW)
    assert parse("10 March", default=NOW) == NOW.replace(month=3, day=10)


@pytest.mark.parametrize("value", ["past", "", "FUTURE", 0, False, True, ["future"]])
@pytest.mark.parametrize("text", ["10 March", "not a date", "10 March 2001"])
def test_other_values(value, text):
    for function in (parse, parser().parse):
        with pytest.raises(ValueError) as caught:
            function(text, default=NOW, prefer=value)
        assert not isinstance(caught.value, ParserError)
