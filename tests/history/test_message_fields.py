"""Standard fields of messages: filled where a setting asks for them, on every database and by every door."""

from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo import Message, Recuerdo
from recuerdo.app.importing import import_export
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.history import ThreadHistory
from recuerdo.history.message_fields import MESSAGE_FIELDS
from recuerdo.integrations.exports.shapes import ExportedConversation, ForeignExport
from recuerdo.integrations.langgraph import RecuerdoSaver
from servers.recuerdo import running_recuerdo

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Steps:
    """A clock that moves on by a second with each look."""

    def __init__(self) -> None:
        self.now = AT

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest_asyncio.fixture(params=["memory", "sqlite", "postgres", "mongodb"])
async def memory(request: pytest.FixtureRequest, tmp_path: Any) -> AsyncGenerator[Recuerdo]:
    own = {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path}/r.db"}
    url = own.get(request.param) or request.getfixturevalue(f"{request.param}_url")
    async with Recuerdo.open(url, embeddings="none", message_fields=MESSAGE_FIELDS, clock=Steps()) as memory:
        yield memory


async def _metadata(thread: ThreadHistory) -> list[Mapping[str, Any]]:
    return [message.metadata for message in await thread.read()]


async def test_fields_are_filled_where_the_caller_gave_none(memory: Recuerdo) -> None:
    """The agent is the one that the thread's metadata names; the time is the message's own, in UTC."""
    thread = memory.thread(tenant="acme", user="emi", thread=new_id())
    await thread.append(
        Message.user("Hola", created_at=AT), Message.user("Chau", metadata={"tenant_id": "mine", "n": 1})
    )
    await thread.update_metadata({"agent_id": "sales"})
    await thread.append(Message.assistant("Adiós", created_at=AT))
    first, second, third = await thread.read()
    assert first.metadata == {"tenant_id": "acme", "timestamp": "2026-03-01T12:00:00Z"}
    assert first.created_at == AT
    assert second.created_at is not None
    assert datetime.fromisoformat(second.metadata.pop("timestamp")) == second.created_at
    assert second.metadata == {"tenant_id": "mine", "n": 1}
    assert third.metadata == {"agent_id": "sales", "tenant_id": "acme", "timestamp": "2026-03-01T12:00:00Z"}
    await thread.replace([Message.user("Otra vez", created_at=AT)])
    assert await _metadata(thread) == [third.metadata]


async def test_a_retry_is_the_same_append(memory: Recuerdo) -> None:
    """It comes later, and perhaps behind a new agent: what the caller wrote is what counts."""
    thread = memory.thread(tenant="acme", user="emi", thread=new_id())
    first = await thread.append(Message.user("Hola"), idempotency_key="k")
    await thread.update_metadata({"agent_id": "sales"})
    again = await thread.append(Message.user("Hola"), idempotency_key="k")
    assert (again.replayed, again.ids) == (True, first.ids)
    replaced = await thread.replace([Message.user("Hola")], idempotency_key="r")
    assert (await thread.replace([Message.user("Hola")], idempotency_key="r")).ids == replaced.ids


async def test_both_sides_of_a_chat_have_the_fields(memory: Recuerdo) -> None:
    """The agent is the one that answered, whether its name came with the turn or not."""
    thread = memory.thread(tenant="acme", user="emi", thread=new_id())
    await memory.chat.reply(thread.scope, "Hola")
    said = await thread.read()
    assert [message.role for message in said] == ["user", "assistant"]
    assert {message.metadata["agent_id"] for message in said} == {"recuerdo"}
    assert {message.metadata["tenant_id"] for message in said} == {"acme"}
    assert all(datetime.fromisoformat(message.metadata["timestamp"]) == message.created_at for message in said)


async def test_messages_of_graphs_have_the_fields(memory: Recuerdo) -> None:
    """A graph's messages come to the history with them, and its state stays as the graph made it."""

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [("ai", f"Buenas a {len(state['messages'])}")]}

    builder: Any = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    thread = memory.thread(tenant="acme", user="emi", thread=new_id())
    graph: Any = builder.compile(checkpointer=RecuerdoSaver(memory, tenant="acme", user="emi"))
    config = {"configurable": {"thread_id": thread.scope.thread, "assistant_id": "greeter"}}
    state = await graph.ainvoke({"messages": [("user", "Hola")]}, config)
    assert [message.response_metadata for message in state["messages"]] == [{}, {}]
    kept = await _metadata(thread)
    assert [(each["agent_id"], each["tenant_id"]) for each in kept] == [("greeter", "acme")] * 2


async def test_imported_messages_have_the_fields_of_their_own_time(memory: Recuerdo) -> None:
    """The time is when it was said, not when it was imported."""
    said = ExportedConversation(
        "c-1", "Viaje", [Message.user("Hola", id="m", created_at=AT, metadata={"imported": {}})]
    )
    owner = Owner("acme", new_id())
    await import_export(memory, owner, "chatgpt", ForeignExport([said], []))
    [metadata] = await _metadata(memory.thread(tenant="acme", user=owner.user, thread="chatgpt:c-1"))
    assert (metadata["tenant_id"], metadata["timestamp"]) == ("acme", "2026-03-01T12:00:00Z")


async def test_messages_stay_as_they_are_without_the_setting() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t")
        await thread.append(Message.user("Hola"))
        assert await _metadata(thread) == [{}]


async def test_an_unknown_field_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library and the setting name the fields that there are."""
    from recuerdo.app.settings import read_settings

    with pytest.raises(InvalidInput, match="agent_id, tenant_id, timestamp"):
        async with Recuerdo.open("memory://", message_fields=["user_id"]):
            pass
    monkeypatch.setenv("RECUERDO_MESSAGE_FIELDS", "tenant_id, user_id")
    with pytest.raises(ConfigurationError, match="RECUERDO_MESSAGE_FIELDS: 'user_id' is not one of agent_id"):
        read_settings()


def test_a_server_fills_what_its_setting_names() -> None:
    """The fields are those of the setting, in what is stored and in what is read."""
    with (
        running_recuerdo(database_url="memory://", embeddings="none", message_fields="tenant_id,agent_id") as server,
        httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "emi"}) as client,
    ):
        said = {"messages": [{"role": "user", "content": "Hola"}]}
        assert client.post("/v1/threads/t/messages", json=said).status_code == 201
        assert client.patch("/v1/threads/t", json={"metadata": {"agent_id": "sales"}}).status_code == 200
        assert client.post("/v1/threads/t/messages", json=said).status_code == 201
        first, second = client.get("/v1/threads/t/messages").json()["messages"]
        assert first["metadata"] == {"tenant_id": "default"}
        assert second["metadata"] == {"agent_id": "sales", "tenant_id": "default"}
