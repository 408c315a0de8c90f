"""The dates that queries name."""

from datetime import date, timedelta

import numpy as np
import pytest

from recuerdo.searching.recipe import nearness, periods_of


def days(*first, until=None):
    return [(date(*first).toordinal(), date(*(until or first)).toordinal())]


@pytest.mark.parametrize(
    "text",
    [
        "What did Ana buy on 7 May 2023?",
        "What did Ana buy on May 7, 2023?",
        "What did Ana buy on the 7th of May, 2023?",
        "May 7th 2023",
        "¿Qué compró Ana el 7 de mayo de 2023?",
        "O que a Ana comprou em 7 de maio de 2023?",
        "What happened on 2023-05-07?",
        "what did we plan on 7 may?",
    ],
)
def test_a_day_is_heard_however_it_is_written(text):
    """Before the month or behind it, in three languages; without its year, in each year of which there are messages."""
    assert periods_of(text, [2023]) == days(2023, 5, 7)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("¿Adónde fuimos en agosto de 2023?", days(2023, 8, 1, until=(2023, 8, 31))),
        ("in December 2023", days(2023, 12, 1, until=(2023, 12, 31))),
        ("O que fiz em março?", days(2022, 3, 1, until=(2022, 3, 31)) + days(2023, 3, 1, until=(2023, 3, 31))),
        ("How often did I run in 2023?", days(2023, 1, 1, until=(2023, 12, 31))),
        ("How many of the 5 dogs were there in June 2022?", days(2022, 6, 1, until=(2022, 6, 30))),
    ],
)
def test_a_month_is_all_its_days_and_so_is_a_year(text, period):
    """A number that is not beside the month is no day of it."""
    assert periods_of(text, [2022, 2023]) == period


@pytest.mark.parametrize(
    "text", ["What may I eat?", "¿Dónde vive Marco?", "Did they march home?", "31 June 2023", "2023-02-30", "", "?!"]
)
def test_what_only_looks_like_a_date_is_none(text):
    """Words that are months and more need a reason to be months, and no calendar has a 31st of June."""
    assert periods_of(text, [2023]) == []


def test_the_nearer_to_the_date_the_more_it_counts():
    """In the period in full, and less with each day before it or behind; not at all when no date is named."""
    middle = date(2023, 5, 7)
    around = np.array([(middle + timedelta(days=away)).toordinal() for away in (-30, -7, -1, 0, 2, 14)])
    near = nearness("on 7 May", around, {2023})
    assert near[3] == 1
    assert list(near[:4]) == sorted(near[:4])
    assert list(near[3:]) == sorted(near[3:], reverse=True)
    assert near[0] < 0.05
    assert not nearness("some day", around, {2023}).any()
    assert not len(nearness("on 7 May", np.zeros(0), set()))


@pytest.mark.parametrize("text", ["since June 2026", "desde junio de 2026", "desde junho de 2026"])
def test_what_is_asked_since_a_date_was_said_then_or_later(text):
    """Nothing that was said before is as near, and nothing behind it is farther."""
    days = np.array([date(2026, 1, 1).toordinal(), date(2026, 6, 9).toordinal(), date(2027, 3, 1).toordinal()])
    near = nearness(text, days, {2026})
    assert near[0] < near[1] == near[2] == 1
