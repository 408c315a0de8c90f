"""Messages of a graph are in the history of their thread too, each once."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from test_saver_graphs import _agent

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import NotFound
from recuerdo.integrations.langgraph import RecuerdoSaver


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'recuerdo.db'}"


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


async def test_without_a_history_channel_the_history_is_left_alone(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:
        graph = _agent(RecuerdoSaver(memory, tenant="acme", user="bob", history=None))
        await graph.ainvoke({"messages": [HumanMessage("one", id="h1")]}, {"configurable": {"thread_id": "t-1"}})
        with pytest.raises(NotFound):
            await memory.thread(tenant="acme", user="bob", thread="t-1").info()


async def _said(thread: Any) -> list[str]:
    return [message.text for message in await thread.read()]
