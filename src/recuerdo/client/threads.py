"""One conversation."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Unpack

from msgspec.structs import replace

from recuerdo.client import answers, operations
from recuerdo.client.connection import Connection
from recuerdo.client.events import EventReader, ReplyReader
from recuerdo.client.options import (
    ArchiveMessagesOptions,
    ChatOptions,
    ExplainReplyOptions,
    ForkThreadOptions,
    GetContextOptions,
    ListMessagesOptions,
    ThreadWindowOptions,
)
from recuerdo.core.errors import OutcomeUnknown, RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import Message

PAGE = 1000


async def chat(
    connection: Connection, message: str, idempotency_key: str | None, options: ChatOptions
) -> answers.ChatAnswerData:
    """Say something and return the whole reply."""
    return await connection.send(operations.CHAT(key=idempotency_key or new_id(), message=message, **options))


async def chat_stream(
    connection: Connection, message: str, idempotency_key: str | None, options: ChatOptions
) -> AsyncGenerator[answers.ChatStartData | str | answers.ChatAnswerData]:
    """Say something and yield the reply as it comes, over as many attempts as it takes."""
    request = operations.CHAT_STREAM(key=idempotency_key or new_id(), message=message, **options)
    attempts, reply = connection.attempts(), ReplyReader()
    while True:
        reply.begin()
        try:
            async with aclosing(connection.events(request, EventReader())) as events:
                async for event in events:
                    attempts.progressed()
                    for part in reply.feed(event):
                        yield part
            if reply.is_whole:
                return
            raise OutcomeUnknown("The stream ended before the reply was whole.", retry_after=0)
        except RecuerdoError as error:
            pause = attempts.pause_after(error, repeatable=request.repeatable)
        await connection.sleep(pause)


class AsyncThreadClient:
    """One conversation. Nothing is sent until a method is called; the thread is made by its first append."""

    def __init__(self, connection: Connection, thread_id: str) -> None:
        self._connection = connection
        self.id = thread_id

    async def append(
        self, *messages: Message, idempotency_key: str | None = None, expected_epoch: int | None = None
    ) -> answers.ReceiptData:
        """Append messages, all or none, and return when they are durable.

        Without a key one is made, so that a broken connection leads to another attempt and not to a second message.
        With an `expected_epoch` a thread that was cleared since is refused with EpochChanged.
        """
        bodies = [replace(message, seq=0, archived=False) for message in messages]
        key = idempotency_key or new_id()
        return await self._connection.send(
            operations.APPEND_MESSAGES(self.id, key=key, messages=bodies, expected_epoch=expected_epoch)
        )

    async def replace(
        self, messages: Sequence[Message], *, idempotency_key: str | None = None, expected_epoch: int | None = None
    ) -> answers.ReceiptData:
        """Put these messages in the place of all that the thread has, in one transaction, in a new epoch.

        The key and the epoch are as in `append`.
        """
        bodies = [replace(message, seq=0, archived=False) for message in messages]
        key = idempotency_key or new_id()
        return await self._connection.send(
            operations.REPLACE_MESSAGES(self.id, key=key, messages=bodies, expected_epoch=expected_epoch)
        )

    async def messages(self, **options: Unpack[ListMessagesOptions]) -> AsyncGenerator[Message]:
        """All messages, the oldest first, page by page; `after`, `role`, `since` and others select some.

        `limit` is the size of a page.
        """
        options = {"limit": PAGE, "after": 0, **options}
        while True:
            page = await self.page(**options)
            for message in page.messages:
                yield message
            if not page.more or page.after is None:
                return
            options = {**options, "after": page.after, "skip": 0}

    async def page(self, **options: Unpack[ListMessagesOptions]) -> answers.MessagePageData:
        """One page: the last messages, or with `after` the next ones; its `before` and `after` lead to others."""
        return await self._connection.send(operations.LIST_MESSAGES(self.id, **options))

    async def window(self, **options: Unpack[ThreadWindowOptions]) -> list[Message]:
        """The part of the thread that a model is shown: at most this many `messages` or `tokens`."""
        return (await self._connection.send(operations.THREAD_WINDOW(self.id, **options))).messages

    async def chat(
        self, message: str, *, idempotency_key: str | None = None, **options: Unpack[ChatOptions]
    ) -> answers.ChatAnswerData:
        """Say something in this thread and return the whole reply; as `chat` of the client."""
        return await chat(self._connection, message, idempotency_key, {**options, "thread_id": self.id})

    def chat_stream(
        self, message: str, *, idempotency_key: str | None = None, **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[answers.ChatStartData | str | answers.ChatAnswerData]:
        """Say something in this thread and yield the reply as it comes; as `chat_stream` of the client."""
        return chat_stream(self._connection, message, idempotency_key, {**options, "thread_id": self.id})

    async def why(self, seq: int, **options: Unpack[ExplainReplyOptions]) -> answers.WhyData:
        """Why the reply with this seq says what it says: the prompt, and the fate of its memories."""
        return await self._connection.send(operations.EXPLAIN_REPLY(self.id, seq, **options))

    async def search(self, query: str, *, limit: int | None = None) -> list[answers.SaidHitData]:
        """The messages of this thread that best match the query, best first."""
        return (
            await self._connection.send(operations.SEARCH_HISTORY(query=query, limit=limit, thread_id=self.id))
        ).hits

    async def info(self) -> answers.ThreadDetailData:
        """The thread's title, times, version and number of messages. Raises NotFound."""
        return await self._connection.send(operations.GET_THREAD(self.id))

    async def rename(self, title: str) -> answers.ThreadEntryData:
        """Give the thread another title, of 1 to 80 characters. Raises NotFound."""
        return await self._connection.send(operations.UPDATE_THREAD(self.id, title=title, repeatable=True))

    async def update_metadata(self, changes: Mapping[str, Any]) -> answers.ThreadEntryData:
        """Set these keys of the thread's metadata, and take those away that are None. Raises NotFound."""
        return await self._connection.send(operations.UPDATE_THREAD(self.id, metadata=changes, repeatable=True))

    async def archive(self, **options: Unpack[ArchiveMessagesOptions]) -> int:
        """Hide the messages `first` to `last` from windows and pages, or show them with `archived=False`.

        Returns how many changed.
        """
        return (await self._connection.send(operations.ARCHIVE_MESSAGES(self.id, **options))).changed

    async def summarise(self) -> answers.MemoryData | None:
        """Bring the thread's summary up to its end and return it; None where there is nothing to say."""
        return (await self._connection.send(operations.SUMMARISE_THREAD(self.id))).summary

    async def fork(self, **options: Unpack[ForkThreadOptions]) -> answers.ThreadEntryData:
        """Copy the thread into a new one, `target`, up to and including `at_seq`."""
        return await self._connection.send(operations.FORK_THREAD(self.id, **options))

    async def clear(self) -> str:
        """Erase the messages for good and keep the empty thread. Returns its version."""
        return (await self._connection.send(operations.CLEAR_THREAD(self.id))).version

    async def delete(self) -> None:
        """Erase the thread and its messages for good. Raises NotFound."""
        await self._connection.send(operations.DELETE_THREAD(self.id))

    async def context(self, **options: Unpack[GetContextOptions]) -> answers.ContextData:
        """The execution context that the thread runs with."""
        return await self._connection.send(operations.GET_CONTEXT(self.id, **options))

    async def set_context(
        self, headers: Mapping[str, str], **options: Unpack[GetContextOptions]
    ) -> answers.ContextData:
        """Change the context by the headers that may, for example `X-Recuerdo-Locale`. Raises NotFound."""
        request = operations.UPDATE_CONTEXT(self.id, repeatable=True, **options)
        return await self._connection.send(request.with_headers(headers))

    async def forget_context(self, **options: Unpack[GetContextOptions]) -> None:
        """Delete the context: the next message looks the configuration up again."""
        await self._connection.send(operations.INVALIDATE_CONTEXT(self.id, **options))
