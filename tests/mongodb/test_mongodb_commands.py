"""How many commands an operation sends to MongoDB: a ratchet, whose figures may only fall."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import ChannelVersions, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.graph import END, START, MessagesState, StateGraph
from pymongo import monitoring

from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory
from recuerdo.core.scope import Scope
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.testing.samples import say

MOST = {"a turn of a graph": 9, "a step": 4, "an append": 5, "a tail": 3}
TRIES = 20
"""The fewest of so many: the background asks now and then, too."""

Counted = Callable[[Callable[[], Awaitable[object]]], Awaitable[int]]


class Commands(monitoring.CommandListener):
    """Counts what is sent, but for what waits for changes by others."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name != "getMore":
            self.sent.append(event.command_name)

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


@pytest.fixture
def counted() -> Iterator[Counted]:
    """The number of commands of a call, by clients that are opened behind this."""
    commands = Commands()

    async def fewest(call: Callable[[], Awaitable[object]]) -> int:
        tries: list[int] = []
        for _ in range(TRIES):  # a busy machine repeats some
            commands.sent.clear()
            await call()
            tries.append(len(commands.sent))
        return min(tries)

    registered: Any = monitoring._LISTENERS  # pyright: ignore[reportPrivateUsage]
    listeners = registered.command_listeners
    listeners.append(commands)
    yield fewest
    listeners.remove(commands)


@pytest.fixture
async def saver(counted: Counted, database_url: str) -> AsyncIterator[RecuerdoSaver]:
    async with RecuerdoSaver.from_conn_string(database_url, user="emi") as saver:
        yield saver


async def test_a_turn_of_a_graph_sends_no_more_commands_than_before(counted: Counted, saver: RecuerdoSaver) -> None:
    """Three checkpoints with what is written between them, whose messages are in the thread's history as well."""
    built: Any = StateGraph(MessagesState)
    built.add_node("model", lambda _: {"messages": [AIMessage("Hola")]})  # pyright: ignore[reportUnknownLambdaType]
    graph = built.add_edge(START, "model").add_edge("model", END).compile(checkpointer=saver)

    async def turn() -> None:
        config = {"configurable": {"thread_id": "t"}}
        await graph.ainvoke({"messages": [HumanMessage("Hola")]}, config, durability="async")

    assert await counted(turn) <= MOST["a turn of a graph"]


async def test_a_step_sends_no_more_commands_than_before(counted: Counted, saver: RecuerdoSaver) -> None:
    """A checkpoint whose message is in the thread's history, and what its task wrote."""
    said: list[Any] = []
    config: Any = {"configurable": {"thread_id": "s", "checkpoint_ns": ""}}

    async def step() -> None:
        said.append(HumanMessage("Hola", id=str(len(said))))
        checkpoint = empty_checkpoint()
        versions: ChannelVersions = {"messages": f"{len(said):032}.0"}
        checkpoint["id"], checkpoint["channel_versions"] = str(uuid6(clock_seq=len(said))), versions
        checkpoint["channel_values"] = {"messages": [*said]}
        about: Any = {"source": "loop", "step": len(said), "parents": {}}
        config.update(await saver.aput(config, checkpoint, about, versions))
        await saver.aput_writes(config, [("messages", said[-1:])], f"task-{len(said)}")

    assert await counted(step) <= MOST["a step"]


async def test_an_append_and_a_tail_send_no_more_commands_than_before(
    counted: Counted, database_url: str, scope: Scope
) -> None:
    async with MongoDatabase.open(database_url) as database:
        history = MongoHistory(database)
        assert await counted(lambda: say(history, scope, "Hola")) <= MOST["an append"]
        assert await counted(lambda: history.tail(scope, 50)) <= MOST["a tail"]
