"""The connection to Redis that all callers share, over a real server."""

import asyncio

import pytest
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, RedisError, ResponseError

from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.adapters.redis.connection import Call
from recuerdo.adapters.redis.wire import packed, read
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.messages import Record
from recuerdo.core.threads import AppendedRecords, Head, Lease, Snapshot, Version
from recuerdo.testing.samples import fresh_scope

REPLIES = b"*4\r\n$5\r\na\r\nbc\r\n:-7\r\n$-1\r\n*2\r\n$0\r\n\r\n+OK\r\n" + b"_\r\n" + b"-NOSCRIPT none\r\n"


@pytest.fixture
async def cache(proxy):
    async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
        yield cache


def test_replies_in_pieces():
    """Every kind of reply is read when its last byte has come, and not before."""
    ends = []
    start = 0
    for end in range(len(REPLIES) + 1):
        found = read(REPLIES[:end], start)
        if found is not None:
            ends.append((found.reply, end))
            assert found.end == end
            start = end
    (first, _), (nothing, _), (error, last) = ends
    assert first == [b"a\r\nbc", -7, None, [b"", b"OK"]]
    assert nothing is None
    assert isinstance(error, NoScriptError)
    assert last == len(REPLIES)


def test_commands_hold_any_byte():
    """Parts of a command are told apart by their lengths."""
    assert packed(["ECHO", b"\r\n\0", 7, "ñ"]) == b"*4\r\n$4\r\nECHO\r\n$3\r\n\r\n\0\r\n$1\r\n7\r\n$2\r\n\xc3\xb1\r\n"


async def test_everybody_gets_their_own_reply(valkey):
    """Of many callers at once, some of whom give up, each one who stays is handed the reply to what it asked."""

    async def echo(number):
        asked = asyncio.ensure_future(cache.run(["ECHO", f"{number} {'x' * (number * 97 % 7_000)}"]))
        await asyncio.sleep(0)
        if number % 3 == 0:
            asked.cancel()
            return number
        return int((await asked).split()[0])

    async with RedisCache.open(valkey.url) as cache:
        assert await asyncio.gather(*map(echo, range(300))) == list(range(300))


async def test_refusals_among_answers(cache):
    """An error of the server is raised to its caller, and of several commands each fails on its own."""
    with pytest.raises(ResponseError, match="unknown command"):
        await cache.run(["NONSENSE"])
    first, second, third = await cache.run_all([["ECHO", "a"], ["NONSENSE"], ["ECHO", "b"]])
    assert (first, third) == (b"a", b"b")
    assert isinstance(second, ResponseError)


async def test_a_refusal_is_named(cache):
    """A server that answers, and has no room, is told apart from one that does not answer."""
    with pytest.raises(CacheUnavailable, match=r"\(OOM\)"):
        await cache.script("return redis.error_reply('OOM no room')").run(Call(["key"], []))


async def test_a_script_that_the_server_forgot(cache):
    """Scripts are sent in full where the server does not know them, alone and together."""
    script = cache.script("return {KEYS[1], ARGV[1]}")
    calls = [Call(["key"], [number]) for number in range(3)]
    for ask in (script.run_all(calls), script.run_all(calls[:1])):
        await cache.run(["SCRIPT", "FLUSH"])
        answers = await ask
        assert answers == [[b"key", b"%d" % number] for number in range(len(answers))]


async def test_a_lost_connection(cache, proxy):
    """Callers that wait when the connection breaks get an error, and the next caller gets a new connection."""
    assert await cache.run(["PING"]) == b"PONG"
    waiting = asyncio.ensure_future(cache.run(["BLPOP", "nothing", 0]))
    await asyncio.sleep(0.05)
    proxy.cut()
    with pytest.raises(Disconnected):
        await waiting
    proxy.heal()
    assert await cache.run(["PING"]) == b"PONG"


async def test_a_half_open_connection(cache, proxy):
    """A connection on which nothing comes any more is given up soon behind the first caller who did."""
    assert await cache.run(["PING"]) == b"PONG"
    proxy.hang()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(cache.run(["PING"]), 0.05)
    with pytest.raises(RedisError):
        await asyncio.wait_for(cache.run(["PING"]), 60)
    proxy.heal()
    assert await asyncio.wait_for(cache.run(["PING"]), 60) == b"PONG"


async def test_a_server_that_only_follows(cache, valkey):
    """A server that has become a replica is left, for another may answer at its address by now."""
    await cache.run(["SET", "key", "value"])
    port = await cache.run(["CLIENT", "INFO"])
    await cache.run(["REPLICAOF", "127.0.0.1", "1"])
    with pytest.raises(ResponseError, match="READONLY"):
        await cache.run(["SET", "key", "value"])
    await cache.run(["REPLICAOF", "NO", "ONE"])
    await cache.run(["SET", "key", "value"])
    assert _port(port) != _port(await cache.run(["CLIENT", "INFO"]))


@pytest.mark.parametrize("direct", [True, False])
async def test_threads_are_cached_the_same_way_with_and_without_the_shared_connection(valkey, direct):
    """Fills, reads and appends over the shared connection do what they do over redis-py's own."""
    scope, body = fresh_scope(), b'{"role":"user","content":"x"}'
    record = Record(1, archived=False, body=body)
    async with RedisCache.open(valkey.url, direct=direct) as cache:
        history = RedisHistory(cache)
        lease = await history.read(scope, Version(1, 1), 50)
        assert isinstance(lease, Lease)
        assert await history.fill(scope, lease, Snapshot(Head(Version(1, 1), 0), None, [record]))
        others = [AppendedRecords(fresh_scope(), 1, [record], 0) for _ in range(3)]
        await history.append([AppendedRecords(scope, 1, [record._replace(seq=2)], 0), *others])
        found = await history.read(scope, Version(1, 2), 50)
        assert found == Snapshot(Head(Version(1, 2), 0), None, [record, record._replace(seq=2)])
        with pytest.raises(ResponseError):
            await cache.run(["NONSENSE"])


def _port(info):
    """The address that the server saw the client at."""
    return info.split(b" addr=")[1].split()[0]
