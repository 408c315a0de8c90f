"""A client of one Redis, or of a Redis Cluster, that runs our scripts."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, ResponseError

from recuerdo.adapters.redis.wire import Part, Wire
from recuerdo.core.errors import CacheUnavailable, ConfigurationError

SILENT_SECONDS = 2.0
"""After which a server that owes a reply counts as gone: longer than readers of events let it wait for the next one."""

_CONNECT_SECONDS = 1.0
_SECONDS_TO_CLOSE = 5.0
_TIMEOUTS: dict[str, Any] = {"socket_connect_timeout": _CONNECT_SECONDS, "socket_timeout": SILENT_SECONDS}
_ONE_SERVER: dict[str, Any] = {"retry": Retry(NoBackoff(), 0), "protocol": 2, **_TIMEOUTS}
_PORT, _SENTINEL_PORT = 6379, 26379
_KEYS_AT_A_TIME = 1000


class Call(NamedTuple):
    """One run of a script: its keys, all in one slot, and its arguments."""

    keys: Sequence[bytes | str]
    arguments: Sequence[bytes | str | int]


class RedisCache:
    """An open client. Retries are the callers' decision: a late command must not be sent twice."""

    def __init__(self, client: Redis | RedisCluster, *, direct: bool = True) -> None:
        self.client = cast(Any, client)
        self._wire = Wire(client) if direct and not isinstance(client, RedisCluster) else None

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, direct: bool = True) -> AsyncGenerator["RedisCache"]:
        """Connect lazily to `redis://`, `redis+cluster://` for a cluster, both also with `rediss` for TLS, or
        `redis+sentinel://` for the master that Sentinels name. Raises ConfigurationError.

        Without `direct`, and to a cluster, commands are sent by redis-py, which takes longer; see ADR 0042.
        """
        cache = cls(_client(url), direct=direct)
        try:
            yield cache
        finally:
            await cache.aclose()

    async def aclose(self) -> None:
        """Close the connections; those that have not closed after five seconds are left to the garbage collector."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_CLOSE):
                await self._close()

    async def _close(self) -> None:
        if self._wire is not None:
            await self._wire.aclose()
        await self.client.aclose()
        if isinstance(pool := getattr(self.client, "connection_pool", None), SentinelConnectionPool):
            await asyncio.gather(*[sentinel.aclose() for sentinel in cast(Any, pool).sentinel_manager.sentinels])
        if isinstance(self.client, RedisCluster):  # which closes nothing while it is about to look at the nodes anew
            manager = cast(Any, self.client).nodes_manager
            nodes = {*manager.nodes_cache.values(), *manager.startup_nodes.values()}
            await asyncio.gather(*[node.disconnect() for node in nodes], return_exceptions=True)

    async def get(self, key: str) -> bytes | None:
        """The value of the key. Raises CacheUnavailable."""
        with translated():
            return await self.client.get(key)

    async def set(self, key: str, value: bytes) -> None:
        """Keep the value under the key. Raises CacheUnavailable."""
        with translated():
            await self.client.set(key, value)

    async def delete(self, pattern: str) -> None:
        """Delete the keys that match, at least those that are there from now to its end. Raises CacheUnavailable."""
        with translated():
            keys = [key async for key in self.client.scan_iter(match=pattern, count=_KEYS_AT_A_TIME)]
            for some in range(0, len(keys), _KEYS_AT_A_TIME):
                await self.client.delete(*keys[some : some + _KEYS_AT_A_TIME])

    def script(self, text: str) -> "LuaScript":
        """The script, ready to run."""
        return LuaScript(self, text)

    async def run(self, parts: Sequence[Part]) -> Any:
        """The reply to a command, in which the server finds the keys. Raises redis-py's errors."""
        return await (self._ask_client(parts) if self._wire is None else self._wire.ask(parts))

    async def run_all(self, commands: Sequence[Sequence[Part]]) -> list[Any]:
        """The replies to several, in one round trip where one server has all the keys; errors are among them."""
        if self._wire is None:
            return await asyncio.gather(*[self.run(parts) for parts in commands], return_exceptions=True)
        return await self._wire.ask_all(commands)

    async def _ask_client(self, parts: Sequence[Part]) -> Any:
        try:
            return await self.client.execute_command(*parts)
        except AttributeError:  # where one command fails, redis-py closes the connections that others are about to use
            return await self.client.execute_command(*parts)


class LuaScript:
    """A Lua script: sent by its hash, and once more in full where a server does not know it."""

    def __init__(self, cache: RedisCache, text: str) -> None:
        self._cache = cache
        self._text = text
        self._hash = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, call: Call) -> Any:
        """The script's answer. Raises CacheUnavailable."""
        with translated():
            try:
                return await self._cache.run(self._short(call))
            except NoScriptError:
                return await self._cache.run(self._full(call))

    async def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """The answers of several runs, in one round trip where one server has all the keys. Raises CacheUnavailable."""
        if len(calls) == 1:
            return [await self.run(calls[0])]
        with translated():
            answers = await self._cache.run_all([self._short(call) for call in calls])
            return [await self._checked(call, answer) for call, answer in zip(calls, answers, strict=True)]

    async def _checked(self, call: Call, answer: Any) -> Any:
        if isinstance(answer, NoScriptError):
            return await self._cache.run(self._full(call))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _short(self, call: Call) -> Sequence[Part]:
        return "EVALSHA", self._hash, len(call.keys), *call.keys, *call.arguments

    def _full(self, call: Call) -> Sequence[Part]:
        return "EVAL", self._text, len(call.keys), *call.keys, *call.arguments


def _client(url: str) -> Redis | RedisCluster:
    scheme, _, rest = url.partition("://")
    try:
        if scheme.endswith("+cluster"):
            return _cluster(scheme.removesuffix("+cluster"), rest)
        if scheme == "redis+sentinel":
            return _master(rest)
        return Redis.from_url(url, **_ONE_SERVER)  # pyright: ignore[reportUnknownMemberType]
    except ValueError:  # whose text quotes the URL, with parts of the password
        raise ConfigurationError(
            "The cache URL can't be read. Write redis://user:password@host:6379/0, for a cluster "
            "redis+cluster://user:password@host:6379,host:6379, or for Sentinels "
            "redis+sentinel://user:password@host:26379,host:26379/master/0, with what is special in a password "
            "percent-encoded: %23 for #, %2F for /."
        ) from None


def _cluster(scheme: str, rest: str) -> RedisCluster:
    """A client of the cluster to which these nodes belong; one that answers is enough. Raises ValueError."""
    address, _, query = rest.partition("?")
    credentials, at, place = address.rpartition("@")
    hosts, _, path = place.partition("/")
    first, *others = hosts.split(",")
    if path not in ("", "0"):  # a cluster has one database
        raise ValueError(rest)
    nodes = [ClusterNode(*_place(host, _PORT)) for host in others]
    return RedisCluster.from_url(f"{scheme}://{credentials}{at}{first}?{query}", startup_nodes=nodes, **_TIMEOUTS)


def _master(rest: str) -> Redis:
    """A client of the master that the Sentinels name. Raises ValueError.

    The credentials are the master's. The Sentinels' own are `sentinel_username` and `sentinel_password` of the query.
    """
    address, _, query = rest.partition("?")
    credentials, _, place = address.rpartition("@")
    hosts, _, path = place.partition("/")
    name, _, database = path.partition("/")
    user, _, password = (unquote(part) or None for part in credentials.partition(":"))
    options = dict(parse_qsl(query, strict_parsing=bool(query)))
    own = {field: value for field in ("username", "password") if (value := options.pop(f"sentinel_{field}", None))}
    if not name or options:
        raise ValueError(rest)
    sentinels = [_place(host, _SENTINEL_PORT) for host in hosts.split(",")]
    manager = Sentinel(sentinels, sentinel_kwargs={**_TIMEOUTS, **own})
    chosen = {"username": user, "password": password, "db": int(database or 0)}
    return cast(Any, manager).master_for(unquote(name), **chosen, **_ONE_SERVER)


def _place(text: str, usual_port: int) -> tuple[str, int]:
    """The host and the port of `host:port`, or of `host` alone. Raises ValueError."""
    host, _, port = text.rpartition(":")
    return (host, int(port)) if host else (port, usual_port)


@contextmanager
def translated(advice: str = "Check RECUERDO_CACHE_URL and the server.") -> Generator[None]:
    """Raises CacheUnavailable for whatever goes wrong in the block."""
    try:
        yield
    except Exception as error:  # the cluster client also fails with plain Python errors while it reconnects
        problem = f"Redis does not answer ({_name(error)}). {advice}"
        raise CacheUnavailable(problem) from error


def _name(error: Exception) -> str:
    """The server's name for a refusal, like OOM or NOAUTH; the rest of its text may quote the command."""
    word = str(error).partition(" ")[0]
    return word if isinstance(error, ResponseError) and word.isupper() and word != "ERR" else type(error).__name__
