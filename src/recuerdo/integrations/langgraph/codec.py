"""The codec of LangGraph's values."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import ormsgpack
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot  # pyright: ignore[reportPrivateUsage]
from langgraph.types import Send

from recuerdo.checkpoints import Division, Elements, Entry, Piece
from recuerdo.core.errors import DamagedRow
from recuerdo.integrations.langgraph.lending import block_of, thawed
from recuerdo.integrations.langgraph.messages import MessageSnapshot
from recuerdo.integrations.langgraph.strict import OPTIONS, StrictSerializer

_SMALL_LIST = 256
"""Bytes: a shorter list of plain data is stored with the checkpoint, and not in a log."""

_FEW = 64
_SMALLEST_KEY = 128
_DEEPEST = 4

_SHORT_ARRAY = 15
"""MessagePack tells the number of up to this many elements in one byte, and of up to 65,535 in three."""

_WHOLE, _TYPED = 0, -1
"""The first item of a stored element that is not a message; messages begin with the number of their kind."""

_MSGPACK = b"m"
_PREFIXES = {"msgpack": _MSGPACK, "null": b"n", "bytes": b"b", "bytearray": b"a"}
_TYPES = {prefix[0]: type_ for type_, prefix in _PREFIXES.items()}
_OTHER_TYPE = b"t"


class WholeEntry:
    """An element as bytes, decoded each time it is needed; see Entry."""

    __slots__ = ("_codec", "_data", "_print")

    def __init__(self, codec: "LangGraphCodec", data: bytes) -> None:
        self._codec = codec
        self._data = data
        self._print: bytes | None = None

    @property
    def key(self) -> bytes | None:
        return self._data if len(self._data) >= _SMALLEST_KEY else None

    def same(self, element: Any) -> bool:
        if self._print is None:
            self._print = self._data if self._codec.is_strict else self._codec.fingerprint(self.thaw())
        return self._print is not None and self._codec.fingerprint(element) == self._print

    def thaw(self) -> Any:
        return self._codec.unpack(self._data)

    def packed(self) -> bytes:
        """The element as it is stored."""
        return ormsgpack.packb([_WHOLE, self._data])

    @property
    def bare(self) -> bytes | None:
        """The bytes of the element in a packed list; None of one that a serializer packs in a way of its own."""
        return self._data[1:] if self._codec.is_strict and self._data.startswith(_MSGPACK) else None


class LangGraphCodec:
    """The Codec of one saver. With a serializer of the user's own each element is packed by that."""

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde
        self.is_strict = isinstance(serde, StrictSerializer)

    def pack(self, value: Any) -> bytes:
        type_, data = self._serde.dumps_typed(value)
        prefix = _PREFIXES.get(type_)
        return prefix + data if prefix else _OTHER_TYPE + ormsgpack.packb([type_, data])

    def unpack(self, data: bytes) -> Any:
        try:
            if data[:1] == _OTHER_TYPE:
                return self._serde.loads_typed(tuple(ormsgpack.unpackb(data[1:])))
            return self._serde.loads_typed((_TYPES[data[0]], data[1:]))
        except (ValueError, LookupError, TypeError, AttributeError, NotImplementedError, RecursionError) as error:
            raise DamagedRow("value of a checkpoint", type(error).__name__) from error

    def may_have(self, data: bytes, name: str) -> bool:
        return not self.is_strict or name.encode() in data

    def fingerprint(self, value: Any) -> bytes | None:
        """Return bytes that are equal for equal values; None when that can't be guaranteed."""
        if self.is_strict:
            return self.pack(value)
        try:
            return _PLAIN.dumps_typed(value)[1]
        except (TypeError, ormsgpack.MsgpackEncodeError):
            return None

    def entry(self, element: Any) -> Entry:
        frozen = MessageSnapshot.of(element) if isinstance(element, BaseMessage) else None
        return WholeEntry(self, self.pack(element)) if frozen is None else frozen

    def entries(self, data: bytes, size: int) -> list[Entry]:
        return [self._restored(row) for row in ormsgpack.unpackb(_array_header(size) + data)]

    def packed(self, entry: Entry) -> bytes:
        if not isinstance(entry, MessageSnapshot):
            return cast(WholeEntry, entry).packed()
        if self.is_strict:
            return ormsgpack.packb(entry.stored(), option=OPTIONS)
        return ormsgpack.packb([_TYPED, self.pack(entry.thaw())])

    def thaw(self, pieces: Iterable[Piece]) -> list[Any]:
        elements: list[Any] = []
        for piece in pieces:
            bare = _bare(piece.entries)
            if bare is None:
                elements += thawed(piece)
            else:
                elements += self.unpack(_MSGPACK + _array_header(len(piece.entries)) + bare)
        return elements

    def alike(self, pieces: Iterable[Piece], elements: Sequence[Any]) -> int:
        count = 0
        for piece in pieces:
            others = elements[count : count + len(piece.entries)]
            if not _says(piece, others):
                return count + _alike(piece.entries, others)
            count += len(others)
        return count

    def divide(self, value: Any) -> Elements | Division | None:
        if isinstance(value, BaseMessage):
            return Elements([value], alone=True)
        if isinstance(value, _DeltaSnapshot):
            return Division(_form("delta"), [(None, value.value)]) if _holds(value.value) else None
        if type(value) is list:
            return self._divide_list(cast(list[Any], value))
        if type(value) is dict:
            return self._divide_dict(cast(dict[Any, Any], value))
        if type(value) is Send and _holds(value.arg):
            return Division(_form("send", self.pack(_with_arg(value, None))), [(None, value.arg)])
        return None

    def compose(self, form: bytes, parts: list[Any]) -> Any:
        match ormsgpack.unpackb(form):
            case ["delta"]:
                return _DeltaSnapshot(parts[0])
            case ["list"]:
                return parts
            case ["send", data]:
                return _with_arg(self.unpack(data), parts[0])
            case ["dict", data, names]:
                return {**self.unpack(data), **dict(zip(names, parts, strict=True))}
            case other:
                raise NotImplementedError(f"A later version of Recuerdo wrote this value: {other!r}. Upgrade Recuerdo.")

    def _restored(self, row: list[Any]) -> Entry:
        if row[0] == _WHOLE:
            return WholeEntry(self, row[1])
        if row[0] == _TYPED:
            frozen = MessageSnapshot.of(self.unpack(row[1]))
            return WholeEntry(self, row[1]) if frozen is None else frozen
        return MessageSnapshot.restored(row)

    def _divide_list(self, value: list[Any]) -> Elements | Division | None:
        if not value:
            return None
        if type(value[0]) is Send:
            return Division(_form("list"), [(None, each) for each in value]) if _holds(value) else None
        if len(value) <= _FEW and _size(value) <= _SMALL_LIST:
            return None
        return Elements(value)

    def _divide_dict(self, value: dict[Any, Any]) -> Division | None:
        names = [name for name, part in value.items() if type(name) is str and _holds(part)]
        if not names:
            return None
        rest = {name: None if name in names else part for name, part in value.items()}
        return Division(_form("dict", self.pack(rest), names), [(name, value[name]) for name in names])


_PLAIN = JsonPlusSerializer()


def _alike(entries: Sequence[Entry], elements: Sequence[Any]) -> int:
    for count, (entry, element) in enumerate(zip(entries, elements, strict=False)):
        if not entry.same(element):
            return count
    return min(len(entries), len(elements))


def _bare(entries: Sequence[Entry]) -> bytes | None:
    """The bytes of a packed list of the elements, without its header: a call for each of thousands takes long."""
    if not entries or not isinstance(entries[0], WholeEntry):  # in most lists all are messages
        return None
    parts = [entry.bare for entry in entries if isinstance(entry, WholeEntry)]
    return b"".join(cast(list[bytes], parts)) if len(parts) == len(entries) and None not in parts else None


def _says(piece: Piece, elements: Sequence[Any]) -> bool:
    """Whether the elements are those of the whole piece; False also where that isn't sure."""
    block = block_of(piece)
    if block is not None:
        return block.says(elements)
    bare = _bare(piece.entries)
    if bare is None or len(elements) != len(piece.entries):
        return False
    try:
        packed = _PLAIN.dumps_typed(list(elements))[1]
    except (TypeError, ormsgpack.MsgpackEncodeError):
        return False
    return packed[1 if len(elements) <= _SHORT_ARRAY else 3 :] == bare


def _holds(value: Any, depth: int = 0) -> bool:
    """Whether there are messages or long lists in the value."""
    if isinstance(value, BaseMessage):
        return True
    if depth > _DEEPEST:
        return False
    if type(value) is list:
        elements = cast(list[Any], value)
        if len(elements) > _FEW:
            return True
        parts: Iterable[Any] = elements
    elif type(value) is dict:
        parts = cast(dict[Any, Any], value).values()
    else:
        parts = (value.arg,) if type(value) is Send else ()
    return any(_holds(part, depth + 1) for part in parts)


def _size(value: Sequence[Any]) -> int:
    """The bytes of plain data; of anything else more than a small list has."""
    try:
        return len(ormsgpack.packb(value, option=OPTIONS))
    except ormsgpack.MsgpackEncodeError:
        return _SMALL_LIST + 1


def _form(*parts: Any) -> bytes:
    return ormsgpack.packb(parts)


def _with_arg(send: Send, arg: Any) -> Send:
    timeout = getattr(send, "timeout", None)
    return Send(send.node, arg) if timeout is None else Send(send.node, arg, timeout=timeout)


def _array_header(size: int) -> bytes:
    """The header of a MessagePack array of that many elements."""
    return b"\xdd" + size.to_bytes(4, "big")
