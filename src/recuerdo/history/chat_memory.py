"""Chat memories as LangChain4j has them: a conversation by its id, of which the model is shown a window."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol
from weakref import WeakValueDictionary

from msgspec.structs import replace

from recuerdo.core.errors import DuplicateMessage, NotFound
from recuerdo.core.messages import Message, decode
from recuerdo.core.ports import ChatMemoryStore, Clock
from recuerdo.core.scope import DEFAULT_TENANT, Scope, check_id
from recuerdo.history.history import ThreadHistory, utc_now
from recuerdo.history.requests import prepare
from recuerdo.windowing import WindowPolicy
from recuerdo.windowing.policy import check_policy


class ChatMemory(Protocol):
    """One conversation, by its `id`."""

    @property
    def id(self) -> str: ...

    async def add(self, *messages: Message) -> None:
        """Add messages at the end, all or none. Raises InvalidInput, DuplicateMessage, and what its store raises."""
        ...

    async def messages(self) -> list[Message]:
        """The window: what to show the model, oldest first."""
        ...

    async def clear(self) -> None:
        """Forget the conversation for good."""
        ...


class ThreadChatMemory:
    """The ChatMemory of a thread, whose history keeps what the window does not show."""

    def __init__(self, thread: ThreadHistory, window: WindowPolicy) -> None:
        check_policy("window", window)
        self.thread = thread
        self._window = window

    @property
    def id(self) -> str:
        return self.thread.scope.thread

    async def add(self, *messages: Message) -> None:
        await self.thread.append(*messages)

    async def messages(self) -> list[Message]:
        return await self.thread.window(self._window)

    async def clear(self) -> None:
        with suppress(NotFound):
            await self.thread.clear()


Locks = WeakValueDictionary[tuple[int, str], asyncio.Lock]
"""The locks of the ids of stores, each for as long as anybody holds it."""


class WindowsOver:
    """Windows over a store of your own: `windows("t-1")` is the ChatMemory of that id.

    The store has whole conversations, and each window is made when it is read. With `evict` it has the windows alone,
    as under LangChain4j, and what does not fit is gone. Messages of one id are added in turn by all windows that have
    the same store object and the same `locks`; beyond these your store decides which update counts. Raises InvalidInput
    for what is not a policy.
    """

    def __init__(
        self,
        store: ChatMemoryStore,
        window: WindowPolicy,
        *,
        evict: bool = False,
        clock: Clock = utc_now,
        locks: Locks | None = None,
    ) -> None:
        check_policy("window", window)
        self.store = store
        self.window = window
        self.evict = evict
        self.clock = clock
        self._locks: Locks = WeakValueDictionary() if locks is None else locks

    def __call__(self, memory_id: str) -> ChatMemory:
        """The memory of this id. Nothing is stored before something is added. Raises InvalidInput."""
        check_id("memory_id", memory_id)
        return _StoredChatMemory(self, memory_id)

    def lock(self, memory_id: str) -> asyncio.Lock:
        """The lock of an id, for as long as anybody holds it."""
        return self._locks.setdefault((id(self.store), memory_id), asyncio.Lock())


class _StoredChatMemory:
    def __init__(self, windows: WindowsOver, memory_id: str) -> None:
        self.id = memory_id
        self._windows = windows

    async def add(self, *messages: Message) -> None:
        windows = self._windows
        request = prepare(Scope(DEFAULT_TENANT, "memory", self.id), messages, windows.clock())
        new = [decode(message.body) for message in request.messages]
        async with windows.lock(self.id):
            there = await windows.store.get_messages(self.id)
            _check_ids([*there, *new])
            kept = _in_order([*there, *new])
            await windows.store.update_messages(self.id, windows.window.apply(kept) if windows.evict else kept)

    async def messages(self) -> list[Message]:
        return self._windows.window.apply(_in_order(await self._windows.store.get_messages(self.id)))

    async def clear(self) -> None:
        async with self._windows.lock(self.id):
            await self._windows.store.delete_messages(self.id)


def _check_ids(messages: Sequence[Message]) -> None:
    known: set[str] = set()
    for message in messages:
        if message.id in known:
            raise DuplicateMessage(message.id)
        known.add(message.id)


def _in_order(messages: Sequence[Message]) -> list[Message]:
    """The messages with their places in the conversation, which windows go by."""
    return [replace(message, seq=seq) for seq, message in enumerate(messages, 1)]
