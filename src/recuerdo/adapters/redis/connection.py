"""A client of one Redis, or of a Redis Cluster, that runs our scripts."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple, cast

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError

from recuerdo.core.errors import CacheUnavailable

_CONNECT_SECONDS = 1.0
_KEYS_AT_A_TIME = 1000


class Call(NamedTuple):
    """One run of a script: its keys, all in one slot, and its arguments."""

    keys: Sequence[bytes | str]
    arguments: Sequence[bytes | str | int]


class RedisCache:
    """An open connection pool. Retries are the callers' decision: a late command must not be sent twice."""

    def __init__(self, client: Redis | RedisCluster) -> None:
        self.client = cast(Any, client)
        self._is_cluster = isinstance(client, RedisCluster)

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncGenerator["RedisCache"]:
        """Connect lazily to `redis://`, `rediss://`, or `redis+cluster://` for a cluster."""
        scheme, _, rest = url.partition("://")
        retry = Retry(NoBackoff(), 0)
        client: Redis | RedisCluster
        if scheme == "redis+cluster":
            client = RedisCluster.from_url(f"redis://{rest}", socket_connect_timeout=_CONNECT_SECONDS)
        else:
            client = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
                url, retry=retry, socket_connect_timeout=_CONNECT_SECONDS
            )
        try:
            yield cls(client)
        finally:
            await client.aclose()

    async def get(self, key: str) -> bytes | None:
        """The value of the key. Raises CacheUnavailable."""
        with _translated():
            return await self.client.get(key)

    async def set(self, key: str, value: str) -> None:
        """Keep the value under the key. Raises CacheUnavailable."""
        with _translated():
            await self.client.set(key, value)

    async def delete(self, pattern: str) -> None:
        """Delete the keys that match, at least those that are there from now to its end. Raises CacheUnavailable."""
        with _translated():
            keys = [key async for key in self.client.scan_iter(match=pattern, count=_KEYS_AT_A_TIME)]
            for some in range(0, len(keys), _KEYS_AT_A_TIME):
                await self.client.delete(*keys[some : some + _KEYS_AT_A_TIME])

    def script(self, text: str) -> "Script":
        """The script, ready to run."""
        return Script(self.client, text, self._is_cluster)


class Script:
    """A Lua script: sent by its hash, and once more in full where a server does not know it."""

    def __init__(self, client: Any, text: str, is_cluster: bool) -> None:
        self._client = client
        self._text = text
        self._hash = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        self._is_cluster = is_cluster

    async def run(self, call: Call) -> Any:
        """The script's answer. Raises CacheUnavailable."""
        with _translated():
            return await self._run(call)

    async def run_all(self, calls: Sequence[Call]) -> list[Any]:
        """The answers of several runs, in one round trip where one server has all the keys. Raises CacheUnavailable."""
        with _translated():
            if self._is_cluster or len(calls) == 1:
                return await asyncio.gather(*[self._run(call) for call in calls])
            return await self._run_pipelined(calls)

    async def _run(self, call: Call) -> Any:
        try:
            return await self._client.evalsha(self._hash, len(call.keys), *call.keys, *call.arguments)
        except NoScriptError:
            return await self._client.eval(self._text, len(call.keys), *call.keys, *call.arguments)

    async def _run_pipelined(self, calls: Sequence[Call]) -> list[Any]:
        async with self._client.pipeline(transaction=False) as pipeline:
            for call in calls:
                pipeline.evalsha(self._hash, len(call.keys), *call.keys, *call.arguments)
            answers = await pipeline.execute(raise_on_error=False)
        return [
            await self._run(call) if isinstance(answer, NoScriptError) else _checked(answer)
            for call, answer in zip(calls, answers, strict=True)
        ]


def _checked(answer: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except Exception as error:  # the cluster client also fails with plain Python errors while it reconnects
        problem = f"Redis does not answer ({type(error).__name__}). Check RECUERDO_CACHE_URL and the server."
        raise CacheUnavailable(problem) from error
