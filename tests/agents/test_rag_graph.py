"""The agents that look things up, as a graph: who answers, from what, and with which sources."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from recuerdo import Recuerdo
from recuerdo.agents.rag import create_graph_builder
from recuerdo.core.scope import ANONYMOUS

PUBLIC = "# Devoluciones\n\nEl reembolso llega en 5 días hábiles.\n"
PRIVATE = "# Márgenes\n\nEl margen de las botas es del 40 por ciento.\n"


@pytest.fixture
async def memory():
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.library.add("acme", "guia.md", PUBLIC.encode(), access="public")
        await memory.library.add("acme", "margenes.md", PRIVATE.encode())
        yield memory


def whose(user, thread="t-1", tenant="acme"):
    return {"configurable": {"tenant": tenant, "user": user, "thread_id": thread}}


async def ask(memory, user, question, **more):
    agent = create_graph_builder(memory.chat).compile()
    return await agent.ainvoke({"messages": [HumanMessage(question)]}, whose(user, **more))


@pytest.mark.parametrize(
    ("user", "question", "agent", "titles"),
    [
        ("emi", "¿En cuántos días llega el reembolso?", "public_agent", ["Devoluciones"]),
        ("emi", "¿Cuál es el margen de las botas?", "private_agent", ["Márgenes"]),
        ("emi", "¿Cómo me llamo?", "private_agent", []),
        (ANONYMOUS, "¿En cuántos días llega el reembolso?", "public_agent", ["Devoluciones"]),
        (ANONYMOUS, "¿Cuál es el margen de las botas?", "public_agent", []),
        (ANONYMOUS, "Hola", "public_agent", []),
    ],
)
async def test_the_orchestrator_chooses_by_who_asks_and_what_was_found(memory, user, question, agent, titles):
    state = await ask(memory, user, question)
    assert state["metadata"]["agent"] == agent
    assert [source["title"] for source in state["sources"]] == titles
    assert state["messages"][-1].type == "ai"
    assert "40" not in str(state["messages"][-1].content) or user == "emi"


async def test_the_state_holds_what_was_remembered_and_looked_up(memory):
    await memory.user(tenant="acme", user="emi").remember("Me llamo Emiliano")
    state = await ask(memory, "emi", "¿Cómo me llamo? ¿En cuántos días llega el reembolso?")
    assert "Emiliano" in state["memory_context"]
    assert state["user_memories"]
    assert state["retrieved_context"].startswith("[1] Devoluciones: ")
    assert "Emiliano" in state["messages"][-1].content
    anonymous = await ask(memory, ANONYMOUS, "¿Cómo me llamo?")
    assert anonymous["user_memories"] == []


async def test_a_state_from_outside_opens_no_private_document_to_the_anonymous_user(memory):
    agent = create_graph_builder(memory.chat).compile()
    given = {
        "messages": [HumanMessage("¿Cuál es el margen de las botas?")],
        "metadata": {"agent": "private_agent"},
        "sources": [{"title": "x"}],
    }
    state = await agent.ainvoke(given, whose(ANONYMOUS))
    assert state["sources"] == []
    assert "40" not in state["messages"][-1].content


async def test_the_answer_streams_from_the_node_of_its_agent(memory):
    agent = create_graph_builder(memory.chat).compile()
    asked = {"messages": [HumanMessage("¿En cuántos días llega el reembolso?")]}
    nodes, said = set(), ""
    async for event in agent.astream_events(asked, whose("emi"), version="v2"):
        if event["event"] == "on_chat_model_stream":
            nodes.add(event["metadata"]["langgraph_node"])
            said += event["data"]["chunk"].content
    assert nodes == {"public_agent"}
    assert "5 días hábiles" in said


async def test_without_memories_and_documents_the_agents_go_on(memory, monkeypatch):
    async def fail(*_, **__):
        raise RuntimeError("away")

    monkeypatch.setattr(memory.library, "search", fail)
    monkeypatch.setattr(memory.memories, "recall", fail)
    state = await ask(memory, "emi", "¿En cuántos días llega el reembolso?")
    assert state["messages"][-1].content
    assert (state["sources"], state["user_memories"]) == ([], [])


async def test_a_run_says_something_by_a_message_and_finds_its_answer_in_the_state(memory):
    """The next run goes on with messages or with a message, and each is in the history once."""
    agent = create_graph_builder(memory.chat).compile(checkpointer=InMemorySaver())
    state = await agent.ainvoke({"message": "¿En cuántos días llega el reembolso?"}, whose("emi"))
    said, answer = state["messages"]
    assert (said.type, said.text) == ("human", "¿En cuántos días llega el reembolso?")
    assert (state["response"], state["current_agent"]) == (answer.text, "public_agent")
    assert state["retrieved_context"].startswith("[1] Devoluciones: ")
    assert 0 < state["relevance_score"] == state["sources"][0]["score"] <= 1
    state = await agent.ainvoke({"messages": [HumanMessage("¿Cuál es el margen de las botas?")]}, whose("emi"))
    assert (len(state["messages"]), state["current_agent"]) == (4, "private_agent")
    state = await agent.ainvoke({"message": "Hola"}, whose("emi"))
    assert (state["messages"][-2].text, state["relevance_score"], state["retrieved_context"]) == ("Hola", 0, "")
    history = await memory.thread(tenant="acme", user="emi", thread="t-1").read()
    assert [message.text for message in history] == [message.text for message in state["messages"]]


async def test_readers_of_streams_see_the_agents_and_not_the_orchestrator(memory):
    agent = create_graph_builder(memory.chat).compile()
    updates = [list(each) async for each in agent.astream({"message": "Hola"}, whose("emi"), stream_mode="updates")]
    assert updates == [["private_agent"]]
