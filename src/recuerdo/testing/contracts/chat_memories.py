"""The contract of a user's own stores behind windows."""

import asyncio

import pytest

from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.ports import ChatMemoryStore
from recuerdo.history.chat_memory import WindowsOver
from recuerdo.testing.clock import NOON
from recuerdo.windowing import MessageWindow

_CALL = ToolCall("call-1", "weather", {"city": "Lima", "days": 2})
_SAID = [
    Message.system("Be brief.", id="m-0", created_at=NOON),
    Message.user("¿Llueve? ☂", id="m-1", created_at=NOON, name="emi", metadata={"locale": "es", "deep": [{"a": 1.5}]}),
    Message.assistant("", id="m-2", created_at=NOON, tool_calls=[_CALL]),
    Message.tool([{"type": "text", "text": "21 degrees"}], id="m-3", created_at=NOON, tool_call_id="call-1"),
    Message.assistant("No.", id="m-4", created_at=NOON, archived=True),
]


class ChatMemoryStoreContract:
    """Everything that a ChatMemoryStore must hold. Needs the fixture `store`."""

    pytestmark = pytest.mark.asyncio

    async def test_an_absent_conversation(self, store: ChatMemoryStore) -> None:
        """A conversation that is not there has no messages, and can be deleted."""
        memory_id = new_id()
        await store.delete_messages(memory_id)
        assert [*await store.get_messages(memory_id)] == []

    async def test_every_field_comes_back(self, store: ChatMemoryStore) -> None:
        """Messages come back in their order, with every field."""
        memory_id = new_id()
        await store.update_messages(memory_id, _SAID)
        assert [*await store.get_messages(memory_id)] == _SAID

    async def test_an_update_replaces(self, store: ChatMemoryStore) -> None:
        """An update replaces the whole conversation, also by nothing."""
        memory_id = new_id()
        for said in (_SAID, _SAID[1:2], []):
            await store.update_messages(memory_id, said)
            assert [*await store.get_messages(memory_id)] == said

    async def test_ids_stay_apart(self, store: ChatMemoryStore) -> None:
        """Conversations with similar ids are different ones, and a deletion takes one of them."""
        ids = [f"{new_id()}{end}" for end in ("", ":1", "/1", "%", "_", " x", "ñ", "'")]
        for number, memory_id in enumerate(ids):
            await store.update_messages(memory_id, [Message.user(str(number), id="m-1", created_at=NOON)])
        await store.delete_messages(ids[0])
        found = [[message.text for message in await store.get_messages(memory_id)] for memory_id in ids]
        assert found == [[], *([str(number)] for number in range(1, len(ids)))]

    async def test_windows_over_it(self, store: ChatMemoryStore) -> None:
        """A window shows the newest messages and the system message, and the store keeps the conversation."""
        memory = WindowsOver(store, MessageWindow(3))(new_id())
        await memory.add(Message.system("Be brief."), Message.user("a"), Message.assistant("b"))
        await memory.add(Message.user("c"))
        assert [message.text for message in await memory.messages()] == ["Be brief.", "b", "c"]
        assert [message.text for message in await store.get_messages(memory.id)] == ["Be brief.", "a", "b", "c"]
        await memory.clear()
        assert [*await memory.messages()] == []

    async def test_windows_that_evict(self, store: ChatMemoryStore) -> None:
        """With `evict` the store has what the window shows."""
        memory = WindowsOver(store, MessageWindow(2), evict=True)(new_id())
        await memory.add(Message.user("a"), Message.assistant("b"), Message.user("c"))
        assert [message.text for message in await store.get_messages(memory.id)] == ["b", "c"]

    async def test_additions_at_once(self, store: ChatMemoryStore) -> None:
        """Messages that are added to one conversation at the same moment are all there."""
        windows, memory_id = WindowsOver(store, MessageWindow(50)), new_id()
        await asyncio.gather(*(windows(memory_id).add(Message.user(str(number))) for number in range(10)))
        assert {message.text for message in await windows(memory_id).messages()} == {str(n) for n in range(10)}
