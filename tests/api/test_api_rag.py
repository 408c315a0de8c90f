"""The agents that look things up, by the `langgraph.json` of this project: by LangGraph's clients, and on their own."""

import asyncio
import json
import sys
import uuid
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph_sdk import get_client

from servers.recuerdo import RecuerdoServer, running_recuerdo

PROJECT = Path(__file__).parents[2]
GUIDE = "# Devoluciones\n\nEl reembolso llega en 5 días hábiles.\n"
QUESTION = "¿En cuántos días llega el reembolso?"


@pytest.fixture(scope="module")
def rag_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RecuerdoServer]:
    database = tmp_path_factory.mktemp("rag") / "rag.db"
    config = str(PROJECT / "langgraph.json")
    with running_recuerdo(database_url=f"sqlite:///{database}", config=config, embeddings="none") as server:
        body = {"source": "guia.md", "content": GUIDE, "access": "public"}
        httpx.post(f"{server.url}/v1/documents", json=body).raise_for_status()
        yield server


async def test_the_sdk_talks_to_the_agents_of_the_langgraph_json(rag_server: RecuerdoServer) -> None:
    """They answer with the server's own memory, cite, and leave each message in the history once."""
    async with get_client(url=rag_server.url, headers={"X-Recuerdo-User": f"emi-{uuid.uuid4()}"}) as client:
        [assistant] = await client.assistants.search()
        assert assistant["graph_id"] == "rag"
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "rag", input=said("Hola, me llamo Emiliano"))
        parts = [
            (part.event, part.data)
            async for part in client.runs.stream(thread, "rag", input=said(QUESTION), stream_mode=["updates", "events"])
        ]
        nodes = [node for event, data in parts if event == "updates" for node in data]
        assert nodes == ["public_agent"], "the orchestrator is hidden"
        names = {(data["event"], data["name"]) for event, data in parts if event == "events"}
        assert {("on_chain_end", "LangGraph"), ("on_chat_model_stream", "public_agent")} <= names
        assert not [name for _, name in names if name in ("orchestrator", "_chosen")]
        words = [data["data"]["chunk"]["content"] for _, data in parts if data.get("event") == "on_chat_model_stream"]
        values = (await client.threads.get_state(thread))["values"]
        assert values["messages"][-1]["content"] == "".join(words)
        assert "5 días hábiles" in "".join(words)
        assert [source["title"] for source in values["sources"]] == ["Devoluciones"]
        history = (await client.http.get(f"/v1/threads/{thread}/messages"))["messages"]
        assert [message["content"] for message in history][2:] == [QUESTION, "".join(words)]
        other = (await client.threads.create())["thread_id"]
        values = await client.runs.wait(other, "rag", input={"message": "¿Cómo me llamo?"})
        assert "Emiliano" in values["response"] == values["messages"][-1]["content"]
        memories = (await client.http.get("/v1/memories"))["memories"]
        assert [memory["value"] for memory in memories] == ["Emiliano"], "they are the user's own"


async def test_beside_graphs_of_ones_own_the_chat_needs_no_assistant(rag_server: RecuerdoServer) -> None:
    async with httpx.AsyncClient(base_url=rag_server.url) as client:
        answer = await client.post("/v1/chat", json={"message": QUESTION})
        assert "5 días hábiles" in answer.raise_for_status().json()["reply"]["content"]


async def test_anybody_may_compile_the_builder_with_a_checkpointer_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory is the one that the environment names; the same user is remembered across its threads."""
    from recuerdo.rag import create_graph_builder

    monkeypatch.setenv("RECUERDO_DATABASE_URL", f"sqlite:///{tmp_path}/own.db")
    monkeypatch.setenv("RECUERDO_EMBEDDINGS", "none")
    agent = create_graph_builder().compile(checkpointer=InMemorySaver())
    await agent.ainvoke(said_here("Me llamo Emiliano"), {"configurable": {"user_id": "emi", "thread_id": "a"}})
    asked = [
        agent.ainvoke(said_here("¿Cómo me llamo?"), {"configurable": {"user_id": user, "thread_id": "b", **more}})
        for user, more in (("emi", {}), ("ana", {}), ("emi", {"tenant": "zeta"}), ("ana", AUTHENTICATED))
    ]
    answers = [str(state["messages"][-1].content) for state in await asyncio.gather(*asked)]
    assert ["Emiliano" in answer for answer in answers] == [True, False, False, True]
    assert len((await agent.aget_state({"configurable": {"thread_id": "a"}})).values["messages"]) == 2


async def test_the_agent_runs_in_any_program_and_ends_with_it(tmp_path: Path) -> None:
    """A database that can't be opened is said, and the next message tries again."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable, program, cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert json.loads(out) == ["ConfigurationError", "Te llamas Emiliano."]
    assert not errors


AUTHENTICATED = {"langgraph_auth_user_id": "emi"}

PROGRAM = """\
import asyncio, json, os

os.environ |= {"RECUERDO_EMBEDDINGS": "none", "RECUERDO_DATABASE_URL": "nonsense"}
from langchain_core.messages import HumanMessage
from recuerdo.rag import agent


async def say(thread, text):
    config = {"configurable": {"user": "emi", "thread_id": thread}}
    return (await agent.ainvoke({"messages": [HumanMessage(text)]}, config))["messages"][-1].content


async def fail():
    try:
        await say("t-0", "Hola")
    except Exception as error:
        os.environ["RECUERDO_DATABASE_URL"] = "sqlite:///program.db"
        await say("t-1", "Me llamo Emiliano")
        return type(error).__name__


print(json.dumps([asyncio.run(fail()), asyncio.run(say("t-2", "¿Cómo me llamo?"))]))
"""


def said(text: str) -> dict[str, list[dict[str, str]]]:
    return {"messages": [{"role": "user", "content": text}]}


def said_here(text: str) -> dict[str, list[HumanMessage]]:
    return {"messages": [HumanMessage(text)]}
