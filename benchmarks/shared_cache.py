"""The cost and gain of a shared cache: cached reads through Redis beside a raw LRANGE, appends with it and without."""

from pathlib import Path

from redis.asyncio import Redis

from benchmarks.rounds import Measurement, compare, compare_each
from benchmarks.servers import postgres_url, redis_url
from benchmarks.threads import LENGTHS, SIZES, appending, named, thread_of
from recuerdo import Recuerdo
from recuerdo.core.threads import MessageQuery
from recuerdo.history import ThreadHistory

TOPIC = "redis"
_LIST = "raw-messages"


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Each message size, on threads of each length."""
    rounds = 30 if full else 8
    measured: list[Measurement] = []
    with postgres_url() as database, redis_url() as cache:
        async with (
            Recuerdo.open(database, cache=cache, embeddings="none", spool=f"{folder}/spool") as memory,
            Recuerdo.open(database, embeddings="none", spool=f"{folder}/spool") as uncached,
            Redis.from_url(cache) as client,
        ):
            for size in SIZES:
                measured += await _reads(memory, client, size, rounds)
            with_cache = appending(await thread_of(memory, 1_000, 300), "x" * 200)
            without = appending(await thread_of(uncached, 1_000, 400), "x" * 200)

            async def then_ping() -> None:
                await without()
                await client.ping()

            peers = {"ours without Redis": without, "the same, then a PING by redis-py": then_ping}
            told = await compare_each(with_cache, peers, rounds=rounds, turns=40)
            measured += [found.measurement(TOPIC, "append, and Redis is told", peer) for peer, found in told.items()]
    return measured


async def _reads(memory: Recuerdo, client: Redis, size: int, rounds: int) -> list[Measurement]:
    measured: list[Measurement] = []
    for length in LENGTHS:
        thread = await thread_of(memory, length, size)
        query = MessageQuery(limit=50)

        async def read(thread: ThreadHistory = thread, query: MessageQuery = query) -> None:
            assert (await memory.history.page(thread.scope, query, consistency="cached")).records

        page = await memory.history.page(thread.scope, query)
        await client.delete(_LIST)
        await client.rpush(_LIST, *[record.body for record in page.records])

        async def lrange() -> None:
            assert await client.lrange(_LIST, -50, -1)

        found = await compare(read, lrange, rounds=rounds, turns=50)
        case = f"last 50, cached in Redis, {named(length, size)}"
        measured.append(found.measurement(TOPIC, case, "LRANGE of 50", goal=1.3))
    return measured
