"""LangGraph's own serializer, made strict at the right end: what may not be read is refused when it is written."""

from collections.abc import Iterable
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import (
    EXT_DELTA_SNAPSHOT,
    EXT_METHOD_SINGLE_ARG,
    EXT_NUMPY_ARRAY,
    JsonPlusSerializer,
)

from recuerdo.core.errors import InvalidInput

OPTIONS = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)
"""What LangGraph packs with: types that MessagePack does not have are left to the extension types."""


class StrictSerializer(JsonPlusSerializer):
    """Packs plain data, the types that LangGraph holds safe, and those that are allowed, and nothing else.

    LangGraph checks types when it reads; then the state is in the database, and comes back as something else. Here a
    value of another type raises InvalidInput when it is written.
    """

    def __init__(self, allow: Iterable[tuple[str, ...] | type] = ()) -> None:
        super().__init__(allowed_msgpack_modules=list(allow) or None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The type and the bytes of a value. Raises InvalidInput when it holds what may not be read."""
        if type(obj) is bytearray:
            return super().dumps_typed(obj)  # MessagePack would make bytes of it
        try:
            return "msgpack", ormsgpack.packb(obj, option=OPTIONS)
        except ormsgpack.MsgpackEncodeError:
            pass  # not only plain data
        try:
            kind, data = super().dumps_typed(obj)
        except (TypeError, ormsgpack.MsgpackEncodeError) as error:
            raise InvalidInput("checkpoint", f"{_name(obj)} can't be saved: {error}") from error
        if kind == "msgpack" and (stranger := self._stranger(data)) is not None:
            raise InvalidInput(
                "checkpoint",
                f"{stranger} is no type that may be read from a checkpoint. If it is yours, allow it: "
                f"RecuerdoSaver(..., allow=[{stranger.rpartition('.')[2]}]).",
            )
        return kind, data

    def _stranger(self, data: bytes) -> str | None:
        """The first type in the data that may not be read."""
        strangers: list[str] = []
        self._look(data, strangers)
        return strangers[0] if strangers else None

    def _look(self, data: bytes, strangers: list[str]) -> Any:
        def hook(code: int, inner: bytes) -> Any:
            if code == EXT_NUMPY_ARRAY:
                return None
            found = self._look(inner, strangers)
            if code != EXT_DELTA_SNAPSHOT and not self._may_be_read(code, found):
                strangers.append(f"{found[0]}.{found[1]}")
            return None

        return ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS)

    def _may_be_read(self, code: int, found: Any) -> bool:
        if code == EXT_METHOD_SINGLE_ARG:
            return (found[0], found[1], found[3]) in SAFE_MSGPACK_METHODS
        allowed = self._allowed_msgpack_modules
        return (found[0], found[1]) in SAFE_MSGPACK_TYPES or (isinstance(allowed, set) and tuple(found[:2]) in allowed)


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
