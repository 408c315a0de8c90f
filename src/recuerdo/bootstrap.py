"""The composition root: the one place that knows which adapter stands behind which port."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cache as once
from functools import partial
from typing import TYPE_CHECKING, Any

from recuerdo.actions import Actions, Worker
from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.adapters.local.documents import LocalDocuments
from recuerdo.adapters.models.embeddings import open_embedder, words_embedder
from recuerdo.adapters.models.offered import OfferedModels
from recuerdo.adapters.passages import PassagesOverHistory
from recuerdo.adapters.registry import Repositories, open_history_cache, open_repositories
from recuerdo.adapters.signals import LocalSignals
from recuerdo.caching.local import LocalTier
from recuerdo.caching.tiers import HistoryTiers
from recuerdo.core.actions import ReadMessage
from recuerdo.core.errors import ConfigurationError, MissingExtra
from recuerdo.core.item_ports import ItemRepository
from recuerdo.core.key_ports import ApiKeyRepository
from recuerdo.core.library_ports import LibraryRepository
from recuerdo.core.memory_ports import StructuredModel, ThreadSummaries
from recuerdo.core.ports import ChatModel, CheckpointRepository, Clock, Embedder, HistoryRepository
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.run_ports import DocumentRepository
from recuerdo.core.scope import ANONYMOUS, Owner, Scope
from recuerdo.core.tasks import in_background
from recuerdo.core.threads import Durability
from recuerdo.history import History, ThreadHistory
from recuerdo.history.cached import CachedHistory, CachedThreads
from recuerdo.history.deferred import DeferredAppends
from recuerdo.history.history import utc_now
from recuerdo.history.sweeper import Sweeper
from recuerdo.memories import Memories, TenantMemory, UserMemory
from recuerdo.memories.erase import Eraser
from recuerdo.memories.idle import IdleThreads
from recuerdo.memories.spending import Budget, Spending
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observation import Observation
from recuerdo.upkeep import Searches, Upkeep, removals

if TYPE_CHECKING:
    from recuerdo.adapters.local.spool import FileSpool
    from recuerdo.agents.chat import Chat
    from recuerdo.checkpoints import Checkpoints
    from recuerdo.history.search import MessageSearch
    from recuerdo.library import Library
    from recuerdo.memories.learn import Learning

DEFAULT_DATABASE = "sqlite:///.recuerdo/recuerdo.db"
DEFAULT_SPOOL = ".recuerdo/spool"
_SECONDS_TO_CLOSE = 15


class Recuerdo:
    """An open Recuerdo: histories, memories and a chat over one database, for any number of tenants.

    async with Recuerdo.open("sqlite:///recuerdo.db") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("Hola, me llamo Emiliano"))
        prompt = await thread.window(MessageWindow(50))
    """

    api_keys: ApiKeyRepository | None = None
    """The keys that programs act with; None where the database keeps none."""

    _make_library: Callable[[], "Library"] | None = None
    _library: "Library | None" = None

    actions: Actions
    """Work that is handed over, to whichever process takes it."""

    worker: Worker
    """What takes actions in this process, when it is told which."""

    embedder: Embedder | None = None
    """The embedding model."""

    learning: "Learning | None" = None
    """What lets a model read users' messages for memories, when that is asked for: `worker.take("memory", do)`."""

    upkeep: Upkeep
    """What carries out the retention; `recuerdo serve` does it as long as it runs."""

    summaries: ThreadSummaries | None = None
    """The summaries of threads."""

    retention: RetentionPolicy
    """How long what nobody uses is kept."""

    def __init__(
        self,
        history: History,
        memories: Memories,
        chat: Callable[[], "Chat"],
        embeddings: str | None,
        checkpoints: Callable[[], "Checkpoints"] | None = None,
        items: ItemRepository | None = None,
        *,
        documents: DocumentRepository | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self.history = history
        self.memories = memories
        self.embeddings = embeddings
        self.documents = documents
        self.clock = clock
        self._make_chat = chat
        self._make_checkpoints = checkpoints
        self._checkpoints: Checkpoints | None = None
        self._items = items
        self._chat: Chat | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: str = DEFAULT_DATABASE,
        *,
        cache: str | None = None,
        model: str = "offline",
        models: Sequence[str] = (),
        embeddings: str = "auto",
        model_base_url: str | None = None,
        model_api_key: str | None = None,
        durability: Durability = "sync",
        spool: str = DEFAULT_SPOOL,
        metrics: Metrics | None = None,
        retention: str = "",
        extraction: Budget | None = None,
        clock: Clock = utc_now,
    ) -> AsyncGenerator["Recuerdo"]:
        """Open the database, making and migrating it as needed, and close it behind the block.

        `database` is a URL (`sqlite:///file.db`, `memory://`), and so is `cache`, which replicas share
        (`redis://host`); `model` answers chats: `offline` or `provider:model`, at `model_base_url` where that is given,
        and so do the `models` that assistants may choose;
        `embeddings` find memories by meaning: `auto` (the offline ones when they are installed), `none`, `offline` or
        `provider:model`. With the `durability` `async` appends are acknowledged when they are on disk in the folder
        `spool`, and committed when the database can. `metrics` count what happens. `retention` says how long what is
        unused is kept, see RetentionPolicy.parse: memories expire accordingly, and `upkeep` carries out the rest. With
        the budget of an `extraction` the model reads what users say once more, in the background: see `learning`.
        Raises ConfigurationError, MissingExtra or DatabaseUnavailable, and InvalidInput for the retention.
        """
        policy = RetentionPolicy.parse(retention)
        embedder, observation = open_embedder(embeddings), Observation(metrics)
        async with AsyncExitStack() as stack:
            repositories = await stack.enter_async_context(open_repositories(database))
            guarded = await stack.enter_async_context(open_history_cache(cache))
            if guarded is not None:
                observation.outages(lambda: guarded.failures, lambda: guarded.stale_threads)
            tiers = HistoryTiers(LocalTier(), observation.cache(guarded))
            messages = observation.reads(CachedHistory(observation.database(repositories.history), tiers))
            threads = CachedThreads(repositories.threads, tiers)
            await stack.enter_async_context(_sweeping(Sweeper(repositories.threads, tiers), observation))
            deferred = await stack.enter_async_context(_deferring(messages, durability, spool, observation))
            searches = Searches()
            history = History(
                messages,
                threads,
                clock,
                cached=messages,
                deferred=deferred,
                lanes=repositories.lanes,
                search=lambda: searches.opened(_open_search(repositories, embedder)),
            )
            stack.push_async_callback(history.aclose)
            others = removals(repositories.documents, repositories.items, searches.forget)
            eraser = Eraser(repositories.memories, clock, threads, repositories.checkpoints, history.flush, others)
            memories = Memories(repositories.memories, embedder, clock, eraser, policy)
            opening = partial(_open_model, model, model_base_url, model_api_key)
            offered = OfferedModels(model, models, lambda name, given: observation.model(opening(name, given)))
            summaries = memories.summaries(messages, None if model == "offline" else offered.own)
            threads.erased = summaries.forget
            memory = cls(
                history,
                memories,
                lambda: memory._open_chat(offered),
                embedder.name if embedder else None,
                partial(_open_checkpoints, repositories.checkpoints, tiers) if repositories.checkpoints else None,
                repositories.items,
                documents=repositories.documents,
                clock=clock,
            )
            memory.api_keys = repositories.api_keys
            if repositories.library is not None:
                memory._make_library = partial(_open_library, repositories.library, embedder, clock)
            kept = repositories.checkpoints, repositories.memories, memories.expiry
            memory.upkeep = Upkeep(messages, threads, *kept, clock, repositories.items)
            memory.upkeep.idle = IdleThreads(repositories.threads, summaries, clock)
            memory.retention, memory.summaries, memory.embedder = policy, summaries, embedder
            work, memory.worker = _worker(repositories, clock)
            memory.actions = Actions(work, memory.worker, clock)
            stack.push_async_callback(memory.worker.aclose)
            if extraction is not None:
                reader = _reader(model, model_base_url, model_api_key)
                memory.learning = _open_learning(memory, messages, reader, Spending(work, extraction, clock))
            try:
                yield memory
            finally:
                with suppress(TimeoutError):  # what is not committed by then waits in the spool
                    async with asyncio.timeout(_SECONDS_TO_CLOSE):
                        await memory.flush()

    def thread(self, *, tenant: str, user: str = ANONYMOUS, thread: str) -> ThreadHistory:
        """One conversation. Nothing is made before its first append. Raises InvalidInput for impossible ids."""
        return ThreadHistory(self.history, Scope(tenant, user, thread), self.summaries)

    def user(self, *, tenant: str, user: str) -> UserMemory:
        """What is remembered of one user, across threads. Raises InvalidInput for impossible ids."""
        return UserMemory(self.memories, Owner(tenant, user), self.history)

    def tenant(self, *, tenant: str) -> TenantMemory:
        """What all users of a tenant share. Raises InvalidInput for impossible ids."""
        return TenantMemory(self.memories, tenant)

    @property
    def checkpoints(self) -> "Checkpoints":
        """The checkpoints of graphs. Raises ConfigurationError when the database keeps none."""
        if self._make_checkpoints is None:
            raise ConfigurationError("This database keeps no checkpoints. Use sqlite:// or postgresql:// for them.")
        if self._checkpoints is None:
            self._checkpoints = self._make_checkpoints()
        return self._checkpoints

    @property
    def items(self) -> ItemRepository:
        """The items of LangGraph's stores. Raises ConfigurationError when the database keeps none."""
        if self._items is None:
            raise ConfigurationError(
                "This database keeps no items of stores. Use sqlite://, postgresql:// or memory:// for them."
            )
        return self._items

    @property
    def library(self) -> "Library":
        """The documents that agents look things up in. Raises ConfigurationError when the database keeps none."""
        if self._library is None:
            if self._make_library is None:
                raise ConfigurationError(
                    "This database keeps no documents. Use sqlite://, postgresql:// or memory:// for them."
                )
            self._library = self._make_library()
        return self._library

    @property
    def chat(self) -> "Chat":
        """The chat that remembers. Raises MissingExtra or ConfigurationError when its model can't be had."""
        if self._chat is None:
            self._chat = self._make_chat()
        return self._chat

    async def flush(self) -> None:
        """Wait for everything that is under way: appends, memories, and actions that this process works on."""
        if self._chat is not None:
            await self._chat.aclose()
        await self.actions.flush()
        await self.history.flush()
        await self.memories.flush()
        await self.history.indexed()
        if self._checkpoints is not None:
            await self._checkpoints.aclose()

    def _open_chat(self, models: OfferedModels) -> "Chat":
        from recuerdo.agents.chat import Chat

        return Chat(
            self.history,
            self.memories,
            models.own(),
            clock=self.clock,
            library=self.library if self._make_library else None,
            learn=self.learning.hand_over if self.learning else None,
            models=models,
        )


@asynccontextmanager
async def _sweeping(sweeper: Sweeper, observation: Observation) -> AsyncGenerator[None]:
    observation.repairs(lambda: sweeper.repairs)
    async with in_background(sweeper.run()):
        yield


@asynccontextmanager
async def _deferring(
    repository: HistoryRepository, durability: Durability, folder: str, observation: Observation
) -> AsyncGenerator[DeferredAppends | None]:
    """The appends of durability `async`; what an earlier process left in the spool is committed in either one."""
    async with AsyncExitStack() as stack:
        spool = await _enter_spool(stack, folder, durability)
        if spool is None:
            yield None
            return
        deferred = DeferredAppends(repository, spool)
        observation.spool(lambda: spool.depth, lambda: deferred.refused)
        deferred.start()
        stack.push_async_callback(deferred.aclose)
        yield deferred if durability == "async" else None


async def _enter_spool(stack: AsyncExitStack, folder: str, durability: Durability) -> "FileSpool | None":
    """The spool; None without one, and where the process that uses it commits what is in it."""
    from recuerdo.adapters.local.spool import FileSpool

    try:
        return await stack.enter_async_context(FileSpool.open(folder, make=durability == "async"))
    except ConfigurationError:
        if durability == "async":
            raise
        return None


def _open_search(repositories: Repositories, embedder: Embedder | None) -> "MessageSearch":
    try:
        from recuerdo.history.search import MessageSearch
    except ModuleNotFoundError as missing:
        raise MissingExtra("Searching histories", "offline") from missing
    passages = repositories.passages or PassagesOverHistory(repositories.history, repositories.threads)
    return MessageSearch(passages, embedder, words_embedder(embedder))


def _open_library(repository: LibraryRepository, embedder: Embedder | None, clock: Clock) -> "Library":
    from recuerdo.library import Library

    return Library(repository, embedder, clock)


def _open_checkpoints(repository: CheckpointRepository, tiers: HistoryTiers) -> "Checkpoints":
    from recuerdo.checkpoints import Checkpoints

    return Checkpoints(repository, tiers.changed)


def _open_learning(
    memory: Recuerdo, messages: HistoryRepository, reader: Callable[[], StructuredModel], spending: Spending
) -> "Learning":
    from recuerdo.memories.learn import Learning

    async def enqueue(action: ReadMessage, after: float) -> bool:
        return await memory.actions.enqueue(action, after=after)

    return Learning(memory.memories, messages, reader, spending, enqueue, memory.clock)


def _reader(spec: str, base_url: str | None, api_key: str | None) -> Callable[[], StructuredModel]:
    """What opens the model that reads, when there is something to read. Raises ConfigurationError."""
    if spec == "offline":
        raise ConfigurationError(
            "Messages can be read for memories by a real model only. Set RECUERDO_MODEL to provider:model, "
            "or RECUERDO_EXTRACTION to detectors."
        )

    def opened() -> StructuredModel:
        try:
            from recuerdo.adapters.models.registry import open_structured_model
        except ModuleNotFoundError as missing:
            raise MissingExtra("A chat model", "langgraph") from missing
        return open_structured_model(spec, base_url=base_url, api_key=api_key)

    return once(opened)


def _open_model(
    own: str, base_url: str | None, api_key: str | None, spec: str, parameters: Mapping[str, Any]
) -> ChatModel:
    """The model `spec`; of another provider than that of our `own` one neither the address nor the key is used."""
    if spec == "offline":
        from recuerdo.agents.offline import OfflineModel

        return OfflineModel()
    try:
        from recuerdo.adapters.models.registry import open_model
    except ModuleNotFoundError as missing:
        raise MissingExtra("A chat model", "langgraph") from missing
    if spec.partition(":")[0] != own.partition(":")[0]:
        base_url = api_key = None
    return open_model(spec, base_url=base_url, api_key=api_key, parameters=parameters)


def _worker(repositories: Repositories, clock: Clock) -> tuple[DocumentRepository, Worker]:
    """And where actions lie: without documents in the database, what is handed over is lost with the process."""
    signals = repositories.signals or LocalSignals()
    documents = repositories.documents or LocalDocuments(LocalDatabase(), signals)
    return documents, Worker(documents, signals, clock)
