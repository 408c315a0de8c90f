"""Checks of the fields of a memory. Invalid input is refused before it reaches a repository."""

from typing import get_args

from recuerdo.core import checks
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Kind, Source
from recuerdo.core.scope import check_id

LONGEST_TEXT = 8_000
"""Characters. A memory is a sentence or two that goes into prompts; documents belong elsewhere."""

LATEST_VERSION = 2**53
MOST_IN_LIST = 1_000
MOST_IN_SEARCH = 100


def check_memory_text(field: str, text: object) -> None:
    """Raise InvalidInput unless `text` says something, in valid Unicode without NUL, and is not too long."""
    checks.check_text(field, text, LONGEST_TEXT, may_have_nul=False)


def check_heard(text: object) -> None:
    """Raise InvalidInput unless `text`, however long, is one; NUL characters in it are heard as spaces."""
    if not isinstance(text, str):
        raise InvalidInput("text", "must be a text")
    checks.check_unicode("text", text)


def check_fields(kind: str | None, attribute: str | None, value: object) -> None:
    """Raise InvalidInput for a kind or attribute that does not exist, or a value that can't be stored."""
    for field, choice, choices in (("kind", kind, get_args(Kind)), ("attribute", attribute, get_args(Attribute))):
        if choice is not None:
            checks.check_choice(field, choice, choices)
    if value is not None:
        check_memory_text("value", value)


def check_source(source: object) -> None:
    """Raise InvalidInput unless `source` is one that can be stored, and read again."""
    if not isinstance(source, Source):
        raise InvalidInput("source", "must be a Source of recuerdo.core.memories, e.g. Source(author='web')")
    if not isinstance(source.seq, int | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("source.seq", "must be the seq of a message")
    for field in ("author", "extractor"):
        check_id(f"source.{field}", getattr(source, field))
    for field in ("thread", "by"):
        if (value := getattr(source, field)) is not None:
            check_id(f"source.{field}", value)


def check_review(by: object, reason: object) -> None:
    """Raise InvalidInput unless `by` names a reviewer and `reason`, if any, can be stored."""
    check_id("by", by)
    if reason is not None:
        check_memory_text("reason", reason)
