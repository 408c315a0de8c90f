"""Messages that are handed out again.

A turn reads all messages of its thread. Making them takes longer than anything else in a late turn, and their number
wakes the garbage collector. LangChain's messages can be changed, so that two callers must not have the same one; but
most of those that one turn was given are in nobody's hands when the next one begins, and unchanged.

That nobody holds a message, nor a dict or a list in it, is what the reference counts say. Everything here looks at
many messages at once and in C, which is as fast as it is ugly, and gives up where one of them needs a closer look.
"""

import sys
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from sys import getrefcount
from typing import Any, cast
from weakref import getweakrefcount

from langchain_core.messages import HumanMessage

from recuerdo.checkpoints import Entry
from recuerdo.integrations.langgraph.messages import KINDS, Frozen

_lent = attrgetter("lent")
_boxes = attrgetter("boxes")
_fields = attrgetter("fields")
_plain = attrgetter("plain")
_type = attrgetter("kind.type")
_extra = attrgetter("__pydantic_extra__")
_private = attrgetter("__pydantic_private__")


def all_same(entries: Sequence[Entry], elements: Sequence[Any]) -> bool:
    """Whether each element is a message that says exactly what its entry does; False also where that isn't sure."""
    try:
        return (
            all(map(_plain, entries))
            and list(map(vars, elements)) == list(map(_fields, entries))
            and list(map(type, elements)) == list(map(_type, entries))
            and not any(map(_extra, elements))
            and not any(map(_private, elements))
        )
    except (AttributeError, TypeError):  # no messages, or no plain ones
        return False


def lent_again(entries: Sequence[Entry]) -> list[Any] | None:
    """The messages that were made of all these entries before; None unless nobody has any of them and none changed."""
    try:
        messages = list(map(_lent, entries))
    except AttributeError:
        return None
    if _counts(cast(Sequence[Frozen], entries), messages) != _FREE or any(map(getweakrefcount, messages)):
        return None
    if all_same(entries, messages) or all(
        entry.same(message) for entry, message in zip(entries, messages, strict=True)
    ):
        return messages
    return None


def _counts(entries: Sequence[Frozen], messages: list[Any]) -> tuple[set[int], set[int]]:
    """How often the messages are referred to, and how often the dicts and lists in them."""
    return set(map(getrefcount, messages)), set(map(getrefcount, chain.from_iterable(map(_boxes, entries))))


def _counts_when_free() -> tuple[set[int], set[int]] | None:
    """What is counted of a message that nobody holds; None, which nothing equals, where counts say little."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    frozen = Frozen.restored([KINDS[HumanMessage].number, "", None])
    frozen.thaw()
    return _counts([frozen], list(map(_lent, [frozen])))


_FREE = _counts_when_free()
