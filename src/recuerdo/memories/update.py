"""A memory with some of it changed by hand."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Memory

if TYPE_CHECKING:
    from recuerdo.memories.extract import Heard


def updated(old: Memory, given: dict[str, Any], now: datetime) -> Memory:
    """The memory with what is given. An old value must not outlive the words that it came from."""
    given = {name: value for name, value in given.items() if value is not None}
    text = given.get("text", old.text)
    if text != old.text and "value" not in given:
        given["value"] = _stated(text, given.get("attribute", old.attribute))
    return replace(old, **given, updated_at=now)


def _stated(text: str, attribute: Attribute | None) -> str | None:
    return next((fact.value for fact in listen_to(text).facts if fact.attribute == attribute), None)


def listen_to(text: str, question: str | None = None) -> "Heard":
    from recuerdo.memories.extract import listen  # the words of three languages, for those who remember

    return listen(text, question)
