"""The contract of stores behind windows, over two that a program might have: a dict, and a file of SQLite."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from recuerdo import Message, MessageWindow, Owner, Recuerdo
from recuerdo.core.errors import DuplicateMessage, InvalidInput
from recuerdo.testing import ChatMemoryStoreContract


class DictStore:
    """Conversations in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, list[Message]] = {}

    async def get_messages(self, memory_id: str) -> Sequence[Message]:
        return self.kept.get(memory_id, [])

    async def update_messages(self, memory_id: str, messages: Sequence[Message]) -> None:
        self.kept[memory_id] = [*messages]

    async def delete_messages(self, memory_id: str) -> None:
        self.kept.pop(memory_id, None)


class FileStore:
    """Conversations in a table, each as one JSON."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("CREATE TABLE conversations (id TEXT PRIMARY KEY, messages BLOB NOT NULL)")

    async def get_messages(self, memory_id: str) -> Sequence[Message]:
        found = self._connection.execute("SELECT messages FROM conversations WHERE id = ?", [memory_id]).fetchone()
        return msgspec.json.decode(found[0], type=list[Message]) if found else []

    async def update_messages(self, memory_id: str, messages: Sequence[Message]) -> None:
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO conversations VALUES (?, ?)", [memory_id, msgspec.json.encode(messages)]
            )

    async def delete_messages(self, memory_id: str) -> None:
        with self._connection:
            self._connection.execute("DELETE FROM conversations WHERE id = ?", [memory_id])


class TestDict(ChatMemoryStoreContract):
    """See ChatMemoryStoreContract."""

    @pytest.fixture
    def store(self) -> DictStore:
        return DictStore()


class TestFile(ChatMemoryStoreContract):
    """See ChatMemoryStoreContract."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[FileStore]:
        with closing(sqlite3.connect(tmp_path / "chats.db")) as connection:
            yield FileStore(connection)


async def test_a_program_without_tenants_has_conversations_by_their_id() -> None:
    async with Recuerdo.open("memory://", embeddings="none", owner=Owner("acme", "emi")) as memory:
        chat = memory.chat_memory("t-1", MessageWindow(2))
        await chat.clear()
        await chat.add(Message.user("a"), Message.assistant("b"), Message.user("c"))
        assert [message.text for message in await chat.messages()] == ["b", "c"]
        kept = await memory.thread(tenant="acme", user="emi", thread="t-1").read()
        assert [message.text for message in kept] == ["a", "b", "c"]
        await chat.clear()
        assert (chat.id, await chat.messages()) == ("t-1", [])


async def test_a_store_of_ones_own_gets_only_messages_that_a_history_would_take() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        store = DictStore()
        windows = memory.windows_over(store, MessageWindow(2))
        with pytest.raises(InvalidInput):
            windows("")
        with pytest.raises(InvalidInput):
            await windows("t-1").add(Message(role="tool", content="x"))
        await windows("t-1").add(Message.user("a", id="m-1"))
        with pytest.raises(DuplicateMessage):
            await windows("t-1").add(Message.user("b", id="m-1"))
        assert [message.text for message in store.kept["t-1"]] == ["a"]


async def test_windows_that_a_program_makes_for_each_request_lose_no_message_of_each_other() -> None:
    class SlowStore(DictStore):
        async def get_messages(self, memory_id: str) -> list[Message]:
            found = await super().get_messages(memory_id)
            await asyncio.sleep(0)
            return found

    async with Recuerdo.open("memory://", embeddings="none") as memory:
        store = SlowStore()
        chats = [memory.windows_over(store, MessageWindow(2))("t-1") for _ in range(20)]
        await asyncio.gather(*(chat.add(Message.user(str(number))) for number, chat in enumerate(chats)))
        assert len(store.kept["t-1"]) == 20
