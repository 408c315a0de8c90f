"""LangGraph's RemoteGraph: a graph of this server as a graph of another program, and as a node in its graph."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient
from langgraph_sdk.errors import UnprocessableEntityError


@pytest.fixture
def remote(client: LangGraphClient, sync_client: SyncLangGraphClient) -> Callable[[str], RemoteGraph]:
    """Makes the remote graph of that name."""

    def make(name: str) -> RemoteGraph:
        return RemoteGraph(name, client=client, sync_client=sync_client)

    return make


async def on_a_thread(client: LangGraphClient) -> dict[str, Any]:
    return {"configurable": {"thread_id": (await client.threads.create())["thread_id"]}}


async def test_it_is_called_like_a_graph_of_ones_own(remote: Any):
    values = await remote("stepping").ainvoke({"items": ["x"]})
    assert values["items"] == ["x", "first", "second"]


def test_it_is_called_without_an_event_loop(remote: Any):
    assert remote("stepping").invoke({"items": ["x"]})["items"] == ["x", "first", "second"]


async def test_it_streams_as_a_graph_of_ones_own_does(remote: Any):
    updates = [update async for update in remote("stepping").astream({"items": ["x"]}, stream_mode="updates")]
    assert updates == [{"first": {"items": ["first"]}}, {"second": {"items": ["second"]}}]
    said = {"messages": [{"role": "user", "content": "hi you"}]}
    pieces = [piece async for piece in remote("talking").astream(said, stream_mode="messages")]
    assert "".join(message["content"] for message, _ in pieces) == "you said hi you"


async def test_its_state_is_read_changed_and_followed_back(remote: Any, client: LangGraphClient):
    graph, config = remote("stepping"), await on_a_thread(client)
    await graph.ainvoke({"items": ["x"]}, config)
    state = await graph.aget_state(config)
    assert state.values["items"] == ["x", "first", "second"]
    assert state.next == ()
    await graph.aupdate_state(config, {"items": ["more"]})
    history = [state.values.get("items", []) async for state in graph.aget_state_history(config)]
    assert history[:2] == [["x", "first", "second", "more"], ["x", "first", "second"]]


async def test_its_questions_are_answered(remote: Any, client: LangGraphClient):
    graph, config = remote("asking"), await on_a_thread(client)
    await graph.ainvoke({"items": ["x"]}, config)
    [task] = (await graph.aget_state(config)).tasks
    assert task.interrupts[0].value == {"question": "go on?"}
    assert (await graph.ainvoke(Command(resume="yes"), config))["items"] == ["x", "first", "heard yes"]


async def test_its_drawing_shows_nodes_and_edges(remote: Any):
    drawing = await remote("stepping").aget_graph()
    assert {*drawing.nodes} == {"__start__", "first", "second", "__end__"}
    assert ("first", "second") in {(edge.source, edge.target) for edge in drawing.edges}


async def test_it_is_a_node_of_another_graph(remote: Any):
    builder: Any = StateGraph(MessagesState)
    builder.add_node("remote", remote("talking"))
    builder.add_edge(START, "remote")
    builder.add_edge("remote", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "11111111-1111-4111-8111-111111111111"}}
    values = await graph.ainvoke({"messages": [("user", "hi you")]}, config)
    assert [message.text for message in values["messages"]] == ["hi you", "you said hi you"]


def test_a_graph_that_is_not_there_is_an_error(remote: Any):
    with pytest.raises(UnprocessableEntityError, match="assistant_id: must be the UUID"):
        remote("nobody").invoke({"items": []})
