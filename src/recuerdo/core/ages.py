"""How long something lasts: `90d`, `12h`, `4w`."""

import re
from datetime import timedelta

from recuerdo.core.errors import InvalidInput

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_LONGEST_DAYS = 365 * 100


def parse_age(field: str, text: str) -> timedelta:
    """The age that the text says. Raises InvalidInput, naming the field."""
    match = re.fullmatch(r"([0-9]{1,6})([hdw])", text.strip(), re.ASCII)
    age = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else timedelta.max
    if age > timedelta(days=_LONGEST_DAYS):
        raise InvalidInput(field, "must be a number and h, d or w, and 100 years at most: 12h, 90d, 4w")
    return age
