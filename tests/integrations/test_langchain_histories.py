"""RecuerdoChatMessageHistory and windows in LangChain's own machinery."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from recuerdo import Message, MessageWindow, Recuerdo, Summary, SummaryWindow
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.history import ThreadHistory
from recuerdo.integrations.bridge import Bridge
from recuerdo.integrations.langchain import (
    ChatHistories,
    RecuerdoChatMessageHistory,
    from_langchain,
    move_in,
    move_out,
    window_messages,
)
from servers.openai_server import OpenAIServer

CALL = {"type": "tool_call", "id": "c1", "name": "f", "args": {}}
TALK = [
    SystemMessage("Be brief", id="m0"),
    HumanMessage("Hola", id="m1"),
    AIMessage("", tool_calls=[CALL], id="m2"),
    ToolMessage("42", tool_call_id="c1", id="m3", artifact={"rows": [1, 2]}),
    AIMessage("42", id="m4", usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}),
]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncGenerator[Recuerdo]:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/history.db", embeddings="none") as memory:
        yield memory


@pytest.fixture
def thread(memory: Recuerdo) -> ThreadHistory:
    return memory.thread(tenant="acme", user="emi", thread="t")


async def test_a_history_gives_back_what_was_added(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)
    assert isinstance(history, BaseChatMessageHistory)
    assert await history.aget_messages() == []
    await history.aadd_messages(TALK)
    assert await history.aget_messages() == TALK


async def test_other_readers_of_the_thread_see_the_conversation(thread: ThreadHistory) -> None:
    await RecuerdoChatMessageHistory(thread).aadd_messages(TALK)
    assert [message.role for message in await thread.read()] == ["system", "user", "assistant", "tool", "assistant"]
    assert [message.id for message in await thread.window(MessageWindow(4))] == ["m0", "m2", "m3", "m4"]


async def test_messages_without_ids_get_them(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)
    await history.aadd_messages([HumanMessage("a"), HumanMessage("a")])
    first, second = await history.aget_messages()
    assert first.id
    assert second.id
    assert first.id != second.id


async def test_a_message_whose_id_is_there_is_not_added_again(thread: ThreadHistory) -> None:
    """So that a caller may hand over the whole conversation each time."""
    history = RecuerdoChatMessageHistory(thread)
    await history.aadd_messages(TALK[:2])
    await history.aadd_messages(TALK)
    await history.aadd_messages(TALK)
    assert await history.aget_messages() == TALK


async def test_more_messages_than_one_append_takes_are_all_added_in_order(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)
    await history.aadd_messages([HumanMessage(str(number)) for number in range(2003)])
    assert [message.content for message in await history.aget_messages()] == [str(number) for number in range(2003)]


async def test_archived_messages_are_not_shown(thread: ThreadHistory) -> None:
    await RecuerdoChatMessageHistory(thread).aadd_messages(TALK)
    await thread.archive(last=4)
    assert await RecuerdoChatMessageHistory(thread).aget_messages() == TALK[4:]


async def test_a_history_with_a_window_shows_what_fits_and_no_orphan(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread, window=MessageWindow(3))
    await history.aadd_messages(TALK)
    assert await history.aget_messages() == [TALK[0], TALK[4]]


async def test_clearing_erases_and_clearing_nothing_is_fine(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)
    await history.aclear()
    await history.aadd_messages(TALK)
    await history.aclear()
    assert await history.aget_messages() == []
    assert await thread.read() == []


async def test_the_synchronous_methods_do_the_same_from_other_threads(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)

    def use() -> tuple[list[BaseMessage], list[BaseMessage]]:
        history.add_messages(TALK[:3])
        history.add_message(TALK[3])
        history.add_ai_message("bye")
        said = history.messages
        history.clear()
        return said, history.messages

    said, cleared = await asyncio.to_thread(use)
    assert said[:4] == TALK[:4]
    assert (said[4].type, said[4].content, cleared) == ("ai", "bye", [])


async def test_a_synchronous_call_on_the_loop_itself_says_what_to_do(thread: ThreadHistory) -> None:
    history = RecuerdoChatMessageHistory(thread)
    with pytest.raises(ConfigurationError, match="Await the async method"):
        _ = history.messages


async def test_a_history_that_knows_no_loop_says_what_to_do(thread: ThreadHistory) -> None:
    history = await asyncio.to_thread(RecuerdoChatMessageHistory, thread)
    with pytest.raises(ConfigurationError, match="opened on"):
        await asyncio.to_thread(history.clear)


def test_a_program_without_an_event_loop_works_through_a_bridge() -> None:
    with Bridge() as bridge, bridge.entered(Recuerdo.open("memory://", embeddings="none")) as memory:
        history = ChatHistories(memory, tenant="acme", user="emi", bridge=bridge)("t")
        history.add_user_message("Hola")
        assert [message.content for message in history.messages] == ["Hola"]
        assert asyncio.run(history.aget_messages()) == history.messages


async def test_a_chain_with_history_remembers(memory: Recuerdo, openai_server: OpenAIServer) -> None:
    """RunnableWithMessageHistory over a model that speaks the real protocol, async and sync."""
    asynchronous, synchronous = DefaultAsyncHttpxClient(), DefaultHttpxClient()  # LangChain's outlive the test
    clients: Any = {"http_async_client": asynchronous, "http_client": synchronous}
    model = ChatOpenAI(model="test", base_url=openai_server.url, api_key="sk-test", **clients)
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{question}")])
    chain = RunnableWithMessageHistory(
        prompt | model,
        ChatHistories(memory, tenant="acme", user="emi"),
        input_messages_key="question",
        history_messages_key="history",
    )
    config = {"configurable": {"session_id": "t-1"}}
    openai_server.say("Hola, Emiliano.")
    await chain.ainvoke({"question": "Me llamo Emiliano"}, config)
    openai_server.say("Emiliano.")
    await asyncio.to_thread(chain.invoke, {"question": "¿Cómo me llamo?"}, config)
    assert [each["content"] for each in openai_server.requests[-1]["messages"]] == [
        "Me llamo Emiliano",
        "Hola, Emiliano.",
        "¿Cómo me llamo?",
    ]
    stored = await memory.thread(tenant="acme", user="emi", thread="t-1").read()
    assert [(message.role, message.text) for message in stored] == [
        ("user", "Me llamo Emiliano"),
        ("assistant", "Hola, Emiliano."),
        ("user", "¿Cómo me llamo?"),
        ("assistant", "Emiliano."),
    ]
    assert stored[-1].metadata["langchain"]["fields"]["response_metadata"]["finish_reason"] == "stop"
    synchronous.close()
    await asynchronous.aclose()


async def test_users_and_tenants_with_one_session_id_stay_apart(memory: Recuerdo) -> None:
    for tenant, user in (("acme", "emi"), ("acme", "ana"), ("other", "emi")):
        history = ChatHistories(memory, tenant=tenant, user=user)("t")
        assert await history.aget_messages() == []
        await history.aadd_messages([HumanMessage(f"{tenant} {user}")])
    assert [m.content for m in await ChatHistories(memory, tenant="acme", user="ana")("t").aget_messages()] == [
        "acme ana"
    ]


async def test_a_window_in_a_chain_passes_the_very_messages_on() -> None:
    shown = await (window_messages(MessageWindow(3)) | RunnableLambda(lambda messages: messages)).ainvoke(TALK)
    assert [id(message) for message in shown] == [id(TALK[0]), id(TALK[4])]
    assert window_messages(MessageWindow(1)).invoke([("human", "a"), ("ai", "b")])[0].content == "b"


def test_what_is_no_window_is_refused_where_the_chain_is_made() -> None:
    with pytest.raises(InvalidInput, match=r"MessageWindow\(5\)"):
        window_messages(5)  # pyright: ignore[reportArgumentType]


def test_a_window_takes_what_a_prompt_template_gives() -> None:
    prompt = ChatPromptTemplate.from_messages([("system", "S"), MessagesPlaceholder("history"), ("human", "{q}")])
    chain = prompt | window_messages(MessageWindow(3))
    shown = chain.invoke({"history": [HumanMessage("1"), AIMessage("2"), HumanMessage("3")], "q": "4"})
    assert [message.content for message in shown] == ["S", "3", "4"]


def test_a_window_with_a_summary_shows_it_as_a_message() -> None:
    policy = SummaryWindow(MessageWindow(10), Summary("They met.", until_seq=2))
    shown = window_messages(policy).invoke([HumanMessage("1"), AIMessage("2"), HumanMessage("3")])
    assert [message.type for message in shown] == ["human", "human"]
    assert "They met." in str(shown[0].content)
    assert shown[1].content == "3"


async def test_an_old_memory_moves_in_once_however_often_it_is_moved(thread: ThreadHistory) -> None:
    """And when it has grown meanwhile, only what is new is added."""

    class BufferMemory:
        chat_memory = InMemoryChatMessageHistory(messages=[HumanMessage("a"), AIMessage("b"), HumanMessage("a")])

    assert await move_in(BufferMemory(), thread) == 3
    assert await move_in(BufferMemory(), thread) == 0
    BufferMemory.chat_memory.add_ai_message("c")
    assert await move_in(BufferMemory(), thread) == 1
    assert [message.text for message in await thread.read()] == ["a", "b", "a", "c"]


async def test_a_real_conversation_buffer_memory_moves_in_and_out(thread: ThreadHistory) -> None:
    classic = pytest.importorskip("langchain_classic.memory", reason="it comes with langchain-classic")
    old = classic.ConversationBufferMemory(return_messages=True)
    old.save_context({"input": "Hola"}, {"output": "¿Qué tal?"})
    assert await move_in(old, thread) == 2
    new = classic.ConversationBufferMemory(return_messages=True)
    assert await move_out(thread, new) == 2
    assert [message.content for message in new.load_memory_variables({})["history"]] == ["Hola", "¿Qué tal?"]
    replaced = classic.ConversationBufferMemory(return_messages=True, chat_memory=RecuerdoChatMessageHistory(thread))
    assert len((await replaced.aload_memory_variables({}))["history"]) == 2


@pytest.mark.parametrize("form", ["dict() of a memory", "dict() of a history", "messages_to_dict", "dicts", "roles"])
async def test_what_was_written_as_dicts_moves_in(thread: ThreadHistory, form: str) -> None:
    """Once, as the memory itself would."""
    messages = [HumanMessage("a"), AIMessage("b", id="m-2"), HumanMessage("c")]
    dicts = [message.model_dump() for message in messages]
    written = {
        "dict() of a memory": {"chat_memory": {"messages": dicts}, "memory_key": "history", "human_prefix": "Human"},
        "dict() of a history": {"messages": dicts},
        "messages_to_dict": messages_to_dict(messages),
        "dicts": dicts,
        "roles": [{"role": role, "content": text} for role, text in (("user", "a"), ("assistant", "b"), ("user", "c"))],
    }[form]
    assert await move_in(written, thread) == 3
    assert await move_in(written, thread) == 0
    assert [(each.role, each.text) for each in await thread.read()] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]


@pytest.mark.parametrize("written", [[{"text": "a"}], [{"type": "nobody", "content": "a"}], [{"data": 1}], [None]])
async def test_dicts_that_are_no_messages_are_refused_by_their_place(thread: ThreadHistory, written: Any) -> None:
    with pytest.raises(InvalidInput, match=r"messages\[0\]: must be a message"):
        await move_in(written, thread)
    with pytest.raises(InvalidInput, match="memory: must be"):
        await move_in({"history": "Human: a"}, thread)


async def test_messages_move_out_of_one_history_and_into_another(memory: Recuerdo, thread: ThreadHistory) -> None:
    """Times and metadata of ours travel along."""
    await thread.append(Message.user("Hola", metadata={"mood": "good"}))
    elsewhere = InMemoryChatMessageHistory()
    await move_out(thread, elsewhere)
    again = memory.thread(tenant="acme", user="emi", thread="again")
    assert await move_in(elsewhere.messages, again) == 1
    assert await again.read() == await thread.read()


async def test_what_is_no_memory_is_refused(thread: ThreadHistory) -> None:
    with pytest.raises(InvalidInput, match="memory: must be"):
        await move_in(object(), thread)


def test_all_parts_are_read_as_text_by_windows() -> None:
    assert from_langchain(HumanMessage(["a", {"type": "text", "text": "b"}])).text == "a\nb"
