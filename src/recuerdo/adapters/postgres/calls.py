"""Calls of our own functions, straight over libpq: psycopg's cursors take as long as the database itself.

What is a function (see the folder `functions`) must cost one round trip and no planning, even behind a pool that knows
no prepared statements. They run as whoever calls them; the first thing each does is to become the app role, for the
named tenants. A plan that is made once, while the tables may still be tiny, must be good for huge ones: hence no
sequential scans, and no conditions that another index than the key could answer.
"""

import asyncio
import select
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import psycopg
from psycopg import AsyncConnection
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult

from recuerdo.adapters.latency_gate import LONGEST_SECONDS
from recuerdo.adapters.postgres.arrays import Array, Binary, Ready, binary, literal, moment

Connection = AsyncConnection[tuple[Any, ...]]
Rows = list[tuple[Any, ...]]

_SECONDS_TO_INTERRUPT = 5.0
_SECONDS_OF_AN_IDLE_PASS = 0.0002
_BINARY = (Binary, Ready, datetime)
_FINE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


def never() -> bool:
    """Not at all."""
    return False


class Function(NamedTuple):
    """A function of ours: its statement, the name under which sessions have that prepared, whether it is a brief read,
    of rows that are found by their keys, and whether it writes.
    """

    name: bytes
    statement: bytes
    is_brief: bool = False
    writes: bool = False

    @classmethod
    def of(
        cls, name: str, parameters: int, *, returns_rows: bool, is_brief: bool = False, writes: bool = False
    ) -> "Function":
        """The function `recuerdo.<name>`."""
        places = ", ".join(f"${place}" for place in range(1, parameters + 1))
        selected = "* FROM " if returns_rows else ""
        statement = f"SELECT {selected}recuerdo.{name}({places})".encode()
        return cls(f"recuerdo_{name}".encode(), statement, is_brief, writes)


APPEND_ONE = Function.of("append_message", 14, returns_rows=False, writes=True)
APPEND_MANY = Function.of("append_messages", 22, returns_rows=True, writes=True)
HEAD = Function.of("head", 4, returns_rows=False, is_brief=True)
HEADS = Function.of("heads", 4, returns_rows=True)
TAIL = Function.of("read_tail", 6, returns_rows=True, is_brief=True)
SNAPSHOT = Function.of("read_snapshot", 5, returns_rows=True, is_brief=True)
LOAD_CHECKPOINTS = Function.of("load_checkpoints", 8, returns_rows=True, is_brief=True)
RECENT_CHECKPOINTS = Function.of("recent_checkpoints", 9, returns_rows=True, is_brief=True)
LOAD_EACH_CHECKPOINT = Function.of("load_each_checkpoint", 6, returns_rows=True)
SAVE_CHECKPOINTS = Function.of("commit_checkpoints", 35, returns_rows=True, writes=True)
GET_DOCUMENT = Function.of("get_document", 5, returns_rows=False, is_brief=True)
GET_DOCUMENTS = Function.of("get_documents", 5, returns_rows=True)
DECIDE = Function.of("decide", 23, returns_rows=True, writes=True)
DUE = Function.of("due", 4, returns_rows=True)

_FUNCTIONS = (
    *(APPEND_ONE, APPEND_MANY, HEAD, HEADS, TAIL, SNAPSHOT),
    *(LOAD_CHECKPOINTS, RECENT_CHECKPOINTS, LOAD_EACH_CHECKPOINT, SAVE_CHECKPOINTS),
    *(GET_DOCUMENT, GET_DOCUMENTS, DECIDE, DUE),
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

    To begin and to end that takes longer than all the rest of a call, so that it goes on from call to call. Whoever
    uses the connection in another way calls `leave` before.
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

    async def call(
        self, function: Function, parameters: Sequence[Any], seconds: float, is_calm: Callable[[], bool] = never
    ) -> Rows:
        """The rows that the function answers, in one round trip. Raises psycopg's errors, and TimeoutError.

        Where it `is_calm`, the event loop may stand still for an answer that is about to come. Behind a call that is
        cancelled or takes too long the connection needs `interrupt`.
        """
        values, formats = _sent(parameters)
        self._pgconn.send_query_params(function.statement, values, param_formats=formats, result_format=Format.BINARY)
        return self._loaded(await self.answer(seconds, is_calm))

    async def call_prepared(
        self, function: Function, parameters: Sequence[Any], seconds: float, is_calm: Callable[[], bool] = never
    ) -> Rows:
        """The same outside of a transaction, in a session that may be prepared for it; behind this it is."""
        values, formats = _sent(parameters)
        try:
            self._pgconn.send_query_prepared(function.name, values, formats, Format.BINARY)
            return self._loaded(await self.answer(seconds, is_calm))
        except psycopg.errors.InvalidSqlStatementName:  # psycopg deallocates all there are, behind a rollback
            self.leave()
            await prepare(self.connection, [function])
            self._pgconn.send_query_prepared(function.name, values, formats, Format.BINARY)
            return self._loaded(await self.answer(seconds))

    async def answer(self, seconds: float, is_calm: Callable[[], bool] = never) -> list[PGresult]:
        """What the server says to the question that lies in libpq's buffer."""
        self._read = []
        self._results = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._settle, TimeoutError())
        try:
            self._listen()
            self._speak()
            if is_calm() and await self._nobody_has_work() and is_calm():
                self._stand_still(self._results)
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
            self._loop.add_reader(self._socket, self._hear)
            self._is_listening = True

    async def _nobody_has_work(self) -> bool:
        """Let whoever else has something to do go first. That nobody has is told by the time."""
        begun = self._loop.time()
        await asyncio.sleep(0)
        return self._loop.time() - begun < _SECONDS_OF_AN_IDLE_PASS

    def _stand_still(self, results: asyncio.Future[list[PGresult]]) -> None:
        """Going to sleep with the event loop, and being woken by it, takes half as long as all that the server does."""
        if results.done() or self._is_writing:
            return
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if poll.poll(LONGEST_SECONDS * 1000):
            self._hear()

    def _speak(self) -> None:
        try:
            is_writing = bool(self._pgconn.flush())
        except psycopg.Error as error:
            self._settle(error)
            return
        if is_writing and not self._is_writing:
            self._loop.add_writer(self._socket, self._speak)
        elif self._is_writing and not is_writing:
            self._loop.remove_writer(self._socket)
        self._is_writing = is_writing

    def _hear(self) -> None:
        if self._results is None or self._results.done():
            self.leave()  # nobody asked: it stays in the socket, where the next to come finds it
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
            self._settle(error)

    def _settle(self, error: Exception) -> None:
        self.leave()  # at once: the next connection may be given the number of a broken socket
        if self._results is not None and not self._results.done():
            self._results.set_exception(error)


async def interrupt(connection: Connection) -> None:
    """Let the server stop what nobody waits for any more, and take what it still says, so that no reply is left behind.

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
