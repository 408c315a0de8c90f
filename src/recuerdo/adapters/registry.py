"""From a database URL to open repositories. Drivers are imported when their scheme is asked for."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from recuerdo.adapters.repositories import Repositories
from recuerdo.caching.buckets import LocalBuckets, SharedBuckets
from recuerdo.caching.guard import DEADLINE, GuardedCache
from recuerdo.caching.signalled import SignalledEntries
from recuerdo.caching.tiered import Count, LocalEntries, TieredCache, uncounted
from recuerdo.core.cache_ports import CacheEntries, HistoryCache
from recuerdo.core.caches import LIVES, CacheStatistics, DataType, Life
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.core.graph_ports import EventLog, Signals
from recuerdo.core.quotas import SharedTokenBuckets, TokenBuckets
from recuerdo.core.sources import MessageSource, SourceMapping


class SharedCache(NamedTuple):
    """A cache that replicas share, and what it says of itself."""

    history: HistoryCache
    statistics: Callable[[], Awaitable[CacheStatistics]]
    entries: CacheEntries
    events: EventLog
    buckets: SharedTokenBuckets
    ping: Callable[[], Awaitable[object]]


POOL_SIZE = 10
"""The number of connections to PostgreSQL that a process opens at most, besides those that listen."""

_CACHES = ("redis", "rediss", "redis+cluster", "rediss+cluster", "redis+sentinel")

Opener = Callable[[str], AbstractAsyncContextManager[Repositories]]
"""Opens the repositories of a database, given the part of its URL that follows `://`."""


def register(scheme: str, opener: Opener) -> None:
    """Let database URLs with this scheme open an adapter of your own, in this process.

    An installed package reaches every process, `recuerdo serve` too, by an entry point `scheme = "module:opener"` in
    the group `recuerdo.databases`.
    """
    _OPENERS[scheme] = opener


def open_repositories(
    url: str, *, pool_size: int = POOL_SIZE, read_url: str | None = None
) -> AbstractAsyncContextManager[Repositories]:
    """The repositories of the database that `url` names.

    `sqlite:///relative/file.db`, `sqlite:////absolute/file.db`, `postgresql://user:password@host/database`,
    `mongodb://user:password@host/database` or `mongodb+srv://`, or `memory://` for a database that is gone with the
    process. `pool_size` is the number of connections to PostgreSQL; a MongoDB URL has `maxPoolSize`. `read_url` names
    a read replica of PostgreSQL, which may be away. Raises ConfigurationError for other schemes, MissingExtra, or
    DatabaseUnavailable.
    """
    scheme, separator, rest = url.partition("://")
    opener = _OPENERS.get(scheme) or _installed(scheme)
    if opener is None or not separator:
        known = ", ".join(f"{known}://" for known in _OPENERS)
        named = repr(scheme) if separator else "This"  # without a scheme it may be a name and a password
        raise ConfigurationError(f"{named} is not a database that Recuerdo knows. A database URL starts with {known}.")
    if opener is _open_postgres:
        return _open_postgres(rest, pool_size, read_url)
    if read_url is not None:
        raise ConfigurationError("Only PostgreSQL has read replicas of its own. Unset RECUERDO_READ_URL.")
    return opener(rest)


async def pending(url: str) -> list[str]:
    """The names of what an upgrade of the tables would run, in its order; none when they are up to date.

    Changes nothing. Raises ConfigurationError, MissingExtra or DatabaseUnavailable.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite":
        from recuerdo.adapters.sqlite import connection as sqlite

        return await sqlite.pending(sqlite_file(rest))
    if (database := _database_server(url)) is not None:
        return await database.pending(url)
    async with open_repositories(url):  # says what is wrong with the URL, or has nothing to upgrade
        return []


async def upgrade(url: str) -> list[str]:
    """Bring the tables up to date, as every start does; returns what was run. Raises as `pending` does."""
    names = await pending(url)
    async with open_repositories(url):
        return names


async def faults(url: str, *, thorough: bool) -> list[str]:
    """The faults that SQLite finds in its file, in its own words. Raises as `pending` does.

    The files of other databases are their operators' responsibility, and are not checked.
    """
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite":
        return []
    from recuerdo.adapters.sqlite import connection as sqlite

    return await sqlite.faults(sqlite_file(rest), thorough=thorough)


async def stored_bytes(url: str) -> int:
    """How many bytes the database takes; 0 where that is not known. Raises as `pending` does."""
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite":
        from recuerdo.adapters.sqlite import connection as sqlite

        return sqlite.stored_bytes(sqlite_file(rest))
    database = _database_server(url)
    return 0 if database is None else await database.stored_bytes(url)


async def time_of(url: str) -> datetime | None:
    """The time by the database server's clock; None of databases without a server. Raises as `pending` does."""
    database = _database_server(url)
    return None if database is None else await database.time_of(url)


class _DatabaseServer(Protocol):
    """Questions to a database's server, before the database is opened."""

    async def pending(self, url: str) -> list[str]: ...
    async def stored_bytes(self, url: str) -> int: ...
    async def time_of(self, url: str) -> datetime: ...


def _database_server(url: str) -> _DatabaseServer | None:
    scheme = url.partition("://")[0]
    if scheme in ("postgresql", "postgres"):
        with needing("PostgreSQL", "postgres"):
            from recuerdo.adapters.postgres import connection as postgres
        return postgres
    if scheme in ("mongodb", "mongodb+srv"):
        with needing("MongoDB", "mongodb"):
            from recuerdo.adapters.mongodb import connection as mongodb
        return mongodb
    return None


@asynccontextmanager
async def open_history_cache(
    url: str | None, deadline: float = DEADLINE, *, lives: Mapping[DataType, Life] = LIVES
) -> AsyncGenerator[GuardedCache | None]:
    """The cache that replicas share, guarded so that it can't hurt; None without a URL.

    A caller waits for it `deadline` seconds at most.

    `redis://host:6379/0`, `rediss://` with TLS, `redis+cluster://host:6379,host:6379` or `rediss+cluster://` for a
    Redis Cluster, `redis+sentinel://` for the master that Sentinels name. Raises ConfigurationError for other schemes,
    and MissingExtra.
    """
    if url is None:
        yield None
        return
    async with open_shared_cache(url, lives) as opened:
        guarded = GuardedCache(opened.history, deadline=deadline)
        try:
            yield guarded
        finally:
            await guarded.aclose()


@asynccontextmanager
async def open_shared_cache(url: str, lives: Mapping[DataType, Life] = LIVES) -> AsyncGenerator[SharedCache]:
    """The cache of that URL, for operators: it raises CacheUnavailable, and takes the time that it takes."""
    if url.partition("://")[0] not in _CACHES:
        raise ConfigurationError(f"A cache URL starts with {', '.join(f'{scheme}://' for scheme in _CACHES)}.")
    with needing("A Redis cache", "redis"):
        from recuerdo.adapters import redis
        from recuerdo.adapters.redis.history import statistics
    async with redis.RedisCache.open(url) as cache:
        yield SharedCache(
            redis.RedisHistory(cache, lives["messages"].ttl),
            partial(statistics, cache),
            redis.RedisEntries(cache, lives),
            redis.RedisEventLog(cache),
            redis.RedisBuckets(cache),
            partial(cache.get, "recuerdo:ping"),
        )


def file_of(url: str) -> Path:
    """The file of a SQLite database, which `adapters.sqlite.backups` copies. Raises ConfigurationError for others."""
    scheme, _, rest = url.partition("://")
    if scheme != "sqlite":
        raise ConfigurationError(
            f"`recuerdo backup` and `recuerdo restore` are for SQLite. For {scheme} see docs/how-to/back-up.md."
        )
    return sqlite_file(rest)


SYSTEMS: Mapping[str, Sequence[str]] = {
    "redis": ("redis", "rediss", "redis+cluster", "rediss+cluster"),
    "sql": ("postgresql", "postgres", "sqlite"),
    "mongodb": ("mongodb", "mongodb+srv"),
}
"""By what `recuerdo import` calls a system: the schemes of its URLs."""


def open_source(system: str, url: str, mapping: SourceMapping) -> AbstractAsyncContextManager[MessageSource]:
    """Another system's conversations, for reading. Raises ConfigurationError, MissingExtra, InvalidInput, Unavailable.

    The URLs are those of databases and caches of ours, and `sqlite:///file.db` must exist.
    """
    scheme, _, rest = url.partition("://")
    if scheme not in SYSTEMS[system]:
        raise ConfigurationError(f"The URL to import from must start with {', '.join(SYSTEMS[system])}, then `://`.")
    if system == "redis":
        with needing("Reading Redis", "redis"):
            from recuerdo.adapters.redis.source import RedisSource
        return RedisSource.open(url, mapping)
    if system == "mongodb":
        with needing("Reading MongoDB", "mongodb"):
            from recuerdo.adapters.mongodb.source import MongoSource
        return MongoSource.open(url, mapping)
    if scheme == "sqlite":
        from recuerdo.adapters.sqlite.source import SqliteSource

        return SqliteSource.open(sqlite_file(rest), mapping)
    with needing("Reading PostgreSQL", "postgres"):
        from recuerdo.adapters.postgres.source import PostgresSource
    return PostgresSource.open(url, mapping)


def _open_sqlite(rest: str) -> AbstractAsyncContextManager[Repositories]:
    from recuerdo.adapters import sqlite

    return sqlite.opened(_private_file(rest))


def sqlite_file(rest: str) -> Path:
    """The file that a SQLite URL names after its `sqlite://`. Raises ConfigurationError when it names none."""
    path = Path(rest.removeprefix("/")).expanduser()
    if not rest.startswith("/") or not path.name or path.name == ":memory:":
        raise ConfigurationError(
            f"'sqlite://{rest}' names no file. Write sqlite:///file.db for a file in the current folder, "
            "sqlite:////var/lib/file.db for an absolute path, or memory:// to keep nothing."
        )
    return path


def _private_file(rest: str) -> Path:
    """The file of a SQLite URL, in a folder that only its owner can read when we make it."""
    path = sqlite_file(rest)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise ConfigurationError(
            f"Can't make or open {path}: {error.strerror}. Give this process permission to write there, "
            "or name another file in the database URL."
        ) from None
    return path


def _open_postgres(
    rest: str, pool_size: int = POOL_SIZE, read_url: str | None = None
) -> AbstractAsyncContextManager[Repositories]:
    with needing("PostgreSQL", "postgres"):
        from recuerdo.adapters import postgres
    return postgres.opened(f"postgresql://{rest}", pool_size, read_url)


def _open_mongodb(rest: str, scheme: str = "mongodb") -> AbstractAsyncContextManager[Repositories]:
    with needing("MongoDB", "mongodb"):
        from recuerdo.adapters import mongodb
    return mongodb.opened(f"{scheme}://{rest}")


def _open_local(rest: str) -> AbstractAsyncContextManager[Repositories]:
    from recuerdo.adapters import local

    if rest:
        raise ConfigurationError(
            f"'memory://{rest}' names a place, and memory:// keeps nothing. Write memory:// alone."
        )
    return local.opened()


def _installed(scheme: str) -> Opener | None:
    from importlib.metadata import entry_points  # takes longer than all the rest, and is seldom needed

    return next((each.load() for each in entry_points(group="recuerdo.databases", name=scheme)), None)


_OPENERS: dict[str, Opener] = {
    "sqlite": _open_sqlite,
    "postgresql": _open_postgres,
    "postgres": _open_postgres,
    "mongodb": _open_mongodb,
    "mongodb+srv": partial(_open_mongodb, scheme="mongodb+srv"),
    "memory": _open_local,
}


@asynccontextmanager
async def open_cache_tier(
    url: str | None,
    *,
    trust: float = 0.0,
    deadline: float = DEADLINE,
    count: Count = uncounted,
    lives: Mapping[DataType, Life] = LIVES,
    signals: Signals | None = None,
) -> AsyncGenerator[TieredCache]:
    """The cache for anything; see TieredCache. Without a URL it is this process's own.

    With `signals` what another process over the same database forgets is then forgotten here as well.

    The URLs are those of `open_history_cache`. Raises ConfigurationError and MissingExtra.
    """
    if url is None:
        entries = LocalEntries(lives) if signals is None else SignalledEntries(signals, lives)
        yield TieredCache(entries, local_bytes=0, count=count, alone=True)
        return
    async with open_shared_cache(url, lives) as shared:
        yield TieredCache(shared.entries, trust=trust, deadline=deadline, count=count)


@asynccontextmanager
async def open_buckets(cache: str | None) -> AsyncGenerator[TokenBuckets]:
    """Token buckets, which replicas share in `cache`. Raises ConfigurationError and MissingExtra."""
    if cache is None:
        yield LocalBuckets()
        return
    async with open_shared_cache(cache) as shared:
        yield SharedBuckets(shared.buckets)
