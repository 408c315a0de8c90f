"""The port of codecs, which pack the values of checkpoints, divide them and put them together."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol


class Entry(Protocol):
    """One element of a log in memory. It is never changed, and no reference to it is handed out."""

    @property
    def key(self) -> str | bytes | None:
        """A key by which an equal element is found, e.g. a message's id; None when it is not worth it."""
        ...

    def same(self, element: Any) -> bool:
        """Whether the element equals the frozen one."""
        ...

    def thaw(self) -> Any:
        """The element, new each time, so that one caller's changes reach no other."""
        ...


class CodecCache:
    """A codec's cache of a piece of a log."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: Any = None


class Piece(NamedTuple):
    """Consecutive entries of a log, and the codec's cache for them."""

    entries: Sequence[Entry]
    cache: CodecCache


class Elements(NamedTuple):
    """A value that belongs into a log: a list, or one element that stands alone."""

    elements: list[Any]
    alone: bool = False


class Division(NamedTuple):
    """A value that holds such values: the rest without them, and they, each with its name or None.

    The name of a part tells which log it likely shares with others, as the state's `messages` do with the input's.
    """

    form: bytes
    parts: Sequence[tuple[str | None, Any]]


class Codec(Protocol):
    """Packs values strictly: a value that could not be read again raises InvalidInput when it is packed."""

    def pack(self, value: Any) -> bytes:
        """The value as bytes."""
        ...

    def unpack(self, data: bytes) -> Any:
        """The value, new each time. Raises DamagedRow."""
        ...

    def may_have(self, data: bytes, name: str) -> bool:
        """Whether a key of the packed dict may have that name; quicker than to unpack it."""
        ...

    def divide(self, value: Any) -> Elements | Division | None:
        """The parts of the value that belong into logs; None when it is packed as a whole."""
        ...

    def compose(self, form: bytes, parts: list[Any]) -> Any:
        """The value that was divided."""
        ...

    def entry(self, element: Any) -> Entry:
        """The element frozen. Raises InvalidInput when it could not be packed."""
        ...

    def packed(self, entry: Entry) -> bytes:
        """The entry's element as it is stored."""
        ...

    def entries(self, data: bytes, size: int) -> list[Entry]:
        """The `size` elements of which the packed forms were joined."""
        ...

    def thaw(self, pieces: Iterable[Piece]) -> list[Any]:
        """All the elements. An element that was returned before may be returned again once no caller holds it."""
        ...

    def alike(self, pieces: Iterable[Piece], elements: Sequence[Any]) -> int:
        """How many elements at the start are the same as the entries there."""
        ...
