"""Connects adapters to ports, and assembles the parts of an open Recuerdo."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import cache as once
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from recuerdo.actions import Actions, Worker
from recuerdo.adapters.local.access import LocalSessions
from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.adapters.local.documents import LocalDocuments
from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.models.embeddings import embeds_words, open_embedder
from recuerdo.adapters.models.offered import OfferedModels
from recuerdo.adapters.passages import PassagesOverHistory
from recuerdo.adapters.registry import POOL_SIZE, Repositories, open_cache_tier, open_history_cache
from recuerdo.adapters.run_events import open_run_events
from recuerdo.adapters.signals import LocalSignals, SharedSignals
from recuerdo.app.encrypting import TextsAtRest, open_encrypted
from recuerdo.app.erasing import ListedUsers, tenant_data
from recuerdo.app.maintenance import Maintenance, Searches, forgetting, removals
from recuerdo.audit import AuditLog
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.caching.replicas import ReadReplica
from recuerdo.concurrency.tasks import in_background
from recuerdo.contexts import Contexts, Sessions
from recuerdo.contexts.assistants import AssistantSource, BuiltinSource, CalledSource, Enrich
from recuerdo.core.caches import LIVES, DataType, Life
from recuerdo.core.contexts import ModelParameters
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.core.graph_ports import DocumentRepository, EnrichmentSource, RunEvents
from recuerdo.core.ports import (
    ChatModel,
    Clock,
    Embedder,
    HistoryRepository,
    MemoryRepository,
    PassageRepository,
    Reranker,
    StructuredModel,
    ThreadRepository,
)
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MOST_READ_BYTES, Durability
from recuerdo.history import History
from recuerdo.history.caches import Sweeper
from recuerdo.history.commits import DeferredAppends
from recuerdo.history.message_fields import NO_FIELDS, MessageFields
from recuerdo.memories import Memories
from recuerdo.memories.erase import Eraser
from recuerdo.memories.erasures import Erasures
from recuerdo.memories.maintenance.idle import IdleThreads
from recuerdo.memories.maintenance.summarise import Summaries
from recuerdo.memories.spending import Budget, Spending
from recuerdo.observability.observed import Observation, Reads
from recuerdo.runs.assistants import Assistants, own_assistant
from recuerdo.windowing.tokenizers import default_tokenizer

if TYPE_CHECKING:
    from recuerdo.adapters.local.spool import FileSpool
    from recuerdo.history.search import MessageSearch
    from recuerdo.memories.maintenance.background_extraction import BackgroundExtraction

OFFLINE = "offline"
"""The model that needs no account and no network."""

OWN_GRAPH = "recuerdo"
"""The graph that is there without a langgraph.json: the chat."""

_TRUST = 0.1
"""Seconds that a copy of a context is used without asking the shared cache; a change takes as much longer."""


class OpenOptions(NamedTuple):
    """The arguments of `Recuerdo.open` other than the database; see there."""

    cache: str | None
    durability: Durability
    spool: str
    models: "ModelChoice"
    clients: ModelClients
    embedder: Embedder | None
    reranker: Reranker | None
    extraction: Budget | None
    retention: RetentionPolicy
    observation: Observation
    clock: Clock
    summarise_after: timedelta
    keep_secrets: bool = False
    encryption_key: str | None = None
    read_bytes: int = MOST_READ_BYTES
    enrich: Enrich | None = None
    owner: Owner | None = None
    lives: Mapping[DataType, Life] = LIVES
    pool_size: int = POOL_SIZE
    read_url: str | None = None
    message_fields: MessageFields = NO_FIELDS


class ModelChoice(NamedTuple):
    """The chat model, other models that assistants may choose, and the address and key of their provider.

    Embeddings have their own address and key, or those of a chat model of the same provider.
    """

    own: str = OFFLINE
    others: Sequence[str] = ()
    base_url: str | None = None
    api_key: str | None = None
    embeddings: str = "none"
    embeddings_base_url: str | None = None
    embeddings_api_key: str | None = None
    defaults: ModelParameters = ModelParameters()

    def open(self, spec: str, parameters: Mapping[str, Any], clients: ModelClients) -> ChatModel:
        """Open the model `spec`. A model of another provider gets neither our address nor our key.

        Raises ConfigurationError and MissingExtra.
        """
        if spec == OFFLINE:
            from recuerdo.agents.offline import OfflineModel

            return OfflineModel()
        with needing("A chat model", "langgraph"):
            from recuerdo.adapters.models.chat import open_model
        base_url, api_key = (self.base_url, self.api_key) if self._is_ours(spec) else (None, None)
        return open_model(spec, clients=clients, base_url=base_url, api_key=api_key, parameters=parameters)

    def open_embedder(self, clients: ModelClients) -> Embedder | None:
        """Open the embedding model. A key is sent only to the address that it was configured with.

        Raises ConfigurationError and MissingExtra.
        """
        base_url, api_key = self.embeddings_base_url, self.embeddings_api_key
        if base_url is None and self._is_ours(self.embeddings):
            base_url, api_key = self.base_url, api_key or self.api_key
        return open_embedder(self.embeddings, clients, base_url=base_url, api_key=api_key)

    def open_reader(self, clients: ModelClients) -> StructuredModel:
        """Open the chat model for extraction. Raises ConfigurationError and MissingExtra."""
        with needing("A chat model", "langgraph"):
            from recuerdo.adapters.models.chat import open_structured_model
        return open_structured_model(self.own, clients=clients, base_url=self.base_url, api_key=self.api_key)

    def _is_ours(self, spec: str) -> bool:
        """Whether the model has the same provider as the chat model."""
        return spec.partition(":")[0] == self.own.partition(":")[0]


class Conversations(NamedTuple):
    """Messages and threads behind their caches, and the history service."""

    messages: Reads
    threads: CachedThreads
    history: History
    tiers: HistoryTiers
    searches: Searches


class Parts(NamedTuple):
    """The parts of an open Recuerdo."""

    repositories: Repositories
    conversations: Conversations
    memories: Memories
    summaries: Summaries
    sessions: Sessions
    contexts: Contexts
    models: OfferedModels
    actions: Actions
    worker: Worker
    events: RunEvents
    erasures: Erasures
    audit: AuditLog
    learning: "BackgroundExtraction | None"
    maintenance: Maintenance


@asynccontextmanager
async def open_parts(database: str, options: OpenOptions) -> AsyncGenerator[Parts]:
    """Open the database and everything over it. Raises what Recuerdo.open does."""
    async with AsyncExitStack() as stack:
        opening = open_encrypted(database, options.encryption_key, options.clock, options.pool_size, options.read_url)
        repositories, at_rest = await stack.enter_async_context(opening)
        options.observation.waits(repositories._asdict(), options.embedder)
        conversations = await stack.enter_async_context(_conversations(repositories, at_rest, options))
        sessions = await stack.enter_async_context(_sessions(repositories, options))
        contexts = await stack.enter_async_context(_contexts(repositories, options))
        events = await stack.enter_async_context(open_run_events(options.cache, at_rest.event_log))
        memories = _memories(repositories, conversations, sessions, contexts, events, options)
        models = _models(options)
        own = None if options.models.own == OFFLINE else models.own
        summaries = memories.summaries(conversations.messages, own)
        conversations.tiers.erased = forgetting(summaries.forget, events, repositories, options.clock)
        conversations.tiers.archived = summaries.forget
        documents, worker = _worker(repositories, options.clock, lease_of(database))
        worker.resolve = contexts.referred
        stack.push_async_callback(worker.aclose)
        actions = Actions(documents, worker, options.clock)
        users = repositories.users or ListedUsers(repositories)
        erasures = Erasures(documents, memories, users, tenant_data(repositories), options.clock)
        stack.push_async_callback(erasures.aclose)
        audit = AuditLog(repositories.audit, options.clock)
        stack.push_async_callback(audit.aclose)
        yield Parts(
            repositories,
            conversations,
            memories,
            summaries,
            sessions,
            contexts,
            models,
            actions,
            worker,
            events,
            erasures,
            audit,
            _learning(memories, conversations.messages, documents, actions, options),
            _maintenance(repositories, conversations, memories, summaries, erasures, options),
        )


@asynccontextmanager
async def _conversations(
    repositories: Repositories, at_rest: TextsAtRest, options: OpenOptions
) -> AsyncGenerator[Conversations]:
    observation = options.observation
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(open_history_cache(options.cache, lives=options.lives))
        if shared is not None:
            observation.outages(lambda: shared.failures, lambda: shared.stale_threads)
        cache = None if shared is None else at_rest.history_cache(shared)
        tiers = HistoryTiers(LocalTier(), observation.cache(cache))
        copy = repositories.replica
        replica = None if copy is None else ReadReplica(copy, note=observation.replica_read)
        messages = observation.reads(CachedHistory(observation.database(repositories.history), tiers, replica))
        threads = CachedThreads(repositories.threads, tiers)
        sweeper = Sweeper(repositories.threads, tiers)
        observation.repairs(lambda: sweeper.repairs)
        await stack.enter_async_context(in_background(sweeper.run()))
        deferred = await stack.enter_async_context(
            _deferring(messages, threads, repositories.memories, at_rest, options)
        )
        searches = Searches()
        passages = repositories.passages or PassagesOverHistory(repositories.history, repositories.threads)
        history = History(
            messages,
            threads,
            options.clock,
            cached=messages,
            deferred=deferred,
            concurrency=repositories.concurrency,
            search=lambda: searches.opened(_search(passages, options)),
            most_bytes=options.read_bytes,
            passages=passages,
            fields=options.message_fields,
        )
        stack.push_async_callback(history.aclose)
        yield Conversations(messages, threads, history, tiers, searches)


@asynccontextmanager
async def _deferring(
    repository: HistoryRepository,
    threads: ThreadRepository,
    memories: MemoryRepository,
    at_rest: TextsAtRest,
    options: OpenOptions,
) -> AsyncGenerator[DeferredAppends | None]:
    """Appends of durability `async`. Appends left in the spool by an earlier process are committed in any case."""
    async with AsyncExitStack() as stack:
        spool = await _enter_spool(stack, options.spool, options.durability)
        if spool is None:
            yield None
            return
        deferred = DeferredAppends(repository, at_rest.spool(spool), threads, memories.erased, options.clock)
        options.observation.spool(lambda: spool.depth, lambda: deferred.refused)
        deferred.start()
        stack.push_async_callback(deferred.aclose)
        yield deferred if options.durability == "async" else None


async def _enter_spool(stack: AsyncExitStack, folder: str, durability: Durability) -> "FileSpool | None":
    """The spool; None if there is none, or if another process uses it and therefore commits its content."""
    from recuerdo.adapters.local.spool import FileSpool

    try:
        return await stack.enter_async_context(FileSpool.open(folder, make=durability == "async"))
    except ConfigurationError:
        if durability == "async":
            raise
        return None


def _search(passages: PassageRepository, options: OpenOptions) -> "MessageSearch":
    with needing("Searching histories", "offline"):
        from recuerdo.history.search import MessageSearch
    embedder = options.embedder
    return MessageSearch(passages, embedder, options.reranker, embeds_words=embeds_words(embedder))


@asynccontextmanager
async def _sessions(repositories: Repositories, options: OpenOptions) -> AsyncGenerator[Sessions]:
    repository = repositories.sessions or LocalSessions(LocalDatabase())
    lives = options.lives
    async with open_cache_tier(options.cache, count=options.observation.looks, lives=lives) as tier:
        yield Sessions(repository, tier, options.clock, shared=options.cache is not None, life=lives["session"])


@asynccontextmanager
async def _contexts(repositories: Repositories, options: OpenOptions) -> AsyncGenerator[Contexts]:
    source, looks = BuiltinSource(_source(repositories, options), own_assistant(OWN_GRAPH)), options.observation.looks
    signals = repositories.signals if isinstance(repositories.signals, SharedSignals) else None  # of several processes
    lives = options.lives
    async with open_cache_tier(options.cache, trust=_TRUST, count=looks, lives=lives, signals=signals) as tier:
        yield Contexts(tier, source, options.clock)


def _source(repositories: Repositories, options: OpenOptions) -> EnrichmentSource:
    if options.enrich is not None:
        return CalledSource(options.enrich)
    documents = repositories.documents or LocalDocuments(LocalDatabase(), LocalSignals())
    return AssistantSource(Assistants(documents, {OWN_GRAPH: None}, options.clock).resolve)


def _memories(
    repositories: Repositories,
    conversations: Conversations,
    sessions: Sessions,
    contexts: Contexts,
    events: RunEvents,
    options: OpenOptions,
) -> Memories:
    eraser = Eraser(
        repositories.memories,
        options.clock,
        conversations.threads,
        repositories.checkpoints,
        conversations.history.flush,
        {
            **removals(repositories.documents, repositories.items, repositories.api_keys, sessions.erase),
            "contexts": contexts.erase,
            "indexes": conversations.searches.forget,
        },
        events.seal,
        repositories.purge,
        overlaps=repositories.works_on_several,
    )
    return Memories(
        repositories.memories,
        options.embedder,
        options.clock,
        eraser,
        options.retention,
        keep_secrets=options.keep_secrets,
    )


def _models(options: OpenOptions) -> OfferedModels:
    choice, observed, clients = options.models, options.observation.model, options.clients
    return OfferedModels(
        choice.own,
        choice.others,
        lambda name, given: observed(choice.open(name, given, clients), default_tokenizer),
        choice.defaults,
    )


def lease_of(database: str) -> float:
    """The duration of a lease in seconds. It is short on a server, for a quick takeover. On a file each renewal is
    flushed to disk.
    """
    return 3.0 if database.startswith("postgres") else 10.0


def _worker(repositories: Repositories, clock: Clock, lease: float) -> tuple[DocumentRepository, Worker]:
    """The worker, and the repository of its actions, which are lost with the process if the database stores none."""
    signals = repositories.signals or LocalSignals()
    documents = repositories.documents or LocalDocuments(LocalDatabase(), signals)
    return documents, Worker(documents, signals, clock, lease=lease)


def _learning(
    memories: Memories,
    messages: HistoryRepository,
    documents: DocumentRepository,
    actions: Actions,
    options: OpenOptions,
) -> "BackgroundExtraction | None":
    """Extraction by a model, if enabled. Raises ConfigurationError for the offline model."""
    if options.extraction is None:
        return None
    if options.models.own == OFFLINE:
        raise ConfigurationError(
            "Only a real model can extract memories. Set RECUERDO_MODEL to provider:model, "
            "or RECUERDO_EXTRACTION to detectors."
        )
    from recuerdo.memories.maintenance.background_extraction import BackgroundExtraction

    spending = Spending(documents, options.extraction, options.clock)
    reader = once(partial(options.models.open_reader, options.clients))
    return BackgroundExtraction(memories, messages, reader, spending, actions.enqueue, options.clock)


def _maintenance(
    repositories: Repositories,
    conversations: Conversations,
    memories: Memories,
    summaries: Summaries,
    erasures: Erasures,
    options: OpenOptions,
) -> Maintenance:
    return Maintenance(
        conversations.messages,
        conversations.threads,
        repositories.checkpoints,
        repositories.memories,
        memories.expiry,
        options.clock,
        repositories.items,
        IdleThreads(repositories.threads, summaries, options.clock, options.summarise_after, repositories.documents),
        repositories.sessions,
        erasures,
        repositories.audit,
        overlaps=repositories.works_on_several,
    )
