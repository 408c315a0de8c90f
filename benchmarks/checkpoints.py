"""The cost of a graph's turn with our saver and with LangGraph's own, and the size of a long thread."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks import long_threads
from benchmarks.graphs import assistant, build, human
from benchmarks.rounds import Measurement, compare_each
from benchmarks.servers import postgres_url
from recuerdo.integrations.langgraph import RecuerdoSaver

TOPIC = "checkpoints"
TURNS = (10, 1000)
_DURABILITIES = ("sync", "async", "exit")
_MEMORY = "InMemorySaver"

Savers = dict[str, BaseCheckpointSaver[Any]]


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A turn of two messages on threads that have had 10 and 1,000 turns, in the three durability modes; and a thread
    that had 1,000 real ones.
    """
    found: list[Measurement] = []
    async with AsyncExitStack() as stack:
        url = stack.enter_context(postgres_url())
        enter = stack.enter_async_context
        sqlite: Savers = {
            "ours": await enter(RecuerdoSaver.from_conn_string(f"sqlite:///{folder}/ours.db", user="emi")),
            "AsyncSqliteSaver": await enter(_sqlite(f"{folder}/theirs.db")),
            _MEMORY: InMemorySaver(),
        }
        theirs = await enter(AsyncPostgresSaver.from_conn_string(url))
        await theirs.setup()
        postgres: Savers = {
            "ours": await enter(RecuerdoSaver.from_conn_string(url, user="emi")),
            "AsyncPostgresSaver": theirs,
        }
        for delta in (False, True):
            for turns in TURNS:
                for durability in ("async",) if delta else _DURABILITIES:
                    case = f"turn {turns:,} on {{}}, {durability}{', DeltaChannel' if delta else ''}"
                    rounds = 12 if full else 4
                    found += await _turns(case.format("SQLite"), sqlite, turns, durability, rounds, delta=delta)
                    found += await _turns(
                        case.format("PostgreSQL"), postgres, turns, durability, rounds, delta=delta, url=url
                    )
    return found + await long_threads.measure(folder, full=full)


async def _turns(
    case: str, savers: Savers, turns: int, durability: str, rounds: int, *, delta: bool, url: str = ""
) -> list[Measurement]:
    contestants = {name: await _turn(saver, turns, durability, delta=delta) for name, saver in savers.items()}
    if url:  # as the server does automatically a minute after a table has grown
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")
    taken = await compare_each(contestants.pop("ours"), contestants, rounds=rounds, turns=5)
    return [each.measurement(TOPIC, case, peer, goal=_goal(turns, peer)) for peer, each in taken.items()]


def _goal(turns: int, peer: str) -> float | None:
    if turns < max(TURNS):
        return None if peer == _MEMORY else 1.0
    return 1.0 if peer == _MEMORY else 0.25


async def _turn(
    saver: BaseCheckpointSaver[Any], turns: int, durability: str, *, delta: bool
) -> Callable[[], Awaitable[None]]:
    """A turn on a thread with as many messages as that many turns leave."""
    graph, config = build(saver, delta=delta), {"configurable": {"thread_id": str(uuid4())}}
    messages = [message for _ in range(turns) for message in (human(), assistant())]
    await graph.aupdate_state(config, {"messages": messages}, as_node="agent")

    async def turn() -> None:
        await graph.ainvoke({"messages": [human()]}, config, durability=durability)

    return turn


@asynccontextmanager
async def _sqlite(path: str) -> AsyncGenerator[AsyncSqliteSaver]:
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous = FULL")
        yield saver
