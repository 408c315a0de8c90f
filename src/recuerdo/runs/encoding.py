"""JSON of whatever a graph's state may hold."""

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, cast

import msgspec

_encoder = msgspec.json.Encoder(enc_hook=lambda value: plain(value))


def encode(value: Any) -> bytes:
    """The value as JSON: messages and models as their fields, and what has no JSON as its text."""
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError, RecursionError):  # keys that are no texts, numbers that are too large ...
        return _encoder.encode(_simplified(value))


def plain(value: Any) -> Any:
    """One step towards JSON, for what msgspec does not know."""
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    for method in ("to_dict", "dict", "tolist"):
        if callable(convert := getattr(value, method, None)) and not isinstance(value, type):
            return convert()
    return repr(value) if isinstance(value, type) or callable(value) else str(value)


def interrupt(value: Any) -> dict[str, Any]:
    """A question that a graph waits for."""
    return {"value": value.value, "id": value.id}


def _simplified(value: Any, depth: int = 0) -> Any:
    if depth > 100:
        return "..."
    if isinstance(value, Mapping):
        entries = cast(Mapping[Any, Any], value).items()
        return {str(key): _simplified(each, depth + 1) for key, each in entries}
    if isinstance(value, list | tuple | set | frozenset):
        return [_simplified(each, depth + 1) for each in cast(list[Any], value)]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | bytes):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _simplified(plain(value), depth + 1)
