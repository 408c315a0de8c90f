"""What a turn of a LangGraph graph costs with our saver, beside LangGraph's own; and what it leaves on disk.

`python -m benchmarks.checkpoints TURNS...` plays real turns and prints the size of the SQLite file after each number.
"""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from benchmarks.rounds import Measurement, compare
from benchmarks.servers import postgres_url
from recuerdo.integrations.langgraph import RecuerdoSaver

TOPIC = "checkpoints"
TURNS = (10, 1000)
_TEXT = "x" * 200


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A turn of two messages on threads that have had 10 and 1,000 turns, in the three durability modes."""
    found: list[Measurement] = []
    async with AsyncExitStack() as stack:
        url = stack.enter_context(postgres_url())
        enter = stack.enter_async_context
        ours = await enter(RecuerdoSaver.from_conn_string(f"sqlite:///{folder}/ours.db"))
        ours_postgres = await enter(RecuerdoSaver.from_conn_string(url))
        sqlite = await enter(_sqlite(f"{folder}/theirs.db"))
        postgres = await enter(AsyncPostgresSaver.from_conn_string(url))
        await postgres.setup()
        pairs = (
            ("SQLite", ours, "AsyncSqliteSaver", sqlite),
            ("PostgreSQL", ours_postgres, "AsyncPostgresSaver", postgres),
            ("SQLite", ours, "InMemorySaver", InMemorySaver()),
        )
        for turns in TURNS:
            for durability in ("sync", "async", "exit"):
                for name, own, peer, other in pairs:
                    one, two = await _turn(own, turns, durability), await _turn(other, turns, durability)
                    taken = await compare(one, two, rounds=12 if full else 4, turns=5)
                    case = f"turn {turns:,} on {name}, {durability}"
                    found.append(taken.measurement(TOPIC, case, peer, goal=_goal(turns, peer)))
        found += await _reads(ours, full=full)
    return found


def _goal(turns: int, peer: str) -> float | None:
    if turns < max(TURNS):
        return None if peer == "InMemorySaver" else 1.0
    return 1.0 if peer == "InMemorySaver" else 0.25


async def _reads(saver: RecuerdoSaver, *, full: bool) -> list[Measurement]:
    """A list of ten checkpoints of a long thread, beside the reading of one."""
    graph, config = await _grown(saver, 1000)
    for _ in range(5):
        await _play(graph, config, "sync")

    async def read_ten() -> None:
        assert len([each async for each in saver.alist(config, limit=10)]) == 10

    async def read_one() -> None:
        assert await saver.aget_tuple(config)

    taken = await compare(read_ten, read_one, rounds=12 if full else 4, turns=5)
    return [taken.measurement(TOPIC, "alist of 10 at turn 1,000", "our aget_tuple", goal=2.0)]


async def _turn(saver: BaseCheckpointSaver[Any], turns: int, durability: str) -> Callable[[], Awaitable[None]]:
    graph, config = await _grown(saver, turns)

    async def turn() -> None:
        await _play(graph, config, durability)

    return turn


async def _grown(saver: BaseCheckpointSaver[Any], turns: int) -> tuple[Any, Any]:
    """A thread with as many messages as that many turns leave."""
    graph, config = build(saver), {"configurable": {"thread_id": str(uuid4())}}
    await graph.aupdate_state(
        config, {"messages": [each for _ in range(turns) for each in _messages()]}, as_node="agent"
    )
    return graph, config


def build(saver: BaseCheckpointSaver[Any]) -> Any:
    """A graph that answers."""
    graph = StateGraph(State)
    graph.add_node("agent", _answer)
    graph.add_edge(START, "agent")
    graph.add_edge("agent", END)
    return graph.compile(checkpointer=saver)


def _answer(state: Any) -> dict[str, Any]:
    del state
    return {"messages": [AIMessage(_TEXT, id=str(uuid4()))]}


def _messages() -> list[AnyMessage]:
    return [HumanMessage(_TEXT, id=str(uuid4())), AIMessage(_TEXT, id=str(uuid4()))]


async def _play(graph: Any, config: Any, durability: str) -> None:
    await graph.ainvoke({"messages": [HumanMessage(_TEXT, id=str(uuid4()))]}, config, durability=durability)


@asynccontextmanager
async def _sqlite(path: str) -> AsyncGenerator[AsyncSqliteSaver]:
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous = FULL")
        yield saver


async def sizes(folder: Path, turns: list[int]) -> None:
    """Print the bytes on disk after each of these numbers of turns."""
    path = folder / "sizes.db"
    async with RecuerdoSaver.from_conn_string(f"sqlite:///{path}") as saver:
        graph, config = build(saver), {"configurable": {"thread_id": "t"}}
        for number in range(1, max(turns) + 1):
            await _play(graph, config, "async")
            if number in turns:
                print(f"| {number:,} | {_size(path):,} |", flush=True)


def _size(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


if __name__ == "__main__":
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as here:
        asyncio.run(sizes(Path(here), [int(each) for each in sys.argv[1:]] or [10, 100, 1000, 3000]))
