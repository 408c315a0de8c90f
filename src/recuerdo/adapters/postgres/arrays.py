"""Arrays as PostgreSQL reads them: psycopg's own takes longer than all the rest.

Short elements come from the pen of the JSON encoder. Bodies, which would be quoted letter by letter and read likewise,
go as they are, in PostgreSQL's binary form.
"""

import struct
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import msgspec
from psycopg.adapt import AdaptersMap, Dumper


class Array(list[Any]):
    """Elements of one type, or None."""


class Texts(Array):
    """text[]"""


class Bigints(Array):
    """bigint[]"""


class Booleans(Array):
    """boolean[]"""


class Times(Array):
    """timestamptz[]; the times must be aware."""


class Binary(list[bytes]):
    """Elements as the server keeps them."""

    oid: ClassVar[int]
    """The type of an element."""


class Bodies(Binary):
    """text[], each element in UTF-8"""

    oid = 25


class Blobs(Binary):
    """bytea[]"""

    oid = 17


class Ready(bytes):
    """A single value as the server keeps it."""


_YEAR_2000 = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_time = struct.Struct(">q").pack
_header = struct.Struct(">iiIii").pack
_empty = struct.Struct(">iiI").pack


def moment(time: datetime) -> bytes:
    """The time, which must be aware, as `timestamptz_recv` reads it."""
    return _time((time - _YEAR_2000) // _MICROSECOND)


def binary(elements: Binary) -> bytes:
    """The elements as `array_recv` reads them: dimensions, whether there are NULLs, type, length, first place."""
    if not elements:
        return _empty(0, 0, elements.oid)
    parts = [_header(1, 0, elements.oid, len(elements), 1)]
    for element in elements:
        parts += (len(element).to_bytes(4, "big"), element)
    return b"".join(parts)


def columns(rows: Sequence[tuple[Any, ...]], *types: type[Array | Binary]) -> list[Array | Binary]:
    """The columns of the rows, each an array of its type."""
    turned = zip(*rows, strict=True) if rows else [()] * len(types)
    return [kind(values) for kind, values in zip(types, turned, strict=True)]


class _ArrayDumper(Dumper):
    def dump(self, obj: Sequence[Any]) -> bytes:
        return literal(obj)


class _TextsDumper(_ArrayDumper):
    oid = 1009


class _BigintsDumper(_ArrayDumper):
    oid = 1016


class _TimesDumper(_ArrayDumper):
    oid = 1185


def register(adapters: AdaptersMap) -> None:
    """Teach psycopg to send these arrays."""
    adapters.register_dumper(Texts, _TextsDumper)
    adapters.register_dumper(Bigints, _BigintsDumper)
    adapters.register_dumper(Times, _TimesDumper)


def literal(elements: Sequence[Any]) -> bytes:
    """The elements as PostgreSQL writes arrays, e.g. {"a","b",NULL}.

    JSON and PostgreSQL quote alike, but for what JSON writes as a letter behind a backslash: control characters.
    """
    json = msgspec.json.encode(elements)
    if b"\\" in json and b"\\" in json.replace(b"\\\\", b"").replace(b'\\"', b""):
        return b"{" + b",".join(map(_quoted, elements)) + b"}"
    return b"{" + json[1:-1] + b"}"


def _quoted(text: str | None) -> bytes:
    if text is None:
        return b"NULL"
    return b'"%b"' % text.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
