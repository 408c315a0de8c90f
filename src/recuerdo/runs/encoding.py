"""JSON of whatever a graph's state may hold."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice, repeat
from re import Pattern
from typing import Any, cast
from uuid import UUID

import msgspec

_LEAVES = frozenset((str, int, float, bool, bytes, type(None)))
_PLAIN = (datetime, date, time, UUID)
_DEEPEST = 100
_MOST_LOOKED_AT = 100


def _is_odd(value: Any, depth: int = 0) -> bool:
    """Whether the value holds something that msgspec encodes in another way than we do.

    Only the first element of a list is looked at, so that this takes no longer for a longer list.
    """
    kind = cast(Any, type(value))
    if kind in _LEAVES:
        return False
    if kind is dict:
        parts: Iterable[Any] = islice(value.values(), _MOST_LOOKED_AT)
    elif kind is list:
        parts = value[:1]
    elif kind is tuple:
        parts = value[:_MOST_LOOKED_AT]
    elif isinstance(value, timedelta | tuple) or (kind is Decimal and not value.is_finite()):
        return True
    elif "__dataclass_fields__" in vars(kind):
        parts = [getattr(value, name) for name in cast(Any, kind).__dataclass_fields__]
    else:
        return False
    return depth < _DEEPEST and any(map(_is_odd, parts, repeat(depth + 1)))


def plain(value: Any) -> Any:
    """One step towards JSON, for what msgspec does not know."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, Pattern):
        return cast(Pattern[str], value).pattern
    if isinstance(value, deque):
        return [*cast(deque[Any], value)]
    if isinstance(value, Enum):
        return value.value
    if type(value).__name__ == "Send" and hasattr(value, "arg"):
        return {"node": value.node, "args": value.arg}
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    for method in ("to_dict", "dict", "tolist"):
        if callable(convert := getattr(value, method, None)) and not isinstance(value, type):
            return convert()
    return repr(value) if isinstance(value, type) or callable(value) else str(value)


_encoder = msgspec.json.Encoder(enc_hook=plain, decimal_format="number")


def encode(value: Any) -> bytes:
    """The value as JSON: messages, models and named tuples as their fields, and what has no JSON as its text."""
    if _is_odd(value):
        return _encoder.encode(_simplified(value))
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):  # keys that are not texts, numbers that are too large ...
        return _encoder.encode(_simplified(value))


def interrupt(value: Any) -> dict[str, Any]:
    """A question that a graph waits for, as JSON has it: the row of its thread holds it, too."""
    return {"value": msgspec.json.decode(encode(value.value)), "id": value.id}


def _simplified(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return "..."
    if isinstance(value, Mapping):
        entries = cast(Mapping[Any, Any], value).items()
        return {str(key): _simplified(each, depth + 1) for key, each in entries}
    if hasattr(value, "_asdict") and not isinstance(value, type):
        return _simplified(value._asdict(), depth + 1)
    if isinstance(value, list | tuple | set | frozenset):
        return [_simplified(each, depth + 1) for each in cast(list[Any], value)]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | bytes):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else str(int(value))
    if isinstance(value, Decimal):
        value = float(value) if not value.is_finite() or value % 1 else int(value)
        return _simplified(value, depth + 1)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value if isinstance(value, _PLAIN) else _simplified(plain(value), depth + 1)
