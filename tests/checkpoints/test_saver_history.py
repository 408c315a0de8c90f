"""Messages of a graph are in the history of their thread too, each once."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.graph.message import _messages_delta_reducer  # pyright: ignore[reportPrivateUsage]
from test_saver_graphs import _agent
from typing_extensions import TypedDict

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import NotFound
from recuerdo.integrations.langgraph import RecuerdoSaver


@pytest.fixture(params=["sqlite", "postgres", "mongodb", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("empty_postgres_url")
    if request.param == "mongodb":
        return request.getfixturevalue("empty_mongodb_url")
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'recuerdo.db'}"


async def test_messages_that_a_graph_gains_are_in_the_history_once(url: str) -> None:
    """Whatever the graph does later with them: edits, removals and forks don't change what was said."""
    async with Recuerdo.open(url, embeddings="none") as memory:
        graph = _agent(RecuerdoSaver(memory, tenant="acme", user="emi"))
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("before", id="h0"))
        config: Any = {"configurable": {"thread_id": "t-1"}}
        await graph.ainvoke({"messages": [HumanMessage("before", id="h0"), HumanMessage("one", id="h1")]}, config)
        await graph.ainvoke({"messages": [HumanMessage("two", id="h2")]}, config)
        said = ["before", "one", "You said one", "two", "You said two"]
        assert await _said(thread) == said
        await graph.aupdate_state(config, {"messages": [HumanMessage("edited", id="h1")]}, as_node="answer")
        history = [each async for each in graph.aget_state_history(config)]
        await graph.ainvoke({"messages": [HumanMessage("otherwise", id="h3")]}, history[-2].config)
        assert await _said(thread) == [*said, "otherwise", "You said otherwise"]


@pytest.mark.parametrize("durability", ["async", "sync", "exit"])
@pytest.mark.parametrize("snapshots", [2, 100])
async def test_messages_that_a_delta_channel_gains_are_in_the_history_once(
    url: str, durability: Any, snapshots: int
) -> None:
    """They are written before the checkpoint that has them, which does not hold them; and now and then it does."""
    async with Recuerdo.open(url, embeddings="none") as memory:
        graph = _delta_agent(RecuerdoSaver(memory, tenant="acme", user="emi"), snapshots)
        name = f"delta-{durability}-{snapshots}"
        thread = memory.thread(tenant="acme", user="emi", thread=name)
        await thread.append(Message.user("before", id="h0"))
        config: Any = {"configurable": {"thread_id": name}}

        async def say(*messages: HumanMessage, at: Any = config) -> None:
            await graph.ainvoke({"messages": list(messages)}, at, durability=durability)

        await say(HumanMessage("before", id="h0"), HumanMessage("one"))
        first = (await graph.aget_state(config)).config
        await say(HumanMessage("two"))
        said = ["before", "one", "You said one", "two", "You said two"]
        assert await _said(thread) == said
        await graph.aupdate_state(config, {"messages": [HumanMessage("edited", id="h0")]}, as_node="answer")
        await say(HumanMessage("otherwise"), at=first)
        assert await _said(thread) == [*said, "otherwise", "You said otherwise"]


async def test_what_was_written_before_a_process_died_is_in_the_history_when_another_goes_on(url: str) -> None:
    """One of two tasks of a step was done, and not again: its messages belong to the checkpoint behind both."""
    if url == "memory://":
        pytest.skip("it ends with the process")
    config: Any = {"configurable": {"thread_id": "delta-resumed"}}
    async with Recuerdo.open(url, embeddings="none") as memory:
        dying = _delta_agent(RecuerdoSaver(memory, tenant="acme", user="emi"), 100, fails=True)
        with pytest.raises(ZeroDivisionError):
            await dying.ainvoke({"messages": [HumanMessage("one")]}, config)
    async with Recuerdo.open(url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="delta-resumed")
        assert await _said(thread) == ["one"]
        graph = _delta_agent(RecuerdoSaver(memory, tenant="acme", user="emi"), 100)
        await graph.ainvoke(None, config)
        assert await _said(thread) == ["one", "You said one"]


async def test_without_a_history_channel_the_history_is_left_alone(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:
        graph = _agent(RecuerdoSaver(memory, tenant="acme", user="bob", history=None))
        await graph.ainvoke({"messages": [HumanMessage("one", id="h1")]}, {"configurable": {"thread_id": "t-1"}})
        with pytest.raises(NotFound):
            await memory.thread(tenant="acme", user="bob", thread="t-1").info()


def _delta_agent(saver: RecuerdoSaver, snapshots: int, *, fails: bool = False) -> Any:
    """Answers while a second node does something else, and fails if it shall when the first one is done."""
    state: type = TypedDict(
        "DeltaState",
        {"messages": Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer, snapshot_frequency=snapshots)]},
    )
    answered = asyncio.Event()

    async def answer(state: Any) -> Any:
        asyncio.get_running_loop().call_later(0.2, answered.set)
        return {"messages": [AIMessage(f"You said {state['messages'][-1].text}")]}

    async def fail(_: Any) -> Any:
        if fails:
            await answered.wait()
            raise ZeroDivisionError

    graph = StateGraph(state)
    graph.add_node("answer", answer)
    graph.add_node("fail", fail)
    for node in ("answer", "fail"):
        graph.add_edge(START, node)
    return graph.compile(checkpointer=saver)


async def _said(thread: Any) -> list[str]:
    return [message.text for message in await thread.read()]
