"""A real server on a free port, over the in-process adapter and a model that does as it is told."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, NamedTuple, cast

import uvicorn

from recuerdo.actions import Actions, Worker
from recuerdo.adapters.local import (
    LocalDatabase,
    LocalDocuments,
    LocalHistory,
    LocalLibrary,
    LocalMemories,
    LocalRunEvents,
    LocalSessions,
    LocalThreads,
)
from recuerdo.adapters.passages import PassagesOverHistory
from recuerdo.adapters.signals import LocalSignals
from recuerdo.agents.chat import Chat
from recuerdo.caching.tiered import LocalEntries, TieredCache
from recuerdo.contexts import Contexts, Sessions
from recuerdo.contexts.assistants import AssistantSource
from recuerdo.core.errors import CacheUnavailable, DatabaseUnavailable, ModelUnavailable
from recuerdo.core.messages import Message
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.history.search import MessageSearch
from recuerdo.library import Library
from recuerdo.memories import Memories
from recuerdo.memories.erasures import Erasures
from recuerdo.memories.maintenance.summarise import Summaries
from recuerdo.runs.services import RunServices, running_services
from recuerdo.server import ServerOptions, Services, create_app
from servers.patience import PATIENCE

GRAPH = "recuerdo"


class ObedientModel:
    """A chat model that answers in given pieces, and notes what it was asked and whether it was stopped."""

    def __init__(self, name: str = "offline") -> None:
        self.name = name
        self.reset()

    def reset(self) -> None:
        self.pieces: list[str] = ["Hola", ", ", "Emiliano"]
        self.prompts: list[list[Message]] = []
        self.fails_at: int | None = None
        self.error: Exception = ModelUnavailable("The model is away. Try again.")
        self.sleeps_at: int | None = None
        self.asleep = threading.Event()
        self.stopped = threading.Event()

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        self.prompts.append(list(prompt))
        try:
            for index, piece in enumerate([*self.pieces, ""]):
                if index == self.fails_at:
                    raise self.error
                if index == self.sleeps_at:
                    self.asleep.set()
                    await asyncio.sleep(3600)
                if piece:
                    yield piece
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped.set()
            raise


class Outage:
    """A repository of which every call fails while `down`."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def stand_before(self, repository: Any) -> None:
        self._repository = repository
        self.down = False

    def __getattr__(self, name: str) -> Any:
        """A method that finds its repository when it is called: somebody may keep it for longer than that."""

        def call(*arguments: Any, **more: Any) -> Any:
            if self.down:
                raise self.error
            return getattr(self._repository, name)(*arguments, **more)

        return call


class LocalServices(NamedTuple):
    history: History
    memories: Memories
    library: Library
    chat: Chat
    runs: RunServices
    contexts: Contexts
    sessions: Sessions
    events: LocalRunEvents
    signals: LocalSignals
    summaries: Summaries
    erasures: Erasures
    actions: Actions

    @property
    def runs_or_none(self) -> RunServices:
        return self.runs


class NoUsers:
    """A directory for servers whose tenants nobody erases."""

    async def users(self, tenant: str, limit: int, after: str = "") -> list[str]:
        return []


class Backend:
    """The backend of the server, within a test's reach."""

    def __init__(self, model: ObedientModel | None = None) -> None:
        self.model = model or ObedientModel()
        away = DatabaseUnavailable("The database is away. Try again.", retry_after=2.5)
        self.messages, self.threads, self.stored_memories, self.documents = (Outage(away) for _ in range(4))
        self.books = Outage(away)
        self.entries = Outage(CacheUnavailable("The cache is away. Try again."))
        self._loop: asyncio.AbstractEventLoop | None = None
        self.reset()

    def reset(self) -> None:
        """Forget everything, as if newly made."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._at_rest(), self._loop).result(PATIENCE)
        database = LocalDatabase()
        self.model.reset()
        self.messages.stand_before(LocalHistory(database))
        self.threads.stand_before(LocalThreads(database))
        self.stored_memories.stand_before(LocalMemories(database))
        self.documents.stand_before(LocalDocuments(database))
        self.entries.stand_before(LocalEntries())
        self.books.stand_before(LocalLibrary())

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Services, None]:
        passages = PassagesOverHistory(cast(Any, self.messages), cast(Any, self.threads))
        history = History(
            cast(Any, self.messages),
            cast(Any, self.threads),
            search=lambda: MessageSearch(passages, None),
            passages=passages,
        )
        memories = Memories(cast(Any, self.stored_memories), None, utc_now)
        library = Library(cast(Any, self.books), None, utc_now)
        chat = Chat(history, memories, self.model, library=library)
        documents, events = cast(Any, self.documents), LocalRunEvents()
        summaries = memories.summaries(cast(Any, self.messages), None)
        cache = TieredCache(cast(Any, self.entries), local_bytes=0)
        signals = LocalSignals()
        self._loop, self._chat, self._history = asyncio.get_running_loop(), chat, history
        async with running_services(
            documents, events, {GRAPH: None}, lambda: _graphs(chat), utc_now, signals, history=history
        ) as runs:
            contexts = Contexts(cache, AssistantSource(runs.assistants.resolve), utc_now)
            sessions = Sessions(LocalSessions(LocalDatabase()), cache, utc_now, shared=True)
            erasures = Erasures(documents, memories, NoUsers(), {}, utc_now)
            actions = Actions(documents, Worker(documents, signals, utc_now), utc_now)
            yield LocalServices(
                history,
                memories,
                library,
                chat,
                runs,
                contexts,
                sessions,
                events,
                signals,
                summaries,
                erasures,
                actions,
            )
            await erasures.aclose()
        self._loop = None
        await chat.aclose()
        await history.flush()

    async def _at_rest(self) -> None:
        """Wait for what earlier requests still do: they would store it where the next test looks."""
        while any("run_asgi" in repr(task.get_coro()) for task in asyncio.all_tasks()):  # noqa: ASYNC110 - they end
            await asyncio.sleep(0.002)
        await self._chat.aclose()
        await self._history.flush()


def _graphs(chat: Chat) -> Any:
    """The chat as a graph, with a saver and a store that end with the process."""
    from langgraph.store.memory import InMemoryStore
    from volatile_saver import VolatileSaver

    from recuerdo.agents.graph import chat_graph
    from recuerdo.integrations.langgraph.host import GraphHost, compiled

    saver, store = VolatileSaver(), InMemoryStore()
    return GraphHost({GRAPH: lambda: compiled(GRAPH, chat_graph(chat))}, None, lambda _: saver, lambda _: store)


@contextmanager
def serving(services: AbstractAsyncContextManager[Services], options: ServerOptions | None = None) -> Generator[str]:
    """The URL of a server that runs in a thread of its own, on a free port."""
    options = (options or ServerOptions())._replace(idle=0.05)  # or a reader of a thread's events would never be done
    app, patient = create_app(services, options), {"timeout_keep_alive": 60, "timeout_graceful_shutdown": 1}
    config = uvicorn.Config(app, port=0, log_level="warning", **patient)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
