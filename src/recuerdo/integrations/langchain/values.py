"""Values that LangChain's messages may hold and JSON may not: packed into JSON, and back."""

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, cast
from uuid import UUID

from langchain_core.documents import Document

from recuerdo.core.errors import InvalidInput

_TAG = "$"
_LARGEST_INT = 2**63 - 1


class _ValueKind(NamedTuple):
    """A class of values, and how one is encoded as JSON and decoded."""

    is_one: Callable[[Any], bool]
    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def _of(kind: type, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> _ValueKind:
    def is_one(value: Any) -> bool:
        return type(value) is kind

    return _ValueKind(is_one, pack, unpack)


def _is_plain(value: Any) -> bool:
    """Whether JSON holds the value exactly, and it can't be mistaken for a packed one."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= _LARGEST_INT
    return value is None or isinstance(value, str)


_KINDS = {
    "int": _of(int, str, int),
    "float": _of(float, str, float),
    "bytes": _of(bytes, lambda value: b64encode(value).decode(), b64decode),
    "datetime": _of(datetime, datetime.isoformat, datetime.fromisoformat),
    "date": _of(date, date.isoformat, date.fromisoformat),
    "time": _of(time, time.isoformat, time.fromisoformat),
    "timedelta": _of(
        timedelta, lambda value: [value.days, value.seconds, value.microseconds], lambda packed: timedelta(*packed)
    ),
    "uuid": _of(UUID, str, UUID),
    "decimal": _of(Decimal, str, Decimal),
    "tuple": _of(tuple, lambda value: [pack(item) for item in value], lambda packed: tuple(map(unpack, packed))),
    "set": _of(set, lambda value: [pack(item) for item in sorted(value, key=repr)], lambda packed: set(_all(packed))),
    "dict": _of(
        dict,
        lambda value: [[pack(key), pack(item)] for key, item in value.items()],
        lambda packed: {unpack(key): unpack(item) for key, item in packed},
    ),
    "document": _of(
        Document,
        lambda value: [value.page_content, pack(value.metadata), value.id],
        lambda packed: Document(page_content=packed[0], metadata=unpack(packed[1]), id=packed[2]),
    ),
}


def pack(value: Any, field: str = "value") -> Any:
    """The value as JSON: itself where JSON holds it exactly, else an object that says what it is.

    Bytes, times, UUIDs, decimals, tuples, sets, dicts with other keys than texts and LangChain's documents can be
    packed. Raises InvalidInput, naming the `field`, for everything else.
    """
    if _is_plain(value):
        return value
    if type(value) is list:
        return [pack(item, field) for item in cast(list[Any], value)]
    if type(value) is dict and _has_plain_keys(cast(dict[Any, Any], value)):
        return {key: pack(item, field) for key, item in cast(dict[str, Any], value).items()}
    for name, kind in _KINDS.items():
        if kind.is_one(cast(Any, value)):
            return {_TAG: name, "value": kind.pack(cast(Any, value))}
    raise InvalidInput(
        field,
        f"has a {type(cast(object, value)).__name__}, which can't be kept for good. Use plain values, times, bytes or "
        "documents, or leave it out of the message.",
    )


def unpack(packed: Any) -> Any:
    """The value that `pack` packed. Raises ValueError for what it did not make."""
    if isinstance(packed, list):
        return _all(cast(list[Any], packed))
    if not isinstance(packed, dict):
        return packed
    fields = cast(dict[str, Any], packed)
    if _TAG not in fields:
        return {key: unpack(item) for key, item in fields.items()}
    kind = _KINDS.get(str(fields[_TAG]))
    if kind is None or fields.keys() != {_TAG, "value"}:
        raise ValueError("no packed value")
    try:
        return kind.unpack(fields["value"])
    except (TypeError, ArithmeticError, IndexError) as error:
        raise ValueError("no packed value") from error


def _has_plain_keys(value: dict[Any, Any]) -> bool:
    return _TAG not in value and all(type(key) is str for key in value)


def _all(packed: list[Any]) -> list[Any]:
    return [unpack(item) for item in packed]
