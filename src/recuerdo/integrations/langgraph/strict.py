"""LangGraph's own serializer, made strict at the right end: what may not be read is refused when it is written."""

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, Self, cast

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


_LENIENT = ("0", "false", "no")


def advise(module: str, name: str) -> str:
    """How a program allows a type."""
    return f"RecuerdoSaver(..., allow=[{name}])"


class StrictSerializer(JsonPlusSerializer):
    """Packs plain data, the types that LangGraph holds safe, and those that are allowed, and nothing else.

    LangGraph checks types when it reads; then the state is in the database, and comes back as something else. Here a
    value of another type raises InvalidInput when it is written; `advice` says of its module and name how it would be
    allowed. Where LANGGRAPH_STRICT_MSGPACK says `false`, or `allow` is True, LangGraph's own serializer decides: it
    takes them all, and warns.
    """

    def __init__(
        self,
        allow: Iterable[tuple[str, ...] | type] | Literal[True] = (),
        advice: Callable[[str, str], str] = advise,
    ) -> None:
        is_lenient = allow is True or os.environ.get("LANGGRAPH_STRICT_MSGPACK", "").lower() in _LENIENT
        super().__init__(allowed_msgpack_modules=True if is_lenient else [*cast(Iterable[Any], allow)] or None)
        self._advice = advice
        self._wider: dict[frozenset[tuple[str, ...]], Self] = {}

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Self:
        """The same serializer, which allows more types."""
        extra = frozenset(cast(Iterable[Any], extra_allowlist))
        if extra not in self._wider:
            wider = cast(Self, super().with_msgpack_allowlist(extra))
            if wider is not self:
                wider._wider = {}
            self._wider[extra] = wider
        return self._wider[extra]

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
                f"{'.'.join(stranger)} is not a type that may be read from a checkpoint. If it is yours, name it in "
                f"the graph's schema, or allow it: {self._advice(*stranger)}.",
            )
        return kind, data

    def _stranger(self, data: bytes) -> tuple[str, str] | None:
        """The first type in the data that may not be read, by its module and name."""
        strangers: list[tuple[str, str]] = []
        self._look(data, strangers)
        return strangers[0] if strangers else None

    def _look(self, data: bytes, strangers: list[tuple[str, str]]) -> Any:
        def hook(code: int, inner: bytes) -> Any:
            if code == EXT_NUMPY_ARRAY:
                return None
            found = self._look(inner, strangers)
            if code != EXT_DELTA_SNAPSHOT and not self._may_be_read(code, found):
                strangers.append((found[0], found[1]))
            return None

        return ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS)

    def _may_be_read(self, code: int, found: Any) -> bool:
        if code == EXT_METHOD_SINGLE_ARG:
            return (found[0], found[1], found[3]) in SAFE_MSGPACK_METHODS
        allowed = self._allowed_msgpack_modules
        if allowed is True:
            return True
        return (found[0], found[1]) in SAFE_MSGPACK_TYPES or (isinstance(allowed, set) and tuple(found[:2]) in allowed)


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
