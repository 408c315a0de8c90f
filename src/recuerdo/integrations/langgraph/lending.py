"""Reuses message objects that no caller holds any more.

A turn reads all messages of its thread. Making them takes longer than anything else in a late turn, and their number
wakes the garbage collector. LangChain's messages can be changed, so that two callers must not have the same one; but
most of those that one turn was given are no longer referenced when the next one begins, and unchanged.

The reference counts tell that no one else holds a message, or a dict or a list in it. Everything here looks at
many messages at once and in C, which is as fast as it is ugly, and gives up where one of them needs a closer look.
"""

import sys
from collections.abc import Sequence
from gc import get_referents
from operator import attrgetter
from sys import getrefcount
from typing import Any, NamedTuple
from weakref import getweakrefcount

from langchain_core.messages import BaseMessage, HumanMessage

from recuerdo.checkpoints import Entry, Piece
from recuerdo.integrations.langgraph.messages import KINDS, MessageSnapshot, boxes_in, equals_exactly

HANDS_OUT_AGAIN = True
"""The switch: see ADR 0055 for what it gives."""

_fields = attrgetter("fields")

_Counts = tuple[set[int], ...]


class Block:
    """The messages of a piece of a log: their content, and the objects that were returned last."""

    def __init__(self, entries: Sequence[MessageSnapshot]) -> None:
        self.entries = entries
        self._types = [entry.kind.type for entry in entries]
        self._fields = list(map(_fields, entries))
        self._extras = [entry.extra or {} for entry in entries]
        self._nested = [place for place, entry in enumerate(entries) if not entry.plain]
        self._lent: list[BaseMessage] = []
        self._parts: list[Any] = []
        self._boxes: list[Any] = []

    def says(self, elements: Sequence[Any]) -> bool:
        """Whether each element is a message that equals its entry; False also where that isn't certain."""
        return list(map(type, elements)) == self._types and self._say(get_referents(*elements))

    def lend(self, messages: Sequence[BaseMessage]) -> None:
        """Remember the messages, which were made of all entries."""
        self._lent, self._parts, self._boxes = list(messages), [], []

    def again(self) -> list[Any] | None:
        """The messages that were lent; None if a caller still holds one of them, or one has changed."""
        parts, counts = self.seen()
        if counts == _FREE and parts == self._parts and self._say(parts):
            return self._lent.copy()
        return None

    def seen(self) -> tuple[list[Any], _Counts]:
        """The parts of the messages, and how often messages, parts, and the dicts and lists in them are referred to."""
        if not self._parts:
            self._take_apart()
        parts = get_referents(*self._lent)
        counted = (self._lent, _states(self._parts), _extras(self._parts), self._boxes)
        return parts, (*[set(map(getrefcount, each)) for each in counted], set(map(getweakrefcount, self._lent)))

    def _say(self, parts: list[Any]) -> bool:
        states, extras = _states(parts), _extras(parts)
        try:
            if (
                len(parts) != len(self.entries) * _LAYOUT.size
                or states != self._fields
                or extras != self._extras
                or parts[_LAYOUT.private :: _LAYOUT.size].count(None) != len(self.entries)
            ):
                return False
            for place in self._nested:
                if not equals_exactly(states[place], self._fields[place]):
                    return False
                if not equals_exactly(extras[place], self._extras[place]):
                    return False
            return True
        except ValueError:  # something in it does not compare, e.g. an array
            return False

    def _take_apart(self) -> None:
        self._parts = get_referents(*self._lent)
        for entry, message in zip(self.entries, self._lent, strict=True):
            state: dict[str, Any] = vars(message)
            if entry.plain:
                self._boxes += [state.get(name) for name, _ in entry.kind.containers]
            else:
                self._boxes += [box for part in (state, message.__pydantic_extra__) for box in boxes_in(part)]


def thawed(piece: Piece) -> list[Any]:
    """The piece's elements; those that were handed out before come again if they can."""
    entries, cache = piece
    block, messages = _begun(piece), list[Any]()
    if block is not None:
        messages = block.again() or []
    if len(messages) == len(entries):
        return messages
    messages += [entry.thaw() for entry in entries[len(messages) :]]
    if block is None or len(block.entries) < len(entries):
        block = _block(entries)
    if block is not None:
        block.lend(messages)
    cache.kept = block
    return messages


def block_of(piece: Piece) -> Block | None:
    """The block of the piece; None when not all of its elements are messages."""
    begun = _begun(piece)
    return begun if begun is not None and len(begun.entries) == len(piece.entries) else _block(piece.entries)


def _begun(piece: Piece) -> Block | None:
    """The kept block of the piece, or of its beginning: the last piece of a log grows."""
    block: Block | None = piece.cache.kept
    return block if block is not None and block.entries == piece.entries[: len(block.entries)] else None


def _block(entries: Sequence[Entry]) -> Block | None:
    frozen = [entry for entry in entries if isinstance(entry, MessageSnapshot)]
    return Block(frozen) if len(frozen) == len(entries) else None


class _Layout(NamedTuple):
    """The places at which the garbage collector reports the parts of a message."""

    size: int
    state: int
    extra: int
    private: int


def _layout() -> _Layout:
    message = MessageSnapshot.restored([KINDS[HumanMessage].number, "", None]).thaw()
    places = [id(part) for part in get_referents(message)]
    named = (vars(message), message.__pydantic_extra__, message.__pydantic_private__)
    try:
        return _Layout(len(places), *[places.index(id(part)) for part in named])
    except ValueError:  # another Python looks elsewhere: then nothing is as long as it should be
        return _Layout(sys.maxsize, 0, 0, 0)


def _states(parts: list[Any]) -> list[Any]:
    return parts[_LAYOUT.state :: _LAYOUT.size]


def _extras(parts: list[Any]) -> list[Any]:
    return parts[_LAYOUT.extra :: _LAYOUT.size]


def _counts_when_free() -> _Counts | None:
    """The reference counts of a message without holders; None, which equals nothing, where counts are not reliable."""
    if not HANDS_OUT_AGAIN or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    block = Block([MessageSnapshot.restored([KINDS[HumanMessage].number, "", None])])
    block.lend([entry.thaw() for entry in block.entries])
    return block.seen()[1]


_LAYOUT = _layout()
_FREE = _counts_when_free()
