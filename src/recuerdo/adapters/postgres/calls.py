"""Calls of our own functions, straight over libpq; see docs/adr/0039-calls-over-libpq.md for what that saves.

A call of a function (see the folder `functions`) must cost one round trip and no planning, even behind a pool that
knows no prepared statements. A function runs as its caller, and first becomes the app role, for the named
tenants. A plan that is made once, while the tables may still be tiny, must be good for huge ones: hence no sequential
scans, and no conditions that another index than the key could answer.

Parameters are written here as well, since psycopg's own dumpers of arrays take longer than the rest of a call. Arrays
of short elements are texts that the JSON encoder writes; arrays of bodies are sent in PostgreSQL's binary form.
"""

import asyncio
import struct
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, ClassVar, NamedTuple

import msgspec
import psycopg
from psycopg import AsyncConnection
from psycopg.adapt import AdaptersMap, Dumper, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult

from recuerdo.concurrency.breaker import Countdown

Connection = AsyncConnection[tuple[Any, ...]]
Rows = list[tuple[Any, ...]]

_SECONDS_TO_INTERRUPT = 5.0
_FINE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class Function(NamedTuple):
    """A function of ours: its statement, the name under which sessions have it prepared, and whether it writes."""

    name: bytes
    statement: bytes
    writes: bool = False

    @classmethod
    def of(cls, name: str, parameters: int, *, returns_rows: bool, writes: bool = False) -> "Function":
        """The function `recuerdo.<name>`."""
        places = ", ".join(f"${place}" for place in range(1, parameters + 1))
        selected = "* FROM " if returns_rows else ""
        statement = f"SELECT {selected}recuerdo.{name}({places})".encode()
        return cls(f"recuerdo_{name}".encode(), statement, writes)


APPEND_ONE = Function.of("append_message", 14, returns_rows=False, writes=True)
APPEND_MANY = Function.of("append_messages", 22, returns_rows=True, writes=True)
HEAD = Function.of("head", 4, returns_rows=False)
HEADS = Function.of("heads", 4, returns_rows=True)
TAIL = Function.of("read_tail_within", 7, returns_rows=True)
SNAPSHOT = Function.of("read_snapshot_within", 6, returns_rows=True)
LOAD_CHECKPOINTS = Function.of("load_checkpoints", 8, returns_rows=True)
RECENT_CHECKPOINTS = Function.of("recent_checkpoints", 9, returns_rows=True)
LOAD_EACH_CHECKPOINT = Function.of("load_each_checkpoint", 6, returns_rows=True)
SAVE_CHECKPOINTS = Function.of("commit_checkpoints", 35, returns_rows=True, writes=True)
GET_DOCUMENT = Function.of("get_document", 5, returns_rows=False)
GET_DOCUMENTS = Function.of("get_documents", 5, returns_rows=True)
DECIDE = Function.of("decide", 23, returns_rows=True, writes=True)
ERASE_DOCUMENTS = Function.of("erase_documents", 3, returns_rows=False, writes=True)
DUE = Function.of("due", 4, returns_rows=True)

_FUNCTIONS = (
    *(APPEND_ONE, APPEND_MANY, HEAD, HEADS, TAIL, SNAPSHOT),
    *(LOAD_CHECKPOINTS, RECENT_CHECKPOINTS, LOAD_EACH_CHECKPOINT, SAVE_CHECKPOINTS),
    *(GET_DOCUMENT, GET_DOCUMENTS, DECIDE, ERASE_DOCUMENTS, DUE),
)


async def prepare(connection: Connection, functions: Sequence[Function] = _FUNCTIONS) -> None:
    """Let a new session plan the calls once."""
    try:
        await connection.execute(b";".join(b"PREPARE %b AS %b" % (each.name, each.statement) for each in functions))
    except psycopg.errors.DuplicatePreparedStatement as error:  # cancelled in the midst of this
        await connection.close()
        raise psycopg.OperationalError("the session has half of its statements") from error


class SocketConnection:
    """A connection to whose socket the event loop listens.

    To begin and to end that takes longer than all the rest of a call, so that it goes on from call to call. Code
    that uses the connection in another way calls `leave` before.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._loop = asyncio.get_running_loop()
        self._socket = -1  # libpq forgets it as soon as it finds the connection broken
        self._read: list[PGresult] = []
        self._results: asyncio.Future[list[PGresult]] | None = None
        self._is_listening = False
        self._is_writing = False

    async def call(self, function: Function, parameters: Sequence[Any], seconds: float) -> Rows:
        """The rows that the function answers, in one round trip. Raises psycopg's errors, and TimeoutError.

        After a call that was cancelled or took too long the connection needs `interrupt`.
        """
        values, formats = _sent(parameters)
        self._pgconn.send_query_params(function.statement, values, param_formats=formats, result_format=Format.BINARY)
        return self._loaded(await self.answer(seconds))

    async def call_prepared(self, function: Function, parameters: Sequence[Any], seconds: float) -> Rows:
        """Call the function outside of a transaction, prepared in this session, now if it is not yet."""
        values, formats = _sent(parameters)
        try:
            self._pgconn.send_query_prepared(function.name, values, formats, Format.BINARY)
            return self._loaded(await self.answer(seconds))
        except psycopg.errors.InvalidSqlStatementName:  # psycopg deallocates all there are, after a rollback
            self.leave()
            await prepare(self.connection, [function])
            self._pgconn.send_query_prepared(function.name, values, formats, Format.BINARY)
            return self._loaded(await self.answer(seconds))

    async def answer(self, seconds: float) -> list[PGresult]:
        """The server's answer to the question that is in libpq's buffer."""
        self._read = []
        self._results = self._loop.create_future()
        timer = Countdown(seconds, partial(self._fail, TimeoutError()))
        try:
            self._listen()
            self._speak()
            return await self._results
        except BaseException:
            self.leave()
            raise
        finally:
            timer.cancel()

    def leave(self) -> None:
        """Listen no more, until the next call."""
        if self._is_listening:
            self._is_listening = False
            self._loop.remove_reader(self._socket)
        if self._is_writing:
            self._is_writing = False
            self._loop.remove_writer(self._socket)

    def _loaded(self, results: Sequence[PGresult]) -> Rows:
        return [row for result in results for row in _rows(self.connection, result)]

    def _listen(self) -> None:
        if not self._is_listening:
            self._socket = self._pgconn.socket
            self._loop.add_reader(self._socket, self._on_readable)
            self._is_listening = True

    def _speak(self) -> None:
        try:
            is_writing = bool(self._pgconn.flush())
        except psycopg.Error as error:
            self._fail(error)
            return
        if is_writing and not self._is_writing:
            self._loop.add_writer(self._socket, self._speak)
        elif self._is_writing and not is_writing:
            self._loop.remove_writer(self._socket)
        self._is_writing = is_writing

    def _on_readable(self) -> None:
        if self._results is None or self._results.done():
            self.leave()  # no call is waiting: it stays in the socket, for the next one
            return
        try:
            self._pgconn.consume_input()
            while not self._pgconn.is_busy():
                result = self._pgconn.get_result()
                if result is None:
                    self._results.set_result(self._read)
                    return
                self._read.append(result)
        except psycopg.Error as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.leave()  # at once: the next connection may be given the number of a broken socket
        if self._results is not None and not self._results.done():
            self._results.set_exception(error)


async def call_by_cursor(connection: Connection, function: Function, parameters: Sequence[Any]) -> Rows:
    """Call the function by psycopg's own means, prepared by it where the session allows."""
    places = b", ".join([b"%s"] * len(parameters))
    statement = function.statement.partition(b"(")[0] + b"(" + places + b")"
    cursor = await connection.execute(statement, [_plain(each) for each in parameters], binary=True)
    return await cursor.fetchall()


def _plain(value: Any) -> Any:
    """The parameter as psycopg's dumpers take it."""
    match value:
        case TextArray():
            return [body.decode() for body in value]
        case Array() | Binary():
            return list(value)
        case Ready():  # a vector
            return str(list(struct.unpack(f">{len(value) // 4 - 1}f", value[4:])))
        case bytes():
            return value.decode()
        case _:
            return value


async def interrupt(connection: Connection) -> None:
    """Cancel an abandoned statement at the server, and read its remaining reply, so that none is left behind.

    When it says nothing for some seconds, it is left for the pool to end the connection.
    """
    if connection.pgconn.transaction_status != TransactionStatus.ACTIVE:
        return  # it has said everything
    with suppress(psycopg.Error, TimeoutError):
        await connection.cancel_safe(timeout=_SECONDS_TO_INTERRUPT)
        line = SocketConnection(connection)
        await line.answer(_SECONDS_TO_INTERRUPT)
        line.leave()


def _rows(connection: Connection, result: PGresult) -> Rows:
    if result.status not in _FINE:
        if connection.pgconn.status != ConnStatus.OK:
            raise psycopg.OperationalError(result.get_error_message())
        raise error_from_result(result)
    transformer = Transformer(connection)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


def _sent(parameters: Sequence[Any]) -> tuple[list[bytes | None], list[Format]]:
    """The parameters as they are sent, and whether as texts."""
    formats = [Format.BINARY if isinstance(parameter, _BINARY) else Format.TEXT for parameter in parameters]
    return [_dump(parameter) for parameter in parameters], formats


def _dump(value: Any) -> bytes | None:
    """The value as PostgreSQL writes it; bytes are text already."""
    if isinstance(value, str):
        return _whole(value.encode())
    match value:
        case None:
            return None
        case Ready():
            return value
        case bytes():
            return _whole(value)
        case datetime():
            return moment(value)
        case Array():
            return _whole(literal(value))
        case Binary():
            return binary(value)
        case _:
            return b"%d" % value


def _whole(text: bytes) -> bytes:
    if b"\0" in text:
        raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return text


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


class TextArray(Binary):
    """text[], each element in UTF-8"""

    oid = 25


class Blobs(Binary):
    """bytea[]"""

    oid = 17


class Ready(bytes):
    """A vector as the server keeps it."""


_BINARY = (Binary, Ready, datetime)
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

    JSON and PostgreSQL quote alike, but for what JSON writes as a letter after a backslash: control characters.
    """
    json = msgspec.json.encode(elements)
    if b"\\" in json and b"\\" in json.replace(b"\\\\", b"").replace(b'\\"', b""):
        return b"{" + b",".join(map(_quoted, elements)) + b"}"
    return b"{" + json[1:-1] + b"}"


def _quoted(text: str | None) -> bytes:
    if text is None:
        return b"NULL"
    return b'"%b"' % text.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
