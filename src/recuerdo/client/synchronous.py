"""The synchronous client: the asynchronous one over a connection that blocks, so that its coroutines never wait."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

import httpx

from recuerdo.client.callers import CallerHeaders, Token, no_cookies
from recuerdo.client.client import AsyncClient, time_limits
from recuerdo.client.connection import Connection
from recuerdo.client.memories import AsyncMemoriesClient, AsyncSharedMemoriesClient
from recuerdo.client.tenant import AsyncKeysClient, AsyncTenantClient
from recuerdo.client.threads import AsyncThreadClient
from recuerdo.client.work import AsyncActionsClient, AsyncAssistantsClient, AsyncDocumentsClient, AsyncRunsClient

A = TypeVar("A")
P = ParamSpec("P")
T = TypeVar("T")


class BlockingConnection(Connection):
    """Connections over a synchronous HTTP client."""

    def __init__(self, url: str, caller: CallerHeaders, retry_for: float, http: httpx.Client) -> None:
        super().__init__(url, caller, retry_for)
        self._http = http

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 - no event loop runs here

    async def aclose(self) -> None:
        self._http.close()

    async def _answered(self, **request: Any) -> httpx.Response:
        return self._http.request(**request)

    @asynccontextmanager
    async def _streamed(self, **request: Any) -> AsyncGenerator[tuple[httpx.Response, AsyncIterator[bytes]]]:
        with self._http.stream(**request) as response:
            yield response, _each(response.iter_bytes())


class _Synchronous(Generic[A]):
    """The methods of an asynchronous client over a BlockingConnection, as synchronous ones."""

    def __init__(self, client: A) -> None:
        self._client = client


async def _each(values: Iterator[T]) -> AsyncGenerator[T]:
    for value in values:
        yield value


def _result(work: Awaitable[T]) -> T:
    try:
        next(work.__await__())
    except StopIteration as end:
        return end.value
    raise RuntimeError("a blocking connection waited for an event loop")


def _returning(
    method: Callable[Concatenate[A, P], Awaitable[T]],
) -> Callable[Concatenate[_Synchronous[A], P], T]:
    @wraps(method)
    def call(self: _Synchronous[A], *args: P.args, **options: P.kwargs) -> T:
        return _result(method(self._client, *args, **options))  # pyright: ignore[reportPrivateUsage]

    return call


def _yielding(
    method: Callable[Concatenate[A, P], AsyncGenerator[T]],
) -> Callable[Concatenate[_Synchronous[A], P], Generator[T]]:
    @wraps(method)
    def call(self: _Synchronous[A], *args: P.args, **options: P.kwargs) -> Generator[T]:
        values = method(self._client, *args, **options)  # pyright: ignore[reportPrivateUsage]
        try:
            while True:
                try:
                    value = _result(anext(values))
                except StopAsyncIteration:
                    return
                yield value
        finally:
            _result(values.aclose())

    return call


class ThreadClient(_Synchronous[AsyncThreadClient]):
    """One conversation. Nothing is sent until a method is called; the thread is made by its first append."""

    @property
    def id(self) -> str:
        """The thread's id."""
        return self._client.id

    append = _returning(AsyncThreadClient.append)
    replace = _returning(AsyncThreadClient.replace)
    messages = _yielding(AsyncThreadClient.messages)
    page = _returning(AsyncThreadClient.page)
    window = _returning(AsyncThreadClient.window)
    chat = _returning(AsyncThreadClient.chat)
    chat_stream = _yielding(AsyncThreadClient.chat_stream)
    why = _returning(AsyncThreadClient.why)
    search = _returning(AsyncThreadClient.search)
    info = _returning(AsyncThreadClient.info)
    rename = _returning(AsyncThreadClient.rename)
    update_metadata = _returning(AsyncThreadClient.update_metadata)
    archive = _returning(AsyncThreadClient.archive)
    summarise = _returning(AsyncThreadClient.summarise)
    fork = _returning(AsyncThreadClient.fork)
    clear = _returning(AsyncThreadClient.clear)
    delete = _returning(AsyncThreadClient.delete)
    context = _returning(AsyncThreadClient.context)
    set_context = _returning(AsyncThreadClient.set_context)
    forget_context = _returning(AsyncThreadClient.forget_context)


class MemoriesClient(_Synchronous[AsyncMemoriesClient]):
    """The caller's own memories."""

    add = _returning(AsyncMemoriesClient.add)
    search = _returning(AsyncMemoriesClient.search)
    get = _returning(AsyncMemoriesClient.get)
    update = _returning(AsyncMemoriesClient.update)
    delete = _returning(AsyncMemoriesClient.delete)
    history = _returning(AsyncMemoriesClient.history)
    undo = _returning(AsyncMemoriesClient.undo)
    approve = _returning(AsyncMemoriesClient.approve)
    reject = _returning(AsyncMemoriesClient.reject)
    entities = _returning(AsyncMemoriesClient.entities)
    audit = _returning(AsyncMemoriesClient.audit)
    export_lines = _returning(AsyncMemoriesClient.export_lines)
    import_lines = _returning(AsyncMemoriesClient.import_lines)
    list = _yielding(AsyncMemoriesClient.list)


class SharedMemoriesClient(_Synchronous[AsyncSharedMemoriesClient]):
    """The memories that a tenant's users share: every user proposes, admins decide."""

    propose = _returning(AsyncSharedMemoriesClient.propose)
    get = _returning(AsyncSharedMemoriesClient.get)
    delete = _returning(AsyncSharedMemoriesClient.delete)
    history = _returning(AsyncSharedMemoriesClient.history)
    approve = _returning(AsyncSharedMemoriesClient.approve)
    reject = _returning(AsyncSharedMemoriesClient.reject)
    list = _yielding(AsyncSharedMemoriesClient.list)


class DocumentsClient(_Synchronous[AsyncDocumentsClient]):
    """Documents that agents search."""

    add = _returning(AsyncDocumentsClient.add)
    search = _returning(AsyncDocumentsClient.search)
    get = _returning(AsyncDocumentsClient.get)
    delete = _returning(AsyncDocumentsClient.delete)
    list = _yielding(AsyncDocumentsClient.list)


class ActionsClient(_Synchronous[AsyncActionsClient]):
    """Work that is handed to a worker."""

    hand_over = _returning(AsyncActionsClient.hand_over)
    get = _returning(AsyncActionsClient.get)


class AssistantsClient(_Synchronous[AsyncAssistantsClient]):
    """Configured agents: the caller's own, and those that the tenant shares."""

    create = _returning(AsyncAssistantsClient.create)
    get = _returning(AsyncAssistantsClient.get)
    update = _returning(AsyncAssistantsClient.update)
    search = _returning(AsyncAssistantsClient.search)
    delete = _returning(AsyncAssistantsClient.delete)


class RunsClient(_Synchronous[AsyncRunsClient]):
    """Runs of graphs on threads."""

    create = _returning(AsyncRunsClient.create)
    wait = _returning(AsyncRunsClient.wait)
    get = _returning(AsyncRunsClient.get)
    join = _returning(AsyncRunsClient.join)
    cancel = _returning(AsyncRunsClient.cancel)
    stream = _yielding(AsyncRunsClient.stream)


class KeysClient(_Synchronous[AsyncKeysClient]):
    """API keys of the tenant."""

    create = _returning(AsyncKeysClient.create)
    rotate = _returning(AsyncKeysClient.rotate)
    revoke = _returning(AsyncKeysClient.revoke)
    list = _returning(AsyncKeysClient.list)


class TenantClient(_Synchronous[AsyncTenantClient]):
    """The affairs of a tenant, for its admins. Every user may propose `memories`, which all of them share."""

    def __init__(self, client: AsyncTenantClient) -> None:
        super().__init__(client)
        self.memories = SharedMemoriesClient(client.memories)
        self.keys = KeysClient(client.keys)

    users = _yielding(AsyncTenantClient.users)
    threads_of = _yielding(AsyncTenantClient.threads_of)
    messages_of = _yielding(AsyncTenantClient.messages_of)
    search_history_of = _returning(AsyncTenantClient.search_history_of)
    delete_thread_of = _returning(AsyncTenantClient.delete_thread_of)
    audit = _yielding(AsyncTenantClient.audit)
    forget_contexts = _returning(AsyncTenantClient.forget_contexts)
    erase = _returning(AsyncTenantClient.erase)
    erasures = _returning(AsyncTenantClient.erasures)
    retention_forecast = _returning(AsyncTenantClient.retention_forecast)


class _BlockingClient(AsyncClient):
    def __init__(self, connection: BlockingConnection) -> None:
        self._use(connection)


class Client(_Synchronous[AsyncClient]):
    """A synchronous client of a server, for one caller.

    with Client("http://127.0.0.1:8080", user="emi") as client:
        client.thread("t-1").append(Message.user("Hola, me llamo Emiliano"))
        answer = client.chat("¿Cómo me llamo?", thread_id="t-1")

    Its methods are those of AsyncClient, without `await`.
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
        http: httpx.Client | None = None,
    ) -> None:
        """`token` or `api_key` say who asks, or `user` where the server has no authentication; `visitor` is a token.

        `token` may be a function that returns one that is valid now. `timeout` is in seconds, without a sign of life.
        For `retry_for` seconds a request is sent again where that is safe; 0 turns that off. `http` replaces the
        connection pool, with its own time limits, for proxies and certificates; it is closed with the client.
        """
        caller = CallerHeaders(token=token, api_key=api_key, user=user, visitor=visitor, headers=headers)
        http = http or httpx.Client(timeout=time_limits(timeout), cookies=no_cookies())
        client = _BlockingClient(BlockingConnection(url, caller, retry_for, http))
        super().__init__(client)
        self.memories = MemoriesClient(client.memories)
        self.documents = DocumentsClient(client.documents)
        self.assistants = AssistantsClient(client.assistants)
        self.runs = RunsClient(client.runs)
        self.actions = ActionsClient(client.actions)
        self.tenant = TenantClient(client.tenant)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def visitor(self) -> str | None:
        """The visitor's token, once a server has given one: keep it to come back as the same visitor."""
        return self._client.visitor

    def thread(self, thread_id: str) -> ThreadClient:
        """One conversation of the caller. Nothing is sent before a method of it is called."""
        return ThreadClient(self._client.thread(thread_id))

    close = _returning(AsyncClient.aclose)
    threads = _yielding(AsyncClient.threads)
    messages = _yielding(AsyncClient.messages)
    chat = _returning(AsyncClient.chat)
    chat_stream = _yielding(AsyncClient.chat_stream)
    search_history = _returning(AsyncClient.search_history)
    erase = _returning(AsyncClient.erase)
    erase_in_background = _returning(AsyncClient.erase_in_background)
    erasure = _returning(AsyncClient.erasure)
    claim = _returning(AsyncClient.claim)
    principal = _returning(AsyncClient.principal)
    info = _returning(AsyncClient.info)
    ready = _returning(AsyncClient.ready)
    health = _returning(AsyncClient.health)
