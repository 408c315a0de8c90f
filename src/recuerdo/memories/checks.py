"""What a memory may hold. Everything else is refused before it reaches a repository."""

from datetime import datetime
from typing import get_args

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Kind, MemoryQuery
from recuerdo.core.scope import check_id

LONGEST_TEXT = 8_000
"""Characters. A memory is a sentence or two that goes into prompts; documents belong elsewhere."""

MOST_IN_LIST = 1_000
MOST_IN_SEARCH = 100

_KINDS = get_args(Kind)
_ATTRIBUTES = get_args(Attribute)


def check_text(field: str, text: object) -> None:
    """Raise InvalidInput unless `text` says something, in valid Unicode, and is not too long."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(field, "must be a text that is not empty")
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(field, f"must have at most {LONGEST_TEXT} characters, and this one has {len(text)}")
    check_unicode(field, text)


def check_unicode(field: str, text: str) -> None:
    """Raise InvalidInput for lone surrogates and NUL, which not every database can store."""
    if text.isascii() and "\0" not in text:
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "has broken Unicode (a lone surrogate)") from None
    if "\0" in text:
        raise InvalidInput(field, "has a NUL character; leave it out")


def check_fields(kind: object, attribute: object, value: object) -> None:
    """Raise InvalidInput for a kind or attribute that does not exist, or a value that can't be stored."""
    check_kind(kind)
    check_attribute(attribute)
    if value is not None:
        check_text("value", value)


def check_kind(kind: object) -> None:
    """Raise InvalidInput for a kind that does not exist; None means no kind in particular."""
    if kind is not None and kind not in _KINDS:
        raise InvalidInput("kind", f"must be one of {', '.join(_KINDS)}")


def check_attribute(attribute: object) -> None:
    """Raise InvalidInput for an attribute that does not exist; None means none."""
    if attribute is not None and attribute not in _ATTRIBUTES:
        raise InvalidInput("attribute", f"must be one of {', '.join(_ATTRIBUTES)}")


def check_limit(limit: int, most: int) -> None:
    """Raise InvalidInput unless `limit` is 1 to `most`."""
    if not 1 <= limit <= most:
        raise InvalidInput("limit", f"must be 1 to {most}")


def check_time(field: str, at: datetime) -> None:
    """Raise InvalidInput for a time without a zone: nobody knows when that is."""
    if at.tzinfo is None:
        raise InvalidInput(field, "must have a time zone, as in 2026-11-22T12:00:00+00:00")


def check_query(query: MemoryQuery) -> None:
    """Raise InvalidInput for a query that no memory can meet."""
    check_limit(query.limit, MOST_IN_LIST)
    check_kind(query.kind)
    check_attribute(query.attribute)
    if query.before is not None:
        check_id("before", query.before)
    for field, time in (("since", query.since), ("until", query.until), ("as_of", query.holding_at)):
        if time is not None:
            check_time(field, time)
