"""Connections to one PostgreSQL database, and whose rows a statement on them may see; what fails there."""

import asyncio
import os
import select
import socket
import traceback
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from recuerdo.adapters.postgres import migrations
from recuerdo.adapters.postgres.calls import (
    Connection,
    Function,
    Rows,
    SocketConnection,
    call_by_cursor,
    interrupt,
    prepare,
    register,
)
from recuerdo.adapters.postgres.migrations import APP_ROLE, migrate, serving_role
from recuerdo.concurrency.breaker import AdaptiveTimeout, Countdown
from recuerdo.core.errors import ConfigurationError, DamagedDatabase, DatabaseUnavailable, InvalidInput, OutcomeUnknown
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import Owner

OLDEST_POSTGRES = 150000
"""The first version that is tested, as the server numbers it."""

CONNECTION_OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "application_name": "recuerdo",
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

_SECONDS_TO_CONFIGURE = 5.0

_SHARE_OF_THE_SERVER = 0.9
"""The server's share of a caller's timeout: its statements end before the caller gives up."""

_NO_TRANSACTIONS = "statement pooling mode"
"""Part of the answer of pgbouncer to BEGIN in that mode."""

_FAILURES = (psycopg.Error, PoolTimeout, PoolClosed, TimeoutError)

_SERVE = (
    "SELECT set_config('role', %s, false), set_config('recuerdo.serves', %s, false),"
    " set_config('statement_timeout', %s, false),"
    " set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)"
)
"""Settings of a session, so that our functions need not make them; see functions/become.sql."""

_BECOME = (
    "SELECT set_config('role', %s, true), set_config('recuerdo.tenants', %s::text[]::text, true),"
    " set_config('statement_timeout', %s, true), set_config('recuerdo.serves', '', true),"
    " set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true)"
)
"""Settings of a transaction whose statements are planned for their parameters."""


class PostgresDatabase:
    """A pool of connections. Every transaction names the tenants whose rows it may see, and its role where the session
    is not ours: that of a pooler keeps nothing between two of them, so that pgbouncer may stand in front, in
    the modes `session` and `transaction`.
    """

    def __init__(
        self,
        pool: AsyncConnectionPool[Connection],
        role: str,
        statement_timeout: float,
        read_timeout: float,
        *,
        direct: bool = True,
    ) -> None:
        self._direct = direct
        self._pool = pool
        self._idle: list[SocketConnection] = []
        self._returning: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._checked_out = 0
        self._timeout = AdaptiveTimeout()
        self._pool_timeout = pool.timeout
        self._statement_timeout = statement_timeout
        self._read_timeout = min(read_timeout, statement_timeout)
        self.role = role
        self.listens_at: str | None = None
        """The address at which a connection can listen to notifications; None behind a pooler."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        pool_size: int = 10,
        pool_timeout: float = 5.0,
        statement_timeout: float = 10.0,
        read_timeout: float = 5.0,
        direct: bool = True,
    ) -> AsyncGenerator["PostgresDatabase"]:
        """Connect, bring the tables up to date, and close after the block.

        `pool_timeout` is how long a request waits for one of the `pool_size` connections, `statement_timeout` how
        long it may take in all, and `read_timeout` how long where it can be given up without a doubt, in seconds: the
        first of a chat's questions to a server that hangs waits so long. Without `direct` our functions are called by
        psycopg's cursors instead of over libpq, which takes longer. Raises ConfigurationError for a URL, a server or a
        role that can't work, DatabaseUnavailable when the server can't be reached.
        """
        role, pooled = await _prepare(url)
        pool = _pool(url, role, pool_size, pool_timeout, statement_timeout, is_ours=not pooled)
        async with pool:
            database = cls(pool, role, statement_timeout, read_timeout, direct=direct)
            database.listens_at = None if pooled else url
            try:
                yield database
            finally:
                await database._release_all()

    @asynccontextmanager
    async def open_replica(self, url: str) -> AsyncGenerator["PostgresDatabase"]:
        """Connections to a standby of this database, in the same role. It need not be there, nor ours alone.

        Raises ConfigurationError for a URL that can't be read.
        """
        read_url(url)
        size, timeout = self._pool.max_size, self._pool_timeout
        pool = _pool(url, self.role, size, timeout, self._statement_timeout, is_ours=False)
        await pool.open(wait=False)
        replica = PostgresDatabase(pool, self.role, self._statement_timeout, self._read_timeout, direct=self._direct)
        try:
            yield replica
        finally:
            await replica._release_all()
            await pool.close()

    async def call(self, function: Function, *parameters: Any) -> Rows:
        """The rows of a function that becomes the role, its first parameter, and names the tenants itself."""
        if not self._direct:
            async with self._connection(reads=not function.writes) as connection:
                with _raising_unanswered(when=function.writes):
                    return await call_by_cursor(connection, function, (self.role, *parameters))
        end = self._deadline(reads=not function.writes)
        try:
            line = await self._check_out(end)
            try:
                asked = line.call if line.connection.prepare_threshold is None else line.call_prepared
                with _raising_unanswered(when=function.writes):
                    rows = await asked(function, (self.role, *parameters), end - _now())
            finally:
                self._check_in(line)
        except _FAILURES as error:
            raise self._translated(error, end) from error
        self._timeout.answered()
        return rows

    async def call_in(self, connection: Connection, function: Function, *parameters: Any) -> Rows:
        """Call the function in a transaction that is under way."""
        line = SocketConnection(connection)
        try:
            return await line.call(function, (self.role, *parameters), self._statement_timeout)
        finally:
            line.leave()

    async def fetch(
        self,
        tenant: str,
        statement: LiteralString,
        parameters: Any = None,
        *,
        settings: Mapping[LiteralString, str] | None = None,
        writes: bool = False,
        takes_long: bool = False,
    ) -> Rows:
        """The rows of one statement for one tenant, in one transaction and one round trip, with its settings.

        Raises OutcomeUnknown for one that `writes` and is not answered. No request waits for one that `takes_long`.
        """
        async with self._connection(reads=not (writes or takes_long)) as connection:
            with _raising_unanswered(when=writes):
                async with _pipelined(connection):
                    await self._become(connection, [tenant])
                    if settings:
                        await connection.execute(*_settings(settings))
                    cursor = await connection.execute(statement, parameters, binary=True)
            return await cursor.fetchall()

    async def sweep(self, statement: LiteralString, parameters: Any) -> Rows:
        """The rows of one statement over the views `swept_...`: the keys of things of all tenants."""
        return await self.fetch("", statement, parameters, settings={"recuerdo.sweeping": "true"}, takes_long=True)

    @asynccontextmanager
    async def transaction(
        self, tenants: Sequence[str], *, sweeping: bool = False, longer: float = 0.0
    ) -> AsyncGenerator[Connection]:
        """A transaction of several statements for the tenants; when the block raises, nothing of it remains.

        With `sweeping` the views `swept_...` show it the keys of all tenants. It may take `longer` than others, by that
        many seconds: what it writes is known to be large.
        """
        async with self._connection(longer=longer) as connection:
            is_committing = False
            try:
                async with connection.transaction():
                    await self._become(connection, tenants, longer)
                    if sweeping:
                        await connection.execute("SELECT set_config('recuerdo.sweeping', 'true', true)")
                    yield connection
                    is_committing = not sweeping  # nothing is written then
            except psycopg.Error as error:
                if is_committing and not is_answer(error):
                    raise CommitUnanswered(*error.args) from error
                raise

    async def _become(self, connection: Connection, tenants: Sequence[str], longer: float = 0.0) -> None:
        milliseconds = str(int((self._statement_timeout + longer) * 1000))
        await connection.execute(_BECOME, (self.role, list(tenants), milliseconds))

    @asynccontextmanager
    async def _connection(self, *, reads: bool = False, longer: float = 0.0) -> AsyncGenerator[Connection]:
        end = self._deadline(reads=reads) + longer
        try:
            line = await self._check_out(end)
            try:
                line.leave()
                with _cut_at(end, line.connection):
                    yield line.connection
            finally:
                self._check_in(line)
        except _FAILURES as error:
            raise self._translated(error, end) from error
        self._timeout.answered()

    def _deadline(self, *, reads: bool) -> float:
        return _now() + min(self._read_timeout if reads else self._statement_timeout, self._timeout.seconds)

    def _translated(self, error: Exception, end: float) -> Exception:
        if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):  # after a failover another answers at the address
            self._release_idle(broken=True)
        if isinstance(error, PoolTimeout):
            if not self._checked_out:  # else others keep the connections
                self._timeout.lost()
            return translate(error)
        if end > _now() and not isinstance(error.__cause__ or error, TimeoutError):
            return translate(error)
        if isinstance(error, CommitUnanswered):  # it has taken the request, perhaps
            self._timeout.is_suspect = True
            return OutcomeUnknown("PostgreSQL did not answer in time.")
        self._timeout.unanswered()
        return DatabaseUnavailable("PostgreSQL did not answer in time.")

    async def _check_out(self, end: float) -> SocketConnection:
        """The connection that came back last, or one of the pool, which takes its time."""
        line = self._take_idle() or await self._from_the_pool(end)
        self._checked_out += 1
        return line

    def _take_idle(self) -> SocketConnection | None:
        while self._idle:
            line = self._idle.pop()
            if _is_silent(line.connection):
                return line
            self._give_back(line, broken=True)
        return None

    async def _from_the_pool(self, end: float) -> SocketConnection:
        self._waiting += 1
        until = min(_now() + self._pool_timeout, end)
        try:
            return SocketConnection(await self._pool.getconn(until - _now()))
        except PoolTimeout:
            if _now() < until + 0.2:  # else the event loop was too busy to hear of connections in time
                raise
            return SocketConnection(await self._pool.getconn(self._pool_timeout))
        finally:
            self._waiting -= 1

    def _check_in(self, line: SocketConnection) -> None:
        """Keep it at hand when it is idle, which it is only when no reply is on its way; the pool mends the others."""
        self._checked_out -= 1
        pgconn = line.connection.pgconn
        if pgconn.pipeline_status != PipelineStatus.OFF:  # cancelled halfway: what the server sends next is unknown
            self._give_back(line, broken=True)
        elif self._waiting or pgconn.transaction_status != TransactionStatus.IDLE:
            self._give_back(line)
        else:
            self._idle.append(line)

    def _give_back(self, line: SocketConnection, *, broken: bool = False) -> None:
        """To the pool, in a task of its own: a caller who is cancelled halfway would lose the connection, and no one
        shall wait until a server that does not answer is interrupted.
        """
        line.leave()
        if broken:
            line.connection.pgconn.finish()
        task = asyncio.create_task(self._put_back(line.connection))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _put_back(self, connection: Connection) -> None:
        await interrupt(connection)
        await self._pool.putconn(connection)

    def _release_idle(self, *, broken: bool) -> None:
        while self._idle:
            self._give_back(self._idle.pop(), broken=broken)

    async def _release_all(self) -> None:
        self._release_idle(broken=False)
        await asyncio.gather(*self._returning)


class PostgresRepository:
    """Rows of one kind."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database


def _pool(
    url: str, role: str, size: int, timeout: float, statement_timeout: float, *, is_ours: bool
) -> AsyncConnectionPool[Connection]:
    """Connections whose sessions are ours, or those of a pooler."""
    return AsyncConnectionPool(
        url,
        # Statements that are prepared belong to a session, and behind a pooler there is none. What is hot is a
        # function, whose plans the server keeps in any case.
        kwargs=CONNECTION_OPTIONS | {"prepare_threshold": 5 if is_ours else None},
        min_size=1,
        max_size=size,
        timeout=timeout,
        reconnect_timeout=timeout,
        configure=partial(_configure, role, statement_timeout),
        check=_check_silence,
        name="recuerdo",
        open=False,
    )


def named(owner: Owner | StoreScope) -> dict[str, Any]:
    """The owner, as the parameters of a statement."""
    return {"tenant": owner.tenant, "user": owner.user}


def conditions_of(query: object, conditions: Mapping[str, LiteralString]) -> LiteralString:
    """The conditions of those fields that the query fills: a plan that may be made but once is then good for them."""
    return "".join([condition for name, condition in conditions.items() if getattr(query, name) not in (None, {})])


@asynccontextmanager
async def _pipelined(connection: Connection) -> AsyncGenerator[None]:
    """A pipeline. If it fails, psycopg takes statements for prepared that the server does not know; a rollback makes it
    forget them.
    """
    try:
        async with connection.pipeline():
            yield
    except psycopg.DatabaseError:
        if connection.pgconn.transaction_status == TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                async with connection.transaction(force_rollback=True):
                    pass
        raise


@contextmanager
def _raising_unanswered(*, when: bool) -> Generator[None]:
    """Raise CommitUnanswered for errors after which it is unknown whether a statement was committed."""
    try:
        yield
    except (psycopg.Error, TimeoutError) as error:
        if when and not is_answer(error):
            raise CommitUnanswered(*error.args) from error
        raise


def _settings(settings: Mapping[LiteralString, str]) -> tuple[LiteralString, list[str]]:
    """The statement that makes the settings for its transaction, and its parameters."""
    parameters = [text for pair in settings.items() for text in pair]
    calls: LiteralString = ", set_config(%s, %s, true)" * (len(settings) - 1)
    return "SELECT set_config(%s, %s, true)" + calls, parameters


async def connect(url: str, **options: Any) -> Connection:
    """Open a connection outside the pool. Cancelling closes it at once.

    psycopg leaves a half-open connection to the garbage collector, and until then the server keeps its process for the
    whole `authentication_timeout`: a minute during which no database can be dropped.
    """
    try:
        return await AsyncConnection.connect(url, **CONNECTION_OPTIONS | options)
    except asyncio.CancelledError as cancelled:
        traceback.clear_frames(cancelled.__traceback__)
        raise


async def _prepare(url: str) -> tuple[str, bool]:
    """Bring the tables up to date; returns the role to serve requests as, and whether a pooler stands in between."""
    place = read_url(url)
    try:
        async with await connect(url, prepare_threshold=None) as connection:
            if connection.info.server_version < OLDEST_POSTGRES:
                raise ConfigurationError("The server is too old. Use PostgreSQL 15 or newer.")
            await migrate(connection)
            role, pooled = await serving_role(connection), await _is_pooled(connection)
            if pooled:
                async with connection.transaction():  # which some modes of poolers refuse
                    return role, pooled
            return role, pooled
    except psycopg.OperationalError as error:
        if _NO_TRANSACTIONS in str(error):
            raise ConfigurationError(
                "pgbouncer gives each statement another connection, and Recuerdo needs transactions. Set "
                "pool_mode = transaction, or session, for this database in pgbouncer.ini."
            ) from None
        raise DatabaseUnavailable(
            f"PostgreSQL at {place.get('host', 'localhost')}:{place.get('port', 5432)} can't be reached: "
            f"{first_line(error)}. Check the database URL, and that the server runs and lets you in."
        ) from error
    except psycopg.Error as error:
        raise ConfigurationError(
            f"The tables can't be used: {first_line(error)}. Recuerdo needs a schema `recuerdo` of its own on a "
            f"primary, and the URL of a role that owns it, or that is a member of {APP_ROLE}."
        ) from error


def read_url(url: str) -> dict[str, Any]:
    """Where the database is. Raises ConfigurationError."""
    try:
        return conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # whose text quotes the URL, with the password
        raise ConfigurationError(
            "The database URL can't be read. Write postgresql://user:password@host:5432/database, with what is special "
            "in a password percent-encoded: %40 for @, %2F for /."
        ) from None


async def _is_pooled(connection: Connection) -> bool:
    """Whether another server process answers than the one that accepted the connection, as behind pgbouncer."""
    [(pid,)] = await (await connection.execute("SELECT pg_backend_pid()")).fetchall()
    return pid != connection.info.backend_pid


async def _configure(role: str, statement_timeout: float, connection: Connection) -> None:
    """Calls of functions name no timeout of their own. Where the session is ours, its server gives up a little before
    the caller does, who knows then that nothing was committed: to be cancelled could come after the commit.
    """
    register(connection.adapters)
    if connection.prepare_threshold is not None:
        milliseconds = str(int(statement_timeout * _SHARE_OF_THE_SERVER * 1000))
        with _cut_at(_now() + _SECONDS_TO_CONFIGURE, connection):
            await connection.execute(_SERVE, (role, role, milliseconds))
            await prepare(connection)


async def _check_silence(connection: Connection) -> None:
    if not _is_silent(connection):
        await connection.close()
        raise psycopg.OperationalError("the idle connection is not silent")


def _is_silent(connection: Connection) -> bool:
    """Whether the server has nothing to say unasked: that it has closed the connection, or a reply that is
    left over from an earlier request. Costs no round trip.
    """
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return not poll.poll(0)


@contextmanager
def _cut_at(end: float, connection: Connection) -> Generator[None]:
    """End the connection at that time of the event loop, unless the block has ended before.

    A server that has not answered by then, though it knows the same deadline, is not there. To cancel the block
    instead would be to wait for what psycopg does then: it asks that server to stop, and listens for some seconds.
    """
    cutting = Countdown(end - _now(), partial(_cut, connection))
    try:
        yield
    finally:
        cutting.cancel()


def _cut(connection: Connection) -> None:
    """Shut the socket down for both ends: tasks that wait on the connection here find it closed."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
        line.shutdown(socket.SHUT_RDWR)


def _now() -> float:
    return asyncio.get_running_loop().time()


class CommitUnanswered(psycopg.OperationalError):
    """A commit was sent, and its answer did not come."""


def is_answer(error: Exception) -> bool:
    """Return whether the error is the server's own answer to a statement, which it has then undone.

    Otherwise the connection was lost, or the time was over. Errors of a server that is stopping, and of a pooler whose
    server is gone (08), may come after a commit.
    """
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | TimeoutError):
        return True
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code is not None and not code.startswith(("08", "57P"))


def translate(error: Exception) -> Exception:
    """Recuerdo's error for the driver's; violated constraints and mistakes of ours stay as they are."""
    match error:
        case CommitUnanswered():
            return OutcomeUnknown(f"The connection to PostgreSQL broke ({first_line(error)}).")
        case PoolTimeout():
            return DatabaseUnavailable("All connections to PostgreSQL are busy, or it can't be reached. Try again.")
        case PoolClosed():
            return DatabaseUnavailable("The database is closed. Use Recuerdo inside its `async with` block.")
        case psycopg.errors.DeadlockDetected() | psycopg.errors.SerializationFailure():
            return DatabaseUnavailable("PostgreSQL undid this to let others through. Try again.", retry_after=0.1)
        case psycopg.errors.ReadOnlySqlTransaction():
            return DatabaseUnavailable(
                "PostgreSQL takes no writes: it is a standby, or was made read-only. Let the database URL lead to the "
                "primary, e.g. with target_session_attrs=read-write."
            )
        case (
            psycopg.errors.InvalidSchemaName() | psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedFunction()
        ):  # while a backup is restored
            return DatabaseUnavailable(
                f"PostgreSQL has not what this version needs: {first_line(error)}. Look with `recuerdo db check`, and "
                "bring it up to date with `recuerdo db upgrade`, or restore a backup."
            )
        case psycopg.errors.ProgramLimitExceeded():  # it would be refused for ever
            return InvalidInput("ids", f"are too long together ({first_line(error)}); use shorter ones")
        case psycopg.DataError() if "NUL" in str(error):  # before it is sent
            return InvalidInput("text", "must not contain the character NUL, which PostgreSQL does not keep")
        case psycopg.errors.DataCorrupted() | psycopg.errors.IndexCorrupted():
            return DamagedDatabase(f"PostgreSQL says: {first_line(error)}")
        case psycopg.OperationalError() | psycopg.InternalError():
            return DatabaseUnavailable(
                f"PostgreSQL says: {first_line(error)}. Nothing was stored: try again, with the same idempotency key."
            )
        case _:
            return error


def first_line(error: Exception) -> str:
    """The first line of its text: the details may quote what was sent."""
    return str(error).strip().partition("\n")[0].rstrip(".")


async def pending(url: str) -> list[str]:
    """The scripts that have not run on the database, in their order. Changes nothing.

    Raises ConfigurationError when the role may not look or the URL can't be read, and DatabaseUnavailable.
    """
    read_url(url)
    try:
        async with await connect(url) as connection:
            return await migrations.pending(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(f"{first_line(error)}. Use the URL of a role that owns the database.") from error
    except psycopg.Error as error:
        raise DatabaseUnavailable(
            f"PostgreSQL can't be asked: {first_line(error)}. Check the database URL, and that the server runs."
        ) from error


async def stored_bytes(url: str) -> int:
    """The size of the database on disk. Raises DatabaseUnavailable."""
    return int(await _ask(url, "SELECT pg_database_size(current_database())"))


async def time_of(url: str) -> datetime:
    """The time by the server's clock. Raises DatabaseUnavailable."""
    return await _ask(url, "SELECT clock_timestamp()")


async def _ask(url: str, question: LiteralString) -> Any:
    try:
        async with await connect(url) as connection:
            row = await (await connection.execute(question)).fetchone()
    except psycopg.Error as error:
        raise DatabaseUnavailable(f"PostgreSQL can't be asked: {first_line(error)}. Check that it runs.") from error
    return row[0] if row else None
