"""From when and until when something holds, by what a text says of it: `since 2019`, `hasta junio`, `semana que vem`.

Times are UTC. A beginning is the first moment of what is named, and an end its last one. Every pattern reaches a
bounded number of characters, so that the work is linear.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Literal, NamedTuple

from recuerdo.memories.extraction.patterns import Pattern

Unit = Literal["day", "weekend", "week", "month", "year"]

YEAR = r"(?P<year>(?:19|20)\d\d)"
"""A year, for the patterns of a language."""

_DAYS: Mapping[Unit, int] = {"day": 1, "weekend": 7, "week": 7, "month": 30, "year": 365}
_GROUP = re.compile(r"\(\?P<\w+>")


class Validity(NamedTuple):
    """From when on something holds and before when; None where nothing is said."""

    begins: datetime | None = None
    ends: datetime | None = None


class TimeWords:
    """How times are spoken of in a language, over folded text.

    `days` are counted from today. `points` name days and weeks, also on their own, and `spans` are months and years,
    which only words of `at` before them tell from other words. Their groups are `day`, `month`, `year`, `weekday`,
    `offset` (of `days`), `number`, and `unit` with one of `last`, `this`, `next`, `ago` and `ahead`. `since`, `until`
    and `begun` (`moved to Leeds in`) stand before either, `lasting` says for how long something has been so, and
    `every` that it comes again. In patterns `{month}` stands for all months, and so on.
    """

    def __init__(
        self,
        *,
        months: Mapping[str, int],
        weekdays: Mapping[str, int],
        days: Mapping[str, int],
        numbers: Mapping[str, int],
        units: Mapping[str, Unit],
        points: Sequence[str],
        spans: Sequence[str],
        at: str,
        since: str,
        until: str,
        begun: str,
        lasting: str,
        every: str,
    ) -> None:
        self.months, self.weekdays, self.days, self.numbers, self.units = months, weekdays, days, numbers, units
        words = {"month": months, "weekday": weekdays, "offset": days, "number": numbers, "unit": units}
        named = {name: f"(?P<{name}>{_any(said)})" for name, said in words.items()}
        named["number"] = rf"(?P<number>\d{{1,3}}|{_any(numbers)})"
        named["year"] = YEAR
        self._points, self._spans = ([each.format(**named) for each in one] for one in (points, spans))
        self._at, self._since, self._until, self._begun, self._every = at, since, until, begun, Pattern(every)
        self._lasting = Pattern(rf"(?<!\w)(?:{lasting.format(**named)})(?!\w)")

    def held(self, folded: str, start: int, end: int) -> tuple[int, int] | None:
        """Where the words are, between these places, that say from when or until when something holds."""
        for pattern in (self._from, self._to, self._lasting):
            if found := pattern.search(folded, start, end):
                return found.span()
        return None

    def validity(self, folded: str, today: date) -> Validity:
        """The time in which something holds that has held on the day on which it was said."""
        begins = None
        if found := self._from.search(folded):
            begins = self._dates(found["point"], today, past=True)
        elif found := self._lasting.search(folded):
            begins = self._dates_of(found.groupdict(), today, past=True)
        ends = self._dates(found["point"], today, past=False) if (found := self._to.search(folded)) else None
        first = begins[0] if begins and begins[0] <= today else None
        return Validity(first and _midnight(first), ends and _midnight(ends[1]))

    def comes_again(self, folded: str) -> bool:
        """Whether a plan comes again: `every Friday`."""
        return self._every.search(folded) is not None

    def end(self, folded: str, today: date) -> datetime | None:
        """When the last of the times is over that a plan names; None when it names none."""
        said = [found["point"] or found["span"] for found in self._planned.finditer(folded)]
        ends = [dates[1] for each in said if (dates := self._dates(each, today, past=False))]
        return _midnight(max(ends)) if ends else None

    @cached_property
    def _from(self) -> Pattern:
        point = _nameless([*self._points, *self._spans])
        return Pattern(rf"(?<!\w)(?:(?:{self._since}) |(?:{self._begun}) )(?P<point>{point})(?!\w)")

    @cached_property
    def _to(self) -> Pattern:
        point = _nameless([*self._points, *self._spans])
        return Pattern(rf"(?<!\w)(?:{self._until}) (?P<point>{point})(?!\w)")

    @cached_property
    def _planned(self) -> Pattern:
        points, spans = _nameless(self._points), _nameless(self._spans)
        return Pattern(rf"(?<!\w)(?:(?:(?:{self._at}) )?(?P<point>{points})|(?:{self._at}) (?P<span>{spans}))(?!\w)")

    @cached_property
    def _each(self) -> list[Pattern]:
        return [Pattern(each) for each in (*self._points, *self._spans)]

    def _dates(self, point: str, today: date, *, past: bool) -> tuple[date, date] | None:
        found = (match for each in self._each if (match := each.fullmatch(point)))
        return self._dates_of(match.groupdict(), today, past=past) if (match := next(found, None)) else None

    def _dates_of(self, said: Mapping[str, str | None], today: date, *, past: bool) -> tuple[date, date] | None:
        """The first day, and the one after the last."""
        try:
            if unit := said.get("unit"):
                return self._around(self.units[unit], said, today)
            if offset := said.get("offset"):
                return _from_on(today + timedelta(self.days[offset]), 1)
            if weekday := said.get("weekday"):
                away = (self.weekdays[weekday] - today.weekday()) % 7
                return _from_on(today + timedelta((away or 7) - 7 * past), 1)
            return self._in_calendar(said, today, past=past)
        except (ValueError, OverflowError):  # the 31st of June
            return None

    def _around(self, unit: Unit, said: Mapping[str, str | None], today: date) -> tuple[date, date]:
        number = said.get("number")
        if number:
            count = int(number) if number.isdigit() else self.numbers[number]
            away = _DAYS[unit] * count * (1 if said.get("ahead") else -1)
            return _from_on(today + timedelta(away), 7 if unit == "week" else 1)
        step = -1 if said.get("last") else 1 if said.get("next") else 0
        if unit == "year":
            return date(today.year + step, 1, 1), date(today.year + step + 1, 1, 1)
        if unit == "month":
            return _month(today.year, today.month + step), _month(today.year, today.month + step + 1)
        if unit == "day":
            return _from_on(today + timedelta(step), 1)
        monday = today + timedelta(7 * step - today.weekday())
        return _from_on(monday, 7) if unit == "week" else _from_on(monday + timedelta(5), 2)

    def _in_calendar(self, said: Mapping[str, str | None], today: date, *, past: bool) -> tuple[date, date]:
        year, month, day = said.get("year"), said.get("month"), said.get("day")
        if month is None:
            return date(int(year or 0), 1, 1), date(int(year or 0) + 1, 1, 1)
        for wanted in [int(year)] if year else [today.year, today.year + (-1 if past else 1)]:
            first = date(wanted, self.months[month], int(day or 1))
            end = first + timedelta(1) if day else _month(wanted, self.months[month] + 1)
            if year or (first <= today if past else end > today):
                return first, end
        raise ValueError("no such day")


def _any(words: Mapping[str, int] | Mapping[str, Unit]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def _nameless(patterns: Sequence[str]) -> str:
    return "|".join(_GROUP.sub("(?:", each) for each in patterns)


def _month(year: int, month: int) -> date:
    return date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def _from_on(day: date, days: int) -> tuple[date, date]:
    return day, day + timedelta(days)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
