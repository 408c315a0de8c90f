"""The client of a server."""

from collections.abc import AsyncGenerator, Mapping
from types import TracebackType
from typing import Self, Unpack

import httpx

from recuerdo.client import answers, operations
from recuerdo.client.callers import VISITOR, CallerHeaders, Token, no_cookies
from recuerdo.client.connection import AsyncConnection, Connection
from recuerdo.client.memories import AsyncMemoriesClient
from recuerdo.client.options import ChatOptions, ListAllMessagesOptions, ListThreadsOptions, SearchHistoryOptions
from recuerdo.client.tenant import AsyncTenantClient
from recuerdo.client.threads import AsyncThreadClient, chat, chat_stream
from recuerdo.client.work import AsyncActionsClient, AsyncAssistantsClient, AsyncDocumentsClient, AsyncRunsClient
from recuerdo.core.health import Readiness

CONNECT_SECONDS = 10.0


def time_limits(seconds: float) -> httpx.Timeout:
    """The time limit of each step of a request."""
    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


class AsyncClient:
    """An asynchronous client of a server, for one caller.

    async with AsyncClient("http://127.0.0.1:8080", user="emi") as client:
        await client.thread("t-1").append(Message.user("Hola, me llamo Emiliano"))
        answer = await client.chat("¿Cómo me llamo?", thread_id="t-1")

    Errors are those of the library (`recuerdo.core.errors`). Nothing is sent before a method is called, so a client may
    be made before its server runs.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: Token | None = None,
        api_key: str | None = None,
        user: str | None = None,
        visitor: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        retry_for: float = 30.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """`token` or `api_key` say who asks, or `user` where the server has no authentication; `visitor` is a token.

        `token` may be a function that returns one that is valid now. `timeout` is in seconds, without a sign of life.
        For `retry_for` seconds a request is sent again where that is safe; 0 turns that off. `http` replaces the
        connection pool, with its own time limits, for proxies and certificates; it is closed with the client.
        """
        caller = CallerHeaders(token=token, api_key=api_key, user=user, visitor=visitor, headers=headers)
        http = http or httpx.AsyncClient(timeout=time_limits(timeout), cookies=no_cookies())
        self._use(AsyncConnection(url, caller, retry_for, http))

    def _use(self, connection: Connection) -> None:
        self._connection = connection
        self.memories = AsyncMemoriesClient(self._connection)
        """The caller's long-term memories."""
        self.documents = AsyncDocumentsClient(self._connection)
        """Documents that agents search."""
        self.assistants = AsyncAssistantsClient(self._connection)
        """Configured agents."""
        self.runs = AsyncRunsClient(self._connection)
        """Runs of graphs."""
        self.actions = AsyncActionsClient(self._connection)
        """Work for workers."""
        self.tenant = AsyncTenantClient(self._connection)
        """The affairs of the caller's tenant."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    @property
    def visitor(self) -> str | None:
        """The visitor's token, once a server has given one: keep it to come back as the same visitor."""
        return self._connection.caller.visitor

    def thread(self, thread_id: str) -> AsyncThreadClient:
        """One conversation of the caller. Nothing is sent before a method of it is called."""
        return AsyncThreadClient(self._connection, thread_id)

    async def threads(self, **options: Unpack[ListThreadsOptions]) -> AsyncGenerator[answers.ThreadEntryData]:
        """The caller's threads, the most recently changed first, page by page."""
        async for page in self._connection.pages("cursor", operations.LIST_THREADS, **options):
            for thread in page.threads:
                yield thread

    async def messages(self, **options: Unpack[ListAllMessagesOptions]) -> AsyncGenerator[answers.SaidMessageData]:
        """The caller's messages in all threads by time, the latest made first, page by page.

        `role`, `since` and others select some, and `skip` leaves out the first; `limit` is the size of a page.
        """
        async for page in self._connection.pages("cursor", operations.LIST_ALL_MESSAGES, **options):
            for said in page.messages:
                yield said

    async def chat(
        self, message: str, *, idempotency_key: str | None = None, **options: Unpack[ChatOptions]
    ) -> answers.ChatAnswerData:
        """Say something and return the whole reply; in a new thread, unless `thread_id` names one.

        Without a key one is made: the message and its reply are stored once, however often the connection breaks.
        """
        return await chat(self._connection, message, idempotency_key, options)

    def chat_stream(
        self, message: str, *, idempotency_key: str | None = None, **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[answers.ChatStartData | str | answers.ChatAnswerData]:
        """Say something and yield the reply as it comes: a ChatStartData, pieces of text, and the ChatAnswerData.

        A broken stream is continued: no piece comes twice. If the model had to be asked again and says something else,
        a second ChatStartData comes, and the text begins anew. Close the generator to stop the model.
        """
        return chat_stream(self._connection, message, idempotency_key, options)

    async def search_history(self, query: str, **options: Unpack[SearchHistoryOptions]) -> list[answers.SaidHitData]:
        """The caller's messages that best match the query, over all threads, or in the one of `thread_id`."""
        return (await self._connection.send(operations.SEARCH_HISTORY(query=query, **options))).hits

    async def erase(self) -> answers.ErasureData:
        """Erase all data of the caller for good, and return the receipt."""
        return await self._connection.send(operations.ERASE_EVERYTHING(everything=True))

    async def erase_in_background(self) -> answers.ErasureProgressData:
        """Begin to erase all data of the caller; `erasure` tells how far it has come, also after a restart."""
        request = operations.ERASE_EVERYTHING(everything=True, background=True)
        return await self._connection.send(request.answered_by(answers.ErasureProgressData))

    async def erasure(self, erasure_id: str) -> answers.ErasureProgressData:
        """How far an erasure has come. Raises NotFound."""
        return await self._connection.send(operations.GET_ERASURE(erasure_id))

    async def claim(self, visitor: str) -> list[answers.ClaimedThreadData]:
        """Take over the threads of the visitor whose token this is, once; for users with a credential."""
        request = operations.CLAIM_CONVERSATIONS().with_headers({VISITOR: visitor})
        return (await self._connection.send(request)).threads

    async def principal(self) -> answers.PrincipalData:
        """The tenant, user and role that requests of this client act as."""
        return await self._connection.send(operations.GET_PRINCIPAL())

    async def info(self) -> answers.InfoData:
        """The server's version, model and options."""
        return await self._connection.send(operations.INFO())

    async def ready(self) -> Readiness:
        """Wait until the server takes requests, for `retry_for` seconds at most. Raises Unavailable."""
        return await self._connection.send(operations.READY())

    async def health(self) -> bool:
        """Whether the server is alive. Raises Unavailable."""
        return (await self._connection.send(operations.OK())).ok
