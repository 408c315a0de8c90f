"""LangChain's chat message history, in Recuerdo."""

from collections.abc import Sequence
from typing import Protocol

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from recuerdo.core.errors import DuplicateMessage, NotFound
from recuerdo.core.messages import Message
from recuerdo.history import ThreadHistory
from recuerdo.history.requests import MOST_MESSAGES
from recuerdo.integrations.bridge import Bridge, SyncCaller, bridge_here
from recuerdo.integrations.langchain.messages import from_langchain, to_langchain
from recuerdo.windowing import WindowPolicy


class OpensThreads(Protocol):
    """An open Recuerdo, as far as histories need it."""

    def thread(self, *, tenant: str, user: str, thread: str) -> ThreadHistory:
        """One conversation."""
        ...


class RecuerdoChatMessageHistory(BaseChatMessageHistory):
    """One thread as LangChain's chat history, for `RunnableWithMessageHistory` and old chains.

    Reads give the whole thread without archived messages, or what a `window` policy shows of it. A message whose id is
    in the thread already is not added again. Await the methods that begin with `a`; the synchronous ones are for other
    threads than the event loop's, and go through a `bridge` to the loop that Recuerdo was opened on.
    """

    def __init__(
        self, thread: ThreadHistory, *, window: WindowPolicy | None = None, bridge: Bridge | None = None
    ) -> None:
        super().__init__()
        self.thread = thread
        self._window = window
        self._sync = SyncCaller(bridge)

    async def aget_messages(self) -> list[BaseMessage]:
        """The messages, oldest first."""
        return [to_langchain(message) for message in await self._sync.join(self._shown())]

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append the messages, in one transaction for every 1,000. Raises InvalidInput or Unavailable."""
        await self._sync.join(append_new(self.thread, [from_langchain(message) for message in messages]))

    async def aclear(self) -> None:
        """Erase the messages for good."""
        try:
            await self._sync.join(self.thread.clear())
        except NotFound:
            return

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """As `aget_messages`, for synchronous callers."""
        return self._sync.run(self.aget_messages())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `aadd_messages`, for synchronous callers."""
        self._sync.run(self.aadd_messages(messages))

    def clear(self) -> None:
        """As `aclear`, for synchronous callers."""
        self._sync.run(self.aclear())

    async def _shown(self) -> Sequence[Message]:
        if self._window is not None:
            return await self.thread.window(self._window)
        return [message for message in await self.thread.read() if not message.archived]


class ChatHistories:
    """The histories of one user by session id: what `RunnableWithMessageHistory` calls `get_session_history`.

    Make it on the event loop that Recuerdo was opened on, and its histories may be used from any thread.
    """

    def __init__(
        self,
        memory: OpensThreads,
        *,
        tenant: str,
        user: str,
        window: WindowPolicy | None = None,
        bridge: Bridge | None = None,
    ) -> None:
        self._memory = memory
        self._tenant = tenant
        self._user = user
        self._window = window
        self._bridge = bridge or bridge_here()

    def __call__(self, session_id: str) -> RecuerdoChatMessageHistory:
        """The history of the thread `session_id`."""
        thread = self._memory.thread(tenant=self._tenant, user=self._user, thread=session_id)
        return RecuerdoChatMessageHistory(thread, window=self._window, bridge=self._bridge)


async def append_new(thread: ThreadHistory, messages: Sequence[Message]) -> int:
    """Append the messages whose ids the thread does not have; returns how many those were."""
    added = 0
    for start in range(0, len(messages), MOST_MESSAGES):
        added += await _append_new(thread, messages[start : start + MOST_MESSAGES])
    return added


async def _append_new(thread: ThreadHistory, messages: Sequence[Message]) -> int:
    while messages:
        try:
            await thread.append(*messages)
        except DuplicateMessage:
            there = {message.id for message in await thread.read()}
            messages = [message for message in messages if message.id not in there]
        else:
            return len(messages)
    return 0
