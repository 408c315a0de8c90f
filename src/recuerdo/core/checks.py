"""Checks of input that are the same everywhere: limits, choices, times and texts."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import cast

import msgspec

from recuerdo.core.errors import InvalidInput

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The errors of decoders for bytes that are not what they should be."""


def check_whole(field: str, number: object, least: int, most: int, problem: str | None = None) -> None:
    """Raise InvalidInput unless `number` is a whole one from `least` to `most`."""
    if not (isinstance(number, int) and least <= number <= most):
        raise InvalidInput(field, problem or f"must be {least} to {most}")


MOST_SKIPPED = 10_000
"""Entries that a page may leave out. A cursor goes on from anywhere, at the same cost."""


def check_skip(skip: object) -> None:
    """Raise InvalidInput unless `skip` is a whole number from 0 to MOST_SKIPPED."""
    check_whole("skip", skip, 0, MOST_SKIPPED, f"must be 0 to {MOST_SKIPPED}; a cursor goes further")


def check_choice(field: str, value: object, choices: Collection[str]) -> None:
    """Raise InvalidInput for a value that is not among the choices: no query would find it."""
    if value not in choices:
        raise InvalidInput(field, f"must be one of {', '.join(choices)}")


def check_time(field: str, at: object) -> None:
    """Raise InvalidInput unless `at` is a time with a zone that can be converted to UTC."""
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise InvalidInput(field, "must be a time with its zone, e.g. 2026-11-21T12:00:00Z or datetime.now(UTC)")
    try:
        at.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "must lie in the years 1 to 9999, in UTC too") from None


def check_text(field: str, text: object, most: int, *, may_have_nul: bool = True) -> None:
    """Raise InvalidInput unless `text` says something, in valid Unicode and `most` characters."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(field, "must be a text that is not empty")
    if len(text) > most:
        raise InvalidInput(field, f"must have at most {most} characters, and this one has {len(text)}")
    if not text.isascii():
        check_unicode(field, text)
    if not may_have_nul and "\0" in text:
        raise InvalidInput(field, "has a NUL character; leave it out")


def check_unicode(field: str, text: str) -> None:
    """Raise InvalidInput for lone surrogates, which no database stores."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "has broken Unicode (a lone surrogate)") from None


def check_all_unicode(field: str, value: object) -> None:
    """Raise InvalidInput, naming the place, for lone surrogates anywhere in what was read from JSON."""
    waiting: list[tuple[str, object]] = [(field, value)]
    while waiting:
        place, each = waiting.pop()
        if isinstance(each, str):
            check_unicode(place, each)
        elif isinstance(each, dict):
            for key, held in cast(dict[str, object], each).items():
                check_unicode(place, key)
                waiting.append((f"{place}.{key}", held))
        elif isinstance(each, list):
            waiting.extend((f"{place}[{index}]", held) for index, held in enumerate(cast(list[object], each)))


def read_time(text: object) -> datetime | None:
    """The aware time that an ISO 8601 text names; None for anything else."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else None
