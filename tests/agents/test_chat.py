"""The chat over real SQLite repositories and a model that is reached through a real socket."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from recuerdo.adapters.models.chat import open_model
from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteMemories, SqliteThreads
from recuerdo.agents import chat
from recuerdo.agents.chat import Chat
from recuerdo.agents.events import ChatEvent, Finished, Reply, Started, Token
from recuerdo.core.errors import (
    DatabaseUnavailable,
    DuplicateMessage,
    EpochChanged,
    IdempotencyConflict,
    InvalidInput,
    ModelUnavailable,
)
from recuerdo.core.messages import Message
from recuerdo.core.scope import ANONYMOUS, Scope
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories
from recuerdo.windowing import MessageWindow
from servers.openai_server import OpenAIServer
from servers.patience import PATIENCE

SCOPE = Scope("acme", "emi", "t-1")
HELLO = "Hola, me llamo Emiliano y trabajo en Data Oilers"


class World(NamedTuple):
    chat: Chat
    history: History
    memories: Memories
    model: OpenAIServer
    database: SqliteDatabase
    path: Path

    async def said(self) -> list[tuple[str, str]]:
        return [(message.role, message.text) for message in await self.history.read(SCOPE)]


@pytest.fixture
async def world(tmp_path: Path, openai_server: OpenAIServer, model_clients: ModelClients) -> AsyncIterator[World]:
    path = tmp_path / "recuerdo.db"
    async with SqliteDatabase.open(path, busy_seconds=0.05) as database:
        history = History(SqliteHistory(database), SqliteThreads(database))
        memories = Memories(SqliteMemories(database), None, utc_now)
        model = open_model("openai:test", clients=model_clients, base_url=openai_server.url, api_key="k", retries=0)
        yield World(Chat(history, memories, model), history, memories, openai_server, database, path)


async def events_of(chat: Chat, message: str | Message, key: str | None = None) -> list[ChatEvent]:
    return [event async for event in chat.stream(SCOPE, message, idempotency_key=key)]


async def test_a_turn_is_started_then_tokens_then_finished_and_both_messages_are_stored(world: World):
    world.model.say("¡Hola, Emiliano!")
    started, *tokens, finished = await events_of(world.chat, HELLO)
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    assert (started.thread_id, started.message.seq, started.history) == ("t-1", 1, "ok")
    assert [token.text for token in tokens if isinstance(token, Token)] == ["¡Hola, ", "Emiliano!"]
    reply = finished.reply
    assert (reply.message.seq, reply.reply.seq, reply.reply.text) == (1, 2, "¡Hola, Emiliano!")
    assert (reply.model, reply.history, reply.version.seq) == ("openai:test", "ok", 2)
    assert await world.history.read(SCOPE) == [reply.message, reply.reply]
    assert reply.reply.metadata == about(reply)
    assert 0 < reply.reply.metadata["execution_time"] < 600


def about(reply: Reply) -> dict[str, object]:
    """The metadata of a reply when all went well."""
    took = reply.reply.metadata["execution_time"]
    recipe = reply.reply.metadata["prompt"]
    assert len(msgspec.json.encode(recipe)) < 1_000
    return {
        "model": "openai:test",
        "user_message_id": reply.message.id,
        "execution_time": took,
        "prompt": recipe,
    }


async def test_the_model_sees_the_memories_then_the_history_then_the_message(world: World):
    world.model.say("Mucho gusto.")
    await world.memories.add(SCOPE.owner, "Me gusta el mate", attribute="likes", value="el mate")
    await world.chat.reply(SCOPE, "Hola")
    await world.chat.reply(SCOPE, "¿Qué me gusta?")
    prompt = world.model.requests[1]["messages"]
    assert [message["role"] for message in prompt] == ["system", "user", "assistant", "user"]
    assert "Me gusta el mate" in prompt[0]["content"]
    assert [message["content"] for message in prompt[1:]] == ["Hola", "Mucho gusto.", "¿Qué me gusta?"]


async def test_facts_of_the_users_words_are_remembered_with_their_message_as_the_source(world: World):
    world.model.say("Trabajas en otra empresa, te llamas Eva y vives en Lima.")
    await world.chat.reply(SCOPE, "Hola")
    reply = await world.chat.reply(SCOPE, HELLO)
    saved = {memory.attribute: memory for memory in reply.memories_saved}
    assert {name: memory.value for name, memory in saved.items()} == {"name": "Emiliano", "employer": "Data Oilers"}
    assert {(memory.source.thread, memory.source.seq, memory.source.author) for memory in saved.values()} == {
        ("t-1", 3, "user")
    }
    assert len(await world.memories.list(SCOPE.owner)) == 2


async def test_the_memories_that_the_model_saw_are_told(world: World):
    await world.chat.reply(SCOPE, HELLO)
    reply = await world.chat.reply(SCOPE.owner.thread("t-2"), "¿Dónde trabajo?")
    assert {memory.value for memory in reply.memories_used} == {"Emiliano", "Data Oilers"}
    assert reply.memories_saved == []


async def test_an_anonymous_user_is_neither_remembered_nor_recalled(world: World):
    scope = Scope("acme", ANONYMOUS, "t-1")
    reply = await world.chat.reply(scope, HELLO)
    assert (reply.memories_used, reply.memories_saved) == ([], [])
    assert "don't remember this user" in world.model.requests[0]["messages"][0]["content"]


async def test_the_users_message_is_stored_before_the_model_is_asked(world: World):
    world.model.say("tarde", silence=30)
    turn = asyncio.create_task(world.chat.reply(SCOPE, "Hola"))
    await world.model.arrived.wait()
    assert await world.said() == [("user", "Hola")]
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn


async def test_a_model_that_fails_is_an_error_and_the_users_message_stays(world: World):
    world.model.fail(500)
    with pytest.raises(ModelUnavailable):
        await world.chat.reply(SCOPE, HELLO)
    assert await world.said() == [("user", HELLO)]
    assert len(await world.memories.list(SCOPE.owner)) == 2


@pytest.mark.parametrize("says", [None, ""])
@pytest.mark.parametrize("refused", [True, False])
async def test_a_message_that_is_not_stored_yet_when_the_model_fails_is_stored_and_remembered_later(
    world: World, monkeypatch: pytest.MonkeyPatch, refused: bool, says: str | None
):
    """The database refuses it at first, or works on it longer than the turn waits."""
    append, answers, refusals = world.history.append, asyncio.Event(), [DatabaseUnavailable("away")] * refused

    async def slow(*arguments: Any, **more: Any) -> Any:
        if refusals:
            raise refusals.pop()
        await answers.wait()
        return await append(*arguments, **more)

    monkeypatch.setattr(chat, "_SECONDS_TO_STORE", 0.01)
    monkeypatch.setattr(world.history, "append", slow)
    world.model.fail(500) if says is None else world.model.say(says)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ModelUnavailable):
            await world.chat.reply(SCOPE, HELLO)
    assert await world.said() == []
    answers.set()
    await world.chat.aclose()
    assert await world.said() == [("user", HELLO)]
    assert {memory.source.seq for memory in await world.memories.list(SCOPE.owner)} == {1}


async def test_a_reply_that_breaks_off_is_stored_as_far_as_it_came(world: World):
    world.model.say("uno dos tres", cut_after=2)
    with pytest.raises(ModelUnavailable):
        await world.chat.reply(SCOPE, "Cuenta")
    assert await world.said() == [("user", "Cuenta"), ("assistant", "uno dos")]
    metadata = (await world.history.read(SCOPE))[1].metadata
    assert (metadata["model"], metadata["incomplete"]) == ("openai:test", True)


async def test_a_model_that_says_nothing_is_an_error_and_no_empty_message_is_stored(world: World):
    world.model.say("")
    with pytest.raises(ModelUnavailable, match="nothing"):
        await world.chat.reply(SCOPE, "Hola")
    assert await world.said() == [("user", "Hola")]


async def test_a_reader_who_leaves_in_mid_stream_leaves_the_part_that_was_written(world: World):
    world.model.say("uno dos tres cuatro cinco", pause=0.02)
    async with aclosing(world.chat.stream(SCOPE, "Cuenta")) as events:
        async for event in events:
            if event == Token("dos "):
                break
    assert await world.said() == [("user", "Cuenta"), ("assistant", "uno dos")]
    await asyncio.wait_for(world.model.hung_up.wait(), 60)


async def test_a_reader_who_is_cancelled_again_and_again_still_leaves_the_part(world: World):
    world.model.say("uno dos tres cuatro cinco", pause=0.05)
    heard = asyncio.Event()

    async def listen() -> None:
        async for event in world.chat.stream(SCOPE, "Cuenta"):
            if isinstance(event, Token):
                heard.set()

    listening = asyncio.create_task(listen())
    await heard.wait()
    while not listening.done():
        listening.cancel()
        await asyncio.sleep(0)
    await world.chat.aclose()
    assert await world.said() == [("user", "Cuenta"), ("assistant", "uno")]


async def test_no_task_is_left_behind_by_a_reader_who_leaves(world: World):
    before = asyncio.all_tasks()
    world.model.say("uno dos tres", pause=0.02)
    async with aclosing(world.chat.stream(SCOPE, "Cuenta")) as events:
        assert isinstance(await anext(events), Started)
        assert isinstance(await anext(events), Token)
    await asyncio.wait_for(world.model.hung_up.wait(), 30)
    async with asyncio.timeout(PATIENCE):
        while [task for task in asyncio.all_tasks() - before if "openai_server" not in repr(task)]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_locked_database_does_not_silence_the_chat_and_the_turn_is_stored_when_it_is_free(world: World):
    await world.history.append(SCOPE, [Message.user("Antes")])
    world.model.say("Aquí sigo.", pause=0.1)
    with sqlite3.connect(world.path) as other:
        other.execute("BEGIN IMMEDIATE")
        async with aclosing(world.chat.stream(SCOPE, HELLO)) as events:
            started = await anext(events)
            assert isinstance(started, Started)
            assert (started.history, started.message.seq) == ("unavailable", 0)
            other.rollback()
            *_, finished = [event async for event in events]
    assert isinstance(finished, Finished)
    assert (finished.reply.message.seq, finished.reply.reply.seq) == (2, 3)
    assert finished.reply.history == "unavailable"
    assert finished.reply.reply.metadata["history"] == "unavailable"
    assert {memory.source.seq for memory in finished.reply.memories_saved} == {2}
    assert await world.said() == [("user", "Antes"), ("user", HELLO), ("assistant", "Aquí sigo.")]


async def test_a_history_that_cannot_be_read_is_left_out_of_the_prompt(world: World):
    await world.chat.reply(SCOPE, HELLO)
    await world.database._reader.close()  # pyright: ignore[reportPrivateUsage]
    world.model.say("No recuerdo nada.")
    reply = await world.chat.reply(SCOPE, "¿Cómo me llamo?")
    assert (reply.history, reply.reply.metadata["history"]) == ("unavailable", "unavailable")
    assert (reply.message.seq, reply.reply.seq) == (3, 4)
    assert [message["role"] for message in world.model.requests[1]["messages"]] == ["system", "user"]


async def test_a_database_that_is_gone_still_gets_an_answer_which_says_that_nothing_is_stored(world: World):
    await world.database._reader.close()  # pyright: ignore[reportPrivateUsage]
    await world.database._writer.close()  # pyright: ignore[reportPrivateUsage]
    world.model.say("Aquí sigo.")
    reply = await world.chat.reply(SCOPE, HELLO)
    assert reply.reply.text == "Aquí sigo."
    assert (reply.history, reply.message.seq, reply.reply.seq, reply.version) == ("unavailable", 0, 0, (0, 0))
    assert (reply.memories_used, reply.memories_saved) == ([], [])


async def test_a_reply_never_revives_a_thread_that_was_deleted_meanwhile(world: World):
    world.model.say("uno dos tres", pause=0.05)
    async with aclosing(world.chat.stream(SCOPE, "Cuenta")) as events:
        await anext(events)
        await world.history.delete(SCOPE)
        *_, finished = [event async for event in events]
    assert isinstance(finished, Finished)
    assert (finished.reply.reply.seq, finished.reply.history) == (0, "unavailable")
    assert await world.said() == []


async def test_logs_of_failures_hold_nobodys_words(world: World, caplog: pytest.LogCaptureFixture):
    await world.database._reader.close()  # pyright: ignore[reportPrivateUsage]
    await world.database._writer.close()  # pyright: ignore[reportPrivateUsage]
    await world.chat.reply(SCOPE, "mi secreto es 1234")
    assert caplog.records
    assert "secreto" not in caplog.text


@pytest.mark.parametrize("message", ["", "  \n", Message.user(""), Message.user([]), Message.assistant("Hola")])
async def test_a_message_that_says_nothing_or_is_not_the_users_is_refused(world: World, message: str | Message):
    with pytest.raises(InvalidInput) as raised:
        await world.chat.reply(SCOPE, message)
    assert raised.value.field == "message"
    assert (await world.said(), world.model.requests) == ([], [])


async def test_a_message_that_cannot_be_stored_names_its_field(world: World):
    with pytest.raises(InvalidInput) as raised:
        await world.chat.reply(SCOPE, "roto \ud800")
    assert raised.value.field == "message.content"


async def test_a_message_keeps_the_id_that_its_sender_gave_and_is_refused_the_second_time(world: World):
    reply = await world.chat.reply(SCOPE, Message.user("Hola", id="mine", name="Emi"))
    assert (reply.message.id, reply.message.name) == ("mine", "Emi")
    with pytest.raises(DuplicateMessage):
        await world.chat.reply(SCOPE, Message.user("Hola", id="mine"))


async def test_a_message_of_parts_goes_through_whole(world: World):
    parts = [{"type": "text", "text": "Me llamo Eva"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    reply = await world.chat.reply(SCOPE, Message.user(parts))
    assert reply.message.content == parts
    assert world.model.requests[0]["messages"][-1]["content"] == parts
    assert [memory.value for memory in reply.memories_saved] == ["Eva"]


async def test_chats_at_the_same_moment_in_one_thread_all_get_their_place(world: World):
    replies = await asyncio.gather(*[world.chat.reply(SCOPE, f"mensaje {n}") for n in range(8)])
    stored = await world.history.read(SCOPE)
    assert [message.seq for message in stored] == list(range(1, 17))
    assert all(stored[reply.message.seq - 1] == reply.message for reply in replies)
    assert all(stored[reply.reply.seq - 1] == reply.reply for reply in replies)
    assert all(reply.reply.text == reply.message.text for reply in replies)


async def test_the_window_is_the_newest_fifty_messages(world: World):
    await world.history.append(SCOPE, [Message.user(f"mensaje {n}") for n in range(60)])
    started, *_ = await events_of(world.chat, "Hola")
    assert isinstance(started, Started)
    assert [message.seq for message in started.window] == list(range(11, 61))
    assert len(world.model.requests[0]["messages"]) == 52


async def test_a_turn_that_is_sent_again_with_its_key_is_told_again_and_the_model_is_not_asked(world: World):
    world.model.say("¡Hola, Emiliano!")
    first = await world.chat.reply(SCOPE, HELLO, idempotency_key="k-1")
    await world.history.append(SCOPE, [Message.user("Otra cosa")])
    started, token, finished = await events_of(world.chat, HELLO, key="k-1")
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    assert token == Token("¡Hola, Emiliano!")
    assert (started.message, started.window) == (first.message, [])
    assert (finished.reply.message, finished.reply.reply) == (first.message, first.reply)
    assert finished.reply.version == first.version
    assert len(world.model.requests) == 1
    assert await world.said() == [("user", HELLO), ("assistant", "¡Hola, Emiliano!"), ("user", "Otra cosa")]
    assert len(await world.memories.list(SCOPE.owner)) == 2


async def test_a_turn_whose_reply_failed_is_answered_when_it_is_sent_again_and_its_message_is_stored_once(
    world: World,
):
    """The message is not shown to the model twice either."""
    world.model.fail(500)
    with pytest.raises(ModelUnavailable):
        await world.chat.reply(SCOPE, "Hola", idempotency_key="k-1")
    world.model.say("Aquí estoy.")
    reply = await world.chat.reply(SCOPE, "Hola", idempotency_key="k-1")
    assert await world.history.read(SCOPE) == [reply.message, reply.reply]
    assert [message["role"] for message in world.model.requests[1]["messages"]] == ["system", "user"]


async def test_a_reply_that_broke_off_makes_way_for_the_whole_one(world: World):
    """It stays in the history, archived; the model does not see it."""
    for cut in (1, 2):
        world.model.say("uno dos tres", cut_after=cut)
        with pytest.raises(ModelUnavailable):
            await world.chat.reply(SCOPE, "Cuenta", idempotency_key="k-1")
    assert await world.said() == [("user", "Cuenta"), ("assistant", "uno")]
    world.model.say("uno dos tres")
    reply = await world.chat.reply(SCOPE, "Cuenta", idempotency_key="k-1")
    assert reply.reply.metadata == about(reply)
    shown = await world.history.window(SCOPE, MessageWindow(10))
    assert [message.text for message in shown] == ["Cuenta", "uno dos tres"]
    assert [message.archived for message in await world.history.read(SCOPE)] == [False, True, False]
    again = await world.chat.reply(SCOPE, "Cuenta", idempotency_key="k-1")
    assert again.reply == reply.reply


async def test_tries_at_the_same_moment_leave_one_message_and_one_reply(world: World):
    for number in range(5):
        world.model.say(f"respuesta {number}", pause=0.01 * number)
    replies = await asyncio.gather(*[world.chat.reply(SCOPE, "Hola", idempotency_key="k-1") for _ in range(5)])
    stored = await world.history.read(SCOPE)
    assert [message.role for message in stored] == ["user", "assistant"]
    assert all([reply.message, reply.reply] == stored for reply in replies)


async def test_a_key_stands_for_one_message(world: World):
    await world.chat.reply(SCOPE, "Hola", idempotency_key="k-1")
    with pytest.raises(IdempotencyConflict):
        await world.chat.reply(SCOPE, "Adiós", idempotency_key="k-1")
    assert await world.said() == [("user", "Hola"), ("assistant", "Hola")]


async def test_a_turn_that_was_stored_late_is_still_stored_once(world: World):
    """The database was locked at the first try, and answered in its middle."""
    world.model.say("Aquí sigo.", pause=0.1)
    with sqlite3.connect(world.path) as other:
        other.execute("BEGIN IMMEDIATE")
        async with aclosing(world.chat.stream(SCOPE, HELLO, idempotency_key="k-1")) as events:
            await anext(events)
            other.rollback()
            *_, finished = [event async for event in events]
    assert isinstance(finished, Finished)
    again = await world.chat.reply(SCOPE, HELLO, idempotency_key="k-1")
    assert (again.message.id, again.reply) == (finished.reply.message.id, finished.reply.reply)
    assert await world.said() == [("user", HELLO), ("assistant", "Aquí sigo.")]


async def test_a_turn_that_expects_an_epoch_which_has_ended_is_refused_and_asks_no_model(world: World):
    first = await world.chat.reply(SCOPE, HELLO)
    await world.history.clear(SCOPE)
    with pytest.raises(EpochChanged):
        await world.chat.reply(SCOPE, "Sigamos", expected_epoch=first.version.epoch)
    assert (await world.said(), len(world.model.requests)) == ([], 1)
