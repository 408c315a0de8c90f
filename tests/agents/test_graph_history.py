"""A graph over the chat with a checkpointer of its own: both store what was said, and it stands in the history once."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from recuerdo import Recuerdo
from recuerdo import rag as rag_of_the_environment
from recuerdo.agents.graph import chat_graph
from recuerdo.agents.rag import create_graph_builder
from recuerdo.integrations.langgraph import RecuerdoSaver

WHOSE = {"tenant": "acme", "user": "emi"}


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'recuerdo.db'}"


@pytest.fixture
async def memory(url: str) -> AsyncIterator[Recuerdo]:
    async with Recuerdo.open(url, embeddings="none") as memory:
        yield memory


def config(thread: str) -> Any:
    return {"configurable": {**WHOSE, "thread_id": thread}}


def at(state: Any) -> Any:
    """The checkpoint of the state, as a config to go on from."""
    return {"configurable": {**WHOSE, **state.config["configurable"]}}


async def ids_of_two_turns(graph: Any, thread: str, durability: Any) -> list[str]:
    """The ids of the state's messages behind two turns."""
    for text in ("Hola, me llamo Emiliano", "¿Cómo me llamo?"):
        state = await graph.ainvoke({"messages": [HumanMessage(text)]}, config(thread), durability=durability)
    return [message.id for message in state["messages"]]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
@pytest.mark.parametrize("builder", [create_graph_builder, chat_graph])
async def test_two_turns_are_four_messages_whoever_stores_them_first(memory, builder, durability):
    """With `sync` the checkpointer is first, with `exit` the chat; with `async` they race."""
    thread = f"{builder.__name__}-{durability}"
    graph = builder(memory.chat).compile(checkpointer=RecuerdoSaver(memory, **WHOSE))
    ids = await ids_of_two_turns(graph, thread, durability)
    said = await memory.thread(**WHOSE, thread=thread).read()
    assert [message.role for message in said] == ["user", "assistant"] * 2
    assert [message.id for message in said] == ids
    assert "Emiliano" in said[-1].text


async def test_the_graph_of_the_environment_stores_each_message_once(url, monkeypatch):
    monkeypatch.setenv("RECUERDO_DATABASE_URL", url)
    monkeypatch.setenv("RECUERDO_EMBEDDINGS", "none")
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        graph = rag_of_the_environment.create_graph_builder().compile(checkpointer=saver)
        ids = await ids_of_two_turns(graph, "environment", "async")
    async with Recuerdo.open(url, embeddings="none") as memory:
        said = await memory.thread(**WHOSE, thread="environment").read()
        assert [message.id for message in said] == ids


async def test_an_answer_that_is_asked_for_again_does_not_repeat_the_question(memory):
    """From an earlier checkpoint the same message gets another answer, which is shown no earlier one."""
    graph = create_graph_builder(memory.chat).compile(checkpointer=RecuerdoSaver(memory, **WHOSE))
    first = await ids_of_two_turns(graph, "again", "async")
    states = [state async for state in graph.aget_state_history(config("again"))]
    before = next(state for state in states if state.next == ("orchestrator",))
    again = await graph.ainvoke(None, at(before))
    said = await memory.thread(**WHOSE, thread="again").read()
    last = again["messages"][-1].id
    assert [message.id for message in again["messages"]] == [*first[:3], last]
    assert [message.id for message in said] == [*first, last]


async def test_a_turn_that_is_repeated_tells_the_reply_that_it_stored(memory, monkeypatch):
    """The process died between the reply and its checkpoint: the task is executed again."""
    saver = RecuerdoSaver(memory, **WHOSE)
    graph = chat_graph(memory.chat).compile(checkpointer=saver)
    write = RecuerdoSaver.aput_writes

    async def die(*_: Any, **__: Any) -> None:
        raise ConnectionError("dead")

    monkeypatch.setattr(RecuerdoSaver, "aput_writes", die)
    with pytest.raises(ConnectionError):
        await graph.ainvoke({"messages": [HumanMessage("Hola")]}, config("repeated"), durability="sync")
    monkeypatch.setattr(RecuerdoSaver, "aput_writes", write)
    state = await graph.ainvoke(None, config("repeated"))
    said = await memory.thread(**WHOSE, thread="repeated").read()
    assert [message.id for message in said] == [message.id for message in state["messages"]]
    assert len(said) == 2


async def test_an_edited_question_is_said_anew(memory):
    """The history stays as it was, and the model answers the new question."""
    graph = chat_graph(memory.chat).compile(checkpointer=RecuerdoSaver(memory, **WHOSE))
    state = await graph.ainvoke({"messages": [HumanMessage("Hola")]}, config("edited"))
    question = state["messages"][0]
    before = [each async for each in graph.aget_state_history(config("edited"))][-2]
    edited = await graph.aupdate_state(at(before), {"messages": [HumanMessage("Me llamo Ana", id=question.id)]})
    edited["configurable"] |= WHOSE
    await graph.ainvoke(None, edited)
    said = await memory.thread(**WHOSE, thread="edited").read()
    assert [message.text for message in said][:3:2] == ["Hola", "Me llamo Ana"]
    assert len(said) == 4


async def test_the_words_that_stream_have_the_id_of_the_reply(memory):
    graph = chat_graph(memory.chat).compile(checkpointer=RecuerdoSaver(memory, **WHOSE))
    asked = {"messages": [HumanMessage("Hola")]}
    ids = {piece.id async for piece, _ in graph.astream(asked, config("streamed"), stream_mode="messages")}
    said = await memory.thread(**WHOSE, thread="streamed").read()
    assert said[-1].id in ids
    assert ids <= {message.id for message in said}
