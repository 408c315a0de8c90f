"""Arrays as PostgreSQL reads them in binary: psycopg's own way to write them takes longer than all the rest."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import Any

from psycopg.adapt import AdaptersMap, Dumper
from psycopg.pq import Format

_HEADER = Struct("!iiIii")  # dimensions, whether there are NULLs, the elements' type, length, the first index
_EMPTY_HEADER = Struct("!iiI")
_LENGTH = Struct("!i")
_BIGINT = Struct("!q")
_NULL = _LENGTH.pack(-1)
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Array(list[Any]):
    """Elements of one type, or None."""


class Texts(Array):
    """text[]; its elements may be UTF-8 already."""


class Bigints(Array):
    """bigint[]"""


class Times(Array):
    """timestamptz[]"""


class Blobs(Array):
    """bytea[]"""


class _ArrayDumper(Dumper):
    format = Format.BINARY
    element_oid = 0

    def dump(self, obj: Iterable[Any]) -> bytes:
        elements = list(obj)
        if not elements:
            return _EMPTY_HEADER.pack(0, 0, self.element_oid)
        parts = [_HEADER.pack(1, 1, self.element_oid, len(elements), 1)]
        for element in elements:
            if element is None:
                parts.append(_NULL)
            else:
                written = self.write(element)
                parts += (_LENGTH.pack(len(written)), written)
        return b"".join(parts)

    @staticmethod
    def write(element: Any) -> bytes:
        """One element as the type's binary form."""
        raise NotImplementedError


class _TextsDumper(_ArrayDumper):
    oid, element_oid = 1009, 25

    @staticmethod
    def write(element: str | bytes) -> bytes:
        return element if isinstance(element, bytes) else element.encode()


class _BigintsDumper(_ArrayDumper):
    oid, element_oid = 1016, 20

    @staticmethod
    def write(element: int) -> bytes:
        return _BIGINT.pack(element)


class _TimesDumper(_ArrayDumper):
    oid, element_oid = 1185, 1184

    @staticmethod
    def write(element: datetime) -> bytes:
        return _BIGINT.pack((element - _EPOCH) // _MICROSECOND)


class _BlobsDumper(_ArrayDumper):
    oid, element_oid = 1001, 17

    @staticmethod
    def write(element: bytes) -> bytes:
        return element


def register(adapters: AdaptersMap) -> None:
    """Teach psycopg to send these arrays."""
    adapters.register_dumper(Texts, _TextsDumper)
    adapters.register_dumper(Bigints, _BigintsDumper)
    adapters.register_dumper(Times, _TimesDumper)
    adapters.register_dumper(Blobs, _BlobsDumper)
