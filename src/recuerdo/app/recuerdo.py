"""The library's entry point: `Recuerdo.open`, whose parts `wiring` assembles."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, get_args
from weakref import WeakValueDictionary

from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.registry import POOL_SIZE
from recuerdo.adapters.repositories import stores_no
from recuerdo.app.wiring import OFFLINE, ModelChoice, OpenOptions, Parts, open_parts
from recuerdo.contexts.assistants import Enrich
from recuerdo.core.caches import LIVES, DataType, Life
from recuerdo.core.checks import check_choice
from recuerdo.core.contexts import ModelParameters
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.ports import ChatMemoryStore, Clock, Reranker
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import ANONYMOUS, DEFAULT_TENANT, Owner, Scope
from recuerdo.core.threads import MOST_READ_BYTES, Durability
from recuerdo.core.tracing import Tracer
from recuerdo.history import ChatMemory, ThreadHistory, WindowsOver
from recuerdo.history.chat_memory import Locks, ThreadChatMemory
from recuerdo.history.history import utc_now
from recuerdo.history.message_fields import MessageFields
from recuerdo.memories import TenantMemory, UserMemory
from recuerdo.memories.maintenance.idle import IDLE
from recuerdo.memories.spending import Budget
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import Observation
from recuerdo.observability.tracing import CHECKPOINT_SPANS, HISTORY_SPANS, MEMORY_SPANS, WORKER_SPANS
from recuerdo.windowing import WindowPolicy

if TYPE_CHECKING:
    from recuerdo.agents.chat import Chat
    from recuerdo.checkpoints import Checkpoints
    from recuerdo.library import Library

T = TypeVar("T")

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

    def __init__(self, parts: Parts, options: OpenOptions) -> None:
        self._parts = parts
        self.clock = options.clock
        self.embedder = options.embedder
        """The embedding model; None if memories are searched by words alone."""
        self.embeddings = options.embedder.name if options.embedder else None
        """Its name."""
        self.retention = options.retention
        """How long unused data is kept."""
        self.enrich = options.enrich
        """The callable that configures assistants; None if the database does."""
        self.owner = options.owner or Owner(DEFAULT_TENANT, ANONYMOUS)
        """The owner of conversations that are addressed by their id alone; see `chat_memory`."""
        self._chat_memory_locks: Locks = WeakValueDictionary()
        self.message_fields = options.message_fields
        """Fills standard fields into the metadata of new messages."""
        self.observation = options.observation
        """The metrics and the tracer."""
        self.history = self.observation.appends(self.observation.trace(parts.conversations.history, HISTORY_SPANS))
        self.memories = self.observation.memories(self.observation.trace(parts.memories, MEMORY_SPANS))
        self.summaries = parts.summaries
        """The summaries of threads."""
        self.sessions = parts.sessions
        """Sessions of browsers and WebSockets, and their threads."""
        self.contexts = parts.contexts
        """The execution contexts of threads, and references to them for actions."""
        self.actions = parts.actions
        """Enqueues work for any process with a worker."""
        self.worker = self.observation.trace(parts.worker, WORKER_SPANS)
        """Executes actions in this process, of the queues it was given."""
        self.events = parts.events
        """The event logs of runs and session turns."""
        self.erasures = parts.erasures
        """Erases users and tenants as jobs that survive a restart."""
        self.audit = parts.audit
        """The audit log: who did what."""
        self.learning = parts.learning
        """Extraction by a model, if enabled; its handler is registered with `worker.take("memory", do)`."""
        self.maintenance = parts.maintenance
        """Applies the retention policy; `recuerdo serve` runs it in the background."""
        self.documents = parts.repositories.documents
        """The repository of runs, assistants and actions; None if the database stores none."""
        self.api_keys = parts.repositories.api_keys
        """The repository of API keys; None if the database stores none."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: str = DEFAULT_DATABASE,
        *,
        cache: str | None = None,
        model: str = OFFLINE,
        models: Sequence[str] = (),
        embeddings: str = "auto",
        model_base_url: str | None = None,
        model_api_key: str | None = None,
        embeddings_base_url: str | None = None,
        embeddings_api_key: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        reranker: Reranker | None = None,
        durability: Durability = "sync",
        spool: str = DEFAULT_SPOOL,
        metrics: Metrics | None = None,
        retention: str = "",
        extraction: Budget | None = None,
        clock: Clock = utc_now,
        keep_secrets: bool = False,
        summarise_after: timedelta = IDLE,
        tracer: Tracer | None = None,
        encryption_key: str | None = None,
        read_bytes: int = MOST_READ_BYTES,
        enrich: Enrich | None = None,
        owner: Owner | None = None,
        lives: Mapping[DataType, Life] = LIVES,
        pool_size: int = POOL_SIZE,
        read_url: str | None = None,
        message_fields: Sequence[str] = (),
    ) -> AsyncGenerator["Recuerdo"]:
        """Open the database, creating and migrating it as needed, and close it after the block.

        `database` is a URL (`sqlite:///file.db`, `postgresql://...`, `memory://`), and so is the shared `cache`
        (`redis://host`). `model` answers chats: `offline` or `provider:model`, at `model_base_url` if given; assistants
        may also choose one of `models`. `embeddings` is the embedding model: `auto` (the offline one if installed),
        `none`, `offline` or `provider:model`, with its own address and key, or those of a chat model of the same
        provider. `temperature` and `max_tokens` hold for every model, unless an assistant says otherwise. A `reranker`
        orders what searches of histories find. With the `durability` `async` appends are acknowledged when they are on
        disk in the folder `spool`. `retention` says how long unused data is kept (see RetentionPolicy.parse); memories
        expire accordingly, and `maintenance` applies the rest. With an `extraction`
        budget the model also extracts memories: see `learning`.
        `maintenance` also summarises long threads that have had no message for the time `summarise_after`.
        Memories with passwords, tokens or card numbers are refused, unless `keep_secrets`. A `tracer` records spans of
        what is done, e.g. an OtelTracer. With an `encryption_key` (base64 of 32 bytes; several, by commas, while it is
        rotated) texts are encrypted in the database. A page, a window or a search returns `read_bytes` of messages, and
        ends after the message that fills them. `enrich(owner, assistant_id)` says how an assistant is configured,
        instead of the assistants that the database stores. `owner` has what `chat_memory` keeps.
        `lives` are those of cached messages, contexts and sessions; `pool_size` is the number of connections to
        PostgreSQL. Cached reads take messages from the read replica of PostgreSQL at `read_url`, if it is up to date.
        `message_fields` are filled into the metadata of new messages: `agent_id`, `tenant_id`, `timestamp`.
        Raises ConfigurationError, MissingExtra or DatabaseUnavailable, and InvalidInput for the durability, the
        retention or the fields.
        """
        check_choice("durability", durability, get_args(Durability))
        choice = ModelChoice(
            model,
            models,
            model_base_url,
            model_api_key,
            embeddings,
            embeddings_base_url,
            embeddings_api_key,
            ModelParameters(temperature=temperature, max_tokens=max_tokens),
        )
        clients = ModelClients()
        options = OpenOptions(
            cache,
            durability,
            spool,
            choice,
            clients,
            choice.open_embedder(clients),
            reranker,
            extraction,
            RetentionPolicy.parse(retention),
            Observation(metrics, tracer),
            clock,
            summarise_after,
            keep_secrets,
            encryption_key,
            read_bytes,
            enrich,
            owner,
            lives,
            pool_size,
            read_url,
            MessageFields(message_fields),
        )
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(clients)
            try:
                parts = await stack.enter_async_context(open_parts(database, options))
            except RecuerdoError as error:
                raise error.with_traceback(None) from None  # it says what to do, and the way to it only hides that
            memory = cls(parts, options)
            try:
                yield memory
            finally:
                with suppress(TimeoutError):  # the rest stays in the spool
                    async with asyncio.timeout(_SECONDS_TO_CLOSE):
                        await memory.flush()

    def thread(self, *, tenant: str, user: str = ANONYMOUS, thread: str) -> ThreadHistory:
        """One conversation. Nothing is created before its first append. Raises InvalidInput for invalid ids."""
        return ThreadHistory(self.history, Scope(tenant, user, thread), self.summaries)

    def chat_memory(self, memory_id: str, window: WindowPolicy) -> ChatMemory:
        """A conversation of the `owner`, for programs that have no tenants: a thread by its id. Raises InvalidInput."""
        thread = self.thread(tenant=self.owner.tenant, user=self.owner.user, thread=memory_id)
        return ThreadChatMemory(thread, window)

    def windows_over(self, store: ChatMemoryStore, window: WindowPolicy, *, evict: bool = False) -> WindowsOver:
        """Windows over a store of your own, beside what this database has. Raises InvalidInput."""
        return WindowsOver(store, window, evict=evict, clock=self.clock, locks=self._chat_memory_locks)

    def user(self, *, tenant: str, user: str) -> UserMemory:
        """One user's memories, across threads. Raises InvalidInput for invalid ids."""
        return UserMemory(self.memories, Owner(tenant, user), self.history)

    def tenant(self, *, tenant: str) -> TenantMemory:
        """The memories that a tenant's users share. Raises InvalidInput for invalid ids."""
        return TenantMemory(self.memories, tenant)

    @property
    def stores_checkpoints(self) -> bool:
        """Whether the database stores checkpoints, without which no graph is run."""
        return self._parts.repositories.checkpoints is not None

    @property
    def checkpoints(self) -> "Checkpoints":
        """The checkpoints of graphs. Raises ConfigurationError if the database stores none."""
        return self._checkpoints

    @cached_property
    def _checkpoints(self) -> "Checkpoints":
        repository = _kept("checkpoints", self._parts.repositories.checkpoints)
        from recuerdo.checkpoints import Checkpoints

        checkpoints = Checkpoints(repository, self._parts.conversations.tiers.changed)
        return self.observation.trace(checkpoints, CHECKPOINT_SPANS)

    @property
    def items(self) -> ItemRepository:
        """The items of LangGraph's stores. Raises ConfigurationError if the database stores none."""
        return _kept("items of stores", self._parts.repositories.items)

    @cached_property
    def library(self) -> "Library":
        """The documents that agents search. Raises ConfigurationError if the database stores none."""
        repository = _kept("documents", self._parts.repositories.library)
        from recuerdo.library import Library

        return Library(repository, self.embedder, self.clock)

    @cached_property
    def chat(self) -> "Chat":
        """The chat. Raises MissingExtra or ConfigurationError if its model can't be loaded."""
        from recuerdo.agents.chat import Chat

        models = self._parts.models
        return Chat(
            self.history,
            self.memories,
            models.own(),
            clock=self.clock,
            library=self.library if self._parts.repositories.library else None,
            extract_later=self.learning.hand_over if self.learning else None,
            models=models,
        )

    async def flush(self) -> None:
        """Wait for background work: appends, memories, and this process's actions."""
        opened = vars(self)
        if "chat" in opened:
            await self.chat.aclose()
        await self.actions.flush()
        await self.history.flush()
        await self.memories.flush()
        await self.history.indexed()
        if "_checkpoints" in opened:
            await self._checkpoints.aclose()


def _kept(what: str, part: T | None) -> T:
    if part is None:
        raise stores_no(what)
    return part
