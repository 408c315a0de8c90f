"""Arrays as PostgreSQL reads them, from the pen of the JSON encoder: psycopg's own takes longer than all the rest."""

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg.adapt import AdaptersMap, Dumper


class Array(list[Any]):
    """Elements of one type, or None."""


class Texts(Array):
    """text[]"""


class Bigints(Array):
    """bigint[]"""


class Times(Array):
    """timestamptz[]; the times must be aware."""


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
    if b"\\" in json.replace(b"\\\\", b"").replace(b'\\"', b""):
        return b"{" + b",".join(map(_quoted, elements)) + b"}"
    return b"{" + json[1:-1] + b"}"


def _quoted(text: str | None) -> bytes:
    if text is None:
        return b"NULL"
    return b'"%b"' % text.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
