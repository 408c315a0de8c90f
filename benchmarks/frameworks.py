"""The alternatives that a user would pick: LangChain's histories and the Agents SDK's session, on the same servers."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from warnings import catch_warnings, simplefilter

from agents.extensions.memory import SQLAlchemySession
from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory
from psycopg import AsyncConnection
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from benchmarks.raw_postgres import RawPostgres
from benchmarks.rounds import Contestant, Measurement, compare_each
from benchmarks.servers import postgres_url, redis_url
from benchmarks.threads import LENGTHS, SIZES, appending, named, thread_of
from recuerdo import MessageWindow, Recuerdo

with catch_warnings():
    simplefilter("ignore")  # langchain-community says that it will be retired
    from langchain_community.chat_message_histories import RedisChatMessageHistory

TOPIC = "frameworks"
_GOAL = 0.33
_FLOOR = "psycopg's bare insert"
_LONG = 10_000
"""From here on a peer that reads everything takes seconds for a window, and gets few turns."""

_AT_A_TIME = 1_000
_COPY_LANGCHAIN = (
    b"INSERT INTO langchain_history (session_id, message) SELECT session_id, message"
    b" FROM langchain_history, generate_series(2, %s) WHERE session_id = %s"
)
_COPY_AGENTS = (
    "INSERT INTO agent_messages (session_id, message_data, created_at) SELECT session_id, message_data, created_at"
    " FROM agent_messages, generate_series(2, :length) WHERE session_id = :session"
)


class Peer(NamedTuple):
    """One thread of a framework."""

    append: Contestant
    window: Contestant


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """An append, and a window of the last 50, of each size and length. LangChain's histories read everything for it.

    The peers' threads are one message, stored by the peers, many times over: to add 100,000 takes them minutes.
    Beside our two kinds of appends stands psycopg's bare insert, which no append that waits for the database can beat.
    """
    rounds = 12 if full else 4
    measured: list[Measurement] = []
    with postgres_url() as database, redis_url() as cache:
        async with (
            Recuerdo.open(database, embeddings="none", spool=f"{folder}/spool") as memory,
            Recuerdo.open(database, embeddings="none", spool=f"{folder}/async", durability="async") as deferring,
        ):
            for size in SIZES:
                for length in LENGTHS:
                    ours = await _ours(memory, length, size)
                    thread = deferring.thread(tenant="acme", user="emi", thread=f"async-{length}-{size}")
                    async with _peers(database, cache, length, size) as peers, RawPostgres.open(database, size) as raw:
                        case = named(length, size)
                        appends = {
                            "append": ours.append,
                            "append, async": appending(thread, "x" * size),
                            _FLOOR: raw.insert,
                        }
                        measured += await _compared_appends(appends, peers, case, rounds)
                        measured += await _compared_windows(ours.window, peers, case, length, rounds)
            await deferring.flush()
    return measured


async def _compared_appends(
    ours: dict[str, Contestant], peers: dict[str, Peer], case: str, rounds: int
) -> list[Measurement]:
    theirs = {name: peer.append for name, peer in peers.items()}
    return [
        found.measurement(TOPIC, f"{name}, {case}", peer, goal=None if name == _FLOOR else _GOAL)
        for name, append in ours.items()
        for peer, found in (await compare_each(append, theirs, rounds=rounds, turns=20)).items()
    ]


async def _compared_windows(
    ours: Contestant, peers: dict[str, Peer], case: str, length: int, rounds: int
) -> list[Measurement]:
    few = {"rounds": 2, "turns": 1} if length >= _LONG else {"rounds": rounds, "turns": 20}
    reads = await compare_each(ours, {name: peer.window for name, peer in peers.items()}, **few)
    return [found.measurement(TOPIC, f"MessageWindow(50), {case}", peer, goal=_GOAL) for peer, found in reads.items()]


async def _ours(memory: Recuerdo, length: int, size: int) -> Peer:
    thread, policy = await thread_of(memory, length, size), MessageWindow(50)

    async def window() -> None:
        assert await thread.window(policy)

    return Peer(appending(thread, "x" * size), window)


@asynccontextmanager
async def _peers(database: str, cache: str, length: int, size: int) -> AsyncGenerator[dict[str, Peer]]:
    async with AsyncExitStack() as stack:
        yield {
            "LangChain, PostgreSQL": await _langchain_postgres(stack, database, length, size),
            "LangChain, Redis (keeps nothing)": await _langchain_redis(cache, length, size),
            "Agents SDK, SQLAlchemySession": await _agents_sdk(stack, database, length, size),
        }


async def _langchain_postgres(stack: AsyncExitStack, url: str, length: int, size: int) -> Peer:
    connection = await stack.enter_async_context(await AsyncConnection.connect(url))
    await PostgresChatMessageHistory.acreate_tables(connection, "langchain_history")
    thread = str(UUID(int=10_000 * length + size))
    history = PostgresChatMessageHistory("langchain_history", thread, async_connection=connection)
    message = HumanMessage("x" * size)
    await history.aadd_messages([message])
    await connection.execute(_COPY_LANGCHAIN, (length, thread))
    await connection.commit()

    async def append() -> None:
        await history.aadd_messages([message])

    async def window() -> None:
        assert (await history.aget_messages())[-50:]

    return Peer(append, window)


async def _langchain_redis(url: str, length: int, size: int) -> Peer:
    history = RedisChatMessageHistory(f"bench-{length}-{size}", url)
    history.clear()
    message = HumanMessage("x" * size)
    history.add_message(message)
    [stored] = history.redis_client.lrange(history.key, 0, -1)
    for _ in range(0, length - 1, _AT_A_TIME):
        history.redis_client.lpush(history.key, *[stored] * min(length - 1, _AT_A_TIME))

    async def append() -> None:
        history.add_message(message)

    async def window() -> None:
        assert history.messages[-50:]

    return Peer(append, window)


async def _agents_sdk(stack: AsyncExitStack, url: str, length: int, size: int) -> Peer:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
    stack.push_async_callback(engine.dispose)
    session = SQLAlchemySession(f"bench-{length}-{size}", engine=engine, create_tables=True)
    item: Any = {"role": "user", "content": "x" * size}
    await session.add_items([item])
    async with engine.begin() as connection:
        await connection.execute(text(_COPY_AGENTS), {"length": length, "session": session.session_id})

    async def append() -> None:
        await session.add_items([item])

    async def window() -> None:
        assert await session.get_items(limit=50)

    return Peer(append, window)
